"""The map of the run: rows in the order of the calls, each with its depth."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.sources import Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build

Make = Callable[[str], Recording]


def rows(recording: Recording) -> list[tuple[int, str, str, str]]:
    return [(row.depth, row.kind, row.name, row.lines) for row in build(recording).run_map]


def test_a_call_lies_below_the_break_that_made_it(make: Make) -> None:
    assert rows(make("nested")) == [
        (0, "compiled", "f", "line 5"),
        (1, "break", "break 1", "line 5"),
        (2, "compiled", "helper", "line 2"),
        (3, "break", "break 2", "line 2"),
        (3, "resumed", "helper after line 2", "line 3"),
        (1, "resumed", "f after line 5", "line 6"),
        (0, "skipped", "1 library frame", ""),
    ]


def test_resumptions_of_a_frame_stand_below_each_other(make: Make) -> None:
    made = rows(make("branch_and_print"))
    assert [depth for depth, *_ in made] == [0, 1, 1, 1, 1]
    assert [row[2] for row in made[1::2]] == ["break 1", "break 2"]


def test_a_break_says_what_it_follows_from_and_leads_to(make: Make) -> None:
    first, second = (row for row in build(make("nested")).run_map if row.kind == "break")
    assert first.text == "print call, follows from break 2"
    assert second.text == "print call"
    assert (first.entity, second.entity) == ("break:0", "break:1")


def test_a_row_leads_to_its_first_line_where_it_has_one(make: Make) -> None:
    made = build(make("nested")).run_map
    assert [row.line for row in made[:3]] == ["line:0:5", "line:0:5", "line:0:2"]
    assert not made[-1].line


def test_recompilations_are_one_row(make: Make) -> None:
    (row,) = build(make("recompiled")).run_map
    assert (row.graphs, row.text, row.size) == ((0, 1), "compiled twice", "1 operator")


def test_a_frame_given_up_is_eager_and_others_say_why_not(make: Make) -> None:
    frame, broken = build(make("fullgraph_failed")).run_map
    assert (frame.kind, frame.text, broken.kind) == ("failed", "at break 1", "break")
    (row,) = build(make("skipped")).run_map
    assert row.kind == "skipped"
    assert row.text.startswith("No tensor was seen among the values of this call")


def test_a_file_is_named_where_it_changes(make: Make) -> None:
    recording = make("nested")
    spans = list(recording.spans)
    spans[1] = Span(2, 1, "helper")
    sources = (*recording.sources, Source("/home/me/model.py", "user"))
    made = build(replace(recording, spans=tuple(spans), sources=sources)).run_map
    assert [row.file for row in made[:3]] == ["", "", "model.py"]


def test_a_long_chain_of_resumptions_and_strange_references_end() -> None:
    """A file may come from anyone: what it says twice is shown once."""
    count = 3000

    def frame(number: int) -> Frame:
        more: dict[str, Any] = {"resumes": number - 1, "resumed_line": 1} if number else {}
        return Frame(id=number, name="f", span=0, outcome="compiled", **more)

    def broken(number: int) -> Break:
        return Break(
            id=number, frame=number, compile_id="", span=0, effect="resumed", gb_type="g",
            reason="", resume_frames=(number + 1, 0, number),
        )  # fmt: skip

    recording = Recording(
        title="long",
        sources=(Source("a.py", "user"),),
        spans=(Span(0, 1, "f"),),
        frames=tuple(map(frame, range(count))),
        breaks=tuple(map(broken, range(count - 1))),
    )
    made = build(recording).run_map
    assert len({row.entity for row in made}) == len(made)
    assert len(made) == 2 * count - 1


def _with_places(recording: Recording, ends: tuple[int, int], column: int = 7) -> Recording:
    """Of two breaks, one in what resumed after the other, at columns of one line."""
    spans = [
        replace(recording.spans[0], line=3, column=column, end_line=3, end_column=end)
        for end in ends
    ]
    at = len(recording.spans)
    breaks = tuple(
        replace(item, span=at + index, stack=None) for index, item in enumerate(recording.breaks)
    )
    return replace(recording, spans=(*recording.spans, *spans), breaks=breaks)


def test_a_loop_that_came_back_is_told_from_two_breaks_on_a_line(make: Make) -> None:
    recording = make("branch_and_print")
    assert recording.breaks[1].frame in recording.breaks[0].resume_frames
    again = build(_with_places(recording, (12, 12)))
    texts = [row.text for row in again.run_map if row.kind == "break"]
    assert [", the loop came back to break 1" in text for text in texts] == [False, True]
    assert again.stories[1].then.endswith(" The loop came back here from break 1.")
    for places in (_with_places(recording, (12, 20)), _with_places(recording, (-1, -1), -1)):
        assert not any("loop" in row.text for row in build(places).run_map)


def test_a_frame_at_the_limit_says_that_it_was_left_to_python(make: Make) -> None:
    recording = make("recompiled")
    (recompile,) = recording.recompiles
    limited = replace(recording, recompiles=(replace(recompile, limit_hit=True),))
    (row,) = build(limited).run_map
    assert row.text == "compiled twice, then no more (the limit of recompilations)"


def test_a_break_that_joins_what_follows_another_says_where_it_goes_on(make: Make) -> None:
    recording = make("branch_and_print")
    first, second = recording.breaks
    joined = replace(second, resume_frames=(), joins=first.resume_frames)
    made = build(replace(recording, breaks=(first, joined))).run_map
    row = next(row for row in made if row.entity == "break:1")
    resumed = next(row for row in made if row.entity == f"frame:{first.resume_frames[0]}")
    assert row.text.endswith(f", goes on in {resumed.name}")
    assert "goes on in" not in next(row for row in made if row.entity == "break:0").text
