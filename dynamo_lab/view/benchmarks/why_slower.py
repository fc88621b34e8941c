"""Why kernels take longer than the eager operators that they replaced, as far as known."""

from collections.abc import Iterator, Sequence

from dynamo_lab.measure.statistics import spread
from dynamo_lab.model.benchmarks import EagerCall, KernelTime
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.view.core.words import listed

_NEAR_LAUNCH = 3.0
"""Below this many launch times, a kernel's time is not dominated by its work."""

_COPIES = ("copy", "clone", "contiguous", "permute", "transpose", "to_copy", "as_strided")


def why_slower(
    facts: Sequence[Kernel],
    kernels: Sequence[KernelTime],
    eager: Sequence[EagerCall],
    outcomes: tuple[str, str],
    launch: float | None,
) -> str:
    """A sentence for a group that is slower, cold or warm, or replaces nothing; else empty.

    `facts` are the recording's kernels, `kernels` their times; `outcomes` are cold's and warm's.
    """
    if kernels and not eager:
        return _replaces_nothing(facts)
    if "slower" not in outcomes:
        return ""
    reasons = [*_reasons(facts, kernels, eager, launch)]
    if any(
        spread(times).is_shaky
        for one in (*kernels, *eager)
        for times in (one.cold, one.warm)
        if times
    ):
        reasons.append("its times are too noisy to say more")
    elif outcomes[0] in ("faster", "alike"):
        reasons.append("it is slower only with warm caches, where eager's operands are cached")
    elif outcomes[1] in ("faster", "alike"):
        reasons.append("it is slower only with cold caches, where data comes from memory")
    return (
        f"Slower than eager: {listed(reasons)}."
        if reasons
        else "Slower than eager; the reason is not known."
    )


def _replaces_nothing(facts: Sequence[Kernel]) -> str:
    if all(any(word in kernel.name for word in _COPIES) for kernel in facts):
        return "A copy into another layout, for which eager runs nothing."
    return "It replaces no operator that eager runs."


def _reasons(
    facts: Sequence[Kernel],
    kernels: Sequence[KernelTime],
    eager: Sequence[EagerCall],
    launch: float | None,
) -> Iterator[str]:
    if launch and all(_a_call(one) < _NEAR_LAUNCH * launch for one in kernels):
        yield "its kernels are so small that launching them takes most of the time"
    extern = [kernel.name for kernel in facts if kernel.language == "extern"]
    if extern and len(extern) == len(facts):
        yield f"the library's {listed(extern, limit=3)} takes longer here than in eager"
    elif extern:
        yield f"it calls the library's {listed(extern, limit=3)}"
    copies = [
        kernel.name
        for kernel in facts
        if kernel.language != "extern" and any(word in kernel.name for word in _COPIES)
    ]
    if copies and len(kernels) > len(eager):
        yield f"{listed(copies, limit=3)} changes a layout, which eager does not"


def _a_call(one: KernelTime) -> float:
    """The seconds of one call, cold where those were measured."""
    if one.cold:
        return spread(one.cold).median
    return spread(one.warm).median / max(1, one.calls) if one.warm else float("inf")
