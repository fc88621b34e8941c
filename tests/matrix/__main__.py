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


def main() -> None:
    """Write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--run", nargs="*", metavar="TITLE", help="these rows, or those not run yet"
    )
    asked = parser.parse_args().run
    if asked is not None:
        _run(asked)
    PAGE.write_text(page(), encoding="utf-8")


def _run(titles: Sequence[str]) -> None:
    """Run these rows, or those that nothing is kept of, and keep each as it comes."""
    before = stored().get(release())
    rows = dict(before.rows) if before else {}
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    software = torch.__version__.partition("+")[0]
    with tempfile.TemporaryDirectory() as folder:
        for row in ROWS:
            is_asked = row.title in titles if titles else row.title not in rows
            if not is_asked:
                continue
            rows[row.title] = one = found(row, Path(folder))
            print(f"{row.title}: {one.state}: {one.text}", flush=True)
            kept = {row.title: rows[row.title] for row in ROWS if row.title in rows}
            store(release(), Run(software=software, date=date, rows=kept))


if __name__ == "__main__":
    main()
