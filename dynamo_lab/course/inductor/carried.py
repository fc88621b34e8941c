"""The compiler as it stands after a lesson: the cells that build it, run once more.

A cell of a notebook whose metadata says `"builds": true` is part of the compiler. If it is an
exercise, its solution stands in its place. So one can begin at lesson 16, with what was built
before.
"""

from __future__ import annotations

import linecache
from typing import Any

from dynamo_lab.course.notebooks import lessons, number_of, read, solutions
from dynamo_lab.errors import CourseError

_FIRST, _LAST = 14, 17


def continue_after(lesson: int, namespace: dict[str, Any]) -> None:
    """Define in a namespace what the lessons up to this one built, as if their cells ran there.

    So `continue_after(15, globals())` at the top of a notebook lets it go on from lesson 15, and
    what the notebook then defines anew is used by all that was there before.

    Raises:
        CourseError: That lesson builds nothing.
    """
    if lesson not in range(_FIRST, _LAST + 1):
        raise CourseError(f"Lesson {lesson} builds nothing: pass {_FIRST} to {_LAST}.")
    for number in range(_FIRST, lesson + 1):
        for at, source in enumerate(built_in(number)):
            name = f"<lesson {number}, part {at + 1}>"
            linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
            exec(compile(source, name, "exec", dont_inherit=True), namespace)


def built_in(number: int) -> list[str]:
    """The source of the cells of a lesson that are part of the compiler."""
    [lesson] = [path for path in lessons() if number_of(path) == number]
    solved = solutions(lesson)
    found: list[str] = []
    for cell in read(lesson)["cells"]:
        if cell["metadata"].get("builds"):
            exercise = cell["metadata"].get("exercise")
            found.append(solved[exercise].code if exercise else "".join(cell["source"]))
    return found


def after(lesson: int) -> dict[str, Any]:
    """A namespace of its own with the compiler as it stands after a lesson."""
    namespace: dict[str, Any] = {"__name__": f"after_lesson_{lesson}"}
    continue_after(lesson, namespace)
    return namespace
