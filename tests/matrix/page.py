"""The page of the matrix, made of its rows and of the runs that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.matrix.others import OTHERS
from tests.matrix.rows import ROWS
from tests.matrix.store import Run, stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.matrix.row import Row

PAGE = Path(__file__).parents[2] / "notebooks" / "docs" / "corners.md"

NOT_YET = "not run"

_HEAD = """# Every corner of torch.compile

What a recording shows of each feature, as the programs below were run on each release: *partly*
says what is missing, *absent* is not in that release, and *not run* needs what was not there.
Of a release without a column no run is kept.

<!-- made by: python -m tests.matrix -->
"""


def page() -> str:
    """The whole page, in Markdown."""
    runs = stored()
    return "\n".join((_HEAD, *_table(runs), "", *_runs(runs), "", *_programs(runs), *_others()))


def _table(runs: dict[str, Run]) -> Iterator[str]:
    yield f"| what | view | {' | '.join(runs)} |"
    yield "|---|---|" + "---|" * len(runs)
    for row in ROWS:
        states = " | ".join(_state(run, row) for run in runs.values())
        yield f"| {row.title} | [{row.view}](views/{row.view}.md) | {states} |"


def _state(run: Run, row: Row) -> str:
    found = run.rows.get(row.title)
    return NOT_YET if found is None else found.state


def _runs(runs: dict[str, Run]) -> Iterator[str]:
    for run in runs.values():
        yield f"- torch {run.software}, {run.date}: `python -m tests.matrix --run`"


def _programs(runs: dict[str, Run]) -> Iterator[str]:
    yield "## The programs\n"
    for row in ROWS:
        yield f"### {row.title}\n"
        yield f"```python\n{row.program.strip()}\n```\n"
        yield f"{_told(runs, row)} [Upstream]({row.source}).\n"


def _told(runs: dict[str, Run], row: Row) -> str:
    """What was found, once where all releases agree."""
    found = {name: run.rows[row.title] for name, run in runs.items() if row.title in run.rows}
    if not found:
        return "Not run yet."
    if len(set(found.values())) == 1:
        one = next(iter(found.values()))
        return f"*{one.state.capitalize()}*: {one.text}."
    return " ".join(f"{name}: *{one.state}*, {one.text}." for name, one in found.items())


def _others() -> Iterator[str]:
    yield "## Names without a row\n"
    for name, why in OTHERS.items():
        yield f"- `torch.{name}`: {why}."
    yield ""
