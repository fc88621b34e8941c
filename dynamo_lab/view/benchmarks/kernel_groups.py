"""Groups of kernels, each against the eager operators that it replaced."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from dynamo_lab.measure.statistics import Ratio, Spread, digits, ratio, spread, unpaired
from dynamo_lab.model.benchmarks import Benchmark, EagerCall, Group, KernelTime
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.timed_nodes import TimedNodes
from dynamo_lab.view.benchmarks.why_slower import why_slower
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.origins import where_of
from dynamo_lab.view.core.places import Places, entity
from dynamo_lab.view.core.words import percent, seconds
from dynamo_lab.view.graphs.kinds import kind_of
from dynamo_lab.view.kernels.kernels import stacks_of
from dynamo_lab.view.kernels.titles import KernelTitles
from dynamo_lab.view.timings.durations import interval_text, median_text, rounded, summed, totals

Outcome = Literal["faster", "slower", "alike", ""]

_NOT_MATCHED = "Which of eager's operators it replaces is not known."


class AgainstEager(Struct, frozen=True, kw_only=True):
    """A group with cold or with warm caches: seconds of its kernels, and of eager's operators.

    `factor` says how many times faster the kernels are, `interval` bounds it with a confidence of
    95 %; `outcome` is empty where one side has no time, or one that is not eager's, or too few
    rounds; `gain` says what a call gains or loses by it. `rank` is the place in the list: what
    loses most comes first, then what gains most.
    """

    kernels: float | None
    eager: float | None
    kernels_text: str
    eager_text: str
    factor: str
    interval: str
    outcome: Outcome
    gain: str = ""
    rank: int = 0


class TimedKernelView(Struct, frozen=True, kw_only=True):
    """A kernel of a group: `id` is the recording's."""

    id: int
    title: str
    language: str
    calls: int
    time: str
    problem: str = ""


class TimedOperatorView(Struct, frozen=True, kw_only=True):
    """An eager operator that a group replaced; `entity` is its node, if that is known."""

    name: str
    entity: str
    calls: int
    arguments: str
    time: str
    problem: str = ""


class KernelGroupView(Struct, frozen=True, kw_only=True):
    """Kernels beside the eager operators that they replaced.

    `share` is the part of a whole call that the kernels take, `launch` what launching them takes.
    `line` is the first of the user's lines that they come from, as an entity.
    """

    title: str
    operators: str
    kernels: tuple[TimedKernelView, ...]
    eager: tuple[TimedOperatorView, ...]
    cold: AgainstEager
    warm: AgainstEager
    share: str
    launch: str
    where: str
    line: str
    why: str = ""


class Context(Struct, frozen=True, kw_only=True):
    """What the groups of one program have in common."""

    recording: Recording
    found: Benchmark
    places: Places
    ancestry: Ancestry
    nodes: TimedNodes
    titles: KernelTitles
    apart: frozenset[str]
    """The names of `names_apart`."""
    whole: Spread | None = None
    launch: Spread | None = None
    warm_fits: bool = True
    """Whether warm times of single kernels and operators are those that they have in a call."""


def ranked(groups: Sequence[KernelGroupView]) -> tuple[KernelGroupView, ...]:
    """The groups in order of cold times, each with its place for cold and for warm ones."""
    for cache in ("cold", "warm"):
        order = sorted(range(len(groups)), key=lambda at: _loss(getattr(groups[at], cache)))
        place = {at: rank for rank, at in enumerate(order)}
        groups = [
            replace(group, **{cache: replace(getattr(group, cache), rank=place[at])})
            for at, group in enumerate(groups)
        ]
    return tuple(sorted(groups, key=lambda group: group.cold.rank))


def _loss(pair: AgainstEager) -> tuple[int, float]:
    """Slower groups by what they lose, faster ones by what they gain, then those without times."""
    if pair.kernels is None or pair.eager is None:
        return 2, -(pair.kernels or 0.0)
    lost = pair.kernels - pair.eager
    return (0, -lost) if pair.outcome == "slower" else (1, lost)


def group_view(group: Group, context: Context) -> KernelGroupView:
    """A group with its times, its names, and where it comes from."""
    found, recording = context.found, context.recording
    kernels = [found.kernels[at] for at in group.kernels]
    eager = [found.eager_calls[at] for at in group.eager]
    named = [(one.graph, one.node) for one in eager]
    known = [(graph, node) for graph, node in named if graph is not None and node is not None]
    own = [node for one in kernels for node in context.nodes.of(one)]
    origins = known or sorted(context.ancestry.above(own))
    stacks = stacks_of(origins, recording)
    lines = [line for stack in stacks if (line := context.places.own_line(stack))]
    warm = summed([(one.warm, 1) for one in kernels])
    calls = sum(one.calls for one in kernels)
    pairs = {cache: _pair(kernels, eager, cache) for cache in ("cold", "warm")}
    if not context.warm_fits:
        pairs["warm"] = replace(pairs["warm"], factor="", interval="", outcome="", gain="")
    return KernelGroupView(
        title=_title(kernels, eager, context),
        operators=_counted(eager),
        kernels=tuple(_kernel(one, context) for one in kernels),
        eager=tuple(map(_operator, eager)),
        cold=pairs["cold"],
        warm=pairs["warm"],
        share=share(warm, context.whole),
        launch=_launch(context.launch, calls),
        where=where_of(origins, recording, context.places),
        line=entity(min(lines)) if lines else "",
        why=_NOT_MATCHED
        if not eager and not context.apart.isdisjoint(_computed(kernels, context.nodes, recording))
        else why_slower(
            [recording.kernels[one.kernel] for one in kernels],
            kernels,
            eager,
            (pairs["cold"].outcome, pairs["warm"].outcome),
            context.launch.median if context.launch else None,
        ),
    )


def names_apart(recording: Recording, found: Benchmark, nodes: TimedNodes) -> frozenset[str]:
    """What both a kernel without operators computes and an operator without kernels does.

    Which belongs to which is not known of these. A view says nothing: eager's runs no code, and
    a kernel that makes another layout is named after one.
    """
    left = [found.kernels[at] for group in found.groups if not group.eager for at in group.kernels]
    gone = [at for group in found.groups if not group.kernels for at in group.eager]
    return frozenset(_computed(left, nodes, recording)) & {
        operator_name(operator)
        for operator in (found.eager_calls[at].operator for at in gone)
        if kind_of(operator) != "view"
    }


def _computed(kernels: Iterable[KernelTime], nodes: TimedNodes, recording: Recording) -> set[str]:
    """The names of what kernels compute."""
    made = {node for one in kernels for node in nodes.of(one)}
    return {operator_name(recording.graphs[graph].nodes[node].target) for graph, node in made}


def is_apart(operator: EagerCall, context: Context) -> bool:
    """Whether an operator without kernels may be what a kernel without operators computes."""
    return operator_name(operator.operator) in context.apart


def _title(kernels: Sequence[KernelTime], eager: Sequence[EagerCall], context: Context) -> str:
    if not kernels:
        if any(is_apart(one, context) for one in eager):
            return "no kernel is known to do these"
        return "no kernel: none of these is left to run"
    first = _title_of(kernels[0], context)
    return f"{first} and {len(kernels) - 1} more" if len(kernels) > 1 else first


def _title_of(one: KernelTime, context: Context) -> str:
    kernel = context.recording.kernels[one.kernel]
    return context.titles.of(kernel, context.nodes.of(one))


def _counted(eager: Iterable[EagerCall]) -> str:
    """'add, 2 mul'."""
    counts = Counter[str]()
    for one in eager:
        counts[operator_name(one.operator)] += one.calls
    shown = [f"{count} {name}" if count > 1 else name for name, count in counts.items()]
    return ", ".join(shown[:6]) + (f" and {len(shown) - 6} more" if len(shown) > 6 else "")


def _pair(kernels: Sequence[KernelTime], eager: Sequence[EagerCall], cache: str) -> AgainstEager:
    sides = [_rounds(kernels, cache), _rounds(eager, cache)]
    ours, theirs = (summed(side) for side in sides)
    factor = interval = ""
    outcome: Outcome = ""
    base, other = totals(sides[1]), totals(sides[0])
    if base and other and min(*base, *other) > 0:
        compared = _compared(base, other)
        factor, interval = digits(compared.value, compared), interval_text(compared)
        outcome = _outcome(compared)
    return AgainstEager(
        kernels=rounded(ours.median) if ours else None,
        eager=rounded(theirs.median) if theirs else None,
        kernels_text=median_text(ours) if ours else "",
        eager_text=median_text(theirs) if theirs else "",
        factor=factor,
        interval=interval,
        outcome=outcome,
        gain=_gain(ours, theirs) if outcome in ("faster", "slower") else "",
    )


def _outcome(compared: Ratio) -> Outcome:
    if not compared.differs:
        return "alike" if compared.enough else ""
    return "faster" if compared.value > 1 else "slower"


def _compared(base: Sequence[float], other: Sequence[float]) -> Ratio:
    """How many times faster the kernels are.

    Both took turns, so that a difference must show in the rounds that belong together too: while
    the machine is busy, times are not independent of those before them.
    """
    found = unpaired(base, other)
    rounds = min(len(base), len(other))
    paired = ratio(base[:rounds], other[:rounds])
    if paired.differs and found.differs and (paired.value > 1) == (found.value > 1):
        return found
    return replace(paired, differs=False)


def _gain(ours: Spread | None, theirs: Spread | None) -> str:
    if ours is None or theirs is None:
        return ""
    saved = theirs.median - ours.median
    return f"saves {seconds(saved)}" if saved > 0 else f"costs {seconds(-saved)}"


def _rounds(
    rows: Sequence[KernelTime] | Sequence[EagerCall], cache: str
) -> list[tuple[tuple[float, ...], float]]:
    """Raw times and how often each counts; nothing where one of them has none."""
    timed = [(one.cold, one.calls) if cache == "cold" else (one.warm, 1) for one in rows]
    return list(timed) if all(seconds for seconds, _ in timed) else []


def _kernel(one: KernelTime, context: Context) -> TimedKernelView:
    kernel = context.recording.kernels[one.kernel]
    return TimedKernelView(
        id=one.kernel,
        title=_title_of(one, context),
        language=kernel.language,
        calls=one.calls,
        time=median_text(spread(one.cold or one.warm)) if one.cold or one.warm else "",
        problem=one.problem,
    )


def _operator(one: EagerCall) -> TimedOperatorView:
    is_known = one.graph is not None and one.node is not None
    return TimedOperatorView(
        name=operator_name(one.operator) + (" (backward)" if one.is_backward else ""),
        entity=f"node:{one.graph}:{one.node}" if is_known else "",
        calls=one.calls,
        arguments=one.arguments,
        time=median_text(spread(one.cold or one.warm)) if one.cold or one.warm else "",
        problem=one.problem,
    )


def share(part: Spread | None, whole: Spread | None) -> str:
    """'8.3 %', empty where one of the two is not known."""
    if part is None or whole is None or whole.median <= 0:
        return ""
    return percent(part.median / whole.median)


def _launch(launch: Spread | None, calls: int) -> str:
    return seconds(launch.median * calls) if launch and calls else ""
