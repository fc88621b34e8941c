"""`dynamo-lab course`: list the lessons, or copy them into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dynamo_lab.cli.core.options import add_command
from dynamo_lab.errors import CourseError

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "list the lessons, or copy their notebooks into a folder"
    parser = add_command(commands, "course", sentence, run)
    parser.add_argument("folder", nargs="?", metavar="DIR", help="copy the notebooks into it")
    parser.add_argument(
        "--nbgrader", action="store_true", help="write them as an nbgrader course, with solutions"
    )


def run(options: argparse.Namespace) -> int:
    """Print the lessons, or where their copies are.

    Raises:
        CourseError: The folder is missing, or cannot be written to.
    """
    if options.folder is None:
        if options.nbgrader:
            raise CourseError("--nbgrader writes files: name a folder for them as well.")
        print("\n".join(_listing()))
        return 0
    target = Path(options.folder)
    print("\n".join(_graded(target) if options.nbgrader else _copied(target)))
    return 0


def _listing() -> list[str]:
    """The lessons with their exercises, as lines."""
    from dynamo_lab.course import exercises
    from dynamo_lab.course.notebooks import lessons, number_of, title_of

    lines: list[str] = []
    for lesson in lessons():
        number = number_of(lesson)
        lines.append(f"{number:02}  {title_of(lesson)}")
        lines += [f"      {one.number}  {one.title}" for one in exercises(number)]
    return [*lines, "", "`dynamo-lab course DIR` copies the notebooks into a folder."]


def _copied(target: Path) -> list[str]:
    from dynamo_lab.course.notebooks import copy_lessons, lessons

    written = copy_lessons(target)
    kept = len(lessons()) - len(written)
    told = [f"{len(written)} notebooks are in {target}."] if written else []
    if kept:
        told.append(f"{kept} were there already and stay as they are.")
    first = target / lessons()[0].name
    return [*told, f"Open the first: jupyter lab {first}"]


def _graded(target: Path) -> list[str]:
    from dynamo_lab.course.grading import write_course

    written = write_course(target)
    return [
        f"{len(written)} lessons with solutions are in {target / 'source'}.",
        f"Make the students' copies: cd {target} && nbgrader generate_assignment "
        f"{written[0].parent.name}",
    ]
