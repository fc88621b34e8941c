"""The folder of a job while it runs: what ranks write of themselves, and what they are told.

A rank writes its recording again and again, so that one that is killed leaves its facts. Nothing is
sent from rank to rank: whoever started them reads and writes these files, too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dynamo_lab.capture.ranks.ranks import Place

_SEEN_BYTES = 2048


class Seen(NamedTuple):
    """The line of the user's that a rank was on, and when; `source` is the name of its file."""

    time: float
    source: str
    line: int
    function: str
    path: str


class JobFolder:
    """The files of a job."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def work(self) -> Path:
        """What is to be run."""
        return self.path / "work.json"

    @property
    def asked(self) -> Path:
        """Exists once the ranks are to write what they know now."""
        return self.path / "ask"

    @property
    def left(self) -> Path:
        """Exists once the ranks that are done may end."""
        return self.path / "leave"

    def recording(self, rank: int) -> Path:
        """The recording of a rank."""
        return self.path / f"rank-{rank}.json.gz"

    def told(self, rank: int) -> Path:
        """Exists once a rank has written what it was asked for."""
        return self.path / f"rank-{rank}.told"

    def done(self, rank: int) -> Path:
        """Exists once a rank has run its program to the end, or has raised."""
        return self.path / f"rank-{rank}.done"

    def has_finished(self, rank: int) -> bool:
        """Whether a rank has run its program to the end, and did not raise."""
        done = self.done(rank)
        return done.exists() and done.read_text() == "finished"

    def seen(self, rank: int) -> Path:
        """Where a rank was last."""
        return self.path / f"rank-{rank}.seen"

    def crash(self, rank: int) -> Path:
        """The stacks of a rank that crashed, as Python's `faulthandler` wrote them."""
        return self.path / f"rank-{rank}.crash"

    def last_seen(self, rank: int) -> Seen | None:
        """Where a rank was last, if it has said so."""
        try:
            return Seen(*json.loads(self.seen(rank).read_bytes().rstrip(b"\0")))
        except (OSError, ValueError, TypeError):
            return None


class SeenFile:
    """The file in which a rank says where it is: of fixed length, so that one write replaces it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)

    def write(self, time: float, source: str, place: Place) -> None:
        """Say that it is at this place now."""
        row: list[Any] = [time, source, place.line, place.function, place.path]
        data = json.dumps(row).encode()
        if len(data) <= _SEEN_BYTES:
            os.pwrite(self._file, data.ljust(_SEEN_BYTES, b"\0"), 0)

    def close(self) -> None:
        """Write no more."""
        os.close(self._file)
