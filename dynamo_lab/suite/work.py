"""One case: build the model, run it both ways, compare, and only then time it.

float32 is what PyTorch comes with, no TensorFloat-32. AMP is autocast to bfloat16 on every device,
which needs no loss scaling. Training is a forward pass with its loss (compiled together), the
backward pass, and a step of SGD, which is eager in both ways as in PyTorch's own benchmarks.
Dropout is off, for its random numbers would differ.
"""

from __future__ import annotations

import copy
import gc
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.measure.devices import device_named
from dynamo_lab.measure.machine import describe_machine
from dynamo_lab.measure.memory import peak_of
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.suite.agreement import disagreement
from dynamo_lab.suite.results import Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    import torch

    from dynamo_lab.record.state import State
    from dynamo_lab.suite.model import Program
    from dynamo_lab.suite.results import Case, Verdict

PLAN = Plan(rounds=15, fewest=11, seconds=1.5)
"""Eleven rounds are the fewest after which a difference can be significant."""

_RATE = 1e-6  # so small that hundreds of steps on random labels leave the weights as they are


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
        _measure(program, case, device, steps, plan, facts)
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
    with _errors_as("eager error"):
        steps.tell("eager")
        subject = _Subject(program, case, device)
        start = subject.state()
        with steps.alone():
            eager = _own(subject.values(subject.function), start)
            _put_back(start)
            exact = _exact(program, case, device)
    steps.tell("compiling")
    import torch

    compiled = torch.compile(subject.function)
    with _errors_as("compile error"):
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
    with _errors_as("compile error"), steps.alone():
        steps.tell("timing")
        times = take_turns(ways, device_named(device), plan, before=lambda _: start.rewind())
        peaks = [_peak(work, subject) for work in ways.values()]
    facts["eager"], facts["compiled"] = (times[name].seconds for name in ways)
    facts["eager_peak"], facts["compiled_peak"] = peaks
    facts["compile_seconds"] = max(0.0, first - min(times["compiled"].seconds))


def _first_run(
    subject: _Subject, compiled: Callable[..., Any], case: Case, facts: dict[str, Any]
) -> tuple[dict[str, torch.Tensor], float]:
    """What the compiled model computes at its first call, and what that took."""
    from dynamo_lab.record.explore import record

    with record(str(case)) as recorder:
        start = time.perf_counter()
        values = subject.values(compiled)
        seconds = time.perf_counter() - start
    recording = recorder.recording
    facts["breaks"] = len(recording.breaks)
    facts["graphs"] = len(recording.captured_graphs())
    facts["kernels"] = len(recording.kernels)
    return values, seconds


class _Subject:
    """A copy of the model on a device, and how it is called."""

    def __init__(self, program: Program, case: Case, device: str, exact: bool = False) -> None:
        import torch

        def moved(value: Any) -> Any:
            if not isinstance(value, torch.Tensor):
                return value
            wide = exact and value.is_floating_point()
            return value.to(device, torch.float64 if wide else None)

        training = case.task == "training"
        self.module = copy.deepcopy(program.module).train(training)
        self.module.to(device, torch.float64 if exact else None)
        self.inputs = {name: moved(value) for name, value in program.inputs.items()}
        self.target, self.training, self.device = program.target, training, device
        self.amp = case.precision == "amp" and not exact
        self.labels: torch.Tensor | None = None
        if training:
            self.optimizer = torch.optim.SGD(self.module.parameters(), lr=_RATE)

    def function(self, inputs: dict[str, Any], labels: torch.Tensor | None) -> Any:
        """What is compiled: the model, and for training its loss too."""
        output = self.module(**inputs)
        return output if labels is None else _loss(_scores(output), labels, self.target)

    def state(self) -> State:
        """What calls may write to, as it is: all but the parameters, which are hardly changed."""
        from dynamo_lab.record.state import State

        kept = self.module, self.inputs
        return State(kept, without=list(self.module.parameters()))

    def contexts(self) -> ExitStack:
        """How both ways run: without gradients, or with autocast, as the case asks."""
        import torch

        stack = ExitStack()
        stack.enter_context(torch.set_grad_enabled(self.training))
        if self.amp:
            stack.enter_context(torch.autocast(self.device, dtype=torch.bfloat16))
        return stack

    def values(self, function: Callable[..., Any]) -> dict[str, torch.Tensor]:
        """What one call computes: the outputs, or the loss and the gradients."""
        import torch

        from dynamo_lab.capture.core.running import tensors_in

        torch.manual_seed(0)
        self._label()
        with self.contexts():
            output = function(self.inputs, self.labels)
        found = {f"output {at}": leaf.detach() for at, leaf in enumerate(tensors_in(output))}
        if self.training:
            output.backward()
            for name, parameter in self.module.named_parameters():
                if parameter.grad is not None:
                    found[f"gradient of {name}"] = parameter.grad
            self.optimizer.zero_grad()  # which lets go of them: they are ours now
        _synchronize(self.device)
        return found

    def call(self, function: Callable[..., Any]) -> Callable[[], object]:
        """One call as it is timed."""

        def infer() -> object:
            with self.contexts():
                return function(self.inputs, None)

        def step() -> None:
            self.optimizer.zero_grad()
            with self.contexts():
                loss = function(self.inputs, self.labels)
            loss.backward()
            self.optimizer.step()

        return step if self.training else infer

    def forget_gradients(self) -> None:
        """Let go of what the last step left."""
        if self.training:
            self.optimizer.zero_grad()

    def _label(self) -> None:
        """Make labels that fit the output, the same for each copy of the model."""
        if not self.training or self.labels is not None:
            return
        import torch

        with torch.no_grad():
            shape = _scores(self.module(**self.inputs)).shape
        made = torch.Generator().manual_seed(1)
        if self.target == "classes":
            labels = torch.randint(shape[-1], shape[:-1], generator=made)
        else:
            labels = torch.rand(shape, generator=made)
        self.labels = labels.to(self.device)


def _scores(output: Any) -> Any:
    """The output that is trained on."""
    import torch

    if isinstance(output, torch.Tensor):
        return output
    for name in ("logits", "logits_per_image"):
        if hasattr(output, name):
            return getattr(output, name)
    return output[0]


def _loss(scores: torch.Tensor, labels: torch.Tensor, target: str) -> torch.Tensor:
    from torch.nn.functional import cross_entropy, mse_loss

    if target == "classes":
        return cross_entropy(scores.flatten(0, -2), labels.flatten())
    return mse_loss(scores, labels.to(scores.dtype))


def _exact(program: Program, case: Case, device: str) -> dict[str, torch.Tensor] | None:
    """What the model computes in float64; None where it, or the device, cannot."""
    try:
        subject = _Subject(program, case, device, exact=True)
        return subject.values(subject.function)
    except Exception:  # any: a model may insist on its type in any place
        return None


def _own(values: dict[str, torch.Tensor], start: State) -> dict[str, torch.Tensor]:
    """The same, copied where they lie in memory that is restored."""
    return {name: v.clone() if start.holds(v) else v for name, v in values.items()}


def _put_back(start: State) -> None:
    for error in start.put_back():
        raise Found("eager error", f"What the model writes cannot be restored: {error}")


class _errors_as:
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


def _peak(work: Callable[[], object], subject: _Subject) -> int | None:
    """The most bytes that a call holds beyond what is there before it, its gradients among them."""
    subject.forget_gradients()
    _free(subject.device)
    return peak_of(work, subject.device)


def _synchronize(device: str) -> None:
    import torch

    if device != "cpu":
        torch.get_device_module(device).synchronize()


def _free(device: str) -> None:
    import torch

    gc.collect()
    if device != "cpu":
        torch.get_device_module(device).empty_cache()
