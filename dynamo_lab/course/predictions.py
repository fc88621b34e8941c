"""Exercises that ask what will happen: the first answer is locked in before anything is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dynamo_lab.course.exercises import Exercise, Verdict
from dynamo_lab.errors import CourseError

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class _Answers:
    """What was answered so far, as text, each once; how many before the reader looked."""

    given: list[str] = field(default_factory=list)
    before_reveal: int | None = None


_ANSWERS: dict[str, _Answers] = {}
"""By the number of the exercise, for as long as the kernel lives: a restart begins anew."""


@dataclass(frozen=True)
class Prediction(Exercise):
    """An exercise of which the first answer is the prediction, and is kept.

    Whoever goes on guessing passes in the end, and the verdict says after how many answers. What
    is no answer at all, such as text where a number is asked for, does not count.
    `shows` makes what there is to see, such as a recording, once a prediction is made.
    """

    shows: Callable[[], Any] = field(kw_only=True)

    def judge(self, answer: Any) -> Verdict:
        """Examine an answer, and lock it in if it is the first."""
        verdict = super().judge(answer)
        if not verdict.answered:
            return verdict
        answers = _ANSWERS.setdefault(self.number, _Answers())
        text = f"{answer!r:.60}"
        if text not in answers.given:
            answers.given.append(text)
        return verdict.after(self._history(answers, text, verdict.passed))

    def _history(self, answers: _Answers, text: str, is_right: bool) -> str:
        """What the verdict begins with: the prediction, and which answer this is."""
        first, number = answers.given[0], answers.given.index(text) + 1
        if number > 1:
            unseen = answers.before_reveal is None or number <= answers.before_reveal
            seen = "" if unseen else ", given after the reveal"
            return f"Your prediction was {first}; this is answer {number}{seen}."
        if is_right:
            return f"You predicted {first}."
        return (
            f"Your prediction, {first}, is locked in; `lab.course.reveal("
            f'"{self.number}")` shows what happens.'
        )

    def reveal(self) -> Any:
        """What there is to see; before there is a prediction, a verdict that asks for it."""
        answers = _ANSWERS.get(self.number)
        if answers is None:
            why = "Predict first: put your answer in the place of the `...`, and run its check."
            return Verdict(self.number, False, why, answered=False)
        if answers.before_reveal is None:
            answers.before_reveal = len(answers.given)
        return self.shows()


def prediction(exercise: Exercise) -> Prediction:
    """The exercise, if it is a prediction.

    Raises:
        CourseError: It asks for something else.
    """
    if not isinstance(exercise, Prediction):
        raise CourseError(f"Exercise {exercise.number} is no prediction: nothing is hidden in it.")
    return exercise
