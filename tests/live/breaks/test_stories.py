"""What breaks of many kinds are recorded as: who called whom, where, on what, and from what."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn
from torch._dynamo.exc import Unsupported

import dynamo_lab as lab
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.breaks.stories import StoryView, causes_first
from dynamo_lab.view.frames.run_map import MapRow
from tests.live.breaks.fixable import told_plainly, told_shape  # pytest rewrites asserts here


def third(x: torch.Tensor) -> torch.Tensor:
    print("deep", x.sum())
    return x + 1


def second(x: torch.Tensor) -> torch.Tensor:
    return third(x * 2)


def first(x: torch.Tensor) -> torch.Tensor:
    return second(x.cos()) * 3


def calls_three_deep(x: torch.Tensor) -> torch.Tensor:
    return first(x.sin()).tanh()


def explored(fn: Any, *args: Any) -> Recording:
    recording = lab.explore(fn, *(args or (torch.ones(8, 8),)), backend="eager")
    lab.check(recording, failures=0)
    return recording


def told(recording: Recording) -> StoryView:
    (story,) = build(recording).stories
    return story


def regions(recording: Recording) -> list[MapRow]:
    return [row for row in build(recording).run_map if row.entity]


def test_a_break_three_calls_deep_has_one_cause() -> None:
    recording = explored(calls_three_deep)
    view = build(recording)
    names = ["calls_three_deep", "first", "second", "third"]
    assert [recording.frames[item.frame].name for item in recording.breaks] == names
    assert [story.cause for story in view.stories] == [3, 3, 3, None]
    assert view.stories[3].consequences == (0, 1, 2)
    by_name = {frame.name: frame for frame in recording.frames}
    for caller, called in itertools.pairwise(names):
        assert by_name[called].caller == by_name[caller].id
        code = globals()[caller].__code__
        assert by_name[called].caller_line in {line for *_, line in code.co_lines()}
    head = [row for row in regions(recording) if row.kind in ("compiled", "break")]
    assert [row.depth for row in head] == list(range(8))


def test_a_branch_is_recorded_with_its_instruction_and_its_tensor() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        if y.sum() > 0:
            y = y * 2
        return y.cos()

    recording = explored(f)
    (item,) = recording.breaks
    at = next(i for i in recording.frames[0].bytecode if i.offset == item.offset)
    assert "JUMP" in at.opname
    assert at.opname == item.opname
    assert at.line == recording.spans[item.span].line
    (operand,) = item.operands
    assert (operand.value.dtype, operand.value.shape) == ("b8", ())
    assert any("round trip" in text for text in told(recording).cost)


def test_a_value_read_by_python_is_named() -> None:
    recording = explored(lambda x: x * x.sum().item())
    assert [operand.value.text for operand in recording.breaks[0].operands] == ["f32[]"]


def test_a_local_is_given_by_its_name() -> None:
    off: Any = torch.compiler.disable(third)

    def f(values: torch.Tensor) -> torch.Tensor:
        return off(values) + 1

    recording = explored(f)
    assert [operand.name for operand in recording.breaks[0].operands] == ["values"]
    assert [row.kind for row in regions(recording)][:2] == ["eager", "break"]


class Manager:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def in_loop(x: torch.Tensor) -> torch.Tensor:
    for _ in range(3):
        x = x.sin()
        print("loop")
    return x


def in_try(x: torch.Tensor) -> torch.Tensor:
    try:
        x = x.sin()
        print("try")
    except ValueError:
        x = x.cos()
    return x


def in_manager(x: torch.Tensor) -> torch.Tensor:
    with Manager():
        x = x.sin()
        print("with")
    return x


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(8, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.rnn(x)[0]


@pytest.mark.parametrize(
    ("fn", "why"),
    [
        (in_loop, "cannot resume inside a loop"),
        (in_try, "cannot resume inside a `try`"),
        (in_manager, "cannot resume inside this context manager"),
    ],
)
def test_a_frame_that_cannot_resume_is_given_up_for_a_reason(fn: Any, why: str) -> None:
    recording = explored(fn)
    assert f"Dynamo gave up on the whole frame, since it {why}" in told(recording).then
    assert regions(recording)[0].kind == "eager"


def stops_in_a_try(x: torch.Tensor) -> torch.Tensor:
    h = x.relu() + 1  # with one operator alone there is nothing to compile
    try:
        k = int(h.sum())
    except ValueError:
        k = 0
    return (h * k).sin()


def test_what_follows_a_break_in_a_try_is_left_to_python() -> None:
    recording = explored(stops_in_a_try)
    (found,) = recording.breaks
    start = stops_in_a_try.__code__.co_firstlineno
    assert (found.effect, found.left_at) == ("stopped", start + 2)
    assert recording.spans[found.span].line == start + 3
    assert (
        f"from line {start + 2} on, since it cannot resume inside a `try`" in told(recording).then
    )
    lines = build(recording).sources[0].lines
    states = {line.number: line.state for line in lines if line.state}
    assert states[start + 1] == "compiled"
    assert {states[start + n] for n in (2, 3, 6)} == {"eager"}


def test_an_lstm_is_left_to_python() -> None:
    recording = explored(Tagger())
    assert len(recording.breaks) == 1
    assert not recording.captured_graphs()
    assert regions(recording)[0].kind == "eager"


def test_a_break_in_a_context_manager_that_can_be_entered_again_resumes() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            x = x.sin()
            print("no grad")
            return x + 1

    recording = explored(f)
    assert not recording.breaks[0].in_try
    assert [row.kind for row in regions(recording)] == ["compiled", "break", "resumed"]


def test_a_generator_compiled_itself_is_skipped_and_one_consumed_inside_is_traced() -> None:
    def generate(x: torch.Tensor) -> Iterator[torch.Tensor]:
        for factor in range(3):
            yield x * factor

    with lab.record() as recorder:
        list(torch.compile(generate, backend="eager")(torch.ones(3)))
    (row,) = regions(recorder.recording)
    assert (row.kind, "generator" in row.text) == ("skipped", True)
    recording = explored(lambda x: sum(generate(x)))
    assert [row.kind for row in regions(recording)] == ["compiled"]


def test_four_compilations_are_one_region() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.sin() + x.shape[0]

    with lab.record() as recorder:
        compiled = torch.compile(f, backend="eager", dynamic=False)
        for size in range(2, 6):
            compiled(torch.ones(size))
    (row,) = regions(recorder.recording)
    assert (len(row.graphs), row.text) == (4, "compiled 4 times")


def test_fullgraph_fails_at_the_break() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        print("no")
        return x

    with lab.record() as recorder, pytest.raises(Unsupported):
        torch.compile(f, backend="eager", fullgraph=True)(torch.ones(3))
    assert "`fullgraph=True`" in told(recorder.recording).then
    assert recorder.recording.breaks[0].opname.startswith("CALL")
    assert [row.kind for row in regions(recorder.recording)] == ["failed", "break"]


def test_a_frame_in_work_is_compiling_until_the_recording_ends() -> None:
    outcomes: list[str] = []
    with lab.record() as recorder:
        recorder.on_phase = lambda name: outcomes.extend(f.outcome for f in recorder.frames)
        torch.compile(lambda x: x.sin(), backend="eager")(torch.ones(3))
    assert outcomes[0] == "compiling"
    assert "skipped" not in outcomes
    assert recorder.recording.frames[0].outcome == "compiled"
    assert all(frame.outcome != "compiling" for frame in recorder.recording.frames)


def branches(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if x.sum() > 0 else x


def test_a_call_of_what_branches_does_not_branch_itself() -> None:
    view = build(lab.explore(lambda x: branches(x.sin()) + 1, torch.ones(4), backend="eager"))
    root, *others = causes_first(view.stories)
    assert "evaluate the condition" in view.stories[root].then
    assert others
    assert all("called `branches` from Python" in view.stories[at].then for at in others)


def reads_a_value(x: torch.Tensor) -> torch.Tensor:
    return x * x.max().item()


def calls_reader(x: torch.Tensor) -> torch.Tensor:
    return reads_a_value(x.sin()) + 1


def test_a_cause_is_shown_before_what_follows_from_it() -> None:
    view = build(lab.explore(calls_reader, torch.ones(4), backend="eager"))
    first, *others = causes_first(view.stories)
    assert view.stories[first].cause is None
    assert {view.stories[at].cause for at in others} == {first}
    printed = str(lab.explore(calls_reader, torch.ones(4), backend="eager"))
    cards = printed[printed.index("\nBreaks ") :]
    assert cards.index("return x * x.max().item()") < cards.index("It follows from break")


def returns_twice(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        return x * 2
    return x - 1


def test_the_way_that_was_not_taken_is_in_no_graph() -> None:
    view = build(explored(returns_twice))
    first = returns_twice.__code__.co_firstlineno
    lines = view.sources[view.main_source].lines
    region = {line.number - first: line.region for line in lines}
    assert region[2] >= 0
    assert region[3] == -1


def test_an_assert_that_fails_while_traced_is_not_said_to_be_captured_with_a_string() -> None:
    titles = []
    for fn in (told_shape, told_plainly):
        torch._dynamo.reset()
        with lab.record() as recorder, pytest.raises(AssertionError):
            torch.compile(fn, backend="eager")(torch.ones(3))
        told = build(recorder.recording).breaks
        titles.append(told[0].title)
        assert not any("captures it" in text for one in told for text in one.advice)
    assert titles == [
        "assert with a message that is not a string",
        "assertion that does not hold",
    ]
