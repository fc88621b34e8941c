"""Each notebook of the course: it runs as it is, its exercises tell right from wrong, it lasts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import nbconvert
import nbformat
import pytest
from nbclient import NotebookClient

from dynamo_lab.course import exercises
from dynamo_lab.course.notebooks import Answer, number_of, read, solutions, title_of
from tests.course.lessons import LESSONS, NOTEBOOKS, cells_of, wrong_answers

if TYPE_CHECKING:
    from pathlib import Path


EVERY_TIME = ("00_start_here", "05_decompositions")
"""The lessons that each run of the tests runs: the tour, and a short one with exercises."""

AT_NIGHT = ("18_several_ranks",)
"""Those that start processes for each answer: minutes of them."""


def _run_at_release(lesson: Path) -> Any:
    later = pytest.mark.long if lesson.stem in AT_NIGHT else pytest.mark.release
    marks = () if lesson.stem in EVERY_TIME else later
    return pytest.param(lesson, id=lesson.stem, marks=marks)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_no_lesson_looks_for_the_code_left_of_the_view(lesson: Path) -> None:
    """In JupyterLab the cell itself, above the view, bears the marks."""
    cells = [cell for cell in read(lesson)["cells"] if cell["cell_type"] == "markdown"]
    told = "".join(line for cell in cells for line in cell["source"])
    assert not re.search(r"on the left|wavy", told, re.IGNORECASE)


def test_the_course_begins_with_a_tour() -> None:
    assert LESSONS[0].name == "00_start_here.ipynb"
    assert LESSONS[0].parent == NOTEBOOKS


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_kept_without_what_its_run_left(lesson: Path) -> None:
    notebook = committed(lesson)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert any("%load_ext dynamo_lab" in "".join(cell["source"]) for cell in code)


def committed(lesson: Path) -> dict[str, Any]:
    """The notebook as git keeps it: whoever has the checkout may have run and saved it."""
    if not shutil.which("git"):
        return read(lesson)
    command = ["git", "show", f"HEAD:./{lesson.name}"]
    shown = subprocess.run(command, cwd=lesson.parent, capture_output=True)
    return json.loads(shown.stdout) if shown.returncode == 0 else read(lesson)


@pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
def test_a_lesson_that_was_run_and_saved_here_is_examined_as_it_is_kept(tmp_path: Path) -> None:
    """Whoever runs the tour and then the tests did nothing wrong."""
    lesson = tmp_path / LESSONS[0].name
    shutil.copy(LESSONS[0], lesson)
    for command in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm lesson"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    notebook, kept = read(lesson), read(lesson)
    code = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    code |= {"execution_count": 1, "outputs": [{"output_type": "stream", "text": "4"}]}
    lesson.write_text(json.dumps(notebook))
    assert committed(lesson) == kept != read(lesson)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_what_a_lesson_leads_to_is_copied_with_it(lesson: Path) -> None:
    told = [cell for cell in read(lesson)["cells"] if cell["cell_type"] == "markdown"]
    text = "\n".join("".join(cell["source"]) for cell in told)
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    names = [path.name for path in LESSONS]
    assert [link for link in links if link not in names] == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_what_a_lesson_asks_is_known_and_answered(lesson: Path) -> None:
    known = [exercise.number for exercise in exercises(number_of(lesson))]
    cells = cells_of(lesson)
    asked = [cell.metadata["exercise"] for cell in cells if "exercise" in cell.metadata]
    checked = [b for a, b in pairwise(cells) if "exercise" in a.metadata]
    assert asked == known
    for number, cell in zip(asked, checked, strict=True):
        assert f'lab.course.check("{number}"' in cell.source
    assert list(solutions(lesson)) == known
    refused = [wrong.number for wrong in wrong_answers(lesson)]
    assert all(refused.count(number) >= 2 for number in known)
    assert all(wrong.why for wrong in wrong_answers(lesson)), "say why each is refused"


def test_teachers_are_told_of_each_lesson_and_its_exercises() -> None:
    page = (NOTEBOOKS / "docs" / "teaching.md").read_text(encoding="utf-8")
    rows = [[part.strip() for part in row.split("|")] for row in page.splitlines()]
    told = [(row[1], row[4]) for row in rows if len(row) > 7 and row[1][:2].isdigit()]
    known = [(number_of(lesson), title_of(lesson)) for lesson in LESSONS]
    assert told == [(f"{n:02} {title}", str(len(exercises(n)))) for n, title in known]
    assert all(all(row[1:-1]) for row in rows if len(row) > 7), "a row has an empty column"


@pytest.mark.slow
@pytest.mark.live
@pytest.mark.parametrize("lesson", [_run_at_release(lesson) for lesson in LESSONS])
def test_a_lesson_runs_and_its_exercises_tell_right_from_wrong(lesson: Path) -> None:
    it_runs(lesson, wrong_of_each=1)


@pytest.mark.long
@pytest.mark.live
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_every_wrong_answer_is_told_why(lesson: Path) -> None:
    it_runs(lesson, wrong_of_each=None)


def it_runs(lesson: Path, wrong_of_each: int | None) -> None:
    """Run a lesson, and in place of each exercise so many wrong answers (all) and the right one."""
    notebook: Any = nbformat.read(lesson, as_version=4)
    client = NotebookClient(notebook, timeout=300, kernel_name="python3")
    solved, wrong = solutions(lesson), wrong_answers(lesson)
    with client.setup_kernel(cwd=str(NOTEBOOKS)):
        for at, cell in enumerate(notebook.cells):
            if cell.cell_type != "code":
                continue
            client.execute_cell(cell, at)
            before: Any = notebook.cells[at - 1]
            number = before.metadata.get("exercise") if at else None
            if number is None:
                continue
            assert f"Exercise {number} is not right yet." in printed(cell), "the starter passed"
            tried = [w for w in wrong if w.number == number][:wrong_of_each]
            for answer in (*tried, solved[number]):
                verdict = try_answer(client, answer, before, cell, at)
                right = f"Exercise {number} is right."
                assert (right in verdict) == (answer is solved[number]), verdict
                assert answer.why in verdict
                assert "The check cannot handle" not in verdict
    its_outputs_last(notebook)


def its_outputs_last(notebook: Any) -> None:
    """What is saved reads without a kernel and without scripts, and exports."""
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    lasting = [o.data["text/html"] for o in outputs if "text/html" in o.get("data", {})]
    views = [html for html in lasting if "dynamo-lab-static" in html]
    assert views
    assert all(len(html.encode()) <= 200_000 and "<script" not in html for html in views)
    exported, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    assert exported.count("data-dynamo-lab-static") >= len(views)


def try_answer(client: NotebookClient, answer: Answer, asks: Any, checks: Any, at: int) -> str:
    """What the checking cell says once an answer stands in the place of the starter code."""
    asked, checked = asks.copy(), checks.copy()
    asked.source, asked.outputs, checked.outputs = answer.code, [], []
    client.execute_cell(asked, at - 1)
    client.execute_cell(checked, at)
    return printed(checked)


def printed(cell: Any) -> str:
    """The text that a cell left."""
    texts = [
        out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.outputs
    ]
    return "\n".join(texts)
