"""The answer to "why is it wrong", with the recording of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from dynamo_lab.api.handle import Handle
from dynamo_lab.errors import BisectionError
from dynamo_lab.render.tables import terminal_width

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.bench.bisections.reproducers import Reproducer
    from dynamo_lab.capture.bisections.graphs import Held
    from dynamo_lab.model.bisections import Bisection

R = TypeVar("R", bound=Handle)


class WhyWrong(Generic[R]):
    """What makes a compiled program differ from eager, and whether that is rounding or a bug.

    Print it, or leave it as the last expression of a cell for the interactive view. `facts` holds
    every compilation and the parts found, from the coarsest to the finest; `recording` the
    program.
    """

    def __init__(self, recording: R, held: Held | None = None) -> None:
        if recording.bisection is None:
            raise BisectionError("Nothing was searched: ask with lab.why_wrong(fn, *args).")
        self.recording = recording
        self.facts: Bisection = recording.bisection
        self._held = held

    @property
    def verdict(self) -> str:
        """Whether it is wrong: "same", "rounding", "eager", "bug", "crash" or "unknown".

        "eager": it is eager that is off, and not the compiled program.
        """
        return self.facts.verdict

    def reproducer(self) -> Reproducer:
        """One Python file that shows the fault without this package, also where there is none.

        Inputs are made as small as the fault allows, for which the file is run a few times.

        Raises:
            BisectionError: no graph was captured, or what it was given was too large to keep.
        """
        from dynamo_lab.bench.bisections.reproducers import reproducer
        from dynamo_lab.view import build

        found = build(self.recording).bisection
        assert found is not None
        lines = [f"{found.title}. {found.sentence}", *([found.line] if found.line else [])]
        shows = self.facts.verdict in ("bug", "crash", "unknown")
        return reproducer(self._held, lines, self.facts.versions, shows_fault=shows)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal import render
        from dynamo_lab.view import build

        view = build(self.recording)
        return render(view, sections=("why_wrong",), width=terminal_width())

    __repr__ = __str__

    def save(self, path: str | Path) -> None:
        """Write the recording with the answer as JSON, compressed if `path` ends in ".gz"."""
        self.recording.save(path)

    def to_html(self, path: str | Path) -> None:
        """Write one interactive page that works offline."""
        self.recording.to_html(path)

    def _ipython_display_(self) -> None:
        self.recording.show()
