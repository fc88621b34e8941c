import unicodedata
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Group

from dynamo_lab.errors import OptionError
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import Timing
from dynamo_lab.render import terminal
from dynamo_lab.render.fallback import page
from dynamo_lab.render.terminal.core.parts import Page
from dynamo_lab.render.terminal.kernels import kernels
from dynamo_lab.view import build
from tests.render.sections import by_section

Make = Callable[[str], Recording]
SAMPLES = [
    "branch_and_print",
    "decomposed",
    "scheduled",
    "skipped",
    "fullgraph_failed",
    "recompiled",
    "sizes",
    "cut",
    "packaged",
    "attending",
    "encoding",
    "choosing",
]

EMPTY = ["autograd", "fusion", "memory", "passes", "shapes", "why_wrong"]
"""The sections that branch_and_print has nothing to say in."""


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("name", SAMPLES)
def test_in_brief(make: Make, goldens: dict[str, str], name: str, width: int) -> None:
    assert by_section(terminal.render(build(make(name)), width=width)) == goldens


@pytest.mark.parametrize("section", [name for name in terminal.SECTIONS if name not in EMPTY])
def test_a_section_in_full(make: Make, golden: str, section: str) -> None:
    view = build(make("branch_and_print"))
    assert terminal.render(view, width=100, sections=[section]) + "\n" == golden


@pytest.mark.parametrize("section", EMPTY)
def test_a_section_without_facts_is_empty(make: Make, section: str) -> None:
    view = build(make("branch_and_print"))
    assert terminal.render(view, width=100, sections=[section]) == ""


@pytest.mark.parametrize("name", ["staged", "hostile_staged"])
def test_the_stages_of_a_graph(make: Make, golden: str, name: str) -> None:
    text = terminal.render(build(make(name)), width=100, sections=["compiler"])
    assert text + "\n" == golden


@pytest.mark.parametrize("width", [80, 120])
def test_a_bisection_in_full(make: Make, golden: str, width: int) -> None:
    text = terminal.render(build(make("bisected")), width=width, sections=["why_wrong"])
    assert text + "\n" == golden


@pytest.mark.parametrize("width", [60, 100])
def test_attention_in_full(make: Make, golden: str, width: int) -> None:
    text = terminal.render(build(make("attending")), width=width, sections=["attention"])
    assert text + "\n" == golden


@pytest.mark.parametrize("width", [60, 100])
def test_the_fast_path_in_full(make: Make, golden: str, width: int) -> None:
    text = terminal.render(build(make("encoding")), width=width, sections=["fast_path"])
    assert text + "\n" == golden


@pytest.mark.parametrize("name", ["choosing", "attending", "encoding"])
def test_choices_in_full(make: Make, golden: str, name: str) -> None:
    text = terminal.render(build(make(name)), width=100, sections=["choices"])
    assert text + "\n" == golden


@pytest.mark.parametrize("width", [80, 120])
def test_a_benchmark_in_full(make: Make, golden: str, width: int) -> None:
    text = terminal.render(build(make("measured")), width=width, sections=["bench"])
    assert text + "\n" == golden


def test_a_benchmark_in_brief(make: Make, golden: str) -> None:
    text = terminal.render(build(make("measured_large")), width=100)
    assert text[text.index("\nBench ") :] + "\n" == golden


@pytest.mark.parametrize("section", ["fusion", "memory"])
def test_a_schedule_in_full(make: Make, golden: str, section: str) -> None:
    view = build(make("scheduled"))
    assert terminal.render(view, width=100, sections=[section]) + "\n" == golden


def test_a_section_that_a_package_cannot_have_says_why(make: Make) -> None:
    for section in ("frames", "guards"):
        text = terminal.render(build(make("packaged")), width=100, sections=[section])
        assert "without Dynamo, so there are no frames" in text


@pytest.mark.parametrize("sections", [None, ["passes"]], ids=["brief", "full"])
def test_passes(make: Make, goldens: dict[str, str], sections: list[str] | None) -> None:
    text = terminal.render(build(make("rewritten")), width=100, sections=sections)
    assert by_section(text) == goldens


@pytest.mark.parametrize("sections", [None, ["lowering"]], ids=["brief", "full"])
def test_lowering(make: Make, goldens: dict[str, str], sections: list[str] | None) -> None:
    text = terminal.render(build(make("lowered")), width=100, sections=sections)
    assert by_section(text) == goldens


def test_a_kernel_with_the_lines_of_its_statements(make: Make, golden: str) -> None:
    text = terminal.render(build(make("assembled")), width=100, sections=["kernels"])
    assert text + "\n" == golden


def test_a_level_of_an_assembly(make: Make, golden: str) -> None:
    assembly = build(make("assembled")).kernels.assemblies[0]
    assert terminal.as_text(Group(*kernels.level(assembly, "ptx")), width=80) + "\n" == golden


@pytest.mark.parametrize("section", ["guards", "shapes"])
def test_why_it_was_compiled_again_in_full(make: Make, golden: str, section: str) -> None:
    text = terminal.render(build(make("sizes")), width=100, sections=[section])
    assert text + "\n" == golden


def test_what_is_kept_for_the_backward_in_full(make: Make, golden: str) -> None:
    text = terminal.render(build(make("cut")), width=100, sections=["autograd"])
    assert text + "\n" == golden


@pytest.mark.parametrize("to", ["core_aten", "inductor", "prims"])
def test_decompositions_down_to_each_set(make: Make, golden: str, to: str) -> None:
    text = terminal.render(build(make("decomposed")), sections=["decompositions"], to=to)
    assert text + "\n" == golden


def test_an_unknown_set_is_refused(make: Make) -> None:
    with pytest.raises(OptionError, match="no set of operators 'xla'"):
        terminal.render(build(make("decomposed")), to="xla")


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize(
    "name", [*SAMPLES, "hostile", "big", "rewritten", "lowered", "assembled", "measured"]
)
def test_no_line_is_wider_than_the_terminal(make: Make, name: str, width: int) -> None:
    text = terminal.render(build(make(name)), width=width)
    assert max(map(cell_len, text.split("\n"))) <= width


@pytest.mark.parametrize("sections", [None, list(terminal.SECTIONS)])
def test_hostile_text_neither_controls_nor_is_lost(make: Make, sections: list[str] | None) -> None:
    text = terminal.render(build(make("hostile")), width=4000, sections=sections)
    assert not [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl")]
    assert "</script><b>bold</b>&amp;" in text
    assert "[red]markup[/red]" in text
    assert "\\x1b[31mred\\x1b[0m" in text
    assert "'right\\u202eleft' + 'para\\u2028graph' + '\\u200f'" in text


def test_a_line_break_in_a_name_begins_no_line(make: Make) -> None:
    facts = make("branch_and_print")
    forged = replace(
        facts,
        environment=replace(facts.environment, torch="2.13\nFORGED"),
        breaks=tuple(replace(item, registry_id="GB\nFORGED") for item in facts.breaks),
        timings=tuple(replace(item, name=f"{item.name}\nFORGED") for item in facts.timings),
    )
    text = terminal.render(build(forged), width=400, sections=list(terminal.SECTIONS))
    assert text.count("FORGED") >= 3
    assert not [line for line in text.split("\n") if line.lstrip(" │┃|").startswith("FORGED")]


def test_a_break_says_how_many_compilations_it_cut(make: Make) -> None:
    recording = make("branch_and_print")
    often = replace(recording.breaks[0], times=6)
    view = build(replace(recording, breaks=(often, *recording.breaks[1:])))
    sign = "\N{MULTIPLICATION SIGN}"
    assert terminal.render(view).count(f"resumed  {sign} 6 compilations") == 1
    assert f" · {sign} 6 compilations" in page.fallback(view)


def test_of_a_frame_with_several_graphs_the_newest_is_said_to_be_shown(make: Make) -> None:
    again = "compiled into the graph of this number, the newest of those that it is in"
    text = " ".join(terminal.render(build(make("sizes")), width=200, sections=["code"]).split())
    assert again in text
    once = terminal.render(build(make("branch_and_print")), width=200, sections=["code"])
    assert "compiled into the graph of this number" in once
    assert again not in once
    assert again in page.fallback(build(make("sizes")))


def test_what_ran_in_parallel_is_named() -> None:
    timings = (Timing("wait", 0.0, 1.0), Timing("g++", 0.0, 1.0, 0, thread=7))
    text = terminal.render(build(Recording(title="t", timings=timings)), sections=["timeline"])
    assert "in parallel, in other threads: g++ 1.0 s" in text


def test_colour_is_asked_for(make: Make) -> None:
    view = build(make("branch_and_print"))
    assert "\x1b[" not in terminal.render(view)
    coloured = terminal.render(view, color=True)
    assert "\x1b[" in coloured


def test_carets_stand_under_wide_characters_and_tabs(make: Make) -> None:
    from dynamo_lab.render.terminal.core.parts import caret

    (row,) = caret("\t变 = f()", 5, 8, "here", "", 80)
    assert row.plain == " " * 9 + "^^^ here"


def test_long_graphs_are_cut_and_say_how_to_see_all(make: Make) -> None:
    view = build(make("big"))
    text = terminal.render(view, width=120, sections=None)
    assert "… 4,982 more nodes; dynamo-lab show --graph 1 prints all" in text
    assert "n_4999 =" in terminal.render(view, width=120, sections=["graphs"])


def test_some_graphs_in_full_and_their_other_stages_by_name(make: Make) -> None:
    text = terminal.render(build(make("branch_and_print")), sections=["graphs"], graphs=[4])
    assert "graph 1 forward  4 operators\n  arg0_1" in text
    assert "  dynamo     graph 1            captured from cell, 4 operators" in text
    assert "post_grad  graph 1 post_grad" in text
    assert "graph 2" not in text


def test_long_code_goes_on_below_its_line(make: Make) -> None:
    view = build(make("branch_and_print"))
    arguments = (
        *view.graphs[0].arguments[:2],
        ", ".join(["gelu"] * 20),
        *view.graphs[0].arguments[3:],
    )
    graph = replace(view.graphs[0], arguments=arguments)
    text = terminal.render(replace(view, graphs=(graph,)), width=80, sections=["graphs"])
    row = next(row for row in text.split("\n") if "y = operator.add" in row)
    assert row.endswith("f32[8, 8]  line 1")
    assert "\n      gelu, gelu" in text
    assert max(map(cell_len, text.split("\n"))) <= 80


def test_nodes_show_their_module_where_there_is_room(make: Make) -> None:
    view = build(make("big"))
    assert "layers.0.attn.query" in terminal.render(view, width=160, sections=["graphs"])
    assert "layers.0.attn.query" not in terminal.render(view, width=80, sections=["graphs"])


def test_a_failure_that_the_sentence_tells_is_not_told_twice(make: Make) -> None:
    recording = make("fullgraph_failed")
    text = terminal.render(build(replace(recording, breaks=(), frames=())))
    assert text.count("Failed to trace builtin operator") == 2  # the sentence and the mark


def test_an_unknown_section_is_refused(make: Make) -> None:
    with pytest.raises(
        OptionError, match="no section 'nodes': pass any of summary, findings, code"
    ):
        terminal.render(build(make("skipped")), sections=["nodes"])


def test_an_empty_recording_prints() -> None:
    text = terminal.render(build(Recording(title="empty")))
    assert "Nothing was compiled" in text


def test_the_modules_of_a_graph(make: Make, golden: str) -> None:
    from dynamo_lab.render.terminal.graphs.outline import outlines

    body = Group(*outlines(build(make("searched")), [0, 3]))
    assert terminal.as_text(body, width=100) + "\n" == golden


@pytest.mark.parametrize("query", ["op:linear", "op:lin", "shape:*x128 -op:placeholder"])
def test_what_a_search_finds(make: Make, golden: str, query: str) -> None:
    from dynamo_lab.render.terminal.graphs.outline import found

    body = Group(*found(build(make("searched")), query, range(4), Page(width=100, everything=True)))
    assert terminal.as_text(body, width=100) + "\n" == golden


@pytest.mark.parametrize("query", ["op:*", "<b>"])
def test_hostile_nodes_that_are_found_stay_text(make: Make, query: str) -> None:
    from dynamo_lab.render.terminal.graphs.outline import found, outlines

    for name in ("hostile", "searched"):
        view = build(make(name))
        body = Group(
            *found(view, query, range(4), Page(width=200, everything=True)), *outlines(view, [0])
        )
        text = terminal.as_text(body, width=200)
        assert not [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl")]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_modules_in_full(make: Make, golden: str, width: int) -> None:
    text = terminal.render(build(make("blocks")), width=width, sections=["modules"])
    assert text + "\n" == golden


def test_why_there_are_no_modules(make: Make) -> None:
    text = terminal.render(build(make("branch_and_print")), width=100, sections=["modules"])
    assert text.endswith("The captured graphs call no nn.Module.")
