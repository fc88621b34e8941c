"""Graph breaks, from Dynamo's messages."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from dynamo_lab.capture.traces.texts import TraceTexts
from dynamo_lab.model.breaks import Break, BreakEffect

_HEAD = re.compile(r"^Graph break in user code at (.+):(\d{1,9})$", re.MULTILINE)
_REASON = re.compile(r"^Graph Break Reason: ?", re.MULTILINE)
_TRACEBACK = re.compile(
    r"^(?:User code traceback:|from user code:|User stack trace:|=+ most recent `torch\.compile`)",
    re.MULTILINE,
)
_PARTS = re.compile(r"^[ \t]*(Explanation|Hint|Developer debug context): ?", re.MULTILINE)
_MORE = re.compile(
    r"^[ \t]*For more details about this graph break, please visit: ?(\S*)", re.MULTILINE
)
_NUMBER = re.compile(r"/gb(\d{1,6})\.html$")
RESUMED = re.compile(r"^torch_dynamo_resume_in_(.+)_at_(\d{1,9})$")
"""The function with which Dynamo goes on after a break: the function that broke, and its line."""
_SKIPS = "torch.compile will skip tracing"


class Told(NamedTuple):
    """What a message says of a break, and the lines from the outermost to the one that broke."""

    gb_type: str
    explanation: str
    hints: tuple[str, ...]
    context: str
    link: str
    spans: tuple[int, ...]
    skips: bool


def told_by(message: str, texts: TraceTexts) -> Told:
    """The parts of a message, which is that of a break or of an exception for one."""
    reason = _REASON.search(message)
    start = reason.end() if reason else 0
    trace = _TRACEBACK.search(message, start)
    body = message[start : trace.start() if trace else len(message)]
    more = _MORE.search(body)
    parts = _split(body[: more.start()] if more else body)
    spans = texts.stack_of_traceback(_way(message[trace.start() :])) if trace else []
    head = _HEAD.search(message)
    if not spans and head:
        spans = [texts.span(head[1], int(head[2]))]
    return Told(
        gb_type=parts[0][1].strip().rpartition("\n")[2][:500],  # above may stand what was traced
        explanation=next((text for kind, text in parts if kind == "Explanation"), ""),
        hints=tuple(text for kind, text in parts if kind == "Hint"),
        context=next((text for kind, text in parts if kind == "Developer debug context"), ""),
        link=more[1] if more else "",
        spans=tuple(spans),
        skips=_SKIPS in message,
    )


def _way(text: str) -> str:
    """The way to the line that broke: of the program, not that through Dynamo which follows it."""
    text = text.rpartition("most recent `torch.compile` tracing attempt")[2] or text
    return text.partition("\nTraceback (most recent call last):")[0]


def _split(body: str) -> list[tuple[str, str]]:
    """The kind of break, then the parts that are named."""
    found = list(_PARTS.finditer(body))
    ends = [match.start() for match in found[1:]] + [len(body)]
    first = body[: found[0].start()] if found else body
    named = [
        (match[1], body[match.end() : end].strip()) for match, end in zip(found, ends, strict=False)
    ]
    again = [at for at, (kind, _) in enumerate(named) if kind == "Explanation"][1:]
    return [("", first), *named[: again[0] if again else None]]  # one break led to another


def make(
    told: Told,
    place: tuple[int, int],
    compile_id: str,
    function: str,
    effect: BreakEffect,
    texts: TraceTexts,
    names: Sequence[str],
) -> Break:
    """The break of a frame; `place` are its id and the frame's, `names` the functions of spans."""
    spans = list(told.spans)
    # torch 2.11 may write a frame's own name where later ones write that of the function it is of
    own = [at for at, span in enumerate(spans) if RESUMED.sub(r"\1", names[span]) == function]
    spans = spans[own[-1] :] if own else spans
    number = _NUMBER.search(told.link)
    return Break(
        id=place[0],
        frame=place[1],
        compile_id=compile_id,
        span=spans[0],
        effect=effect,
        gb_type=told.gb_type,
        reason=told.explanation.partition("\n")[0] or told.gb_type,
        registry_id=f"GB{number[1]}" if number else "",
        context=told.context,
        explanation=told.explanation,
        hints=told.hints,
        link=told.link if told.link.startswith("https://") else "",
        stack=texts.stack(spans),
    )
