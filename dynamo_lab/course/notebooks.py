"""The lessons as files: where the notebooks are, what is in them, and a copy of them."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import CourseError
from dynamo_lab.model.core import files

if TYPE_CHECKING:
    from collections.abc import Generator

_ANSWER = re.compile(r"^# %% (?P<number>\d+\.\d+)(?:: (?P<why>.*))?$")


@dataclass(frozen=True)
class Answer:
    """Code to stand in an exercise's cell; `why` is part of the refusal that a wrong one gets."""

    number: str
    code: str
    why: str = ""


def folder() -> Path:
    """Where ours are: in an installed wheel beside this package's code, else in the checkout."""
    package = Path(__file__).parents[1]
    installed = package / "_notebooks"
    return installed if installed.is_dir() else package.parent / "notebooks"


def lessons() -> tuple[Path, ...]:
    """The notebooks of the course, in their order."""
    return tuple(sorted(folder().glob("[0-9][0-9]_*.ipynb")))


def number_of(lesson: Path) -> int:
    """The number that a notebook's name begins with."""
    return int(lesson.name[:2])


def title_of(lesson: Path) -> str:
    """The first heading of a notebook."""
    texts = ("".join(cell["source"]) for cell in read(lesson)["cells"])
    headings = (line[2:] for text in texts for line in text.splitlines() if line[:2] == "# ")
    return next(headings, lesson.stem)


def read(path: Path) -> dict[str, Any]:
    """A notebook, as the JSON that it is."""
    return json.loads(path.read_text(encoding="utf-8"))


def write(notebook: dict[str, Any], path: Path) -> None:
    """Write a notebook as Jupyter does."""
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    files.write_text(path, f"{text}\n")


def answers(path: Path) -> tuple[Answer, ...]:
    """The answers in a file of cells, of which `# %% 2.1` begins each; none where there is no file.

    What stands after a colon is `why` a wrong one is refused.
    """
    if not path.exists():
        return ()
    found: list[tuple[str, str, list[str]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if start := _ANSWER.match(line):
            found.append((start["number"], start["why"] or "", []))
        elif found:
            found[-1][2].append(line)
    return tuple(Answer(number, "\n".join(code).strip(), why) for number, why, code in found)


def solutions(lesson: Path) -> dict[str, Answer]:
    """The solution of each exercise of a lesson, by its number."""
    path = lesson.parent / "solutions" / f"{lesson.stem}.py"
    return {answer.number: answer for answer in answers(path)}


def copy_lessons(target: Path) -> tuple[Path, ...]:
    """Copy the notebooks into a folder, which is made if need be; what is there already stays.

    Returns the files that were written.

    Raises:
        CourseError: It cannot be written to.
    """
    with writing_into(target):
        missing = [lesson for lesson in lessons() if not (target / lesson.name).exists()]
        for lesson in missing:
            files.write(target / lesson.name, lesson.read_bytes())
    return tuple(target / lesson.name for lesson in missing)


@contextmanager
def writing_into(target: Path) -> Generator[None]:
    """Make a folder, unless it is there, for the block to write into.

    Raises:
        CourseError: It cannot be made, or not be written to.
    """
    try:
        target.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise CourseError(
            f"{str(target)!r} cannot be written to ({error.strerror}): name a folder that can be."
        ) from None
