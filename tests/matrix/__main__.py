"""`python -m tests.matrix`: write the page; `--run` runs rows first, and keeps what they show."""

from __future__ import annotations

import argparse
import datetime
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from tests.matrix.page import PAGE, page
from tests.matrix.rows import ROWS
from tests.matrix.run import found, release
from tests.matrix.store import Run, store, stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.matrix.row import Found


def main() -> None:
    """Write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", nargs="*", metavar="TITLE", help="these rows, or all")
    asked = parser.parse_args().run
    if asked is not None:
        store(release(), _run(asked))
    PAGE.write_text(page(), encoding="utf-8")


def _run(titles: Sequence[str]) -> Run:
    """All rows, those that are not asked for as they are kept."""
    before = stored().get(release())
    kept = before.rows if before and titles else {}
    rows: dict[str, Found] = {}
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            is_kept = row.title in kept and row.title not in titles
            rows[row.title] = one = kept[row.title] if is_kept else found(row, Path(folder))
            print(f"{row.title}: {one.state}: {one.text}", flush=True)
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    return Run(software=torch.__version__.partition("+")[0], date=date, rows=rows)


if __name__ == "__main__":
    main()
