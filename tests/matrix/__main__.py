"""`python -m tests.matrix`: write the page; `--run` runs rows first, and keeps what they show."""

from __future__ import annotations

import argparse
import datetime
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from tests.matrix.page import NOT_YET, PAGE, page
from tests.matrix.rows import ROWS
from tests.matrix.run import found, release
from tests.matrix.store import Run, store, stored

if TYPE_CHECKING:
    from collections.abc import Sequence


def main() -> None:
    """Write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--run", nargs="*", metavar="TITLE", help="these rows, or those that did not run yet"
    )
    asked = parser.parse_args().run
    if asked is not None:
        _run(asked)
    PAGE.write_text(page(), encoding="utf-8")


def _run(titles: Sequence[str]) -> None:
    """Run these rows, or those that did not run yet, and keep each as it comes."""
    before = stored().get(release())
    rows = dict(before.rows) if before else {}
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    software = torch.__version__.partition("+")[0]
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            kept = rows.get(row.title)
            is_open = kept is None or kept.state == NOT_YET
            if not (row.title in titles if titles else is_open):
                continue
            rows[row.title] = one = found(row, Path(folder))
            print(f"{row.title}: {one.state}: {one.text}", flush=True)
            every = {row.title: rows[row.title] for row in ROWS if row.title in rows}
            store(release(), Run(software=software, date=date, rows=every))


if __name__ == "__main__":
    main()
