"""The matrix is complete, its page is the one that the kept runs make, and they still hold."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import pytest
import torch

from tests.matrix.others import OTHERS
from tests.matrix.page import PAGE, page
from tests.matrix.row import Found, shown
from tests.matrix.rows import ROWS
from tests.matrix.run import exists, found, release
from tests.matrix.store import stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.matrix.row import Row

QUICK = ("`set_stance`", "`error_on_graph_break`", "`cond`", "`disable`")


def _public_names() -> Iterator[str]:
    """What `torch.compiler` and its modules call public, as it is written after `torch.`."""
    modules = [
        info.name for info in pkgutil.walk_packages(torch.compiler.__path__, "torch.compiler.")
    ]
    for path in ("torch.compiler", *modules):
        module = importlib.import_module(path)
        yield from (
            f"{path}.{name}".removeprefix("torch.") for name in getattr(module, "__all__", ())
        )


def _unknown(names: Iterator[str] | list[str]) -> list[str]:
    known = {*OTHERS, "compiler.config", *(name for row in ROWS for name in row.names)}
    return sorted(set(names) - known)


def test_the_matrix_knows_each_public_name_of_the_compiler() -> None:
    assert _unknown(_public_names()) == [], "give each a row, or a reason in `others.py`"
    assert _unknown(["compiler.set_stance", "compiler.made_up"]) == ["compiler.made_up"]


def test_each_program_has_at_most_five_lines_and_a_title_of_its_own() -> None:
    for row in ROWS:
        lines = [line for line in row.program.strip().splitlines()
                 if not line.startswith(("import ", "from "))]  # fmt: skip
        assert 1 <= len(lines) <= 5, row.title
    assert len({row.title for row in ROWS}) == len(ROWS)


def test_a_name_is_found_below_modules_that_nobody_imported() -> None:
    assert exists("nn.attention.flex_attention")
    assert exists("_inductor.config.triton.cudagraphs")
    assert not exists("compiler.made_up")
    assert not exists("made_up.name")


def test_the_page_is_the_one_that_the_kept_runs_make() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.matrix"


def test_what_is_kept_is_of_rows_that_there_are() -> None:
    for run in stored().values():
        assert set(run.rows) <= {row.title for row in ROWS}


def _each() -> Iterator[object]:
    for row in ROWS:
        mark = () if row.title in QUICK else pytest.mark.long
        yield pytest.param(row, id=row.title, marks=mark)


@pytest.mark.live
@pytest.mark.parametrize("row", list(_each()))
def test_a_row_shows_what_is_kept_of_this_release(row: Row, tmp_path: Path) -> None:
    run = stored().get(release())
    if run is None:
        pytest.skip(f"nothing is kept of torch {release()}: python -m tests.matrix --run")
    if row.title not in run.rows:
        pytest.skip(f"not run yet on torch {release()}: python -m tests.matrix --run")
    kept, now = run.rows[row.title], found(row, tmp_path)
    if "not run" in (kept.state, now.state):
        pytest.skip(f"{kept.text if kept.state == 'not run' else now.text}")
    assert now == kept


def test_a_fact_that_does_not_hold_is_no_row_that_is_shown() -> None:

    assert shown("a graph", True, [1]) == Found("shown", "a graph")
    assert shown("a graph", True, []).state == "not shown"
