"""The course: exercises of the notebooks that check themselves.

Put `lab.course.check("2.1", my_function)` as the last line of a cell: it says whether the answer is
right, and what to learn from it, or why it is not right yet, with a hint. It never gives
the answer. `lab.course.hint("2.1", 2)` says more, and `lab.course.exercises(2)` lists a lesson's.

A lesson is a notebook, and a module here that knows what its exercises ask for. `dynamo-lab course`
lists them, and copies the notebooks into a folder.
"""

from __future__ import annotations

import importlib
from typing import Any

from dynamo_lab.course.exercises import Exercise, NotYet, Verdict
from dynamo_lab.course.predictions import prediction
from dynamo_lab.errors import CourseError

__all__ = ["Exercise", "NotYet", "Verdict", "check", "exercises", "hint", "reveal"]

_LESSONS = {
    0: "start",
    1: "frames",
    2: "breaks",
    3: "recompiles",
    4: "autograd",
    5: "decompositions",
    6: "fusion",
    7: "kernels",
    8: "measuring",
    9: "training",
    10: "attention",
    11: "backends",
    12: "capstone",
    13: "broken",
    14: "inductor.loops",
    15: "inductor.reductions",
    16: "inductor.fusion",
    17: "inductor.training",
    19: "tiny.tiny",
}
"""The module of each lesson, by the number of its notebook."""


def check(number: str, answer: Any) -> Verdict:
    """Say whether an answer is right, and if not, why; it never raises for a wrong one.

    The verdict is true where the answer is right, so that `assert lab.course.check(...)` is a test.
    The answer is called on inputs of the exercise's own, compiled and not; what it prints meanwhile
    is not shown, and it is stopped if it does not end (by default after three minutes).

    Args:
        number: The number of the exercise in the notebook: "2.1".
        answer: What the exercise asks for: a function, a number, a recording.

    Raises:
        CourseError: There is no such exercise.
        KeyboardInterrupt: It was interrupted.
    """
    return _exercise(number).judge(answer)


def hint(number: str, which: int = 1) -> str:
    """The first, second or later hint of an exercise: each says more than the last.

    Raises:
        CourseError: There is no such exercise, or it has fewer hints.
    """
    hints = _exercise(number).hints
    if not 1 <= which <= len(hints):
        raise CourseError(f"Exercise {number} has hints 1 to {len(hints)}: pass one of them.")
    return hints[which - 1]


def reveal(number: str) -> Any:
    """What an exercise that asks for a prediction is about, once `check` got the first answer.

    Before, it is a verdict that asks for it. What is answered afterwards can still be right, and
    the verdict says what was predicted.

    Raises:
        CourseError: There is no such exercise, or it asks for no prediction.
    """
    return prediction(_exercise(number)).reveal()


def exercises(lesson: int | None = None) -> tuple[Exercise, ...]:
    """The exercises of one lesson, or of all, in their order."""
    if lesson is None:
        return tuple(found for number in _LESSONS for found in exercises(number))
    if lesson not in _LESSONS:
        raise CourseError(f"There is no lesson {lesson}: pass 0 to {max(_LESSONS)}.")
    return importlib.import_module(f"{__name__}.{_LESSONS[lesson]}").EXERCISES


def _exercise(number: str) -> Exercise:
    lesson = str(number).split(".")[0]
    if not (lesson.isascii() and lesson.isdigit()):
        raise CourseError(f'There is no exercise {number!r}: pass its number as text, like "2.1".')
    of_lesson = exercises(int(lesson))
    found = [exercise for exercise in of_lesson if exercise.number == number]
    if not found:
        known = ", ".join(f'"{exercise.number}"' for exercise in of_lesson) or "none, it has none"
        raise CourseError(f"There is no exercise {number!r}: those of lesson {lesson} are {known}.")
    return found[0]
