"""Inductor's scheduler: every pair that it considers fusing, its verdict and the reason."""

import threading
from collections.abc import Generator, Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.fusion import hooks
from dynamo_lab.capture.fusion.memory import Call, MemoryProbes
from dynamo_lab.capture.fusion.scheduler_log import Attempt, SchedulerLog
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.capture.lowering.hooks import VIRTUALIZED
from dynamo_lab.capture.lowering.inductor_ir import parts_of
from dynamo_lab.capture.lowering.lowering import LoweringProbes
from dynamo_lab.model.graphs import Graph


class FusionProbes:
    """Records schedules. A thread schedules one graph at a time, or a body inside another."""

    def __init__(self, recorder: Recorder, graphs: GraphProbes, lowering: LoweringProbes) -> None:
        self._recorder = recorder
        self._graphs = graphs
        self._lowering = lowering
        self._local = threading.local()
        self._numbers: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._places: dict[tuple[int, str], tuple[int, int]] = {}
        self._calls: dict[tuple[int, str], list[Call]] = {}
        self._memory = MemoryProbes(recorder, self._number_of, self._calls_of)

    def install(self, patches: Patches) -> None:
        """Watch the scheduler, its heuristics, and the memory planning."""
        patches.hook(hooks.INIT, self.scheduled)
        patches.hook(hooks.ROUND, self.round)
        patches.hook(hooks.CAN_FUSE, self.considered)
        patches.hook(hooks.WHY_NOT, self.reason)
        patches.hook(hooks.SHARED, self.shared)
        patches.hook(hooks.SCORED, self.scored)
        patches.hook(hooks.TIMED, self.timed)
        patches.hook(hooks.FUSED, self.fused)
        self._memory.install(patches)

    @property
    def _logs(self) -> list[SchedulerLog]:
        return self._local.__dict__.setdefault("logs", [])

    @property
    def _attempts(self) -> list[Attempt]:
        return self._local.__dict__.setdefault("attempts", [])

    @property
    def _log(self) -> SchedulerLog | None:
        """The log of the scheduler that is fusing; combo kernels are made after that."""
        log = self._logs[-1] if self._logs else None
        return log if log and log.rounds else None

    def scheduled(self, scheduler: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A scheduler is made, which is when it fuses."""
        graph = self._lowering.current_graph
        if graph is None:
            return
        log = SchedulerLog(scheduler)
        self._logs.append(log)
        try:
            yield
        finally:
            self._logs.pop()
        if not log.rounds:  # it had nothing to fuse
            log.begin(scheduler.nodes)
        number = len(self._recorder.schedules)
        schedule, places = log.close(*self._home(graph))
        self._recorder.schedules.append(schedule)
        self._numbers[scheduler] = number
        for operation, place in places.items():
            self._places[graph.id, operation] = number, place

    def _home(self, graph: Graph) -> tuple[Graph, str]:
        """The graph that is scheduled, and its name where it is a body of the current one."""
        lowered = VIRTUALIZED.get().graph
        if not isinstance(lowered, hooks.SUBGRAPH.get()):
            return graph, ""
        body: Any = lowered.module
        return self._graphs.recorded.get(body.graph, graph), str(lowered.name)

    def round(
        self, scheduler: Any, nodes: list[Any], is_reorder_round: bool = False, **__: Any
    ) -> Generator[None, Any, None]:
        """A round of fusion: all pairs are looked at, then those that are possible are tried."""
        log = self._logs[-1] if self._logs else None
        if log is not None:
            if not log.rounds:
                log.begin(nodes)
            log.rounds.append(bool(is_reorder_round))
        yield

    def considered(
        self, scheduler: Any, producer: Any, consumer: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """May these two be fused? The parts of a foreach are asked about inside."""
        log = self._log
        if log is None or producer is consumer:
            return
        attempt = Attempt(log.member(producer), log.member(consumer))
        self._attempts.append(attempt)
        try:
            verdict = yield
        finally:
            self._attempts.pop()
        log.considered(attempt, bool(verdict))

    def reason(self, why: Any, reason: str, *args: Any) -> Generator[None, Any, None]:
        """PyTorch says why two are not fused."""
        log = self._log
        if log is not None:
            text = reason % args if args else reason
            if self._attempts:  # some rules are asked of the pair the other way round
                self._attempts[-1].reasons.append(text)
            else:
                log.refused(str(why.name1), str(why.name2), text)
        yield

    def shared(
        self, scheduler: Any, producer: Any, consumer: Any, shared_data_score: int, *_: Any
    ) -> Generator[None, Any, None]:
        """How much two share, after loops were reordered to share more."""
        if self._attempts:
            self._attempts[-1].shared = int(shared_data_score)
        yield

    def scored(self, scheduler: Any, nodes: tuple[Any, Any]) -> Generator[None, Any, None]:
        """Pairs that are possible are sorted, the best first."""
        score = yield
        if self._log is not None:
            self._log.scored(*nodes, score)

    def timed(self, scheduler: Any, producer: Any, consumer: Any) -> Generator[None, Any, None]:
        """A benchmark, if there is one, may speak against fusing."""
        result = yield
        if self._log is not None and result.should_fuse is False:
            self._log.slower(producer, consumer)

    def fused(
        self, scheduler: Any, producer: Any, consumer: Any, *_: Any
    ) -> Generator[None, Any, None]:
        """Two become one."""
        into = yield
        if self._log is not None:
            self._log.fused(producer, consumer, into)

    def called(self, kernel: int, name: str, schedule: Any) -> None:
        """A kernel was called for these nodes of the scheduler: theirs is the group."""
        graph = self._lowering.current_graph
        if graph is None:
            return
        names = tuple(dict.fromkeys(_operations(schedule)))
        self._calls.setdefault((graph.id, name), []).append((kernel, names))
        for operation in names:
            number, place = self._places.get((graph.id, operation), (-1, -1))
            if number >= 0:
                self._tie(number, place, kernel)

    def wrote(self, line: str, node: Any) -> None:
        """A line of a wrapper calls a library for this node of Inductor's IR."""
        self._memory.wrote(line, node)

    def _tie(self, number: int, place: int, kernel: int) -> None:
        final = list(self._recorder.schedules[number].final)
        if final[place].kernel is None:
            final[place] = replace(final[place], kernel=kernel)
            self._recorder.update(self._recorder.schedules, number, final=tuple(final))

    def _number_of(self, scheduler: Any) -> int | None:
        return None if scheduler is None else self._numbers.get(scheduler)

    def _calls_of(self, name: str) -> Iterator[Call]:
        graph = self._lowering.current_graph
        return iter(self._calls.get((graph.id, name), ()) if graph else ())


def _operations(schedule: Any) -> Iterable[str]:
    """The operations of scheduler nodes, or of one library call."""
    for item in parts_of(schedule):
        if hasattr(item, "get_nodes"):
            yield from (str(part.get_name()) for part in item.get_nodes())
        elif hasattr(item, "get_operation_name"):
            yield str(item.get_operation_name())
