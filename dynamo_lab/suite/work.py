"""One case: build the model, run it both ways, compare, and only then time it.

float32 is what PyTorch comes with, no TensorFloat-32. AMP is autocast to bfloat16 on every device,
which needs no loss scaling. Training is a forward pass with its loss (compiled together), the
backward pass, and a step of SGD, which is eager in both ways as in PyTorch's own benchmarks. The
task "optimizer" compiles both, and the step of Adam in one of them: its seconds are those of the
step alone. Dropout is off, for its random numbers would differ.
"""

from __future__ import annotations

import gc
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.measure.devices import device_named
from dynamo_lab.measure.machine import describe_machine
from dynamo_lab.measure.memory import peak_of
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.suite.agreement import disagreement
from dynamo_lab.suite.results import Result
from dynamo_lab.suite.subject import RATE, SEEN, Subject, synchronize

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager

    import torch

    from dynamo_lab.record.state import State
    from dynamo_lab.suite.models.model import Program
    from dynamo_lab.suite.results import Case, Verdict

PLAN = Plan(rounds=15, fewest=11, seconds=1.5)
"""Eleven rounds are the fewest after which a difference can be significant."""


class Found(Exception):
    """Why a case ends before it is timed."""

    def __init__(self, verdict: Verdict, reason: str) -> None:
        super().__init__(reason)
        self.verdict: Verdict = verdict
        self.reason = reason


class Steps(NamedTuple):
    """The observer of progress, and how to have the device alone."""

    tell: Callable[[str], None]
    alone: Callable[[], AbstractContextManager[object]]


def run(program: Program, case: Case, device: str, steps: Steps, plan: Plan = PLAN) -> Result:
    """What is found of the case; `program` stays as it is."""
    import torch

    torch.compiler.reset()
    facts: dict[str, Any] = {}
    start = time.perf_counter()
    try:
        measure = _measure_optimizer if case.task == "optimizer" else _measure
        measure(program, case, device, steps, plan, facts)
        verdict, reason = "pass", ""
    except Found as found:
        verdict, reason = found.verdict, found.reason
    torch.compiler.reset()
    _free(device)
    return Result(
        case=case,
        verdict=verdict,
        reason=reason,
        seconds=time.perf_counter() - start,
        machine=describe_machine(device),
        parameters=sum(p.numel() for p in program.module.parameters()),
        **facts,
    )


def _measure(
    program: Program, case: Case, device: str, steps: Steps, plan: Plan, facts: dict[str, Any]
) -> None:
    with errors_as("eager error"):
        steps.tell("eager")
        subject = Subject(program, case, device)
        start = subject.state()
        with steps.alone():
            eager = _own(subject.values(subject.function), start)
            _put_back(start)
            exact = _exact(program, case, device)
    steps.tell("compiling")
    import torch

    compiled = torch.compile(subject.function)
    with errors_as("compile error"):
        values, first = _first_run(subject, compiled, case, facts)
        values = _own(values, start)
        _put_back(start)
    if not facts["graphs"]:  # it would pass by running eagerly
        raise Found("not compiled", "Dynamo captured no graph: all of it ran eagerly")
    if difference := disagreement(eager, values, exact, case.precision):
        raise Found("wrong", difference)
    del eager, exact, values
    _free(device)
    ways = {"eager": subject.call(subject.function), "compiled": subject.call(compiled)}
    _time(subject, ways, start, device, steps, plan, facts)
    facts["compile_seconds"] = max(0.0, first - min(facts["compiled"]))


def _measure_optimizer(
    program: Program, case: Case, device: str, steps: Steps, plan: Plan, facts: dict[str, Any]
) -> None:
    """A training step of the compiled model, with Adam's step eager, and compiled."""
    import torch

    with errors_as("eager error"):
        steps.tell("eager")
        subject = Subject(program, case, device)
        start = subject.state()
        subject.values(subject.function)
        _put_back(start)
    steps.tell("compiling")
    compiled = torch.compile(subject.function)
    parameters = list(subject.module.parameters())
    ours = torch.optim.Adam(parameters, lr=torch.tensor(SEEN))
    step = torch.compile(ours.step)
    with errors_as("compile error"):
        subject.differentiate(compiled)
        eager = _stepped(parameters, subject.optimizer.step)
        with _recorded(case, facts):
            first, values = _seconds(lambda: _stepped(parameters, step), device)
        later, _ = _seconds(lambda: _stepped(parameters, step), device)
    facts["compile_seconds"] = max(0.0, first - later)
    if not facts["graphs"]:
        raise Found("not compiled", "Dynamo captured no graph of the step: it ran eagerly")
    if difference := disagreement(eager, values, None, case.precision):
        raise Found("wrong", difference)
    del eager, values
    subject.optimizer.param_groups[0]["lr"] = RATE
    ours.param_groups[0]["lr"].fill_(RATE)
    ways = {"eager": subject.call(compiled), "compiled": subject.call(compiled, step)}
    _time(subject, ways, start, device, steps, plan, facts)


def _seconds(work: Callable[[], Any], device: str) -> tuple[float, Any]:
    begin = time.perf_counter()
    found = work()
    synchronize(device)
    return time.perf_counter() - begin, found


def _stepped(parameters: list[Any], step: Callable[[], object]) -> dict[str, torch.Tensor]:
    """What a step adds to each parameter, which is put back."""
    import torch

    before = [one.detach().clone() for one in parameters]
    step()
    with torch.no_grad():
        added = {f"step of {at}": (p - old).detach() for at, (p, old) in
                 enumerate(zip(parameters, before, strict=True)) if p.grad is not None}  # fmt: skip
        for one, old in zip(parameters, before, strict=True):
            one.copy_(old)
    return added


def _time(
    subject: Subject,
    ways: dict[str, Callable[[], object]],
    start: State,
    device: str,
    steps: Steps,
    plan: Plan,
    facts: dict[str, Any],
) -> None:
    with errors_as("compile error"), steps.alone():
        steps.tell("timing")
        times = take_turns(ways, device_named(device), plan, before=lambda _: start.rewind())
        peaks = [_peak(work, subject) for work in ways.values()]
    facts["eager"], facts["compiled"] = (times[name].seconds for name in ways)
    facts["eager_peak"], facts["compiled_peak"] = peaks


def _first_run(
    subject: Subject, compiled: Callable[..., Any], case: Case, facts: dict[str, Any]
) -> tuple[dict[str, torch.Tensor], float]:
    """What the compiled model computes at its first call, and what that took."""
    with _recorded(case, facts):
        start = time.perf_counter()
        values = subject.values(compiled)
        return values, time.perf_counter() - start


@contextmanager
def _recorded(case: Case, facts: dict[str, Any]) -> Generator[None]:
    """Count what is compiled in the block."""
    from dynamo_lab.record.explore import record

    with record(str(case)) as recorder:
        yield
    recording = recorder.recording
    facts["breaks"] = len(recording.breaks)
    facts["graphs"] = len(recording.captured_graphs())
    facts["kernels"] = len(recording.kernels)


def _exact(program: Program, case: Case, device: str) -> dict[str, torch.Tensor] | None:
    """What the model computes in float64; None where it, or the device, cannot."""
    try:
        subject = Subject(program, case, device, exact=True)
        return subject.values(subject.function)
    except Exception:  # any: a model may insist on its type in any place
        return None


def _own(values: dict[str, torch.Tensor], start: State) -> dict[str, torch.Tensor]:
    """The same, copied where they lie in memory that is restored."""
    return {name: v.clone() if start.holds(v) else v for name, v in values.items()}


def _put_back(start: State) -> None:
    for error in start.put_back():
        raise Found("eager error", f"What the model writes cannot be restored: {error}")


class errors_as:
    """Ends the case with this verdict where the block raises; with its own for no memory."""

    def __init__(self, verdict: Verdict) -> None:
        self._verdict: Verdict = verdict

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, Found):
            text = f"{type(error).__name__}: {error}"
            verdict = "out of memory" if _is_no_memory(error) else self._verdict
            raise Found(verdict, " ".join(text.split())[:500]) from None


def _is_no_memory(error: BaseException | None) -> bool:
    import torch

    while error is not None:
        if isinstance(error, MemoryError | torch.OutOfMemoryError) or (
            "DefaultCPUAllocator: can't allocate memory" in str(error)
        ):
            return True
        error = error.__cause__ or error.__context__
    return False


def _peak(work: Callable[[], object], subject: Subject) -> int | None:
    """The most bytes that a call holds beyond what is there before it, its gradients among them."""
    subject.forget_gradients()
    _free(subject.device)
    return peak_of(work, subject.device)


def _free(device: str) -> None:
    import torch

    gc.collect()
    if device != "cpu":
        torch.get_device_module(device).empty_cache()
