"""A function whose compilation failed, or that of its kernels, where no break is the cause."""

import re
from collections.abc import Iterator

from dynamo_lab.model.frames import Frame
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.around import try_around
from dynamo_lab.view.breaks.exceptions import (
    COMPILERS,
    cause,
    failure_line,
    is_refused_kernel,
    uncaptured,
)
from dynamo_lab.view.breaks.skips import SUPPRESSED, is_suppressed
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import gist
from dynamo_lab.view.findings.breaks.marked_dynamic import refused
from dynamo_lab.view.findings.breaks.uncaptured import remedy_of
from dynamo_lab.view.findings.export.unsupported_operator import register_fake
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found

_NO_FAKE = re.compile(r"no fake impl registered for <CustomOpDef\((\w+::\w+)\)>")
_MESSAGE = re.compile(r"_assert_async\(\).*'assert_msg'.* must be str")
_AS_TEXT = (
    "Give the `assert` a plain string as its message: Dynamo hands the message on as it is, and "
    "the operator that checks takes only a string."
)
_CAUGHT = (
    "Uncompiled, the `try` at {} may catch this. Compiled it cannot: Dynamo runs the operator "
    "ahead of the call, on tensors without data, and fails with it. Decide with `if` before the "
    "operator, or leave the function with the `try` to Python: `torch.compiler.disable`."
)
_EAGERLY = (
    "Call it without `torch.compile` first: an error of the program's own shows there as well. If "
    "it runs, `lab.why_wrong` names the part of the compiler that fails."
)
_COROUTINE = (
    "Dynamo cannot go on after a break in a coroutine or a generator, and so fails. Compile the "
    "functions that it calls, and neither it nor what runs it: `torch.compiler.disable` on its "
    "definition does not reach its body."
)
_SCANNED = (
    "Inductor compiles `scan` only where numbers are captured: set this before the first call. "
    "Or write the loop in Python, each round of which is then compiled by itself."
)
_NUMBERS = "torch._dynamo.config.capture_scalar_outputs = True"
_REFUSED = (
    "The kernel's text is what is wrong, not your program: the tab Kernels shows it. Until the "
    'backend is mended, `backend="aot_eager"` runs the same graph by ATen alone.'
)


def find(facts: Facts) -> Iterator[Found]:
    """Each such function; a failed export tells its own cause, and so does a break."""
    recording = facts.recording
    if recording.exports:
        return
    broken = {item.frame for item in recording.breaks}
    names = frame_names(recording)
    # of a mark that was refused PyTorch raises, whatever a later call without it came to
    failed = [
        one
        for one in recording.frames
        if one.outcome == "failed" or one.id in facts.refused_marks or is_suppressed(one)
    ]
    for frame in failed or _failed_in_a_call(recording):
        if frame.id not in broken or frame.outcome != "failed":
            yield _found(frame, names[frame.id], facts)


def _failed_in_a_call(recording: Recording) -> list[Frame]:
    """The function that was captured, and whose kernels or backward no compiler made when it ran.

    It is the one whose graph has a node on the failure's line, or the only one that was captured.
    """
    failure = recording.failure
    if failure is None or not (is_refused_kernel(failure) or failure.type in COMPILERS):
        return []
    graphs = [graph for graph in recording.captured_graphs() if graph.frame is not None]
    at = failure.span
    on_line = [graph for graph in graphs if at is not None and _has_line(graph, at, recording)]
    ids = {graph.frame for graph in on_line or graphs}
    return [recording.frames[one] for one in ids if one is not None] if len(ids) == 1 else []


def _has_line(graph: Graph, span: int, recording: Recording) -> bool:
    stacks = {stack for stack in graph.nodes.stack if stack >= 0}
    line = (recording.spans[span].source, recording.spans[span].line)
    spans = (recording.spans[at] for stack in stacks for at in recording.stacks[stack])
    return any((one.source, one.line) == line for one in spans)


def _found(frame: Frame, name: str, facts: Facts) -> Found:
    recording, places = facts.recording, facts.places
    failure = recording.failure
    line = places.line_of(frame.span)
    if failure is not None and failure.span is not None:
        line = places.line_of(failure.span)
    told = frame.attempts[-1].reason if is_suppressed(frame) else frame.reason
    within = cause("", told) if uncaptured(told) else ""
    why = failure_line(failure, places) or within or gist(told) or "the reason is not known"
    remedy = _remedy(facts, line)
    if mark := refused(frame, facts):
        why, line, remedy = mark.why, mark.line or line, mark.remedy
    code = mark.code if mark else ""
    if failure and (missing := _NO_FAKE.search(failure.message)):
        code = register_fake(missing[1])
    elif inner := remedy_of(failure.message if failure else told, line, places):
        remedy, code = inner
    elif _is_scan_refused(frame, facts):
        remedy, code = _SCANNED, _NUMBERS
    finding = Finding(
        rule="not-compiled",
        question="breaks",
        sentence=f"Compiling `{name}` failed: {why.rstrip('.')}.{_then(frame)}",
        where=places.where(line),
        entity=entity(line),
        evidence=(Evidence(text="what failed", tab="frames", entity=f"frame:{frame.id}"),),
        grade="fill in",
        remedy=remedy,
        code=code,
        cost=1.0,
    )
    return Found(finding, line=line)


def _then(frame: Frame) -> str:
    """What became of a function whose failure did not end the program."""
    return f" The setting {SUPPRESSED}." if is_suppressed(frame) else ""


def _is_scan_refused(frame: Frame, facts: Facts) -> bool:
    """Whether Inductor asked for a number of a `scan` that was not captured."""
    if "_local_scalar_dense" not in frame.reason:
        return False
    graphs = [one for one in facts.recording.captured_graphs() if one.frame == frame.id]
    return any(node.target.endswith("higher_order.scan") for one in graphs for node in one.nodes)


def _remedy(facts: Facts, line: Line) -> str:
    failure = facts.recording.failure
    if failure is None:
        return _EAGERLY
    if is_refused_kernel(failure):
        return _REFUSED
    if _NO_FAKE.search(failure.message):
        return "Register a function that returns an empty tensor of the result's shape."
    if _MESSAGE.search(failure.message):
        return _AS_TEXT
    if failure.message.startswith("Cannot generate resume function for generator, coroutine"):
        return _COROUTINE
    source, number = line
    tried = try_around(facts.places.whole(source), number)
    if tried is None or failure.type != "TorchRuntimeError":
        return _EAGERLY
    return _CAUGHT.format(facts.places.where((source, tried)))
