"""The kernel that takes the most of a call, if the times tell it from the others."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from dynamo_lab.measure.statistics import Spread
from dynamo_lab.model.benchmarks import KernelTime
from dynamo_lab.view.benchmarks.kernel_groups import Context, share
from dynamo_lab.view.core.origins import where_of
from dynamo_lab.view.core.places import entity
from dynamo_lab.view.core.words import listed, plural
from dynamo_lab.view.kernels.kernels import stacks_of
from dynamo_lab.view.timings.durations import median_text, summed

_MOST_NAMED = 3


class SlowestKernel(Struct, frozen=True, kw_only=True):
    """A kernel by its recording's id; `line` is the first of the user's lines that it serves."""

    id: int
    title: str
    where: str
    line: str


class SlowestView(Struct, frozen=True, kw_only=True):
    """The kernel with the most time in a warm call; several where times do not tell them apart.

    The sentence has no end: the kernels follow.
    """

    sentence: str
    kernels: tuple[SlowestKernel, ...]


def slowest(timed: Sequence[KernelTime], context: Context) -> SlowestView | None:
    """The slowest of these kernels, all calls of one together; None if that cannot be told.

    That is, if only one has warm times, or too many are not distinguishable: the quartiles of two
    that are told apart do not meet.
    """
    spreads = _spreads(timed)
    if len(spreads) < 2 or not context.warm_fits:
        return None
    first = _leaders(spreads)
    if len(first) > _MOST_NAMED or len(first) == len(spreads):
        return None
    calls = {
        kernel: [one for one in timed if one.warm and one.kernel == kernel] for kernel in first
    }
    kernels = tuple(_named(kernel, calls[kernel], context) for kernel in first)
    is_all = len(spreads) == len({one.kernel for one in timed})
    of = f"of {'' if is_all else 'the '}{plural(len(spreads), 'kernel')}"
    of += "" if is_all else " that could be timed"
    return SlowestView(
        sentence=_sentence([spreads[kernel] for kernel in first], of, context), kernels=kernels
    )


def is_told(timed: Sequence[KernelTime]) -> bool:
    """Whether the times tell one kernel from all others as the slowest."""
    return len(_leaders(_spreads(timed))) == 1


def _spreads(timed: Sequence[KernelTime]) -> dict[int, Spread]:
    """The warm time of each kernel in a call, all its calls together."""
    rounds: dict[int, list[tuple[Sequence[float], int]]] = {}
    for one in timed:
        if one.warm:
            rounds.setdefault(one.kernel, []).append((one.warm, 1))
    found = {kernel: summed(own) for kernel, own in rounds.items()}
    return {kernel: taken for kernel, taken in found.items() if taken}


def _leaders(spreads: Mapping[int, Spread]) -> list[int]:
    """The slowest, and those that it is not told from, the slowest first."""
    order = sorted(spreads, key=lambda kernel: -spreads[kernel].median)
    return [one for one in order if spreads[one].high >= spreads[order[0]].low]


def _sentence(first: Sequence[Spread], of: str, context: Context) -> str:
    times = listed([median_text(one) for one in first])
    if len(first) > 1:
        return f"The slowest {of} are not distinguishable, {times} a call"
    part = share(first[0], context.whole)
    return f"The slowest {of} takes {times}" + (f", {part} of a warm call" if part else " a call")


def _named(kernel: int, calls: Sequence[KernelTime], context: Context) -> SlowestKernel:
    recording = context.recording
    nodes = [node for one in calls for node in context.nodes.of(one)]
    origins = sorted(context.ancestry.above(nodes))
    stacks = stacks_of(origins, recording)
    lines = [line for stack in stacks if (line := context.places.own_line(stack))]
    return SlowestKernel(
        id=kernel,
        title=context.titles.of(recording.kernels[kernel], nodes),
        where=where_of(origins, recording, context.places),
        line=entity(min(lines)) if lines else "",
    )
