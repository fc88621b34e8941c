"""The table of announced figures as text, made of the runs that are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.announced.figures import FIGURES, Figure
from tests.benchmarks.announced.store import Run, stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "notebooks" / "docs" / "announced.md"
LESSON = ROOT / "notebooks" / "08_measuring_honestly.ipynb"

_MARK = "<!-- made by: python -m tests.benchmarks.announced -->\n"
_END = "<!-- end -->\n"
NOT_RUN = "not run here"


def table(runs: Iterable[Run] | None = None) -> str:
    """The table, in Markdown: a figure a row, then where each run was made."""
    kept = {run.figure: run for run in (stored() if runs is None else runs)}
    return "\n".join([*_rows(kept), "", *_runs(kept)]) + "\n"


def short_table() -> str:
    """The same for a lesson's first screen: what, announced, ours."""
    kept = {run.figure: run for run in stored()}
    rows = [
        f"| {one.name} | {one.announced} | {_ours(one, kept.get(one.run))} |" for one in FIGURES
    ]
    return "\n".join(["| what | announced | ours |", "|---|---|---|", *rows]) + "\n"


def _rows(kept: dict[str, Run]) -> Iterator[str]:
    yield "| what | announced | ours | where, when |"
    yield "|---|---|---|---|"
    for figure in FIGURES:
        run = kept.get(figure.run)
        told = _ours(figure, run)
        where = f"{run.machine}, {run.date}" if run and told != NOT_RUN else ""
        announced = f"[{figure.announced}]({figure.source}) ({figure.machine})"
        yield f"| {figure.name} | {announced} | {told} | {where} |"


def _ours(figure: Figure, run: Run | None) -> str:
    found = [run.rows[name] for name in figure.shows if name in run.rows] if run else []
    return "; ".join(found) if found else NOT_RUN


def _runs(kept: dict[str, Run]) -> Iterator[str]:
    for name in dict.fromkeys(figure.run for figure in FIGURES):
        if run := kept.get(name):
            differs = f" What differs: {run.differs}" if run.differs else ""
            yield f"- **{name}**: `{run.command}`, {run.software}, {run.machine}.{differs}"
    missing = [figure for figure in FIGURES if _ours(figure, kept.get(figure.run)) == NOT_RUN]
    for command in dict.fromkeys(figure.measured_by for figure in missing if figure.measured_by):
        names = ", ".join(figure.name for figure in missing if figure.measured_by == command)
        yield f"- {NOT_RUN}: `{command}` measures {names}."


def written(text: str, made: str) -> str:
    """A text with a table between its marks."""
    before, _, rest = text.partition(_MARK)
    _, _, after = rest.partition(_END)
    return f"{before}{_MARK}\n{made}\n{_END}{after}"


def lesson_written(text: str) -> str:
    """The lesson with the short table in its first cell."""
    notebook = json.loads(text)
    first = notebook["cells"][0]
    first["source"] = written("".join(first["source"]), short_table()).splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
