"""Times where else they are shown: beside kernels, on nodes of a diagram, beside lines of code."""

from collections.abc import Iterator, Mapping

from dynamo_lab.measure.statistics import spread
from dynamo_lab.model.benchmarks import Benchmark, Overhead, Phase
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.ancestry import Ancestry
from dynamo_lab.view.durations import brief, rounded
from dynamo_lab.view.kernel_groups import share
from dynamo_lab.view.kernels import ancestors_of, stacks_of
from dynamo_lab.view.places import Places
from dynamo_lab.view.words import plural


def shares_of(found: Benchmark) -> dict[int, tuple[float, str]]:
    """The seconds that each kernel takes in a call, and '12 µs, 8 %'; the forward's come first."""
    told: dict[int, tuple[float, str]] = {}
    for one in sorted(found.kernels, key=lambda one: (one.phase, one.way)):
        times = one.warm or tuple(t * one.calls for t in one.cold)
        if one.kernel in told or not times:
            continue
        taken, overhead = spread(times), overhead_of(found, one.way, one.phase)
        whole = spread(overhead.whole) if one.warm and overhead and overhead.whole else None
        text = ", ".join(part for part in (brief(taken.median), share(taken, whole)) if part)
        told[one.kernel] = taken.median, text
    return told


def node_times(
    recording: Recording, found: Benchmark, shares: Mapping[int, tuple[float, str]]
) -> Iterator[tuple[int, int, float, str]]:
    """Nodes by the kernel that computes them; of captured graphs, by eager's operators."""
    for kernel, (taken, text) in shares.items():
        fact = recording.kernels[kernel]
        for node in fact.nodes if fact.graph is not None else ():
            yield fact.graph or 0, node, rounded(taken), f"kernel {kernel}: {text}"
    sums: dict[tuple[int, int], float] = {}
    for one in found.eager_calls:
        times = one.warm or tuple(t * one.calls for t in one.cold)
        if one.graph is not None and one.node is not None and times and not one.is_backward:
            key = one.graph, one.node
            sums[key] = sums.get(key, 0.0) + spread(times).median
    for (graph, node), taken in sums.items():
        yield graph, node, rounded(taken), f"eager: {brief(taken)}"


def line_times(
    recording: Recording,
    places: Places,
    ancestry: Ancestry,
    shares: Mapping[int, tuple[float, str]],
) -> Iterator[tuple[int, int, str, str]]:
    """The kernels of each line of the reader's; one that serves several lines counts for each."""
    lines: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for kernel in shares:
        stacks = stacks_of(ancestors_of(recording.kernels[kernel], ancestry), recording)
        own = {line for stack in stacks if (line := places.own_line(stack))}
        own = {line for line in own if not places.is_library(line)}
        for line in own:
            lines.setdefault(line, []).append((kernel, len(own)))
    for (source, number), kernels in sorted(lines.items()):
        total = sum(shares[kernel][0] for kernel, _ in kernels)
        is_shared = any(count > 1 for _, count in kernels)
        told = "; ".join(
            f"kernel {kernel}: {shares[kernel][1]}"
            + (f", shared with {plural(count - 1, 'more line')}" if count > 1 else "")
            for kernel, count in kernels[:8]
        )
        yield source, number, f"≤ {brief(total)}" if is_shared else brief(total), told


def overhead_of(found: Benchmark, way: int, phase: Phase) -> Overhead | None:
    """What was measured beyond the kernels of a way and phase."""
    of = (one for one in found.overheads if (one.way, one.phase) == (way, phase))
    return next(of, None)
