import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from dynamo_lab.model.recording import Recording
from dynamo_lab.render.fallback.page import fallback, waiting
from dynamo_lab.view import build
from tests.render.sections import named

Make = Callable[[str], Recording]
VOID = {"br", "hr", "meta"}


class Reader(HTMLParser):
    """The elements and the text that a browser sees."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text += data


class SectionReader(Reader):
    """The same, with a mark before each heading and a line for it."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag == "h4":
            self.handle_data("\f")

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        if tag == "h4":
            self.handle_data("\n")


def texts(html: str) -> dict[str, str]:
    """The text of each section, as a browser shows it."""
    return named(SectionReader(html).text.split("\f"))


@pytest.mark.parametrize(
    "name",
    [
        "branch_and_print",
        "decomposed",
        "skipped",
        "fullgraph_failed",
        "recompiled",
        "sizes",
        "cut",
        "hostile",
        "big",
        "rewritten",
        "lowered",
        "assembled",
        "measured",
    ],
)
def test_only_harmless_elements(make: Make, name: str) -> None:
    seen = Reader(fallback(build(make(name)), "u1"))
    assert seen.tags <= {
        "div", "style", "p", "b", "i", "small", "h4", "pre", "span", "ul", "li", "details",
        "summary", "code", "table", "tr", "td", "th", "ol", "br",
    }  # fmt: skip
    assert seen.attributes <= {"class", "style", "data-dynamo-lab-static"}


def test_what_operators_became(make: Make, golden: str) -> None:
    html = fallback(build(make("decomposed")), "u1")
    text = Reader(html[html.index("<h4>Decompositions") : html.index("<h4>Notes")]).text
    assert text + "\n" == golden


def test_a_benchmark_without_scripts(make: Make) -> None:
    text = Reader(fallback(build(make("measured")), "u1")).text
    assert "Compiled is 1.43 times faster than eager (1.42 to 1.44), forward" in text
    assert "half (forward): computes something else" in text
    assert "A copy into another layout, for which eager runs nothing." in text


def test_it_says_the_same_as_the_terminal(make: Make, goldens: dict[str, str]) -> None:
    assert texts(fallback(build(make("branch_and_print")), "u1")) == goldens


def test_passes_are_diffs_to_unfold(make: Make, goldens: dict[str, str]) -> None:
    assert texts(fallback(build(make("rewritten")), "u1")) == goldens


def test_hostile_text_is_text(make: Make) -> None:
    seen = Reader(fallback(build(make("hostile"))))
    assert "</script><b>bold</b>&amp;" in seen.text
    assert "\\x1b[31mred" in seen.text
    assert "\\u202e" in seen.text
    assert "\\u2028" in seen.text
    assert not re.search("[\x1b\x07\u202e\u200f\u2028\x9b\x85]", seen.text)


@pytest.mark.parametrize("limit", [200_000, 60_000, 20_000])
def test_it_fits_its_limit_and_says_what_was_cut(make: Make, limit: int) -> None:
    html = fallback(build(make("big")), "u1", limit)
    assert len(html.encode()) <= limit
    assert re.search(r"\d+ more cut here to keep this output small", Reader(html).text)
    assert "… 4,882 more nodes" in Reader(html).text or limit == 20_000


def test_one_endless_line_does_not_exceed_the_limit(make: Make) -> None:
    recording = make("branch_and_print")
    endless = "x" * 1_000_000
    kernels = tuple(replace(k, code=endless, name=endless) for k in recording.kernels)
    breaks = tuple(
        replace(b, explanation=endless, hints=(endless,), context=endless) for b in recording.breaks
    )
    view = build(replace(recording, title=endless, kernels=kernels, breaks=breaks))
    assert len(fallback(view).encode()) < 40_000


def test_the_rule_hides_a_dead_widget_after_it(make: Make) -> None:
    html = fallback(build(make("skipped")), "abc123")
    assert html.startswith('<div class="dynamo-lab-static" data-dynamo-lab-static="abc123">')
    assert (
        '.jp-OutputArea-child:has([data-dynamo-lab-static="abc123"])'
        " + .jp-OutputArea-child:not(:has(.dynamo-lab-live)) { display: none }"
    ) in html
    assert "jp-OutputArea" not in fallback(build(make("skipped")))


def test_a_uid_cannot_break_out() -> None:
    assert Reader(waiting('"><script>x</script>')).tags == {"div", "style", "p"}


def test_every_rule_is_scoped(make: Make) -> None:
    style = re.search(r"<style>(.*?)</style>", fallback(build(make("skipped"))), re.DOTALL)
    assert style is not None
    rules = [rule.strip() for rule in style[1].split("}") if rule.strip()]
    assert all(rule.startswith(".dynamo-lab-static") for rule in rules)


def test_a_graph_too_long_to_print_shows_its_modules(make: Make) -> None:
    text = fallback(build(make("big")))
    assert "(the graph)  5,000 operators\n  layers  5,000 operators\n    0  105 operators" in text


def test_modules_are_a_table_and_what_differs_a_list(make: Make) -> None:
    seen = Reader(fallback(build(make("blocks"))))
    assert "layers.0 … layers.3 x 4 (Block)" in seen.text
    assert "layers.2 differs: it has the module act (GELU)" in seen.text
