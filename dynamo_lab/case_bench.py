"""Benchmarks of cases: eager, compiled, and what a person wrote by hand, in turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.bench_run import BenchRun, Wish
from dynamo_lab.benchmark import Benchmarked, told
from dynamo_lab.errors import CaseError
from dynamo_lab.measure.rounds import Plan
from dynamo_lab.model.benchmarks import Way

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.measure.baselines import Baseline
    from dynamo_lab.measure.cases import Case
    from dynamo_lab.measure.ways import Candidate


def bench_case(
    case: Case,
    *,
    device: str = "cpu",
    size: str = "",
    dtype: str = "",
    ways: Sequence[str] = ("compiled",),
    training: bool = False,
    cold: bool = False,
    kernels: bool = True,
    plan: Plan | None = None,
) -> Benchmarked:
    """Time a case eagerly, compiled, and in each baseline that can run on the device.

    Each is compared with eager at the case's tolerance before it is timed. A baseline that cannot
    run here is listed with the reason. In training only eager and compiled ways are timed, as
    baselines compute no gradients.

    Raises:
        CaseError: the case has no such size or dtype, or no gradients.
    """
    from dynamo_lab.measure.baselines import baselines_of
    from dynamo_lab.measure.checks import Tolerance

    dtype, size = dtype or case.usual_dtype(device), size or case.usual_size(device)
    inputs = case.make(device, dtype, size)
    if training:
        _ask_for_gradients(case, inputs)
    wish = Wish(
        ways={name: name for name in ways}
        | {one.title: _candidate(one, device, training) for one in baselines_of(case)},
        training=training,
        cold=cold,
        kernels=kernels,
        tolerance=Tolerance(*case.tolerance[dtype]),
        plan=plan or Plan(),
    )
    sizes = ", ".join(f"{name} {number}" for name, number in case.sizes[size].items())
    title = f"{case.title} ({sizes}, {dtype} on {device})"
    with told() as watch:
        return Benchmarked(BenchRun(case.eager, inputs, {}, wish, watch, title).made())


def _candidate(baseline: Baseline, device: str, training: bool) -> Candidate:
    from dynamo_lab.measure.baselines import why_not
    from dynamo_lab.measure.ways import Candidate

    reason = "it computes no gradients" if training else why_not(baseline.language, device)

    def made(_: Any) -> Callable[..., Any]:
        if reason:
            raise CaseError(reason)
        return baseline.load()

    title = baseline.title
    way = Way(name=title, kind="baseline", code=baseline.code, language=title)
    return Candidate(way=way, made=made)


def _ask_for_gradients(case: Case, inputs: Sequence[Any]) -> None:
    import torch

    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    if len(tensors) < len(inputs):
        raise CaseError(f"{case.name} has no gradients: leave out --training.")
    for tensor in tensors:
        tensor.requires_grad_(tensor.is_floating_point())
