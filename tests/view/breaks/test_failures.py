"""What ended a program, in the one line that a person needs."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.recording import Failure, Recording
from dynamo_lab.view import build
from dynamo_lab.view.breaks.exceptions import cause
from dynamo_lab.view.breaks.raised import raised_at
from dynamo_lab.view.core.places import Places

Make = Callable[[str], Recording]

VERBOSE = (
    "\n\nSet TORCHDYNAMO_VERBOSE=1 for the internal stack trace (please do this especially).\n"
)


def fake(call: str, error: str) -> str:
    """A message of Dynamo, as of torch 2.13."""
    return (
        "RuntimeError when making fake tensor call\n"
        f"  Explanation: Dynamo failed to run FX node with fake tensors: {call}: got {error}\n"
        "  Hint: Your code may result in an error when running in eager. \n\n"
        "  Developer debug context: \n\n"
        'from user code:\n   File "/home/me/x.py", line 14, in f\n    x.view(3, -1)' + VERBOSE
    )


VIEW = "call_method view(*(FakeTensor(..., size=(8, 8)), 3, -1), **{})"


@pytest.mark.parametrize(
    ("kind", "message", "line"),
    [
        ("ValueError", "no good", "ValueError: no good"),
        ("ValueError", "\n  no good\nmore", "ValueError: no good"),
        ("KeyError", "'boom'", "KeyError: 'boom'"),
        ("StopIteration", "", "StopIteration"),
        (
            "TorchRuntimeError",
            fake(VIEW, "RuntimeError(\"shape '[3, -1]' is invalid for input of size 64\")"),
            "RuntimeError: shape '[3, -1]' is invalid for input of size 64",
        ),
        (
            "TorchRuntimeError",
            fake("call_function matmul(*(FakeTensor(...),))", "RuntimeError('a (3) X b\\n(7).')"),
            "RuntimeError: a (3) X b",
        ),
        ("TorchRuntimeError", fake(VIEW, "IndexError('a', 1)"), "IndexError: 'a', 1"),
        ("TorchRuntimeError", fake(VIEW, "AssertionError()"), "AssertionError"),
        ("TorchRuntimeError", fake(VIEW, "torch.Oops('x')"), "Oops: x"),
        (
            "BackendCompilerFailed",
            "backend='bad' raised:\nValueError: my backend" + VERBOSE,
            "backend 'bad' raised ValueError: my backend",
        ),
        (
            "BackendCompilerFailed",
            "backend='inductor' raised:\nLoweringException: AssertionError: no\n  target: aten.x",
            "backend 'inductor' raised AssertionError: no",
        ),
        (
            "BackendCompilerFailed",
            "backend='bad' raised:\nmy.own.OddError: " + VERBOSE,
            "backend 'bad' raised OddError",
        ),
        (
            "InductorError",
            "LoweringException: NotImplementedError: aten.y\n  target: aten.y",
            "NotImplementedError: aten.y",
        ),
        ("InductorError", "no C++ compiler", "InductorError: no C++ compiler"),
        (
            "Unsupported",
            "Failed to trace builtin operator\n  Explanation: Dynamo does not know how to"
            + VERBOSE,
            "Unsupported: Failed to trace builtin operator",
        ),
        (
            "ValueError",
            "expected an int, got Tensor(3)",
            "ValueError: expected an int, got Tensor(3)",
        ),
    ],
)
def test_the_innermost_cause(kind: str, message: str, line: str) -> None:
    assert cause(kind, message) == line


@pytest.mark.parametrize("unit", ["InductorError: ", "got X(", "(", "a.", "backend="])
def test_an_endless_message_ends_soon(unit: str) -> None:
    assert cause("TorchRuntimeError", "fake tensor " + unit * 200_000)


def failed(recording: Recording, message: str, span: int | None) -> Recording:
    failure = Failure(type="TorchRuntimeError", message=message, traceback="", span=span)
    return replace(recording, failure=failure)


def test_the_summary_and_the_sentence_tell_the_cause_and_the_line(make: Make) -> None:
    recording = replace(make("fullgraph_failed"), breaks=())
    message = fake(VIEW, "RuntimeError('no such shape')")
    summary = build(failed(recording, message, 1)).summary
    assert summary.failure == "RuntimeError: no such shape, at line 3"
    assert summary.sentence == "Compiling `f` failed: RuntimeError: no such shape, at line 3."
    assert summary.is_failure_told, "so no view says it once more"
    assert summary.tone == "bad"
    summary = build(failed(recording, message, None)).summary
    assert summary.sentence == "Compiling `f` failed: RuntimeError: no such shape."


def test_a_break_where_one_graph_is_required_is_told_beside_its_failure(make: Make) -> None:
    summary = build(make("fullgraph_failed")).summary
    assert summary.failure
    assert not summary.is_failure_told, "the sentence names the break, not the error"
    assert summary.tone == "plain"


def test_a_failure_of_the_program_itself(make: Make) -> None:
    summary = build(failed(make("branch_and_print"), "no good", 4)).summary
    assert summary.sentence.endswith(
        " The program ended with TorchRuntimeError: no good, at line 2."
    )
    assert summary.is_failure_told


def test_what_compiling_a_line_raised_was_not_raised_by_python_there(make: Make) -> None:
    recording = make("branch_and_print")
    left = replace(recording.breaks[-1], effect="skipped", resume_frames=())
    recording = replace(recording, breaks=(*recording.breaks[:-1], left))
    places = Places(recording)
    told = failed(recording, "no good", left.span)
    assert raised_at(left, told, places) == ""
    assert told.failure is not None
    pythons = replace(told, failure=replace(told.failure, type="ValueError"))
    assert raised_at(left, pythons, places) == "ValueError: no good"


def test_a_coroutine_that_breaks_is_not_to_be_disabled(make: Make) -> None:
    """`disable` on a coroutine reaches the call that makes it, and not its body."""
    message = "Cannot generate resume function for generator, coroutine, or async generator"
    made = make("fullgraph_failed")
    failure = Failure(type="AssertionError", message=message, traceback="", span=1)
    (found,) = build(replace(made, breaks=(), failure=failure)).findings.found
    assert "Compile the functions that it calls, and neither it nor what runs it" in found.remedy
