"""What the story of a break says, and which breaks are one story."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.frames import Instruction
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.breaks.advice import rule_of
from dynamo_lab.view.breaks.crossing import in_words
from dynamo_lab.view.breaks.math_calls import is_index
from dynamo_lab.view.breaks.stories import StoryView
from dynamo_lab.view.core.words import size
from tests.view.samples.table import Table, graph

Make = Callable[[str], Recording]


def story(recording: Recording, index: int = 0) -> StoryView:
    return build(recording).stories[index]


def test_a_branch_is_told_from_one_graph_to_the_next(make: Make) -> None:
    told = story(make("branch_and_print"))
    assert told.then == (
        "Dynamo compiled what it had captured (graph 1, 4 operators), let Python evaluate the "
        "condition and take one branch, and went on in a resume function, `cell after line 3`."
    )
    assert told.before is not None
    assert (told.before.graph, told.before.text) == (0, "lines 1-2, 4 operators, 2 kernels")
    assert [(side.graph, side.text) for side in told.after] == [(1, "lines 3-4, 2 operators")]
    assert told.cost == (
        "2 graphs instead of one (2 kernels in total): nothing is fused across the break.",
        "2 tensors cross the break: graph 1 has to store them (257 B).",
        "One host round trip each time it is reached: Python waits for the value.",
    )
    assert told.cause is None


def test_a_break_in_a_called_function_is_one_story(make: Make) -> None:
    outer, inner = build(make("nested")).stories
    assert (outer.cause, outer.consequences) == (1, ())
    assert (inner.cause, inner.consequences) == (None, (0,))
    assert outer.because == "It follows from break 2, at line 2 in `helper`, called from here."
    assert outer.is_cause_yours
    assert "called `helper` from Python, and Dynamo compiled that on its own" in outer.then
    assert not any("round trip" in text for text in outer.cost)
    assert any("round trip" in text for text in inner.cost)


def test_a_function_that_dynamo_gave_up_on_is_not_said_to_be_compiled(make: Make) -> None:
    nested = make("nested")
    outer, inner = nested.breaks
    given_up = replace(nested, breaks=(outer, replace(inner, effect="skipped")))
    told, _ = build(given_up).stories
    assert "called `helper` from Python, on all of which Dynamo gave up at break 2, " in told.then


def test_the_summary_counts_causes(make: Make) -> None:
    summary = build(make("nested")).summary
    assert ("2", "breaks from 1 cause") in [(count.value, count.label) for count in summary.counts]
    assert "it broke twice from 1 cause, at line 2 (print call)." in summary.sentence


def test_the_instruction_and_what_it_was_given(make: Make) -> None:
    outer, inner = build(make("nested")).stories
    assert inner.instruction == "CALL 1"
    assert inner.values == ("sum_1: f32[]",)
    assert outer.values == ()


def test_an_instruction_of_other_bytecode_has_no_argument(make: Make) -> None:
    recording = make("nested")
    other = replace(recording.breaks[0], opname="LOAD_ATTR")
    assert story(replace(recording, breaks=(other, recording.breaks[1]))).instruction == "LOAD_ATTR"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"reason": "graph break in a for/while loop"}, "since it cannot resume inside a loop"),
        ({"reason": "in an active context manager"}, "cannot resume inside this context manager"),
        ({"in_try": True}, "since it cannot resume inside a `try`"),
        ({"gb_type": "Attempted to wrap RNN, GRU, or LSTM"}, "leaves recurrent modules"),
        ({"gb_type": "Observed exception"}, "since the code raised an exception"),
        ({"opname": "BEFORE_WITH"}, "since it cannot resume where a `with` block begins"),
        ({"opname": "LOAD_SPECIAL"}, "since it cannot resume where a `with` block begins"),
        ({"opname": "CALL"}, "with no way to resume"),
    ],
)
def test_a_frame_given_up_says_why(make: Make, changes: dict[str, object], why: str) -> None:
    recording = make("branch_and_print")
    given_up = replace(recording.breaks[0], effect="skipped", resume_frames=(), **changes)
    told = story(replace(recording, breaks=(given_up,)))
    assert told.then.startswith("Dynamo gave up on the whole frame, ")
    assert why in told.then
    assert told.cost == ("No operator of this frame was compiled.",)


def test_a_failure_has_no_cost(make: Make) -> None:
    told = story(make("fullgraph_failed"))
    assert told.then == (
        "Dynamo stopped with an error, since `fullgraph=True` requires a single graph."
    )
    assert (told.cost, told.before, told.after) == ((), None, ())


def test_what_went_on_without_a_graph_is_said(make: Make) -> None:
    recording = make("branch_and_print")
    idle = replace(recording.frames[1], attempts=())
    frames = (recording.frames[0], idle, recording.frames[2])
    (side,) = story(replace(recording, frames=frames)).after
    again = "`cell after line 3`, which broke again before any tensor operation, at break 2"
    assert side.text == again
    (side,) = story(replace(recording, frames=frames, breaks=recording.breaks[:1])).after
    assert side.text == "`cell after line 3` has no tensor operation of its own"
    skipped = replace(idle, outcome="skipped", reason="frame is in the Dynamo skipfiles list")
    frames = (recording.frames[0], skipped, recording.frames[2])
    (side,) = story(replace(recording, frames=frames)).after
    assert side.text.startswith("`cell after line 3` ran eagerly: Dynamo does not start at")


def test_the_graph_that_comes_next_is_the_first_of_the_resumed_frame(make: Make) -> None:
    recording = make("branch_and_print")
    resumed = recording.frames[1]
    again = replace(resumed.attempts[-1], graph=0)
    twice = replace(resumed, attempts=(*resumed.attempts, again))
    frames = (recording.frames[0], twice, recording.frames[2])
    (side,) = story(replace(recording, frames=frames)).after
    assert (side.graph, side.title) == (1, "graph 2")
    assert side.text.endswith("2 operators; later also graph 1, recompiled")


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (4_194_304, "4.2 MB")]
)
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


@pytest.mark.parametrize(
    ("nodes", "told"),
    [
        ((("aten.t.default", 0), ("aten.select.int", 0)), "so graph 1 stores nothing for that."),
        ((("aten.add.Tensor", 0),), "graph 1 has to store it (256 B)."),
        (
            (("aten.add.Tensor", 0), ("aten.t.default", 1)),
            "has to store 1 tensor for that (256 B).",
        ),
        ((("aten.reshape.default", 0),), "1 tensor crosses the break."),
        ((("torch.as_tensor", 0),), "so graph 1 stores nothing for that."),
    ],
)
def test_a_view_that_crosses_a_break_is_not_stored(
    nodes: tuple[tuple[str, int], ...], told: str
) -> None:
    table = Table()
    made = [table.input("x")]
    for target, of in nodes:
        made.append(table.node(f"n{len(made)}", target, made[of]))
    table.output(*made[1:])
    assert in_words(graph(0, table), "graph 1").endswith(told)


@pytest.mark.parametrize("opname", ["BINARY_SUBSCR", "BINARY_OP []"])
def test_an_index_is_known_by_its_instruction_of_each_python(make: Make, opname: str) -> None:
    recording = make("nested")
    item = replace(
        recording.breaks[0],
        gb_type="Data dependent operator",
        context="aten._local_scalar_dense.default",
        reason="",
        opname=opname,
    )
    assert rule_of(item).title == "index by a tensor of one number"
    assert is_index(item)
    addition = replace(item, opname="BINARY_OP")
    assert rule_of(addition).title == "data-dependent value"
    assert not is_index(addition)
    name, _, argument = opname.partition(" ")
    frame = recording.frames[item.frame]
    own = Instruction(item.offset or 0, name, argument)
    frames = (replace(frame, bytecode=(own,)), *recording.frames[1:])
    item = replace(item, offset=own.offset)
    made = replace(recording, frames=frames, breaks=(item, recording.breaks[1]))
    assert story(made).instruction == opname
