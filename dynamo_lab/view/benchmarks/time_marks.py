"""Times shown in other views: beside kernels, on nodes of a diagram, beside lines of code."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.measure.statistics import Spread, spread
from dynamo_lab.model.benchmarks import Benchmark, Overhead, Phase
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.kernel_groups import share
from dynamo_lab.view.benchmarks.timed_nodes import TimedNodes
from dynamo_lab.view.core.ancestry import Ancestry, NodeKey
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import plural, seconds
from dynamo_lab.view.kernels.kernels import stacks_of
from dynamo_lab.view.timings.durations import median_text, rounded, summed


class Call(Struct, frozen=True):
    """A kernel at one call site: its seconds in each round and in the median, and its nodes."""

    kernel: int
    rounds: tuple[float, ...]
    seconds: float
    whole: Spread | None
    nodes: tuple[NodeKey, ...]

    @property
    def text(self) -> str:
        """'kernel 3: 12 µs, 8 %'."""
        return f"kernel {self.kernel}: {_text(spread(self.rounds), self.whole)}"


def calls_of(found: Benchmark, nodes: TimedNodes) -> tuple[Call, ...]:
    """Where each kernel is called in the first program that it was timed in, the forward before."""
    first: dict[int, tuple[Phase, int]] = {}
    made: list[Call] = []
    for one in sorted(found.kernels, key=lambda one: (one.phase, one.way)):
        times = one.warm or tuple(t * one.calls for t in one.cold)
        if times and first.setdefault(one.kernel, (one.phase, one.way)) == (one.phase, one.way):
            overhead = overhead_of(found, one.way, one.phase)
            whole = spread(overhead.whole) if one.warm and overhead and overhead.whole else None
            made.append(Call(one.kernel, times, spread(times).median, whole, nodes.of(one)))
    return tuple(made)


def kernel_texts(calls: Sequence[Call]) -> dict[int, str]:
    """'12 µs, 8 %' for each kernel, all its calls together, the one that takes longest first."""
    own: dict[int, list[Call]] = {}
    for one in calls:
        own.setdefault(one.kernel, []).append(one)
    sums = {
        kernel: taken
        for kernel, each in own.items()
        if (taken := summed([(one.rounds, 1) for one in each]))
    }
    order = sorted(sums, key=lambda kernel: -sums[kernel].median)
    return {kernel: _text(sums[kernel], own[kernel][-1].whole) for kernel in order}


def _text(taken: Spread, whole: Spread | None) -> str:
    parts = (median_text(taken), share(taken, whole))
    return ", ".join(part for part in parts if part)


def node_times(found: Benchmark, calls: Sequence[Call]) -> Iterator[tuple[int, int, float, str]]:
    """Nodes by the kernel that computes them; of captured graphs, by eager's operators."""
    by_node = {node: one for one in reversed(calls) for node in one.nodes}
    for (graph, node), one in by_node.items():
        yield graph, node, rounded(one.seconds), one.text
    sums: dict[NodeKey, float] = {}
    for eager in found.eager_calls:
        times = eager.warm or tuple(t * eager.calls for t in eager.cold)
        if eager.graph is not None and eager.node is not None and times and not eager.is_backward:
            key = eager.graph, eager.node
            sums[key] = sums.get(key, 0.0) + spread(times).median
    for (graph, node), taken in sums.items():
        if (graph, node) not in by_node:
            yield graph, node, rounded(taken), f"eager: {seconds(taken)}"


def line_times(
    recording: Recording, places: Places, ancestry: Ancestry, calls: Sequence[Call]
) -> Iterator[tuple[int, int, str, str]]:
    """The kernels of each of the user's lines; one that serves several lines counts for each."""
    lines: dict[tuple[int, int], list[tuple[Call, int]]] = {}
    for one in calls:
        stacks = stacks_of(sorted(ancestry.above(one.nodes)), recording)
        own = {line for stack in stacks if (line := places.own_line(stack))}
        own = {line for line in own if not places.is_library(line)}
        for line in own:
            lines.setdefault(line, []).append((one, len(own)))
    for (source, number), served in sorted(lines.items()):
        total = summed([(one.rounds, 1) for one, _ in served])
        is_shared = any(count > 1 for _, count in served)
        explanation = "; ".join(
            one.text + (f", shared with {plural(count - 1, 'more line')}" if count > 1 else "")
            for one, count in served[:8]
        )
        text = median_text(total) if total else ""
        yield source, number, f"≤ {text}" if text and is_shared else text, explanation


def overhead_of(found: Benchmark, way: int, phase: Phase) -> Overhead | None:
    """What was measured beyond the kernels of a variant and phase."""
    of = (one for one in found.overheads if (one.way, one.phase) == (way, phase))
    return next(of, None)
