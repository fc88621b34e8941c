"""Which kernels stand for which of eager's operators: the smallest groups that the links allow.

What ties the two is the trace of AOTAutograd. An eager operator is the call of the same name that
was traced for the same node of the captured graph; that call's nodes live on in the graph that
Inductor lowered, and each kernel's buffers name the nodes of that graph which they compute.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from dynamo_lab.model.benchmarks import Group
from dynamo_lab.view.ancestry import Ancestry, NodeKey
from dynamo_lab.view.links import build

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dynamo_lab.model.benchmarks import EagerCall, KernelTime
    from dynamo_lab.model.lowering import Buffer
    from dynamo_lab.model.recording import Recording

Part = int
"""A node that a traced call became, as a position in the trace; what kernels and operators share."""


def groups(
    recording: Recording, kernels: Sequence[KernelTime], eager: Sequence[EagerCall]
) -> tuple[Group, ...]:
    """Every kernel and every eager operator in one group, in the order in which kernels run."""
    trace = _Trace(recording)
    owners = _owners(recording, trace, kernels)
    sets = _Sets(len(kernels) + len(eager))
    for at, found in enumerate(_kernels_of(trace, eager, owners)):
        for kernel in found:
            sets.join(kernel, len(kernels) + at)
    own = set(owners.values())
    for at, timed in enumerate(kernels):
        parts = trace.parts_of(recording, timed)
        if at not in own and parts:  # it computes again, or ends, what another kernel began
            sets.join(owners[parts[-1]], at)
    return tuple(
        Group(
            kernels=tuple(m for m in members if m < len(kernels)),
            eager=tuple(m - len(kernels) for m in members if m >= len(kernels)),
        )
        for members in sets.members()
    )


class _Trace:
    """The traced calls: their operators, the captured nodes they are for, and what they became."""

    def __init__(self, recording: Recording) -> None:
        self._ancestry = Ancestry(build(recording))
        self._captured = {graph.id for graph in recording.graphs if graph.stage == "dynamo"}
        self.operators: list[str] = []
        self.arguments: list[str] = []
        self.of_captured: defaultdict[NodeKey, list[Part]] = defaultdict(list)
        self._parts: dict[NodeKey, Part] = {}
        self._known: dict[NodeKey, tuple[Part, ...]] = {}
        calls = recording.decompositions.calls
        for traced in recording.decompositions.traced:
            for node in traced.nodes if traced.graph is not None else ():
                key = (traced.graph or 0, node)
                self._parts[key] = len(self.operators)
                for captured in self.captured(key):
                    self.of_captured[captured].append(len(self.operators))
                self.operators.append(_plain(calls[traced.call].operator))
                self.arguments.append(calls[traced.call].arguments)

    def captured(self, node: NodeKey) -> list[NodeKey]:
        """The nodes of captured graphs that a node came from."""
        return [key for key in self._ancestry.above([node]) if key[0] in self._captured]

    def parts(self, node: NodeKey) -> tuple[Part, ...]:
        """What a node of a graph that was lowered stands for."""
        if node not in self._known:
            above = list(self._ancestry.above([node]))
            found = [self._parts[key] for key in above if key in self._parts]
            if not found:  # made by a pass that does not say from what
                found = [p for key in self.captured(node) for p in self.of_captured[key]]
            self._known[node] = tuple(dict.fromkeys(found))
        return self._known[node]

    def parts_of(self, recording: Recording, timed: KernelTime) -> list[Part]:
        """What a call of a kernel computes, in the order of the graph."""
        kernel = recording.kernels[timed.kernel]
        if kernel.graph is None:
            return []
        nodes: Iterable[int] = kernel.nodes
        if timed.buffers:
            named = _buffers(recording, kernel.graph, timed.buffers)
            nodes = sorted({node for buffer in named for node in buffer.nodes})
        parts = (part for node in nodes for part in self.parts((kernel.graph or 0, node)))
        return list(dict.fromkeys(parts))


def _buffers(recording: Recording, graph: int, names: Iterable[str]) -> list[Buffer]:
    wanted = set(names)
    return [b for b in recording.buffers if b.graph == graph and b.name in wanted]


def _owners(
    recording: Recording, trace: _Trace, kernels: Sequence[KernelTime]
) -> dict[Part, int]:
    """Which kernel each part belongs to: one that is called for it, else the first to compute it.

    Loops that are cheap are computed anew by each reader, which would tie all layers of a model
    together.
    """

    def is_called(timed: KernelTime) -> bool:
        return recording.kernels[timed.kernel].language == "extern"

    owners: dict[Part, int] = {}
    for at, timed in sorted(enumerate(kernels), key=lambda item: not is_called(item[1])):
        for part in trace.parts_of(recording, timed):
            owners.setdefault(part, at)
    return owners


def _kernels_of(
    trace: _Trace, eager: Sequence[EagerCall], owners: Mapping[Part, int]
) -> list[set[int]]:
    """The kernels that stand for each operator.

    An operator that left no code, such as a view, goes with the next one of its node that did,
    else with the one before.
    """
    found: list[set[int]] = [set() for _ in eager]
    for node, members in _by_node(eager).items():
        matched = _matched(trace, node, [eager[at] for at in members])
        for at, parts in zip(members, matched, strict=True):
            found[at] = {owners[part] for part in parts if part in owners}
        for is_backward in (False, True):
            same = [at for at in members if eager[at].is_backward == is_backward]
            _fill(found, [*reversed(same)])
            _fill(found, same)
    return found


def _fill(found: list[set[int]], members: Iterable[int]) -> None:
    """Let those that have no kernel have one of the member before them."""
    last: set[int] = set()
    for at in members:
        if found[at]:
            last = {min(found[at])}
        else:
            found[at] = last


def _by_node(eager: Sequence[EagerCall]) -> dict[NodeKey, list[int]]:
    members: defaultdict[NodeKey, list[int]] = defaultdict(list)
    for at, call in enumerate(eager):
        if call.graph is not None and call.node is not None:
            members[call.graph, call.node].append(at)
    return members


def _matched(trace: _Trace, node: NodeKey, calls: Sequence[EagerCall]) -> list[list[Part]]:
    """For each operator of a node, what the traced calls of its name became.

    Where arguments tell them apart, those on the same. One whose name was not traced, because
    eager PyTorch takes another way, shares what the others leave.
    """
    traced = trace.of_captured.get(node, [])
    found: list[list[Part]] = []
    for call in calls:
        named = [p for p in traced if trace.operators[p] == _plain(call.operator)]
        alike = [p for p in named if trace.arguments[p] == call.arguments]
        found.append(alike or named)
    taken = {part for parts in found for part in parts}
    left = [part for part in traced if part not in taken]
    return [parts or left for parts in found]


def _plain(operator: str) -> str:
    """An operator's name, the same for one that writes to its argument."""
    return operator.split(".")[1].rstrip("_") if operator.count(".") else operator


class _Sets:
    """Sets of numbers that grow together."""

    def __init__(self, count: int) -> None:
        self._set = [[number] for number in range(count)]

    def join(self, one: int, other: int) -> None:
        """Put the sets of two into one."""
        ours, theirs = self._set[one], self._set[other]
        if ours is not theirs:
            ours += theirs
            for number in theirs:
                self._set[number] = ours

    def members(self) -> list[list[int]]:
        """Each set, in order of its first member."""
        return [sorted(own) for own in {id(own): own for own in self._set}.values()]
