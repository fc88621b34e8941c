"""What kernels are called: by the operators that they compute, as the user wrote them."""

from collections.abc import Iterable, Sequence

from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.lowering import Buffer
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import Ancestry, NodeKey
from dynamo_lab.view.core.names import operator_name

# They move no data or compute nothing of interest, and would hide those that do.
QUIET = frozenset(
    {
        "contiguous",
        "expand",
        "getattr",
        "getitem",
        "permute",
        "reshape",
        "squeeze",
        "t",
        "transpose",
        "unsqueeze",
        "view",
        "view_as_complex",
        "view_as_real",
    }
)
_MOVERS = QUIET | {"clone", "constant_pad_nd", "convert_element_type", "copy", "slice"}
"""What brings an operator's inputs into the layout and type that a library's kernel takes."""


_SEEDS = frozenset({"inductor_seed", "inductor_seeds"})
"""What draws the seeds of random numbers, and none of the numbers."""

_OF_LIBRARIES = frozenset({"extern", "fallback", "part"})
"""The kinds of buffers that a library's kernel makes."""
_LONGEST = 4


class KernelTitles:
    """The titles of a recording's kernels.

    Where a library's kernel computes an operator, the loops that only hand it what it reads, or
    take over what it wrote, come from the same node: they do not compute the operator.
    """

    def __init__(self, recording: Recording, ancestry: Ancestry) -> None:
        self._graphs, self._ancestry = recording.graphs, ancestry
        self._reads = {(one.graph, one.name): one.reads for one in recording.buffers}
        self._called = {
            (kernel.graph, node)
            for kernel in recording.kernels
            for node in kernel.nodes
            if kernel.language == "extern" and kernel.graph is not None
        }
        self._made: dict[NodeKey, list[Buffer]] = {}
        for node in self._called:
            for above in ancestry.above((node,)):
                self._made.setdefault(above, [])
        for one in recording.buffers:
            own = [(one.graph, node) for node in one.nodes if one.kind in _OF_LIBRARIES]
            for above in ancestry.above(own):
                self._made.setdefault(above, []).append(one)

    def of(self, kernel: Kernel, nodes: Iterable[NodeKey] | None = None) -> str:
        """What a kernel computes where it makes these nodes: a library's also computes others.

        Without nodes, all that it computes anywhere.
        """
        if kernel.graph is None:
            return kernel.name
        own = [(kernel.graph, node) for node in kernel.nodes] if nodes is None else list(nodes)
        computed = own if kernel.language == "extern" else [n for n in own if self._is_work(n)]
        is_work = set(self._ancestry.above(computed))
        first = [node for node in sorted(self._ancestry.above(own)) if self._is_written(node)]
        named = dict.fromkeys(
            ("" if node in is_work else self._role(kernel, node), self._name(node))
            for node in first or own
        )
        title = _title(kernel, list(named), is_backward=self._graphs[kernel.graph].is_backward)
        draws = bool(own) and all(self._name(node) in _SEEDS for node in own)
        return f"seeds of {title}" if draws else title

    def _is_work(self, node: NodeKey) -> bool:
        """Whether a loop does something of a node: more than move and convert it."""
        return node not in self._called and self._name(node) not in _MOVERS

    def _is_written(self, node: NodeKey) -> bool:
        """Whether it is an operator as the user wrote it: one of the earliest graph."""
        graph = self._graphs[node[0]]
        table = graph.nodes
        return graph.stage == "dynamo" and table.strings[table.op[node[1]]].startswith("call_")

    def _name(self, node: NodeKey) -> str:
        table = self._graphs[node[0]].nodes
        return operator_name(table.strings[table.target[node[1]]])

    def _role(self, kernel: Kernel, node: NodeKey) -> str:
        """What a loop makes of an operator that a library computes; empty where none does."""
        if node not in self._made:
            return ""
        made = self._made[node]
        if any(not set(kernel.buffers).isdisjoint(one.reads) for one in made):
            return "input"
        names = {one.name for one in made}
        read = (self._reads.get((kernel.graph or 0, name), ()) for name in kernel.buffers)
        return "part" if all(names.isdisjoint(one) for one in read) else "result"


def _title(kernel: Kernel, named: Sequence[tuple[str, str]], *, is_backward: bool) -> str:
    """Of operators by their role: those that it computes itself, and which say something, first."""
    own = [(role, name) for role, name in named if role != "input" and name not in QUIET]
    if is_backward:
        own = [(role, name) for role, name in own if not role]
    shown = own or [one for one in named if one[0]] or named
    if not shown:
        return kernel.name
    of = "of the backward of" if is_backward else "of"
    names = [f"{role} {of} {name}" if role else name for role, name in shown]
    more = len(names) - _LONGEST
    title = " + ".join(names[:_LONGEST]) + (f" + {more} more" if more > 0 else "")
    if is_backward:
        return title if shown[0][0] else f"backward of {title}"
    return f"fused {title}" if len(names) > 1 and kernel.language != "extern" else title
