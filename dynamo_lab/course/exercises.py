"""What an exercise is, and the verdict on an answer to it."""

from __future__ import annotations

import html
import io
import logging
import re
import signal
import sys
import threading
import time
import traceback
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


class NotYet(Exception):
    """An answer that is not right yet; its sentence says why."""


class NotAnAnswer(NotYet):
    """Something of another kind than what is asked for, such as text in the place of a number."""


NO_ANSWER = "There is no answer yet: write yours where it is asked for."

_AGAIN = 5.0
"""Seconds until an answer that caught the timeout gets it again."""


class _TooLong(BaseException):
    """An answer that was not done in time: not an Exception, because compilers catch those."""


@dataclass(frozen=True)
class Verdict:
    """What `check` found: true where the answer is right. It prints as sentences.

    `answered` is false where what was given is no answer of the kind that is asked for.
    """

    number: str
    passed: bool
    message: str
    hint: str = ""
    answered: bool = True

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        lines = [f"{self._said()} {self.message}"]
        if self.hint:
            lines.append(f"Hint: {self.hint}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The same with a mark and a colour, in those of the notebook's theme, light or dark."""
        mark, color = (
            ("&#10003;", "var(--jp-success-color1, #2e9e44)")
            if self.passed
            else ("&#8635;", "var(--jp-warn-color1, #d9822b)")
        )
        hint = f'<div style="opacity: 0.8">Hint: {_marked(self.hint)}</div>' if self.hint else ""
        return (
            f'<div style="border-left: 4px solid {color}; padding: 4px 0 4px 12px; '
            f'line-height: 1.5; max-width: 72em; overflow-wrap: anywhere">'
            f'<div><b><span style="color: {color}">{mark}</span> {self._said()}</b> '
            f"{_marked(self.message)}</div>{hint}</div>"
        )

    def after(self, history: str) -> Verdict:
        """The same verdict, with a sentence in front."""
        return replace(self, message=f"{history} {self.message}")

    def _said(self) -> str:
        return f"Exercise {self.number} is {'right' if self.passed else 'not right yet'}."


def _marked(text: str) -> str:
    """Text as HTML: text in backticks is code, the rest is unchanged."""
    code = re.sub(r"`([^`\n]+)`", r'<code style="white-space: nowrap">\1</code>', html.escape(text))
    return code.replace("\n", "<br>")


@dataclass(frozen=True)
class Exercise:
    """One exercise of a lesson.

    `examine` gets the answer. It returns what there is to learn from a right one, and raises
    `NotYet` with the reason for any other, also for what the starter code leaves there. What the
    answer prints meanwhile is not shown. `seconds` is how long it may take, compiling included,
    until it is taken for endless (where the system has timers for that, and in the main thread).
    """

    number: str
    title: str
    examine: Callable[[Any], str]
    hints: tuple[str, ...]
    seconds: float = 180.0

    def judge(self, answer: Any) -> Verdict:
        """Examine an answer; whatever it raises is a reason, not an error."""
        if answer is None or answer is ...:
            return self._no_answer(NO_ANSWER)
        from dynamo_lab.capture.core.compat import settings_kept

        try:
            with settings_kept(), _unheard(), _at_most(self.seconds):
                learned = self.examine(answer)
        except NotAnAnswer as reason:
            return self._no_answer(str(reason))
        except NotYet as reason:
            return self._not_yet(str(reason))
        except _TooLong:
            return self._not_yet(
                f"It was not done after {self.seconds:g} seconds and was stopped: is there a loop "
                "that never ends?"
            )
        except SystemExit:
            return self._not_yet("Your answer ended the program: return a value instead.")
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return self._not_yet(_raised(error))
        return Verdict(self.number, True, learned)

    def _no_answer(self, why: str) -> Verdict:
        return replace(self._not_yet(why), answered=False)

    def _not_yet(self, why: str) -> Verdict:
        more = len(self.hints) > 1
        after = f' (`lab.course.hint("{self.number}", 2)` says more.)' if more else ""
        return Verdict(self.number, False, why, self.hints[0] + after)


def _raised(error: BaseException) -> str:
    """Where it was raised: in the user's code, or in a check that could not handle the answer."""
    lines = str(error).strip().splitlines()
    what = f"{type(error).__name__}: {lines[0]:.200}" if lines else type(error).__name__
    places = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    if any(_is_readers(place) for place in places):
        return f"Your answer raised {what}"
    return f"The check cannot handle this answer: is it the right kind of answer? It raised {what}"


def _is_readers(place: str) -> bool:
    from dynamo_lab.capture.core.sources import PACKAGE  # imports torch

    if Path(place).is_relative_to(PACKAGE):
        return False
    import sysconfig  # an import that only a raised answer needs

    libraries = {sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}
    return not place.startswith((*libraries, "<frozen", "<string", "<eval_with_key"))


@contextmanager
def _unheard() -> Generator[None]:
    """Show nothing of what the body prints, and PyTorch logs: an answer is called several times."""

    def none(_: logging.LogRecord) -> bool:
        return False

    handlers = _shown_handlers()
    for handler in handlers:
        handler.addFilter(none)
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            yield
    finally:
        for handler in handlers:
            handler.removeFilter(none)


def _shown_handlers() -> list[logging.Handler]:
    """Those of PyTorch's loggers that write to what is stderr now: they keep hold of it."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "torch"]
    found = {handler for name in names for handler in logging.getLogger(name).handlers}
    return [handler for handler in found if getattr(handler, "stream", None) is sys.stderr]


@contextmanager
def _at_most(seconds: float) -> Generator[None]:
    """Raise `_TooLong` in the body once the time is up, and again where the body catches it.

    Whoever else has set the timer gets it back; where theirs ends sooner, it is left alone.
    """
    if not hasattr(signal, "SIGALRM") or threading.current_thread() != threading.main_thread():
        yield
        return
    theirs, interval = signal.getitimer(signal.ITIMER_REAL)
    if 0 < theirs <= seconds:
        yield
        return
    is_over = is_late = False

    def stop(*_: object) -> None:
        nonlocal is_late
        if not is_over:
            is_late = True
            raise _TooLong

    begun = time.monotonic()
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, min(seconds, _AGAIN))
    try:
        yield
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if theirs:
            left = max(theirs - (time.monotonic() - begun), 0.001)  # 0 would end it
            signal.setitimer(signal.ITIMER_REAL, left, interval)
    if is_late:
        raise _TooLong
