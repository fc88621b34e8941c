"""What is known of each module in numbers: kernels, seconds, bytes, operations, compile time."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.modules import pieces
from dynamo_lab.view.modules.tree import ModuleTree


@dataclass
class Sums:
    """What is known of a module. Those of a call are of the innermost module that holds it."""

    calls: int = 0
    shared: int = 0
    seconds: float = 0.0
    shared_seconds: float = 0.0
    timed: int = 0
    bytes: int = 0
    uncounted: int = 0
    flops: int = 0
    products: int = 0
    unknown: int = 0
    compile: float = 0.0
    operators: int = 0
    breaks: int = 0
    kernels: dict[int, None] = field(default_factory=dict[int, None])
    fused: dict[int, None] = field(default_factory=dict[int, None])

    def add(self, inner: "Sums") -> None:
        """Count what a module in this one holds; what is shared may be of both."""
        for name in _ADDED:
            setattr(self, name, getattr(self, name) + getattr(inner, name))


_ADDED = (
    *("calls", "seconds", "timed", "bytes", "uncounted", "flops", "products", "unknown"),
    *("compile", "operators", "breaks"),
)


@dataclass
class Rest:
    """What is tied to no module, not even to a function."""

    calls: int = 0
    seconds: float = 0.0
    compile: float = 0.0


class Counted:
    """The numbers of every module of a tree."""

    def __init__(self, recording: Recording, tree: ModuleTree) -> None:
        self._tree = tree
        self._graphs = recording.graphs
        self.sums = [Sums() for _ in tree.modules]
        self.rest = Rest()
        self.whole = 0.0
        self._forms: dict[str, None] = {}
        for number, module in enumerate(tree.modules):
            if not module.members:
                self.sums[number].operators = len(module.nodes)
                self.sums[number].breaks = module.breaks
        self._count(recording)
        for root in tree.roots:
            for number in reversed(list(tree.within(root))):
                for child in tree.modules[number].children:
                    self.sums[number].add(self.sums[child])
        self.forms = tuple(self._forms)
        self.knows_time = any(sums.timed for sums in self.sums)
        self.knows_compile = any(sums.compile for sums in self.sums)
        self.knows_bytes = any(sums.bytes for sums in self.sums)

    def _count(self, recording: Recording) -> None:
        for call in pieces.kernel_calls(recording):
            self._add_call(call)
        for taken, nodes in pieces.timed_calls(recording):
            self._add_time(taken, nodes)
        titles = GraphTitles(recording).titles
        for key, count in pieces.products_of(recording, self._tree):
            if count is not None:
                self._forms[titles[key[0]]] = None
            if (home := self._tree.home(key)) is not None:
                self.sums[home].products += 1
                self.sums[home].flops += count or 0
                self.sums[home].unknown += count is None
        for key, taken in pieces.compile_pieces(recording):
            home = self._tree.home(key)
            if home is None:
                self.rest.compile += taken
            else:
                self.sums[home].compile += taken

    def _place(self, nodes: Iterable[NodeKey]) -> tuple[int, set[int]] | None:
        computed = pieces.computing(self._graphs, nodes)
        homes = {home for key in computed if (home := self._tree.home(key)) is not None}
        return self._tree.common(homes) if homes else None

    def _add_call(self, call: pieces.Call) -> None:
        place = self._place(call.nodes)
        if place is None:
            self.rest.calls += 1
            return
        inner, parts = place
        held = self.sums[inner]
        held.calls += 1
        held.kernels[call.kernel] = None
        held.bytes += call.work.bytes_read + call.work.bytes_written if call.work else 0
        held.uncounted += call.work is None
        for part in parts:
            self.sums[part].shared += 1
            self.sums[part].fused[call.kernel] = None

    def _add_time(self, taken: float, nodes: Iterable[NodeKey]) -> None:
        self.whole += taken
        place = self._place(nodes)
        if place is None:
            self.rest.seconds += taken
            return
        inner, parts = place
        self.sums[inner].seconds += taken
        self.sums[inner].timed += 1
        for part in parts:
            self.sums[part].shared_seconds += taken
