"""`dynamo-lab course`: the lessons, copies of them, and nbgrader's source tree."""

from __future__ import annotations

import errno
import json
import pathlib
import re
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from dynamo_lab.__main__ import main
from dynamo_lab.course import exercises
from dynamo_lab.course.notebooks import number_of, read, solutions, title_of
from tests.course.lessons import LESSONS

if TYPE_CHECKING:
    from pathlib import Path

WITH_EXERCISES = [lesson for lesson in LESSONS if exercises(number_of(lesson))]


def test_it_lists_the_lessons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course"]) == 0
    printed = capsys.readouterr().out
    for lesson in LESSONS:
        number = number_of(lesson)
        assert f"{number:02}  {title_of(lesson)}" in printed
        assert all(f"{one.number}  {one.title}" in printed for one in exercises(number))


def test_it_copies_the_notebooks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "a" / "course"
    assert main(["course", str(target)]) == 0
    assert sorted(path.name for path in target.iterdir()) == [path.name for path in LESSONS]
    assert f"jupyter lab {target / LESSONS[0].name}" in capsys.readouterr().out


def test_what_a_student_wrote_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / LESSONS[0].name
    mine.write_text("mine")
    assert main(["course", str(tmp_path)]) == 0
    assert mine.read_text() == "mine"
    assert "1 existed already" in capsys.readouterr().out


def test_a_folder_that_cannot_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["course", str(tmp_path / "file")]) == 2
    assert main(["course", str(tmp_path / "file"), "--nbgrader"]) == 2
    assert main(["course", "--nbgrader"]) == 2
    assert "name a folder" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(pathlib.Path, "write_bytes", refused)
    monkeypatch.setattr(pathlib.Path, "write_text", refused)
    for options in ([], ["--nbgrader"]):
        assert main(["course", str(tmp_path), *options]) == 2
        assert "cannot be written to (Permission denied)" in capsys.readouterr().err


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("nbgrader")
    assert main(["course", str(target), "--nbgrader"]) == 0
    return target


class TestNbgrader:
    @pytest.mark.parametrize("lesson", WITH_EXERCISES, ids=lambda path: path.stem)
    def test_each_exercise_is_marked(self, lesson: Path, tree: Path) -> None:
        path = tree / "source" / lesson.stem / lesson.name
        notebook: Any = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        marks = [c.metadata.nbgrader for c in notebook.cells if "nbgrader" in c.metadata]
        asked = [one.number.replace(".", "-") for one in exercises(number_of(lesson))]
        ids = [f"{kind}-{number}" for number in asked for kind in ("exercise", "check")]
        assert [mark.grade_id for mark in marks] == ids
        assert all(re.fullmatch(r"[\w-]+", mark.grade_id) for mark in marks)
        for mark in marks:
            assert mark.schema_version == 3
            assert mark.grade == mark.locked == (not mark.solution)
            assert mark.get("points") == (1 if mark.grade else None)
            assert not mark.task

    @pytest.mark.parametrize("lesson", WITH_EXERCISES, ids=lambda path: path.stem)
    def test_without_what_is_marked_the_starter_is_left(self, lesson: Path, tree: Path) -> None:
        made = read(tree / "source" / lesson.stem / lesson.name)["cells"]
        asked = {cell["id"]: "".join(cell["source"]) for cell in read(lesson)["cells"]}
        for cell in (cell for cell in made if "exercise" in cell["metadata"]):
            given, _, solved = "".join(cell["source"]).partition("\n\n### BEGIN SOLUTION\n")
            assert given == asked[cell["id"]].rstrip()
            answer = solutions(lesson)[cell["metadata"]["exercise"]]
            assert solved == f"{answer.code}\n### END SOLUTION"

    @pytest.mark.parametrize("lesson", WITH_EXERCISES, ids=lambda path: path.stem)
    def test_a_check_becomes_a_test(self, lesson: Path, tree: Path) -> None:
        cells = read(tree / "source" / lesson.stem / lesson.name)["cells"]
        tests = [c["source"] for c in cells if c["metadata"].get("nbgrader", {}).get("grade")]
        for test in tests:
            compile(test, "test", "exec")
            assert "verdict = lab.course.check(" in test
            assert test.endswith("assert verdict, verdict\nverdict")

    def test_nbgrader_takes_it(self, tree: Path) -> None:
        marked: Any = pytest.importorskip("nbgrader.nbgraderformat")
        for path in (tree / "source").rglob("*.ipynb"):
            marked.read(path, as_version=4)  # raises where a mark is not as it should be

    def test_no_exercise_begins_with_a_cell_command(self) -> None:
        """It would have to be the first line of the starter and of the solution as well."""
        for lesson in LESSONS:
            for cell in read(lesson)["cells"]:
                if "exercise" in cell["metadata"]:
                    assert not "".join(cell["source"]).startswith("%%"), lesson.name

    def test_its_settings_are_python_and_stay(self, tree: Path, tmp_path: Path) -> None:
        settings = tree / "nbgrader_config.py"
        compile(settings.read_text(), "settings", "exec")
        (tmp_path / settings.name).write_text("mine")
        assert main(["course", str(tmp_path), "--nbgrader"]) == 0
        assert (tmp_path / settings.name).read_text() == "mine"

    def test_nothing_is_written_over(self, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["course", str(tree), "--nbgrader"]) == 2
        assert "is there already" in capsys.readouterr().err

    def test_it_stays_a_notebook(self, tree: Path) -> None:
        texts = [path.read_text() for path in (tree / "source").rglob("*.ipynb")]
        assert all(text.endswith("}\n") and json.loads(text) for text in texts)
