"""Times where else they are shown: beside kernels, on nodes of a diagram, beside lines of code."""

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
from dynamo_lab.view.timings.durations import rounded


class Call(Struct, frozen=True):
    """A kernel at one place of the program: its seconds in a call, and the nodes it computes."""

    kernel: int
    seconds: float
    whole: Spread | None
    nodes: tuple[NodeKey, ...]

    @property
    def text(self) -> str:
        """'kernel 3: 12 µs, 8 %'."""
        return f"kernel {self.kernel}: {_text(self.seconds, self.whole)}"


def calls_of(found: Benchmark, nodes: TimedNodes) -> tuple[Call, ...]:
    """Where each kernel is called in the first program that it was timed in, the forward before."""
    first: dict[int, tuple[Phase, int]] = {}
    made: list[Call] = []
    for one in sorted(found.kernels, key=lambda one: (one.phase, one.way)):
        times = one.warm or tuple(t * one.calls for t in one.cold)
        if times and first.setdefault(one.kernel, (one.phase, one.way)) == (one.phase, one.way):
            overhead = overhead_of(found, one.way, one.phase)
            whole = spread(overhead.whole) if one.warm and overhead and overhead.whole else None
            made.append(Call(one.kernel, spread(times).median, whole, nodes.of(one)))
    return tuple(made)


def kernel_texts(calls: Sequence[Call]) -> dict[int, str]:
    """'12 µs, 8 %' for each kernel, all its calls together."""
    sums: dict[int, float] = {}
    for one in calls:
        sums[one.kernel] = sums.get(one.kernel, 0.0) + one.seconds
    wholes = {one.kernel: one.whole for one in calls}
    return {kernel: _text(taken, wholes[kernel]) for kernel, taken in sums.items()}


def _text(taken: float, whole: Spread | None) -> str:
    parts = (seconds(taken), share(Spread(taken, taken, taken), whole))
    return ", ".join(part for part in parts if part)


def node_times(found: Benchmark, calls: Sequence[Call]) -> Iterator[tuple[int, int, float, str]]:
    """Nodes by the kernel that computes them; of captured graphs, by eager's operators."""
    told = {node: one for one in reversed(calls) for node in one.nodes}
    for (graph, node), one in told.items():
        yield graph, node, rounded(one.seconds), one.text
    sums: dict[NodeKey, float] = {}
    for eager in found.eager_calls:
        times = eager.warm or tuple(t * eager.calls for t in eager.cold)
        if eager.graph is not None and eager.node is not None and times and not eager.is_backward:
            key = eager.graph, eager.node
            sums[key] = sums.get(key, 0.0) + spread(times).median
    for (graph, node), taken in sums.items():
        if (graph, node) not in told:
            yield graph, node, rounded(taken), f"eager: {seconds(taken)}"


def line_times(
    recording: Recording, places: Places, ancestry: Ancestry, calls: Sequence[Call]
) -> Iterator[tuple[int, int, str, str]]:
    """The kernels of each line of the reader's; one that serves several lines counts for each."""
    lines: dict[tuple[int, int], list[tuple[Call, int]]] = {}
    for one in calls:
        stacks = stacks_of(sorted(ancestry.above(one.nodes)), recording)
        own = {line for stack in stacks if (line := places.own_line(stack))}
        own = {line for line in own if not places.is_library(line)}
        for line in own:
            lines.setdefault(line, []).append((one, len(own)))
    for (source, number), served in sorted(lines.items()):
        total = sum(one.seconds for one, _ in served)
        is_shared = any(count > 1 for _, count in served)
        told = "; ".join(
            one.text + (f", shared with {plural(count - 1, 'more line')}" if count > 1 else "")
            for one, count in served[:8]
        )
        yield source, number, f"≤ {seconds(total)}" if is_shared else seconds(total), told


def overhead_of(found: Benchmark, way: int, phase: Phase) -> Overhead | None:
    """What was measured beyond the kernels of a way and phase."""
    of = (one for one in found.overheads if (one.way, one.phase) == (way, phase))
    return next(of, None)
