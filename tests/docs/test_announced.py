"""The table of announced figures is the one that the kept runs make."""

from __future__ import annotations

from tests.benchmarks.announced.figures import FIGURES
from tests.benchmarks.announced.store import stored
from tests.benchmarks.announced.table import (
    LESSON,
    NOT_RUN,
    PAGE,
    lesson_written,
    table,
    written,
)


def test_the_page_and_the_lesson_have_it() -> None:
    for path, made in ((PAGE, written(PAGE.read_text("utf-8"), table())),
                       (LESSON, lesson_written(LESSON.read_text("utf-8")))):  # fmt: skip
        assert made == path.read_text("utf-8"), "run python -m tests.benchmarks.announced"


def test_a_figure_without_a_run_says_so() -> None:
    rows = [line for line in table([]).splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(FIGURES)
    assert all(f"| {NOT_RUN} |" in row for row in rows)


def test_each_run_answers_a_figure_and_says_where_it_was_made() -> None:
    known = {figure.run for figure in FIGURES}
    for run in stored():
        assert run.figure in known
        assert run.rows
        assert all((run.machine, run.software, run.date, run.command))
