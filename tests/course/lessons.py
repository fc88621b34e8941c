"""The lessons as tests see them: notebooks, the exercises in them, solutions and wrong answers.

An exercise is a code cell whose metadata says `{"exercise": "2.1"}`, with the starter code, and the
code cell after it, which calls `lab.course.check("2.1", ...)`. `notebooks/solutions/NAME.py` and
`tests/course/wrong/NAME.py` hold cells to put in place of the starter: `# %% 2.1` begins one; a
wrong answer says after a colon a part of the sentence that it must be refused with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import nbformat

HERE = Path(__file__).parent
NOTEBOOKS = HERE.parent.parent / "notebooks"
LESSONS = sorted(path for path in NOTEBOOKS.glob("*.ipynb") if re.match(r"\d\d_", path.name))

_CELL = re.compile(r"^# %% (?P<number>\d+\.\d+)(?:: (?P<why>.*))?$")


@dataclass(frozen=True)
class Answer:
    """Code to stand in an exercise's cell; `why` is part of the refusal that a wrong one gets."""

    number: str
    code: str
    why: str = ""


def cells_of(path: Path):
    """The code cells of a notebook, in their order."""
    notebook = nbformat.read(path, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def answers(path: Path) -> list[Answer]:
    """The answers in a file; one that is not there has none."""
    if not path.exists():
        return []
    found: list[tuple[str, str, list[str]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if start := _CELL.match(line):
            found.append((start["number"], start["why"] or "", []))
        elif found:
            found[-1][2].append(line)
    return [Answer(number, "\n".join(code).strip(), why) for number, why, code in found]


def solutions(lesson: Path) -> dict[str, Answer]:
    """The solution of each exercise of a lesson."""
    return {a.number: a for a in answers(NOTEBOOKS / "solutions" / f"{lesson.stem}.py")}


def wrong_answers(lesson: Path) -> list[Answer]:
    """The wrong answers that a lesson has to refuse."""
    return answers(HERE / "wrong" / f"{lesson.stem}.py")
