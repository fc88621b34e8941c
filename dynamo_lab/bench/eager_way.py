"""The program in eager PyTorch, with each operator timed in place or alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import torch

from dynamo_lab.capture.core.storages import Memory
from dynamo_lab.capture.decompositions.eager_calls import EagerGraphs, Place, arguments_text
from dynamo_lab.capture.kernels.kernel_calls import layout_key, mutated
from dynamo_lab.measure.operators import operators_run
from dynamo_lab.measure.rounds import calibrated
from dynamo_lab.measure.spans import Spans, mean
from dynamo_lab.model.benchmarks import EagerCall
from dynamo_lab.record.replay import told
from dynamo_lab.view.core.words import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dynamo_lab.measure.devices import Device
    from dynamo_lab.measure.rounds import Plan
    from dynamo_lab.measure.subject import Subject
    from dynamo_lab.model.benchmarks import Phase
    from dynamo_lab.model.graphs import Graph

    Rounds = list[dict[str, Any]]


_CHANGED = (
    "Observed one by one, eager takes another path than it does alone: what it runs for {names} is "
    "not timed."
)
_NOT_RUN = "observing eager changed what it runs here"
_UNKNOWN = "Dynamo captured other graphs than the recording has: their operators are not timed."


class _Called(NamedTuple):
    """An operator of a node on arguments of one layout."""

    place: Place
    layout: Any


class EagerWay:
    """The program uncompiled, each operator tied to the node of a captured graph it runs for.

    To be used in a `with`: Dynamo keeps what it captures.
    """

    def __init__(
        self,
        captured: Iterable[Graph],
        subject: Subject,
        phase: Phase,
        device: Device,
        plan: Plan,
        dynamic: bool | None = None,
    ) -> None:
        self._device, self._subject = device, subject
        self._phase: Phase = phase
        self._captured = tuple(captured)
        # None first: a symbol may be of a number that Dynamo makes dynamic by itself
        self._tries = (None,) if dynamic is None else (None, dynamic)
        self._graphs = EagerGraphs(self._captured)
        self._call = self._eager = subject.call(subject.fn, phase)
        self._loops = calibrated(self._eager, device, plan.round_seconds)
        self._texts: dict[_Called, tuple[str, str]] = {}
        self._counts: Counter[_Called] = Counter()
        self._order: list[_Called] = []
        self._changed: set[Place] = set()
        self.problem = ""
        """Why all or some operators are not timed; empty if they are."""

    def __enter__(self) -> Self:
        try:
            self._capture()
            self._run(self._observe)
        except Exception as error:  # a node that does not run under a dispatch mode
            self.problem = f"Operators cannot be timed one by one: {told(error)}."
        else:
            self._counts.update(self._order)
            self._changed = _changed_places(self._counts, operators_run(self._eager))
            self.problem = _UNKNOWN if self._graphs.unknown else self._what_changed()
        return self

    def _what_changed(self) -> str:
        graphs = {graph.id: graph for graph in self._captured}
        places = (called.place for called in self._counts if called.place in self._changed)
        names = dict.fromkeys(
            f"{'the gradient of ' if at.is_backward else ''}{graphs[at.graph].nodes.name[at.node]}"
            for at in places
        )
        return _CHANGED.format(names=listed(list(names))) if names else ""

    def __exit__(self, *_: object) -> None:
        self._graphs.close()

    def warm(self) -> dict[str, Callable[[], Any]]:
        """What is measured while the program runs, by name."""
        each = {"operators": self._timed} if self._counts else {}
        return {"eager whole": self._whole, **each}

    def cold(self) -> dict[str, Callable[[], Any]]:
        """The measurements of each operator alone."""
        return {"operators": self._alone} if self._counts else {}

    def calls(self, warm: Rounds, cold: Rounds) -> tuple[EagerCall, ...]:
        """Each operator that eager runs for the captured graphs, in order of first execution."""
        return tuple(
            EagerCall(
                operator=self._texts[called][0],
                graph=called.place.graph,
                node=called.place.node,
                is_backward=called.place.is_backward,
                arguments=self._texts[called][1],
                calls=count,
                **self._times(called, warm, cold),
            )
            for called, count in self._counts.items()
        )

    def _times(self, called: _Called, warm: Rounds, cold: Rounds) -> dict[str, Any]:
        """The rounds of an operator; none where eager by itself does not run it."""
        if called.place in self._changed:
            return {"problem": _NOT_RUN}
        found = [row["operators"] for row in cold if called.layout in row["operators"]]
        return {
            "warm": tuple(row["operators"].get(called, 0.0) for row in warm),
            "cold": tuple(row[called.layout] for row in found),
        }

    def _capture(self) -> None:
        """Have Dynamo capture the program again, so that its graphs are those of the recording."""
        untyped: Any = torch
        for dynamic in self._tries:
            self._graphs.close()
            self._graphs = EagerGraphs(self._captured)
            again = untyped.compile(self._subject.fn, backend=self._graphs, dynamic=dynamic)
            self._call = self._subject.call(again, self._phase)
            self._call()
            if not self._graphs.unknown:
                return

    def _run(self, operate: Callable[[Place, Any, Any, Any], Any]) -> None:
        with self._graphs.watched(operate):
            self._call()

    def _observe(self, place: Place, operator: Any, args: Any, kwargs: Any) -> Any:
        called = _Called(place, _layout(operator, args, kwargs))
        self._order.append(called)
        if called not in self._texts:
            self._texts[called] = str(operator), arguments_text(operator, args, kwargs)
        return operator(*args, **kwargs)

    def _whole(self) -> float:
        return self._device.seconds(self._eager, self._loops) / self._loops

    def _timed(self) -> dict[_Called, float]:
        return mean([self._timed_once() for _ in range(self._loops)])

    def _timed_once(self) -> Mapping[_Called, float]:
        """The seconds of each operator in one call of the program.

        They come in the order in which they were observed: looking at the arguments again would
        take longer than some operators do.
        """
        spans = Spans(self._device)
        order = iter(self._order)

        def operate(place: Place, operator: Any, args: Any, kwargs: Any) -> Any:
            return spans.time(next(order, None), operator, args, kwargs)

        self._device.wait()
        self._run(operate)
        return spans.seconds()

    def _alone(self) -> dict[Any, float]:
        """The seconds of one call of each operator on each layout of arguments."""
        found: dict[Any, float] = {}

        def operate(place: Place, operator: Any, args: Any, kwargs: Any) -> Any:
            key = _layout(operator, args, kwargs)
            if key not in found:
                before = Memory(mutated(operator, args, kwargs))
                found[key] = self._device.alone(lambda: operator(*args, **kwargs))
                before.put_back()
            return operator(*args, **kwargs)

        self._run(operate)
        self._device.wait()
        return found


def _layout(operator: Any, args: Any, kwargs: Any) -> Any:
    return str(operator), layout_key(args, kwargs)


def _changed_places(
    counts: Mapping[_Called, int], unobserved: Mapping[str, int] | None
) -> set[Place]:
    """The nodes for which other operators were observed than eager runs by itself.

    First those with operators that eager never runs; then, if one was still observed more often
    than eager runs it, all nodes that it was observed for.
    """
    if unobserved is None:
        return set()
    unobserved = _in_place_or_not(unobserved)
    found = {called.place for called in counts if not unobserved.get(_profiled(called), 0)}
    left: Counter[str] = Counter()
    for called, count in counts.items():
        if called.place not in found:
            left[_profiled(called)] += count
    more = {name for name, count in left.items() if count > unobserved.get(name, 0)}
    return found | {called.place for called in counts if _profiled(called) in more}


def _in_place_or_not(unobserved: Mapping[str, int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, count in unobserved.items():
        found[name.rstrip("_")] += count
    return found


def _profiled(called: _Called) -> str:
    """An operator's name as the profiler has it: "aten::add" of "aten.add.Tensor".

    One that writes to its argument has the same: observed, gradients are not summed in place.
    """
    namespace, _, name = str(called.layout[0]).partition(".")
    return f"{namespace}::{name.partition('.')[0].rstrip('_')}"
