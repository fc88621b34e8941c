"""The course: exercises of the notebooks that check themselves.

`check` says whether an answer is right, or why it is not yet, and gives a hint, never the answer.
A lesson is a notebook, and a module here that knows what its exercises ask for.
"""

from __future__ import annotations

import importlib
from typing import Any

from dynamo_lab.course.exercises import Exercise, NotYet, Verdict
from dynamo_lab.errors import CourseError

__all__ = ["Exercise", "NotYet", "Verdict", "check", "exercises", "hint"]

_LESSONS = (
    "start",
    "frames",
    "breaks",
    "recompiles",
    "autograd",
    "decompositions",
    "fusion",
    "kernels",
    "measuring",
    "training",
    "attention",
    "backends",
    "capstone",
)
"""The module of each lesson, by the number of its notebook."""


def check(number: str, answer: Any) -> Verdict:
    """Say whether an answer is right, and if it is not yet, why; it never raises for a wrong one.

    The verdict is true where the answer is right, so that `assert lab.course.check(...)` is a test.

    Args:
        number: Of the exercise, as it stands in the notebook: "2.1".
        answer: What the exercise asks for: a function, a number, a recording.

    Raises:
        CourseError: There is no such exercise.
    """
    return _exercise(number).judge(answer)


def hint(number: str, which: int = 1) -> str:
    """The hint of an exercise that comes first, second, and so on: each says more than the last.

    Raises:
        CourseError: There is no such exercise, or it has fewer hints.
    """
    hints = _exercise(number).hints
    if not 1 <= which <= len(hints):
        raise CourseError(f"Exercise {number} has hints 1 to {len(hints)}: pass one of them.")
    return hints[which - 1]


def exercises(lesson: int | None = None) -> tuple[Exercise, ...]:
    """The exercises of one lesson, or of all, in their order."""
    if lesson is None:
        return tuple(found for number in range(len(_LESSONS)) for found in exercises(number))
    if not 0 <= lesson < len(_LESSONS):
        raise CourseError(f"There is no lesson {lesson}: pass 0 to {len(_LESSONS) - 1}.")
    return importlib.import_module(f"{__name__}.{_LESSONS[lesson]}").EXERCISES


def _exercise(number: str) -> Exercise:
    lesson = number.split(".")[0]
    of_lesson = exercises(int(lesson)) if lesson.isascii() and lesson.isdigit() else ()
    found = [exercise for exercise in of_lesson if exercise.number == number]
    if not found:
        known = ", ".join(exercise.number for exercise in of_lesson or exercises())
        raise CourseError(f"There is no exercise {number!r}: pass one of {known}.")
    return found[0]
