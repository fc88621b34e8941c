"""The way of one thing: line or expression, node, ATen, decomposed, fused, kernel, time.

Everything on it is related to the thing as in `view/related.py`, sorted into stations. The
front-end computes it too: tests/cases/journey.json checks both.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from dynamo_lab.view.core.words import line_range, plural
from dynamo_lab.view.fusion.fusion import OperationView
from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.journey.code import calls, code_stops
from dynamo_lab.view.journey.names import entity_of
from dynamo_lab.view.kernels.kernels import KernelView
from dynamo_lab.view.related import Relations
from dynamo_lab.view.view import View

StationName = Literal[
    "code", "captured", "aten", "decomposed", "fused", "kernel", "instructions", "time"
]

_LAST = ("post_grad", "backward", "forward", "joint")
"""The stages of a decomposed graph, the last first."""

_SHOWN_NAMES = 3


class JourneyStop(Struct, frozen=True, kw_only=True):
    """One thing on the way: the entity that it is, and the view that shows it."""

    entity: str
    text: str
    tab: str
    is_backward: bool = False


class Station(Struct, frozen=True, kw_only=True):
    """A level of the compiler. `missing` says why nothing stands there."""

    name: StationName
    title: str
    stops: tuple[JourneyStop, ...]
    missing: str = ""


class JourneyView(Struct, frozen=True, kw_only=True):
    """The way of `entity`; a station without a stop says why."""

    entity: str
    stations: tuple[Station, ...]


TITLES: dict[StationName, str] = {
    "code": "your code",
    "captured": "captured",
    "aten": "ATen",
    "decomposed": "decomposed",
    "fused": "fused",
    "kernel": "kernel",
    "instructions": "instructions",
    "time": "time of the kernels",
}
"""The stations in the compiler's order, as they are called."""


def journey(view: View, asked: str) -> JourneyView:
    """The way of "line 8", "line 8: torch.relu(x)", a node, a buffer, an operation or a kernel.

    Raises:
        JourneyError: there is no such thing in the recording.
    """
    return journey_of(view, entity_of(view, asked))


def journey_of(view: View, entity: str, relations: Relations | None = None) -> JourneyView:
    """The way of an entity of the view."""
    return _Way(view, entity, relations or Relations(view)).journey()


class _Way:
    """What is related to an entity, level by level."""

    def __init__(self, view: View, entity: str, relations: Relations) -> None:
        self._view = view
        self._entity = entity
        self._found = relations.of(entity)
        self._nodes = {graph.id: self._nodes_in(graph) for graph in view.graphs}

    def journey(self) -> JourneyView:
        stops: dict[StationName, list[JourneyStop]] = {
            "code": list(self._code()),
            "captured": list(self._of_stages("dynamo")),
            "aten": list(self._aten()),
            "decomposed": list(self._decomposed()),
            "fused": list(self._fused()),
        }
        kernels = list(self._kernels())
        stops["kernel"] = [self._kernel_stop(kernel, lines) for kernel, lines in kernels]
        stops["instructions"] = list(self._instructions(kernels))
        stops["time"] = list(self._times(kernels))
        stations = [
            Station(
                name=name,
                title=title,
                stops=tuple(stops[name]),
                missing="" if stops[name] else self._missing(name, stops),
            )
            for name, title in TITLES.items()
        ]
        return JourneyView(entity=self._entity, stations=tuple(stations))

    def _nodes_in(self, graph: GraphView) -> list[int]:
        return [node for node in range(len(graph.name)) if f"node:{graph.id}:{node}" in self._found]

    def _code(self) -> Iterator[JourneyStop]:
        for entity, text in code_stops(self._view, self._entity, self._found):
            yield JourneyStop(entity=entity, text=text, tab="")

    def _of_stages(self, *stages: str) -> Iterator[JourneyStop]:
        for graph in self._view.graphs:
            if graph.stage not in stages:
                continue
            for node in self._nodes[graph.id]:
                entity = f"node:{graph.id}:{node}"
                if calls(graph, node) or entity == self._entity:
                    yield JourneyStop(
                        entity=entity,
                        text=graph.name[node],
                        tab="graphs",
                        is_backward=graph.is_backward,
                    )

    def _aten(self) -> Iterator[JourneyStop]:
        """The operators that were called, before they were decomposed."""
        decompositions = self._view.decompositions
        backward = {graph.id for graph in self._view.graphs if graph.is_backward}
        operators = sorted(
            enumerate(decompositions.operators), key=lambda one: min(one[1].tops, default=-1)
        )
        for index, operator in operators:
            nodes = {pair for top in operator.tops for pair in decompositions.tops[top].nodes}
            if any(f"node:{graph}:{node}" in self._found for graph, node in nodes):
                yield JourneyStop(
                    entity=f"operator:{index}",
                    text=operator.operator,
                    tab="decompositions",
                    is_backward=all(graph in backward for graph, _ in nodes),
                )

    def _decomposed(self) -> Iterator[JourneyStop]:
        """The nodes that are lowered: of the last form that each direction was recorded in."""
        for is_backward in (False, True):
            own = [g for g in self._view.graphs if g.is_backward == is_backward]
            stages = {graph.stage for graph in own}
            last = next((one for one in _LAST if one in stages), "")
            yield from (stop for stop in self._of_stages(last) if stop.is_backward == is_backward)

    def _fused(self) -> Iterator[JourneyStop]:
        graphs = {graph.id: graph for graph in self._view.graphs}
        for schedule in self._view.fusions.schedules:
            seen: dict[int, None] = {}
            for item in schedule.operations:
                if item.place >= 0 and self._has(item, schedule.graph):
                    seen[schedule.final[item.place].group] = None
            for group in seen:
                members = [schedule.operations[at] for at in schedule.groups[group].operations]
                first = next(one for one in members if self._has(one, schedule.graph))
                graph = graphs.get(schedule.graph)
                yield JourneyStop(
                    entity=f"op:{first.id}",
                    text=_joined([one.name for one in members]),
                    tab="fusion",
                    is_backward=graph.is_backward if graph else False,
                )

    def _has(self, item: OperationView, graph: int) -> bool:
        """Whether an operation is on the way of a buffer that it writes, or of a statement."""
        kind, first, *_ = self._entity.split(":")
        if kind == "buffer":
            written = next(one for one in self._view.lowering.buffers if one.id == int(first))
            return written.graph == graph and written.name in item.buffers
        if kind == "statement":
            is_of_kernel = item.kernel == int(first)
            nodes = (f"node:{graph}:{node}" for node in item.nodes)
            return is_of_kernel and any(node in self._found for node in nodes)
        return f"op:{item.id}" in self._found

    def _kernels(self) -> Iterator[tuple[KernelView, list[int]]]:
        """The kernels, each with the lines of its code that are related; none for all of it."""
        for kernel in self._view.kernels.kernels:
            lines = [
                statement.line
                for statement in kernel.statements
                if f"statement:{kernel.id}:{statement.line}" in self._found
            ]
            if lines or f"kernel:{kernel.id}" in self._found:
                yield kernel, lines

    def _kernel_stop(self, kernel: KernelView, lines: list[int]) -> JourneyStop:
        count = f", {plural(len(lines), 'statement')} in " if lines else ""
        where = count + line_range(lines[0], lines[-1]) if lines else ""
        return JourneyStop(
            entity=_kernel_entity(kernel, lines),
            text=f"{kernel.title or kernel.name}{where}",
            tab="kernels",
            is_backward=kernel.is_backward,
        )

    def _instructions(self, kernels: list[tuple[KernelView, list[int]]]) -> Iterator[JourneyStop]:
        """The lines of the lowest level that was recorded of each kernel."""
        levels = {one.kernel: one.levels[-1] for one in self._view.kernels.assemblies if one.levels}
        for kernel, lines in kernels:
            level = levels.get(kernel.id)
            if level is None:
                continue
            wanted = set(lines) or {statement.line for statement in kernel.statements}
            flat = iter(level.lines)
            count = len({low for low, high in zip(flat, flat, strict=True) if high in wanted})
            if count:
                yield JourneyStop(
                    entity=_kernel_entity(kernel, lines),
                    text=f"{plural(count, 'line')} of {level.name}",
                    tab="kernels",
                    is_backward=kernel.is_backward,
                )

    def _times(self, kernels: list[tuple[KernelView, list[int]]]) -> Iterator[JourneyStop]:
        """The measured time of each kernel, which may serve other lines, too."""
        bench = self._view.bench
        times = dict(bench.kernels.kernels) if bench else {}
        for kernel, _ in kernels:
            if kernel.id in times:
                yield JourneyStop(
                    entity=f"kernel:{kernel.id}",
                    text=times[kernel.id],
                    tab="bench",
                    is_backward=kernel.is_backward,
                )

    def _missing(self, name: StationName, stops: dict[StationName, list[JourneyStop]]) -> str:
        view = self._view
        if name == "code":
            return "no line of your code is linked to it"
        if name == "instructions":
            if not stops["kernel"]:
                return "no kernel"
            shown = {int(stop.entity.split(":")[1]) for stop in stops["kernel"]}
            is_kept = any(one.kernel in shown for one in view.kernels.assemblies)
            return "none is tied to it" if is_kept else "not recorded: assembly=True keeps them"
        if name == "time":
            if not stops["kernel"]:
                return "no kernel"
            return "not measured" if view.bench is None else "its kernels were not timed"
        if name == "kernel" and view.kernels.kernels:
            return "no kernel computes it"
        return "none recorded" if self._is_absent(name) else "nothing of it"

    def _is_absent(self, name: StationName) -> bool:
        """Whether the recording has nothing at this station, whatever is asked for."""
        view = self._view
        if name == "captured":
            return all(graph.stage != "dynamo" for graph in view.graphs)
        if name == "aten":
            return not view.decompositions.operators
        if name == "fused":
            return not view.fusions.schedules
        if name == "kernel":
            return not view.kernels.kernels
        return all(graph.stage in ("dynamo", "pre_grad") for graph in view.graphs)


def _kernel_entity(kernel: KernelView, lines: list[int]) -> str:
    return f"statement:{kernel.id}:{lines[0]}" if lines else f"kernel:{kernel.id}"


def _joined(names: list[str]) -> str:
    more = len(names) - _SHOWN_NAMES
    return " + ".join(names[:_SHOWN_NAMES]) + (f" + {more} more" if more > 0 else "")
