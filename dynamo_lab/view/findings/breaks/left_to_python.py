"""A module of PyTorch's own class that Python calls: Dynamo starts at none of its functions."""

import re
from collections.abc import Iterator, Sequence

from dynamo_lab.model.frames import Frame
from dynamo_lab.view.breaks.makers import of_wrapper, within
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import listed, unique
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found

_MODULE = re.compile(r"(?:^|[/\\])torch[/\\]nn[/\\]modules[/\\](?!module\.py)\w+\.py$")
_DDP = re.compile(r"(?:^|[/\\])torch[/\\]nn[/\\]parallel[/\\]distributed\.py$")
_SHOWN = 6
_OF_DDP = (
    "Compile the module before it is wrapped: what DDP calls is then compiled code.",
    "model = DistributedDataParallel(torch.compile(model))",
)
_OTHERS = (
    "Compile the module itself where it is made, whoever calls it: with `torch.compile`, as "
    "`model.compile()` starts at a function of PyTorch's, which 2.13 leaves to Python too.",
    "model = torch.compile(model)",
)


def find(facts: Facts) -> Iterator[Found]:
    """The first such module: the others are inside it, or left to Python as it is."""
    left = [frame for frame in facts.recording.frames if _is_left(frame, facts)]
    if left:
        yield _found(left, facts)


def _is_left(frame: Frame, facts: Facts) -> bool:
    """Whether it is the `forward` of such a module, and no other finding explains it."""
    is_skipped = frame.outcome == "skipped" and "skipfiles" in frame.reason
    if not is_skipped or not frame.name.endswith(".forward"):
        return False
    return bool(_MODULE.search(_path(frame.id, facts))) and not _is_explained(frame, facts)


def _is_explained(frame: Frame, facts: Facts) -> bool:
    """Whether what led to its call breaks in the reader's code, or was compiled too often."""
    recording = facts.recording
    callers = set(_callers(frame, recording.frames))
    for item in recording.breaks:
        is_of_pytorch = within(item, facts.places) or of_wrapper(item, facts.places)
        if item.frame in callers and not is_of_pytorch:
            return True
    return any(item.limit_hit and item.frame in callers for item in recording.recompiles)


def _callers(frame: Frame, frames: Sequence[Frame]) -> Iterator[int]:
    """The frame that calls it, and above that what was left to Python with its own caller.

    What the reader disabled, but not what it calls, was left for a reason of its own.
    """
    at, seen = frame.caller, set[int]()
    while at is not None and at not in seen:
        yield at
        seen.add(at)
        is_left = frames[at].outcome == "skipped" and "disabled" not in frames[at].reason
        at = frames[at].caller if is_left else None


def _found(left: list[Frame], facts: Facts) -> Found:
    first, line = left[0], _line(left[0], facts)
    remedy, code = _OF_DDP if _is_of_ddp(first, facts) else _OTHERS
    finding = Finding(
        rule="left-to-python",
        question="breaks",
        sentence=_sentence(left, facts),
        where=facts.places.where(line),
        entity=entity(line),
        evidence=tuple(
            Evidence(
                text=f"`{frame.name}`: {frame.reason}", tab="frames", entity=f"frame:{frame.id}"
            )
            for frame in left[:_SHOWN]
        ),
        grade="fill in",
        remedy=remedy,
        code=code,
        cost=0.5 if facts.recording.captured_graphs() else 1.0,
    )
    return Found(finding, line=line)


def _sentence(left: list[Frame], facts: Facts) -> str:
    """What ran eagerly, why, and whether anything else was compiled."""
    names = unique(f"`{frame.name}`" for frame in left)
    is_or_are = "is" if len(names) == 1 else "are"
    caller = "DDP" if _is_of_ddp(left[0], facts) else "Python"
    told = (
        f"{listed(names)} {is_or_are} called by {caller}, not by code that Dynamo compiles, and "
        "ran eagerly: Dynamo starts at no function of PyTorch's modules, it only follows into them "
        "from code that it compiles."
    )
    if facts.recording.captured_graphs():
        return told
    return f"{told} Nothing was compiled."


def _is_of_ddp(frame: Frame, facts: Facts) -> bool:
    """Whether DDP had begun its forward, which calls the module that it wraps."""
    before = facts.recording.frames[: frame.id]
    return any(
        one.name.endswith(".forward") and _DDP.search(_path(one.id, facts)) for one in before
    )


def _line(frame: Frame, facts: Facts) -> Line:
    """The reader's line that calls it, else its own."""
    if frame.caller is not None and frame.caller_line is not None:
        source, _ = facts.places.line_of(facts.recording.frames[frame.caller].span)
        if not facts.places.is_library((source, frame.caller_line)):
            return source, frame.caller_line
    return facts.places.line_of(frame.span)


def _path(frame: int, facts: Facts) -> str:
    """The file of a frame."""
    recording = facts.recording
    return recording.sources[recording.spans[recording.frames[frame].span].source].path
