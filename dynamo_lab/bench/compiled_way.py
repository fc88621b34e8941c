"""The compiled program, with each kernel timed in place, stubbed out, or timed alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

import torch

from dynamo_lab.capture.core.storages import Memory
from dynamo_lab.capture.kernels.kernel_calls import changed_by, intercepted, layout_key, wrapped
from dynamo_lab.measure.rounds import calibrated
from dynamo_lab.measure.spans import Spans, mean
from dynamo_lab.model.benchmarks import KernelTime
from dynamo_lab.record.reach import reachable
from dynamo_lab.record.replay import told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dynamo_lab.measure.devices import Device
    from dynamo_lab.measure.rounds import Plan
    from dynamo_lab.model.benchmarks import Phase
    from dynamo_lab.model.graphs import Graph
    from dynamo_lab.model.recording import Recording

    Rounds = list[dict[str, Any]]


class NotTimed(Exception):
    """There is no kernel to time; the message says why."""


class _Otherwise(Exception):
    """Without its kernels the program takes another path."""


class CompiledWay:
    """A compiled program whose kernel calls can be intercepted; compiled on creation.

    `not_stubbed` says why the program cannot run without its kernels, if so.
    """

    def __init__(
        self,
        recording: Recording,
        call: Callable[[], object],
        device: Device,
        plan: Plan,
        roots: Iterable[Any],
    ) -> None:
        self._recording, self._call, self._device = recording, call, device
        for _ in range(max(plan.warmup, 1)):
            call()
        self._changed = _changed(roots, call)
        self._wrapped = wrapped(recording)
        self._order, self._layouts, self._made = self._observed()
        if not self._order:
            raise NotTimed(self._why_not())
        self._counts = Counter(self._order)
        self._loops = calibrated(call, device, plan.round_seconds)
        self.not_stubbed = self._why_not_stubbed()
        if not self.not_stubbed:
            self._stubbed()

    def captured(self) -> list[Graph]:
        """The captured graphs, first those whose kernels run."""
        wrappers = [self._recording.wrappers[self._wrapped.sites[at].wrapper] for at in self._order]
        ids = {wrapper.compile_id for wrapper in wrappers}
        graphs = self._recording.captured_graphs()
        return sorted(graphs, key=lambda graph: graph.compile_id not in ids)

    def in_place(self) -> dict[str, Callable[[], Any]]:
        """What is measured of the program as it runs, by name."""
        return {"whole": self._whole, "kernels": self._timed}

    def warm(self) -> dict[str, Callable[[], Any]]:
        """The same, and a call without its kernels."""
        return {**self.in_place(), "stubbed": self._stubbed}

    def cold(self) -> dict[str, Callable[[], Any]]:
        """The measurements of each kernel alone."""
        return {"kernels": self._alone}

    def times(self, way: int, phase: Phase, warm: Rounds, cold: Rounds) -> tuple[KernelTime, ...]:
        """Each kernel call in the order of first execution, and kernels that cannot be timed."""
        found: list[KernelTime] = []
        for at in self._counts:
            site, key = self._wrapped.sites[at], self._layouts[at]
            found.append(
                KernelTime(
                    kernel=site.kernel,
                    way=way,
                    phase=phase,
                    line=site.line,
                    buffers=site.buffers,
                    calls=self._counts[at],
                    warm=tuple(row["kernels"].get(at, 0.0) for row in warm),
                    cold=tuple(row["kernels"][key] for row in cold if key in row["kernels"]),
                )
            )
        for kernel in self._recording.kernels:
            if kernel.wrapper in self._wrapped.missing:
                problem = "The wrapper that calls it is not Python, or no longer loaded."
                found.append(KernelTime(kernel=kernel.id, way=way, phase=phase, problem=problem))
        return tuple(found)

    def _observed(self) -> tuple[list[int], dict[int, Any], list[Any]]:
        """The calls of one run in order, the layouts of their arguments, and their results."""
        order: list[int] = []
        layouts: dict[int, Any] = {}
        made: list[Any] = []

        def stand(at: int, kernel: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            result = kernel(*args, **kwargs)
            order.append(at)
            if at not in layouts:
                layouts[at] = self._wrapped.sites[at].kernel, layout_key(args, kwargs)
            made.append(result)
            return result

        with intercepted(self._wrapped.live, stand):
            self._call()
        return order, layouts, made

    def _why_not(self) -> str:
        if not self._recording.kernels:
            return "The recording has no kernels."
        if not self._wrapped.sites:
            return (
                "Kernels are timed only if a Python wrapper calls them: this one is in C++, "
                "or no longer loaded."
            )
        return (
            "The wrapper does not run when the program is called: CUDA graphs replay what it did, "
            "or the program was recompiled since."
        )

    def _why_not_stubbed(self) -> str:
        if self._wrapped.decides:
            return "The wrapper reads what its kernels compute, so it cannot run without them."
        if self._recording.breaks:
            return "The program breaks, and what runs between its graphs reads what they compute."
        return ""

    def _whole(self) -> float:
        return self._device.seconds(self._call, self._loops) / self._loops

    def _timed(self) -> dict[int, float]:
        return mean([self._timed_once() for _ in range(self._loops)])

    def _timed_once(self) -> Mapping[int, float]:
        """For each call, the seconds of all its runs in one call of the program."""
        spans = Spans(self._device)

        def stand(at: int, kernel: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            return spans.time(at, kernel, args, kwargs)

        self._device.wait()
        with intercepted(self._wrapped.live, stand):
            self._call()
        return spans.seconds()

    def _stubbed(self) -> float:
        """The seconds of a call whose kernels do nothing, and return their earlier results."""
        if self.not_stubbed:
            return 0.0
        order, made = self._order, self._made
        upcoming = iter(())

        def stand(at: int, kernel: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            number = next(upcoming, -1)
            if number < 0 or order[number] != at:
                raise _Otherwise
            return _again(made[number])

        def call() -> None:
            nonlocal upcoming
            upcoming = iter(range(len(order)))
            self._call()

        before = Memory(self._changed)
        try:
            with intercepted(self._wrapped.live, stand):
                return self._device.seconds(call, self._loops) / self._loops
        except Exception as error:
            why = "it takes another path" if isinstance(error, _Otherwise) else told(error)
            self.not_stubbed = f"The program does not run without its kernels: {why}."
            return 0.0
        finally:
            before.put_back()

    def _alone(self) -> dict[Any, float]:
        """The seconds of one call of each kernel on each layout of arguments."""
        found: dict[Any, float] = {}

        def stand(at: int, kernel: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            key = self._layouts[at]
            if key not in found:
                known = self._recording.kernels[self._wrapped.sites[at].kernel]
                before = Memory(changed_by(known, kernel, args, kwargs))
                found[key] = self._device.alone(lambda: kernel(*args, **kwargs))
                before.put_back()
            return kernel(*args, **kwargs)

        with intercepted(self._wrapped.live, stand):
            self._call()
        self._device.wait()
        return found


def _again(result: Any) -> Any:
    """A kernel's results, as new tensors on the same memory."""
    if isinstance(result, torch.Tensor):
        return result.detach()
    if isinstance(result, tuple | list):
        parts = cast("Any", result)
        return type(parts)(map(_again, parts))
    return result


def _changed(roots: Iterable[Any], call: Callable[[], object]) -> list[torch.Tensor]:
    """The reachable tensors that a call writes to."""
    tensors = [t for t in reachable(roots) if isinstance(t, torch.Tensor) and not t.is_inference()]
    before = [t._version for t in tensors]
    call()
    return [t for t, version in zip(tensors, before, strict=True) if t._version != version]


def last_call(recording: Recording, call: Callable[[], object]) -> Callable[[], object] | None:
    """The program's last call of a kernel, to be repeated; None if there is none."""
    kept: list[Callable[[], object]] = []

    def stand(at: int, kernel: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        kept[:] = [lambda: kernel(*args, **kwargs)]
        return kernel(*args, **kwargs)

    with intercepted(wrapped(recording).live, stand):
        call()
    return kept[0] if kept else None
