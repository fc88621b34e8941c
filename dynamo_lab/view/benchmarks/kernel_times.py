"""Kernel by kernel: how long each program's kernels take, and the rest of a call."""

from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from dynamo_lab.measure.statistics import spread
from dynamo_lab.model.benchmarks import Benchmark, EagerCall, Group, KernelTime, Phase
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks import sums
from dynamo_lab.view.benchmarks.kernel_groups import (
    Context,
    KernelGroupView,
    group_view,
    is_apart,
    names_apart,
    ranked,
)
from dynamo_lab.view.benchmarks.slowest import SlowestView, slowest
from dynamo_lab.view.benchmarks.sums import SumPart
from dynamo_lab.view.benchmarks.time_marks import (
    calls_of,
    kernel_texts,
    line_times,
    node_times,
    overhead_of,
)
from dynamo_lab.view.benchmarks.timed_nodes import TimedNodes
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.kernels.titles import KernelTitles
from dynamo_lab.view.timings.durations import median_text

PHASES: dict[Phase, str] = {"forward": "forward", "step": "a training step"}
"""The name of each phase."""


class ProgramView(Struct, frozen=True, kw_only=True):
    """The kernels of one variant in one phase; `remainder` says how far `parts` add up.

    `adds_up` is whether they do; `remarks` say what other times of the same call differ, and why.
    """

    way: int
    phase: Phase
    title: str
    groups: tuple[KernelGroupView, ...]
    whole: str
    parts: tuple[SumPart, ...]
    remainder: str
    problem: str = ""
    adds_up: bool = True
    remarks: tuple[str, ...] = ()
    slowest: SlowestView | None = None


class KernelTimesView(Struct, frozen=True, kw_only=True):
    """Programs kernel by kernel, and the times to show in other views.

    `kernels` are (id, text), the longest first; `nodes` (graph, node, seconds, text) of the kernel
    that computes a node, or of eager's operator; `lines` (source, line, text, explanation).
    """

    programs: tuple[ProgramView, ...] = ()
    kernels: tuple[tuple[int, str], ...] = ()
    nodes: tuple[tuple[int, int, float, str], ...] = ()
    lines: tuple[tuple[int, int, str, str], ...] = ()


def build(
    recording: Recording,
    found: Benchmark,
    places: Places,
    ancestry: Ancestry,
) -> KernelTimesView:
    """The kernels' times, empty where none were measured."""
    nodes = TimedNodes(recording)
    context = Context(
        recording=recording,
        found=found,
        places=places,
        ancestry=ancestry,
        nodes=nodes,
        titles=KernelTitles(recording, ancestry),
        apart=names_apart(recording, found, nodes),
    )
    timed = (*found.kernels, *(one for one in found.overheads if one.stubbed or one.problem))
    keys: dict[tuple[int, Phase], None] = dict.fromkeys((one.way, one.phase) for one in timed)
    programs = tuple(
        _program(way, phase, _measured(context, way, phase), is_first=at == 0)
        for at, (way, phase) in enumerate(keys)
    )
    calls = calls_of(found, nodes)
    return KernelTimesView(
        programs=tuple(one for one in programs if one.groups or one.whole),
        kernels=tuple(kernel_texts(calls).items()),
        nodes=tuple(node_times(found, calls)),
        lines=tuple(line_times(recording, places, ancestry, calls)),
    )


def _measured(context: Context, way: int, phase: Phase) -> Context:
    """With what a whole call and a launch took of one program."""
    overhead = overhead_of(context.found, way, phase)
    return structs.replace(
        context,
        whole=spread(overhead.whole) if overhead and overhead.whole else None,
        launch=spread(overhead.launch) if overhead and overhead.launch else None,
    )


def _program(way: int, phase: Phase, context: Context, *, is_first: bool) -> ProgramView:
    found = context.found
    own = {at for at, one in enumerate(found.kernels) if (one.way, one.phase) == (way, phase)}
    groups = [group for group in found.groups if own.intersection(group.kernels)]
    gone = [at for group in found.groups if not group.kernels for at in group.eager]
    if is_first:
        groups += _gone(gone, context)
    overhead = overhead_of(found, way, phase)
    kernels = [found.kernels[at] for at in sorted(own)]
    summed_up = sums.of_call(kernels, overhead, context)
    unfit = _unfit(kernels, groups, context, phase) if own else []
    context = structs.replace(context, warm_fits=not unfit)
    remarks = (
        sums.beside_table(found, way, phase, context.whole),
        *unfit,
        sums.flushed_each(kernels, _eager(groups, found), found, phase),
    )
    return ProgramView(
        way=way,
        phase=phase,
        title=f"{found.ways[way].name}, {PHASES[phase]}",
        groups=ranked([group_view(group, context) for group in groups]),
        whole=median_text(context.whole) if context.whole else "",
        parts=summed_up.parts,
        remainder=summed_up.remark,
        problem=overhead.problem if overhead else "",
        adds_up=summed_up.fits,
        remarks=tuple(remark for remark in remarks if remark),
        slowest=slowest(kernels, context),
    )


def _gone(operators: Sequence[int], context: Context) -> Iterator[Group]:
    """A row for views and results that nothing reads, one for what a kernel may do after all."""
    calls = context.found.eager_calls
    for may_have_one in (False, True):
        own = [at for at in operators if is_apart(calls[at], context) == may_have_one]
        if own:
            yield Group(kernels=(), eager=tuple(own))


def _eager(groups: Sequence[Group], found: Benchmark) -> list[EagerCall]:
    return [found.eager_calls[at] for group in groups for at in group.eager]


def _unfit(
    kernels: Sequence[KernelTime], groups: Sequence[Group], context: Context, phase: Phase
) -> list[str]:
    """Why warm times say nothing of a group: one by one, a side takes longer than its call."""
    found = context.found
    eager = _eager(groups, found)
    beside = overhead_of(found, 0, phase)
    whole = spread(beside.whole) if beside and beside.whole else None
    said = (
        sums.too_long("The kernels", kernels, context.whole),
        sums.too_long("Eager's operators", eager, whole),
    )
    return [words for words in said if words]
