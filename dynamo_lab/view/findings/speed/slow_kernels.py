"""Kernels that take longer than the eager operators that they replaced."""

from collections.abc import Collection, Iterator

from dynamo_lab.model.kernels import Kernel
from dynamo_lab.view.benchmarks.kernel_groups import AgainstEager, KernelGroupView
from dynamo_lab.view.benchmarks.kernel_times import ProgramView
from dynamo_lab.view.core.places import Line
from dynamo_lab.view.core.words import percent, seconds
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.speed.measured import Timed, compiled_ways

_WORTH = 0.05
"""The share of a whole call that a group must lose to be told."""


def find(facts: Facts) -> Iterator[Found]:
    """Each group that is slower with warm caches, as in the whole call that it is a part of."""
    found = facts.recording.benchmark
    ways = {(one.way, one.phase): one for one in compiled_ways(found)} if found else {}
    for program in facts.kernel_times.programs if ways else ():
        timed = ways.get((program.way, program.phase))
        if timed is not None and timed.whole is not None:
            yield from _in(facts, program, timed, timed.whole.median)


def _in(facts: Facts, program: ProgramView, timed: Timed, whole: float) -> Iterator[Found]:
    for group in program.groups if program.adds_up else ():
        lost = _lost(group.warm)
        line = _line(group.line)
        if lost and line and lost >= _WORTH * whole and not facts.places.is_library(line):
            yield _found(facts, program, group, line, lost / whole, timed)


def _lost(pair: AgainstEager) -> float:
    """The seconds that a group takes beyond eager's, 0 where it was not told apart."""
    if pair.outcome != "slower" or pair.kernels is None or pair.eager is None:
        return 0.0
    return pair.kernels - pair.eager


def _line(name: str) -> Line | None:
    """The line that an entity names: "line:0:4"."""
    _, _, rest = name.partition(":")
    source, _, number = rest.partition(":")
    return (int(source), int(number)) if number else None


def _found(
    facts: Facts, program: ProgramView, group: KernelGroupView, line: Line, share: float, one: Timed
) -> Found:
    kernels, eager = group.warm.kernels or 0.0, group.warm.eager or 0.0
    where, before = facts.places.where(line), one.compiled.median
    finding = Finding(
        rule="slow-kernel",
        question="speed",
        level="note" if one.ratio.differs and one.ratio.value > 1 else "problem",
        sentence=(
            f"{where}: the kernels of {group.operators} take {seconds(kernels)}, eager's operators "
            f"{seconds(eager)}, which is {percent(share)} of the whole call lost. {group.why}"
        ).strip(),
        where=where,
        entity=group.line,
        evidence=tuple(
            Evidence(
                text=f"{kernel.title}: {kernel.time}", tab="bench", entity=f"kernel:{kernel.id}"
            )
            for kernel in group.kernels
        ),
        grade="fill in",
        remedy=(
            "Leave this part to eager PyTorch: move it into a function of its own with "
            f"`@torch.compiler.disable`{_tuned(facts, group)}."
        ),
        code="@torch.compiler.disable\ndef part(...):  # this line",
        gain=Gain(
            metric="seconds a call",
            before=before,
            after=max(0.0, before - kernels + eager),
            how="measured: eager's operators in place of these kernels, not counting the break",
        ),
        cost=min(1.0, share),
    )
    about = frozenset(f"kernel:{kernel.id}:{program.phase}" for kernel in group.kernels)
    return Found(finding, line=line, about=about)


def _tuned(facts: Facts, group: KernelGroupView) -> str:
    """What autotuning can choose for a group: kernels in Triton, and for a library's product.

    Loops in C++ have one form, and a template of a product there wants its weights as constants.
    """
    made = [facts.recording.kernels[one.id] for one in group.kernels]
    has_product = any(one.name.endswith(_PRODUCTS) for one in made)
    is_on_cpu = "cpu" in _devices(facts, made)
    if not is_on_cpu and (has_product or any(one.language == "triton" for one in made)):
        return ', or let autotuning choose with mode="max-autotune"'
    if is_on_cpu and has_product:
        return (
            ", or where no gradient is taken let autotuning choose: set "
            '`torch._inductor.config.freezing = True`, and mode="max-autotune"'
        )
    return ""


_PRODUCTS = ("addmm", ".mm")
"""How the names of a library's products of two matrices end, of which one may be weights."""


def _devices(facts: Facts, kernels: Collection[Kernel]) -> set[str]:
    """The kinds of devices of what kernels make."""
    made = {(kernel.graph, name) for kernel in kernels for name in kernel.buffers}
    return {
        buffer.device.partition(":")[0]
        for buffer in facts.recording.buffers
        if (buffer.graph, buffer.name) in made
    }
