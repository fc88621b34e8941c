"""What a recording's graphs of the backend `lab` are now, with the changes that count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import LoweringError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.compiler.live.program import LiveProgram
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Program

NO_PROGRAM = (
    "There is no program to change: this recording was loaded from a file, or was made with "
    "record() or %%record. Use explore() or %%compile, with the backend lab."
)


class Living:
    """The programs of a recording's graphs as they are now, and what was changed of each."""

    def __init__(self, programs: Mapping[int, LiveProgram]) -> None:
        self._now = dict(programs)
        self._changes: dict[int, list[str]] = {graph: [] for graph in programs}

    def program(self, graph: int) -> LiveProgram:
        """The program of a graph, with the changes that count.

        Raises:
            LoweringError: there is none.
        """
        if graph not in self._now:
            raise LoweringError("This graph was not compiled by the backend lab.")
        return self._now[graph]

    def changes(self, graph: int) -> tuple[str, ...]:
        """What was changed of it, the first one first."""
        return tuple(self._changes[graph])

    def take(self, graph: int, made: LiveProgram, change: str) -> None:
        """From now on the graph's program is this one."""
        self._now[graph] = made
        self._changes[graph].append(change)

    def undo(self, graph: int) -> str:
        """Take the last change back, and say which it was.

        Raises:
            LoweringError: nothing was changed.
        """
        self._now[graph] = self.program(graph).undo()
        return self._changes[graph].pop()


def living_programs(recording: Recording, program: Program | None) -> Living:
    """The recorded program compiled once more, each graph of it a living program.

    Raises:
        LoweringError: there is no program, or it is compiled to other graphs now.
    """
    import torch

    from dynamo_lab.capture.core.running import call_once
    from dynamo_lab.compiler.live.making import Collector
    from dynamo_lab.record.replay import without_trace

    if program is None:
        raise LoweringError(NO_PROGRAM)
    collector = Collector()
    fn, args, kwargs = program.call()
    choice = program.choice
    compiled: Any = torch.compile(  # pyright: ignore[reportUnknownMemberType]
        fn, backend=collector, dynamic=choice.dynamic, fullgraph=choice.fullgraph
    )
    with without_trace([fn, args, kwargs, *program.roots()]):
        call_once(compiled, args, kwargs, grad=choice.grad)
    graphs = [one.graph for one in recording.lab_graphs]
    made = collector.programs
    named = [tuple(node.name for node in one.module.graph.nodes) for one in made]
    if named != [tuple(recording.graphs[graph].nodes.name) for graph in graphs]:
        raise LoweringError(
            "Compiled again, the program has other graphs: settings or its inputs have changed "
            "since. Record it again."
        )
    return Living(dict(zip(graphs, made, strict=True)))
