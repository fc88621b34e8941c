"""The course as a source tree of nbgrader, which hands exercises out and grades what comes back.

nbgrader takes what lies between its two marks out of the students' copies, and gives a test cell's
points where the cell does not raise:
https://nbgrader.readthedocs.io/en/stable/user_guide/creating_and_grading_assignments.html
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from dynamo_lab.course.notebooks import (
    Answer,
    lessons,
    read,
    solutions,
    write,
    writing_into,
)
from dynamo_lab.errors import CourseError
from dynamo_lab.model.core import files

if TYPE_CHECKING:
    from pathlib import Path

_CONFIGURATION = '''\
"""nbgrader's settings for the course of dynamo_lab."""

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "dynamo_lab"
# What students find in the place of a solution: the starter code above it is theirs to change.
c.ClearSolutions.code_stub = {"python": "# Change the code above, or write yours here."}
# A lesson compiles: with empty caches a cell may take a minute on a slow machine.
c.ExecutePreprocessor.timeout = 600
'''


def write_course(target: Path, points: int = 1) -> tuple[Path, ...]:
    """Write `source/LESSON/LESSON.ipynb` for each lesson with exercises, and nbgrader's settings.

    Settings that are there already stay. Returns the notebooks that were written.

    Raises:
        CourseError: There is a source of this name already, or the folder cannot be written to.
    """
    made = {lesson: graded(read(lesson), solutions(lesson), points) for lesson in lessons()}
    asking = {
        target / "source" / lesson.stem / lesson.name: notebook
        for lesson, notebook in made.items()
        if any("nbgrader" in cell["metadata"] for cell in notebook["cells"])
    }
    with writing_into(target):
        for path in asking:
            if path.exists():
                raise CourseError(
                    f"{str(path)!r} is there already: remove it, or name a new folder."
                )
        for path, notebook in asking.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            write(notebook, path)
        configuration = target / "nbgrader_config.py"
        if not configuration.exists():
            files.write_text(configuration, _CONFIGURATION)
    return tuple(asking)


def graded(notebook: dict[str, Any], solved: dict[str, Answer], points: int = 1) -> dict[str, Any]:
    """A lesson with its solutions, and with nbgrader's marks on the cells of its exercises."""
    cells: list[dict[str, Any]] = []
    asked = ""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and asked:
            cells.append(_tested(cell, asked, points))
            asked = ""
            continue
        asked = cell["metadata"].get("exercise", asked)
        cells.append(_solved(cell, solved[asked]) if "exercise" in cell["metadata"] else cell)
    return {**notebook, "cells": cells}


def _solved(cell: dict[str, Any], answer: Answer) -> dict[str, Any]:
    starter = "".join(cell["source"]).rstrip()
    source = f"{starter}\n\n### BEGIN SOLUTION\n{answer.code}\n### END SOLUTION"
    return _marked(cell, source, f"exercise-{_dashed(answer.number)}", solution=True)


def _tested(cell: dict[str, Any], number: str, points: int) -> dict[str, Any]:
    """The checking cell, which raises with the verdict unless the answer is right."""
    source = "".join(cell["source"])
    last = ast.parse(source).body[-1]
    lines = source.splitlines()
    before, call = lines[: last.lineno - 1], lines[last.lineno - 1 : last.end_lineno]
    after = ["assert verdict, verdict", "verdict"]
    tested = "\n".join([*before, f"verdict = {call[0]}", *call[1:], *after])
    return _marked(cell, tested, f"check-{_dashed(number)}", points=points)


def _marked(
    cell: dict[str, Any], source: str, name: str, solution: bool = False, points: int = 0
) -> dict[str, Any]:
    mark: dict[str, Any] = {
        "grade": not solution,
        "grade_id": name,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    if not solution:
        mark["points"] = points
    return {**cell, "source": source, "metadata": {**cell["metadata"], "nbgrader": mark}}


def _dashed(number: str) -> str:
    return number.replace(".", "-")
