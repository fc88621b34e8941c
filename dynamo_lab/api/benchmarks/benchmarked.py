"""A benchmark as the user gets it, with the recording of what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from dynamo_lab.api.handle import Handle
from dynamo_lab.errors import BenchError
from dynamo_lab.render.tables import terminal_width

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.model.benchmarks import Benchmark

R = TypeVar("R", bound=Handle)


class Benchmarked(Generic[R]):
    """What `bench` measured, with the recording of what it compiled.

    Print it for the tables, or leave it as the last expression of a cell for the interactive view.
    `facts` holds the raw times; `recording` the program, its graphs and kernels.
    """

    def __init__(self, recording: R) -> None:
        if recording.benchmark is None:
            raise BenchError("This recording has no benchmark: make one with lab.bench(fn, *args).")
        self.recording = recording
        self.facts: Benchmark = recording.benchmark

    def __str__(self) -> str:
        from dynamo_lab.render.terminal import render
        from dynamo_lab.view import build

        return render(build(self.recording), sections=("bench",), width=terminal_width())

    __repr__ = __str__

    def save(self, path: str | Path) -> None:
        """Write the recording with its benchmark as JSON, compressed if `path` ends in ".gz"."""
        self.recording.save(path)

    def to_html(self, path: str | Path) -> None:
        """Write one interactive page that works offline."""
        self.recording.to_html(path)

    def _ipython_display_(self) -> None:
        self.recording.show()
