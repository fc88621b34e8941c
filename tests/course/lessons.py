"""The lessons as tests see them: notebooks, the exercises in them, solutions and wrong answers.

An exercise is a code cell whose metadata says `{"exercise": "2.1"}`, with the starter code, and the
code cell after it, which calls `lab.course.check("2.1", ...)`. `notebooks/solutions/NAME.py` and
`tests/course/wrong/NAME.py` hold cells to put in place of the starter: `# %% 2.1` begins one; a
wrong answer says after a colon a part of the sentence that it must be refused with.
"""

from __future__ import annotations

from pathlib import Path

import nbformat

from dynamo_lab.course.notebooks import Answer, answers, lessons

HERE = Path(__file__).parent
NOTEBOOKS = HERE.parent.parent / "notebooks"
LESSONS = lessons()


def cells_of(path: Path):
    """The code cells of a notebook, in their order."""
    notebook = nbformat.read(path, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def wrong_answers(lesson: Path) -> tuple[Answer, ...]:
    """The wrong answers that a lesson has to refuse."""
    return answers(HERE / "wrong" / f"{lesson.stem}.py")
