"""What an exercise is, and the verdict on an answer to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class NotYet(Exception):
    """An answer that is not right yet; its sentence tells the reader why."""


@dataclass(frozen=True)
class Verdict:
    """What `check` found: true where the answer is right. It prints as sentences."""

    number: str
    passed: bool
    message: str
    hint: str = ""

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        said = "right" if self.passed else "not right yet"
        lines = [f"Exercise {self.number} is {said}. {self.message}"]
        if self.hint:
            lines.append(f"Hint: {self.hint}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Exercise:
    """One exercise of a lesson.

    `examine` gets the answer. It returns what there is to learn from a right one, and raises
    `NotYet` with the reason for any other, also for what the starter code leaves there.
    """

    number: str
    title: str
    examine: Callable[[Any], str]
    hints: tuple[str, ...]

    def judge(self, answer: Any) -> Verdict:
        """Examine an answer; whatever it raises is a reason, and no error."""
        try:
            return Verdict(self.number, True, self.examine(answer))
        except NotYet as reason:
            return self._not_yet(str(reason))
        except Exception as error:
            return self._not_yet(f"Your answer raised {type(error).__name__}: {error}")

    def _not_yet(self, why: str) -> Verdict:
        more = len(self.hints) > 1
        after = f' (`lab.course.hint("{self.number}", 2)` says more.)' if more else ""
        return Verdict(self.number, False, why, self.hints[0] + after)
