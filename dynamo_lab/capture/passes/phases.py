"""Where in its passes Inductor is: the phase that runs over a graph, and the passes in it."""

from dataclasses import dataclass, field
from typing import Any

from dynamo_lab.capture.passes.snapshots import Family
from dynamo_lab.model.passes import Match, Phase


@dataclass
class RunningPass:
    """A pass that is running; `index` is None where what runs is part of the pass around it."""

    what: Any
    index: int | None
    started: float = 0.0
    matches: list[Match] = field(default_factory=list[Match])


@dataclass
class RunningPipeline:
    """A pipeline that is running in this thread, and where in it we are."""

    id: int
    phase: Phase
    family: Family
    bodies: list[str] = field(default_factory=lambda: [""])  # those the phase is at, by their paths
    open: list[RunningPass] = field(default_factory=list)
    last: str = ""  # what ran last

    @property
    def running(self) -> RunningPass | None:
        """The pass that is running, the innermost of them."""
        return next((one for one in reversed(self.open) if one.index is not None), None)

    @property
    def innermost(self) -> int | None:
        """The index of that pass."""
        running = self.running
        return running.index if running else None
