"""Kernels of backends that say what they made: each graph's wrapper, kernels and library calls.

Inductor is watched, because it says nothing; a backend that calls `announce` needs no probe inside.
"""

from collections.abc import Callable
from dataclasses import dataclass

from torch import fx

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.core.undo import Undo
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.model.compiler import LabGraph
from dynamo_lab.model.fusion.fusion import Schedule
from dynamo_lab.model.fusion.memory import MemoryPlan
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.kernels import Kernel, Language, Statement, Wrapper
from dynamo_lab.model.lowering import Buffer, Lowering


@dataclass(frozen=True)
class AnnouncedKernel:
    """A kernel, or a call of a library: nodes are named as in the graph."""

    name: str
    language: Language
    nodes: tuple[str, ...]
    code: str = ""
    buffers: tuple[str, ...] = ()
    statements: tuple[tuple[int, str], ...] = ()
    """Line of the code, from 1, and the node that it computes for."""
    line: int | None = None
    """Where the wrapper calls it first, from 1."""
    calls: int = 1


@dataclass(frozen=True)
class Place:
    """Where the facts of a graph stand in the recording: its id, its nodes by name, first ids."""

    graph: int
    nodes: dict[str, int]
    kernels: int
    buffers: int
    schedule: int


@dataclass(frozen=True)
class Stages:
    """How a graph was lowered and scheduled, and its memory; numbered for a `Place`."""

    lowering: Lowering
    buffers: tuple[Buffer, ...]
    schedule: Schedule
    memory: MemoryPlan
    lab: LabGraph | None = None


@dataclass(frozen=True)
class Announced:
    """What a backend made of one graph; `stages` if it can tell how."""

    graph: fx.Graph
    wrapper: str
    kernels: tuple[AnnouncedKernel, ...]
    stages: Callable[[Place], Stages] | None = None


_listeners: list[Callable[[Callable[[], Announced]], None]] = []


def announce(make: Callable[[], Announced]) -> None:
    """Tell whoever records what was made; nothing is made if nobody does."""
    for listener in list(_listeners):
        listener(make)


class AnnouncedProbes:
    """Records what backends announce."""

    def __init__(self, recorder: Recorder, graphs: GraphProbes, undo: Undo) -> None:
        self._recorder, self._graphs, self._undo = recorder, graphs, undo

    def install(self, patches: Patches) -> None:
        """Listen until the recording ends."""
        self._undo.add(self._stop)
        _listeners.append(self.heard)

    def _stop(self) -> None:
        if self.heard in _listeners:
            _listeners.remove(self.heard)

    def heard(self, make: Callable[[], Announced]) -> None:
        """Add the kernels of a graph; a failure is a note, never the program's."""
        try:
            self._add(make())
        except Exception as error:
            self._recorder.note_failure(type(self).__name__, error)

    def _add(self, program: Announced) -> None:
        recorder, graph = self._recorder, self._graph(program.graph)
        index = {name: at for at, name in enumerate(graph.nodes.name)} if graph else {}
        wrapper = Wrapper(
            id=len(recorder.wrappers),
            graph=graph.id if graph else None,
            compile_id=graph.compile_id if graph else "",
            is_backward=bool(graph and graph.is_backward),
            code=program.wrapper,
        )
        recorder.wrappers.append(wrapper)
        first = len(recorder.kernels)
        for kernel in program.kernels:
            statements = [
                Statement(line, (index[node],), "emitted")
                for line, node in kernel.statements
                if node in index
            ]
            recorder.kernels.append(
                Kernel(
                    id=len(recorder.kernels),
                    name=kernel.name,
                    language=kernel.language,
                    graph=wrapper.graph,
                    wrapper=wrapper.id,
                    nodes=tuple(sorted(index[node] for node in kernel.nodes if node in index)),
                    code=kernel.code,
                    line=kernel.line,
                    calls=kernel.calls,
                    statements=tuple(statements),
                    buffers=kernel.buffers,
                )
            )

        if graph and program.stages:
            self._add_stages(program.stages, graph, index, first)

    def _add_stages(
        self, make: Callable[[Place], Stages], graph: Graph, nodes: dict[str, int], kernels: int
    ) -> None:
        recorder = self._recorder
        place = Place(graph.id, nodes, kernels, len(recorder.buffers), len(recorder.schedules))
        made = make(place)
        recorder.lowerings.append(made.lowering)
        recorder.buffers += made.buffers
        recorder.schedules.append(made.schedule)
        recorder.memory_plans.append(made.memory)
        if made.lab:
            recorder.lab_graphs.append(made.lab)

    def _graph(self, graph: fx.Graph) -> Graph | None:
        """The recorded graph: the same object, or the last one with the same nodes."""
        known = self._graphs.recorded.get(graph)
        if known is not None:
            return known
        names = tuple(node.name for node in graph.nodes)
        same = (g for g in reversed(self._recorder.graphs) if tuple(g.nodes.name) == names)
        return next(same, None)
