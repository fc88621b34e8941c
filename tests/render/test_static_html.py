import re
from collections.abc import Callable
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

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
    """The same, with a mark before each section's title and a line for it.

    A section that is seen at once has a heading, one that is folded a summary of its own.
    """

    @property
    def is_in_title(self) -> bool:
        return self.open[-1:] == ["h4"] or self.open == ["div", "details", "summary"]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if self.is_in_title:
            self.handle_data("\f")

    def handle_endtag(self, tag: str) -> None:
        if self.is_in_title:
            self.handle_data("\n")
        super().handle_endtag(tag)


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
    assert seen.attributes <= {"class", "style", "data-dynamo-lab-static", "open"}


def test_what_operators_became(make: Make, golden: str) -> None:
    html = fallback(build(make("decomposed")), "u1")
    assert texts(html)["decompositions"] == golden


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


SAMPLES = ["branch_and_print", "recompiled", "sizes", "lowered", "measured", "cut", "big"]


class _Open(HTMLParser):
    """The texts that stand there before anything is unfolded."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.folds: list[bool] = []
        self.in_summary = False
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "details":
            self.folds.append("open" not in dict(attrs))
        self.in_summary |= tag == "summary"

    def handle_endtag(self, tag: str) -> None:
        if tag == "details":
            self.folds.pop()
        self.in_summary &= tag != "summary"

    def handle_data(self, data: str) -> None:
        outside = self.folds[:-1] if self.in_summary else self.folds
        self.text += "" if any(outside) else f"{data}\n"


def test_all_but_sentence_findings_map_and_breaks_is_folded(make: Make) -> None:
    view = build(make("branch_and_print"))
    seen = _Open(fallback(view)).text
    assert view.summary.sentence in seen.replace("\n", "")
    for finding in view.findings.found:
        assert finding.sentence.replace("`", "") in seen.replace("\n", "")
    for told in ("Break 1: data-dependent branch", "Break 2: print call", "Kernels (2)", "graph 1"):
        assert told in seen
    assert "extern" not in seen
    assert seen.count("\nMap\n") == 1
    assert not any(kernel.code.splitlines()[0] in seen for kernel in view.kernels.kernels)
    assert view.findings.found[0].remedy.split("`")[0] in seen
    assert view.findings.found[1].remedy.split("`")[0] not in seen


@pytest.mark.browser
def test_what_is_seen_at_once_takes_two_screens_at_most(make: Make, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    for name in SAMPLES:
        page.set_content(fallback(build(make(name)), "u1"))
        height = page.locator(".dynamo-lab-static").evaluate("it => it.offsetHeight")
        assert 0 < height <= 2 * 900, name
        assert page.evaluate("document.documentElement.scrollWidth") <= 1000, name
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("host", "is_dark"),
    [
        ("<body>", False),
        ('<body data-jp-theme-light="true">', False),
        ('<body data-jp-theme-light="false">', True),
        ('<body class="vscode-dark">', True),
        ('<html theme="dark"><body>', True),
    ],
)
def test_its_colours_are_those_of_the_live_view(
    make: Make, browser: Any, host: str, is_dark: bool
) -> None:
    page = browser.new_page(color_scheme="dark")  # of the reader's system: the page decides
    page.set_content(f"<!doctype html>{host}{fallback(build(make('branch_and_print')))}")
    live = (Path(str(files("dynamo_lab"))) / "frontend/src/style/colours.css").read_text()
    _, light, dark = live.split("data-scheme=", 2)
    scheme = dark if is_dark else light
    for name, variable in (("r0", "r0"), ("r1", "r1"), ("warning", "warn")):
        hexed = re.search(rf"--dl-{variable}: #(\w+);", scheme)
        assert hexed is not None
        red, green, blue = bytes.fromhex(hexed[1])
        shown = page.locator(f".dl-{name}").first.evaluate("it => getComputedStyle(it).color")
        assert shown == f"rgb({red}, {green}, {blue})", name
    page.close()


def test_each_colour_is_inline_too_for_hosts_that_strip_styles(make: Make) -> None:
    html = re.sub(r"<style>.*?</style>", "", fallback(build(make("branch_and_print"))), flags=re.S)
    classes = re.findall(r'<\w+ class="dl-\w+"( style="color:#\w+")?', html)
    assert classes
    assert all(classes)


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


def test_reasons_against_fusion_are_counted_over_all_pairs(make: Make) -> None:
    """What has to run between is another operation for each pair: the reason is one."""
    recording = make("scheduled")
    [schedule] = recording.schedules
    apart = schedule.verdicts.ruling[1]
    verdicts = replace(schedule.verdicts, ruling=(apart,) * 3, pairs=((0, 3), (0, 2), (1, 3)))
    made = replace(recording, schedules=(replace(schedule, verdicts=verdicts),))
    text = re.sub(r"\s+", " ", Reader(fallback(build(made))).text)
    assert "3 pairs Something else has to run after the first and before the second." in text
