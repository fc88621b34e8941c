"""What comes of a changed text: it is lowered, and nothing of it runs."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from dynamo_lab.capture.frames.outcomes import first_line
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.live.assembly.assembly import ask as assemble
from dynamo_lab.live.session import Session
from dynamo_lab.model.assembly import Assembly
from dynamo_lab.model.core import codec
from dynamo_lab.model.kernels import Diagnostic
from dynamo_lab.record.lower import find_target, lowered
from dynamo_lab.record.recorders import new_recorder
from dynamo_lab.record.run import Choice, Run
from dynamo_lab.view.playground import DRAFT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dynamo_lab.live.playground.texts import Editable
    from dynamo_lab.model.recording import Recording


class Ask(Struct, frozen=True, kw_only=True, tag="draft"):
    """A text to lower, and how."""

    text: str
    title: str
    choice: Choice


class Assemble(Struct, frozen=True, kw_only=True, tag="assemble"):
    """A kernel of a recording to assemble."""

    recording: bytes
    kernel: int
    target: str


class Answer(Struct, frozen=True, kw_only=True):
    """What came of it: a recording or an assembly, with what is to be said; or an error.

    `source` is the recorded source that the text is, where anything of it was recorded.
    """

    recording: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()
    source: int | None = None
    assembly: Assembly | None = None
    error: str = ""


def work_of(editable: Editable) -> Callable[[bytes], bytes]:
    """What answers requests about this text, in whichever process."""
    decode = msgspec.msgpack.Decoder(Ask | Assemble).decode

    def work(request: bytes) -> bytes:
        asked = decode(request)
        try:
            answer = _assembled(asked) if isinstance(asked, Assemble) else draft(editable, asked)
        except DynamoLabError as error:
            answer = Answer(error=str(error))
        except Exception as error:
            answer = Answer(error=f"It ended with {told(error)}")
        return msgspec.msgpack.encode(answer)

    return work


def _assembled(asked: Assemble) -> Answer:
    facts = codec.decode(asked.recording)
    session = Session()
    session.was_here = True  # its code is what Inductor wrote here
    return Answer(assembly=assemble(facts, session, asked.kernel, asked.target or None))


def draft(editable: Editable, asked: Ask) -> Answer:
    """The text lowered at the inputs of the recorded program."""
    filename = f"<{asked.title}>"
    find_target(asked.choice.target)
    recorder = new_recorder(asked.title)
    recorder.options[DRAFT] = "a changed text, lowered without a run"
    try:
        with editable.made(asked.text, filename) as (fn, args, kwargs):
            run, _ = lowered(fn, args, kwargs, asked.choice, recorder, runs=False)
    except DynamoLabError:
        raise
    except Exception as error:
        return Answer(diagnostics=(_of_text(error, filename),))
    at = _source(run.facts, filename)
    found = tuple(_said(run, at))
    return Answer(recording=codec.encode(run.facts), diagnostics=found, source=at)


def told(error: BaseException) -> str:
    """An exception in one line."""
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _of_text(error: Exception, filename: str) -> Diagnostic:
    """What the text itself raised, when it was read or its definitions ran."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        message = f"{type(error).__name__}: {error.msg}"
        return Diagnostic(severity="error", message=message, line=error.lineno, column=error.offset)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == filename]
    return Diagnostic(severity="error", message=told(error), line=lines[-1] if lines else None)


def _source(facts: Recording, filename: str) -> int | None:
    return next((at for at, one in enumerate(facts.sources) if one.path == filename), None)


def _said(run: Run, source: int | None) -> Iterator[Diagnostic]:
    """What to say of a text that was lowered: why it failed, or how far it went."""
    facts = run.facts
    if facts.failure is not None and not facts.failure.caught:
        said = first_line(RuntimeError(facts.failure.message))
        message = first_sentence(f"{facts.failure.type}: {said}")
        span = facts.failure.span
        yield Diagnostic(
            severity="error",
            message=message,
            line=None if span is None else _line(facts, span, source, None),
        )
        return
    for broken in facts.breaks[:1]:
        reason = first_sentence(broken.reason)
        yield Diagnostic(
            severity="warning",
            message=f"Graph break: {reason} What follows is not lowered, since nothing runs here.",
            line=_line(facts, broken.span, source, broken.stack),
        )
    if not facts.kernels and not facts.breaks:
        skipped = [one.reason for one in facts.frames if one.outcome == "skipped" and one.reason]
        why = f" Dynamo skipped it: {first_sentence(skipped[-1])}" if skipped else ""
        message = f"There is nothing in it to generate code for.{why}"
        yield Diagnostic(severity="warning", message=message)


def _line(facts: Recording, span: int, source: int | None, stack: int | None) -> int | None:
    """The line of the text: of this span, else the innermost one on the way to it."""
    way = facts.stacks[stack] if stack is not None else ()
    own = [facts.spans[at].line for at in (*way, span) if facts.spans[at].source == source]
    return own[-1] if own else None


def first_sentence(text: str) -> str:
    """The first line of a message, as a sentence."""
    first = text.strip().partition("\n")[0].rstrip()
    return first if first.endswith((".", "!", "?")) else f"{first}."
