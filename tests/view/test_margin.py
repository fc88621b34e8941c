"""What stands in the margin of cells: for which lines, which words, which colours."""

from collections.abc import Callable

from msgspec.structs import replace

from dynamo_lab.model.recording import Recording
from dynamo_lab.render.margin import margins
from dynamo_lab.view import build
from dynamo_lab.view.margin import MarginLine
from dynamo_lab.view.margin import build as build_margins

Make = Callable[[str], Recording]


def test_each_line_says_where_it_went_and_each_break_why(make: Make) -> None:
    recording = make("branch_and_print")
    [margin] = build_margins(build(recording))
    assert margin.code == "\n".join(text for _, text in recording.sources[0].lines())
    first, second, third, *_ = margin.lines
    assert first == MarginLine(
        1, "compiled", 0, "Compiled into graph 1, in 1 kernel.", f"line:0:{first.number}"
    )
    assert (second.mark, second.goes_to) == ("break", "break:0")
    assert second.says.startswith("Graph break 1: data-dependent branch\n")
    assert (third.colour, third.mark) == (1, None)


def test_files_and_cells_of_which_a_part_is_unknown_have_no_margin(make: Make) -> None:
    view = build(make("branch_and_print"))
    file = replace(view.sources[0], kind="user")
    assert build_margins(replace(view, sources=(file,))) == ()
    cut = replace(view.sources[0], lines=view.sources[0].lines[1:])
    assert build_margins(replace(view, sources=(cut,))) == ()
    line = replace(view.sources[0].lines[0], text="x" * 60_000)
    long = replace(view.sources[0], lines=(line, *view.sources[0].lines[1:]))
    assert build_margins(replace(view, sources=(long,))) == ()


def test_a_skipped_line_says_so_and_has_no_colour(make: Make) -> None:
    view = build(make("skipped"))
    cells = tuple(replace(source, kind="cell") for source in view.sources)
    [skipped] = build_margins(replace(view, sources=cells))
    assert {line.says for line in skipped.lines} == {"Skipped by Dynamo: it runs in Python."}
    assert {line.colour for line in skipped.lines} == {-1}


def test_hostile_words_are_visible_short_and_plain(make: Make) -> None:
    recording = make("branch_and_print")
    evil = "<script>\x1b[31m\u202e" + "long " * 500
    breaks = tuple(replace(item, explanation=evil) for item in recording.breaks)
    metadata = margins(build(replace(recording, breaks=breaks)), "uid")["dynamo_lab"]
    assert metadata["uid"] == "uid"
    [margin] = metadata["margins"]
    said = next(line[3] for line in margin["lines"] if line[5] == "break")
    assert "<script>\\x1b[31m\\u202e" in said
    assert len(said) < 1000
