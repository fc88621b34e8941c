"""What was found in each release, a file each."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from tests.matrix.row import Found

STORED = Path(__file__).parent / "stored"


class Run(Struct, frozen=True, kw_only=True):
    """What a release shows of each row, by its title; `software` is the exact release."""

    software: str
    date: str
    rows: dict[str, Found]


def stored() -> dict[str, Run]:
    """The runs by minor release, oldest first."""
    files = sorted(STORED.glob("*.json"), key=lambda path: [int(n) for n in path.stem.split(".")])
    return {path.stem: msgspec.json.decode(path.read_bytes(), type=Run) for path in files}


def store(release: str, run: Run) -> None:
    """Keep a run."""
    STORED.mkdir(exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(run), indent=2)
    (STORED / f"{release}.json").write_bytes(text + b"\n")
