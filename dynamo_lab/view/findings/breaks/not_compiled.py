"""A function whose compilation failed, where no break is the cause."""

import re
from collections.abc import Iterator

from dynamo_lab.model.frames import Frame
from dynamo_lab.view.breaks.around import try_around
from dynamo_lab.view.breaks.exceptions import failure_line
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import gist
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


def find(facts: Facts) -> Iterator[Found]:
    """Each such function; a failed export tells its own cause, and so does a break."""
    recording = facts.recording
    if recording.exports:
        return
    broken = {item.frame for item in recording.breaks}
    names = frame_names(recording)
    for frame in recording.frames:
        if frame.outcome == "failed" and frame.id not in broken:
            yield _found(frame, names[frame.id], facts)


def _found(frame: Frame, name: str, facts: Facts) -> Found:
    recording, places = facts.recording, facts.places
    failure = recording.failure
    line = places.line_of(frame.span)
    if failure is not None and failure.span is not None:
        line = places.line_of(failure.span)
    why = failure_line(failure, places) or gist(frame.reason) or "the reason is not known"
    missing = _NO_FAKE.search(failure.message) if failure else None
    finding = Finding(
        rule="not-compiled",
        question="breaks",
        sentence=f"Compiling `{name}` failed: {why.rstrip('.')}.",
        where=places.where(line),
        entity=entity(line),
        evidence=(Evidence(text="what failed", tab="frames", entity=f"frame:{frame.id}"),),
        grade="fill in",
        remedy=_remedy(facts, line),
        code=register_fake(missing[1]) if missing else "",
        cost=1.0,
    )
    return Found(finding, line=line)


def _remedy(facts: Facts, line: Line) -> str:
    failure = facts.recording.failure
    if failure is None:
        return _EAGERLY
    if _NO_FAKE.search(failure.message):
        return "Register a function that returns an empty tensor of the result's shape."
    if _MESSAGE.search(failure.message):
        return _AS_TEXT
    source, number = line
    tried = try_around(facts.places.whole(source), number)
    if tried is None or failure.type != "TorchRuntimeError":
        return _EAGERLY
    return _CAUGHT.format(facts.places.where((source, tried)))
