"""Which kernels replace which eager operators: the smallest groups that the links allow.

AOTAutograd's trace connects the two. An eager operator is the call of the same name that was
traced for the same node of the captured graph; that call's nodes are also in the graph that
Inductor lowered, and each kernel's buffers name the nodes of that graph which they compute.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from dynamo_lab.model.benchmarks import Group
from dynamo_lab.view.core.ancestry import Ancestry, NodeKey
from dynamo_lab.view.core.links import build
from dynamo_lab.view.core.rewritten import rewritten

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from dynamo_lab.model.benchmarks import EagerCall, KernelTime
    from dynamo_lab.model.lowering import Buffer
    from dynamo_lab.model.recording import Recording

Part = int
"""A node that a traced call became, numbered: the link between kernels and operators."""


def groups(
    recording: Recording, kernels: Sequence[KernelTime], eager: Sequence[EagerCall]
) -> tuple[Group, ...]:
    """Every kernel and every eager operator in one group, in the order in which kernels run."""
    trace = _Trace(recording)
    owners = _owners(recording, trace, kernels)
    sets = _Sets(len(kernels) + len(eager))
    backward = {at for at, timed in enumerate(kernels) if _is_backward(recording, timed)}
    for at, found in enumerate(_kernels_of(trace, eager, owners, backward)):
        for kernel in found:
            sets.join(kernel, len(kernels) + at)
    own = set(owners.values())
    for at, timed in enumerate(kernels):
        parts = [p for p in trace.parts(timed) or trace.guessed(timed) if p in owners]
        if at not in own and parts:  # it recomputes, prepares or finishes what another one does
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
        self._recording = recording
        self._ancestry = Ancestry(build(recording))
        self._captured = {graph.id for graph in recording.graphs if graph.stage == "dynamo"}
        self.operators: list[tuple[str, bool]] = []
        """For each part, and whether it is of the backward."""
        self.arguments: list[str] = []
        self.of_captured: defaultdict[NodeKey, list[Part]] = defaultdict(list)
        self._parts: dict[NodeKey, Part] = {}
        self._named: defaultdict[tuple[str, str], list[NodeKey]] = defaultdict(list)
        self._known: dict[NodeKey, tuple[Part, ...]] = {}
        self._rewritten = rewritten(recording)
        gradients = _gradients(recording)
        calls = recording.decompositions.calls
        for traced in recording.decompositions.traced:
            for node in traced.nodes if traced.graph is not None else ():
                key = (traced.graph or 0, node)
                self._add(key)
                self.operators.append(_name(calls[traced.call].operator, key in gradients))
                self.arguments.append(calls[traced.call].arguments)

    def _add(self, key: NodeKey) -> None:
        part = self._parts[key] = len(self._parts)
        graph = self._recording.graphs[key[0]]
        self._named[graph.compile_id, graph.nodes.name[key[1]]].append(key)
        for captured in self._above(key, self._captured):
            self.of_captured[captured].append(part)

    def _above(self, node: NodeKey, graphs: Container[int]) -> list[NodeKey]:
        return [key for key in self._ancestry.above([node]) if key[0] in graphs]

    def parts(self, timed: KernelTime) -> list[Part]:
        """What a call of a kernel computes, in the order of the graph."""
        return self._of_nodes(timed, self._of)

    def guessed(self, timed: KernelTime) -> list[Part]:
        """The same if passes made its nodes without saying from what: all of the user's node."""
        return self._of_nodes(timed, self._of_user)

    def _of_nodes(
        self, timed: KernelTime, parts: Callable[[NodeKey], Iterable[Part]]
    ) -> list[Part]:
        kernel = self._recording.kernels[timed.kernel]
        if kernel.graph is None:
            return []
        graph = kernel.graph
        nodes: Iterable[int] = kernel.nodes
        if timed.buffers:
            named = _buffers(self._recording, graph, timed.buffers)
            nodes = sorted({node for buffer in named for node in buffer.nodes})
        return list(dict.fromkeys(part for node in nodes for part in parts((graph, node))))

    def _of(self, node: NodeKey) -> tuple[Part, ...]:
        """What a node of a lowered graph stands for: itself, or the nodes that it replaced."""
        if node not in self._known:
            graph = self._recording.graphs[node[0]]
            found = [self._parts[key] for key in self._above(node, _ANY) if key in self._parts]
            if not found:
                found = list(self._for_which(graph.compile_id, graph.nodes.name[node[1]], set()))
            self._known[node] = tuple(dict.fromkeys(found))
        return self._known[node]

    def _for_which(self, compile_id: str, name: str, seen: set[str]) -> Iterator[Part]:
        """What the nodes stood for that passes replaced by the one of this name."""
        seen.add(name)
        for gone in self._rewritten.get((compile_id, name), ()):
            yield from (self._parts[key] for key in self._named.get((compile_id, gone), ()))
            if gone not in seen:
                yield from self._for_which(compile_id, gone, seen)

    def _of_user(self, node: NodeKey) -> Iterator[Part]:
        for captured in self._above(node, self._captured):
            yield from self.of_captured.get(captured, ())


class _Any:
    """Contains everything."""

    def __contains__(self, _: object) -> bool:
        return True


_ANY = _Any()


def _gradients(recording: Recording) -> set[NodeKey]:
    """The nodes that compute gradients."""
    tables = [table for table in recording.links if table.reason == "gradient of"]
    return {(table.downstream, node) for table in tables for _, node in table.pairs}


def _buffers(recording: Recording, graph: int, names: Iterable[str]) -> list[Buffer]:
    wanted = set(names)
    return [b for b in recording.buffers if b.graph == graph and b.name in wanted]


def _is_backward(recording: Recording, timed: KernelTime) -> bool:
    graph = recording.kernels[timed.kernel].graph
    return graph is not None and recording.graphs[graph].is_backward


def _owners(recording: Recording, trace: _Trace, kernels: Sequence[KernelTime]) -> dict[Part, int]:
    """Which kernel each part belongs to: one that is called for it, else the first to compute it.

    Cheap loops are recomputed by each of their users, which would join all layers of a model
    into one group.
    """

    def is_called(timed: KernelTime) -> bool:
        return recording.kernels[timed.kernel].language == "extern"

    owners: dict[Part, int] = {}
    for at, timed in sorted(enumerate(kernels), key=lambda item: not is_called(item[1])):
        for part in trace.parts(timed):
            owners.setdefault(part, at)
    return owners


def _kernels_of(
    trace: _Trace,
    eager: Sequence[EagerCall],
    owners: Mapping[Part, int],
    backward: Container[int],
) -> list[set[int]]:
    """The kernels that replace each operator, in the backward those of the backward.

    An operator that left no code, such as a view, goes with the next one of its node that did,
    else with the one before.
    """
    by_node = _by_node(eager)
    matched = _matched(trace, eager, by_node)
    found = [{owners[part] for part in parts if part in owners} for parts in matched]
    for at, call in enumerate(eager):
        if call.is_backward:  # the forward may already do part of it
            found[at] = {kernel for kernel in found[at] if kernel in backward} or found[at]
    for members in by_node.values():
        for is_backward in (False, True):
            same = [at for at in members if eager[at].is_backward == is_backward]
            _fill(found, [*reversed(same)])
            _fill(found, same)
    return found


def _fill(found: list[set[int]], members: Iterable[int]) -> None:
    """Give those without a kernel one of the member before them."""
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


def _matched(
    trace: _Trace, eager: Sequence[EagerCall], by_node: Mapping[NodeKey, Sequence[int]]
) -> list[list[Part]]:
    """For each operator, what the traced calls of its name, for its node, became.

    If their arguments differ, those on the same. One whose name was not traced, because
    eager PyTorch takes another path, shares what the others of its node leave.
    """
    found: list[list[Part]] = [[] for _ in eager]
    for node, members in by_node.items():
        traced = trace.of_captured.get(node, [])
        for at in members:
            named = _named(trace, traced, eager[at])
            found[at] = [part for part in named if trace.arguments[part] == eager[at].arguments]
        taken = {part for at in members for part in found[at]}
        for at in members:
            named = _named(trace, traced, eager[at])
            found[at] = found[at] or [part for part in named if part not in taken] or named
        taken.update(part for at in members for part in found[at])
        left = [p for p in traced if p not in taken and trace.operators[p] != _SUM]
        for at in members:
            is_backward = eager[at].is_backward
            found[at] = found[at] or [p for p in left if trace.operators[p][1] == is_backward]
    _match_sums(trace, eager, found)
    return found


def _named(trace: _Trace, traced: Iterable[Part], call: EagerCall) -> list[Part]:
    """Those of the call's name and direction."""
    name = _name(call.operator, call.is_backward)
    return [part for part in traced if trace.operators[part] == name]


_SUM = ("add", True)
"""Where gradients meet; tracing and running put the sum to different nodes."""


def _match_sums(trace: _Trace, eager: Sequence[EagerCall], found: list[list[Part]]) -> None:
    """Sums of gradients with no node in the trace: those on the same arguments, in turn."""
    taken = {part for parts in found for part in parts}
    left = [p for p, name in enumerate(trace.operators) if name == _SUM and p not in taken]
    for at, call in enumerate(eager):
        if not found[at] and _name(call.operator, call.is_backward) == _SUM:
            found[at] = [p for p in left if trace.arguments[p] == call.arguments][: call.calls]
            left = [part for part in left if part not in found[at]]


def _name(operator: str, is_backward: bool) -> tuple[str, bool]:
    """An operator's name, the same for one that writes to its argument, and its direction."""
    return operator.split(".")[1].rstrip("_") if "." in operator else operator, is_backward


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
