"""The reader's modules as a tree: what each became, how long it takes, and which blocks differ."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Places, entity_if_known
from dynamo_lab.view.core.words import flops, listed, percent, plural, seconds, size
from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.modules.alike import Shapes, differences, fold, most_like
from dynamo_lab.view.modules.counted import Counted, Sums
from dynamo_lab.view.modules.lines import Lines
from dynamo_lab.view.modules.tree import ModuleTree
from dynamo_lab.view.timings.durations import rounded


class ModuleRow(Struct, frozen=True, kw_only=True):
    """A module of the reader's, or `alike` neighbours as one; a root is a function.

    `children` are positions in `ModulesView.rows`; of a row for several, they are these. `path` is
    PyTorch's, `type` the class, empty where it is not known. `entity` are its nodes. `line` is the
    line in the module around it from which all of them are reached, `where` is it in words.

    `operators` are those that Dynamo captured. Kernels are counted by their calls: `calls` compute
    nothing of other modules, `shared` were fused with some. So it is with the seconds of a call
    and the bytes that are moved at least: the first adds up from row to row, the second belongs to
    several rows. None is unknown. `heat` and `shared_heat` are parts of all that was timed.
    `kernels` are those of `calls` that no module within has alone, `fused` those of `shared`.
    `differences` are sentences on blocks of several that are not like most; those that are have
    their positions among `children` in `usual`.
    """

    depth: int
    name: str
    path: str
    type: str
    children: tuple[int, ...]
    alike: int = 1
    entity: str = ""
    line: str = ""
    where: str = ""
    operators: int
    calls: int
    shared: int
    seconds: float | None = None
    shared_seconds: float = 0.0
    heat: float = 0.0
    shared_heat: float = 0.0
    time: str = ""
    bytes: int | None = None
    bytes_text: str = ""
    flops: int | None = None
    flops_text: str = ""
    compile: float | None = None
    compile_text: str = ""
    breaks: int = 0
    kernels: tuple[int, ...] = ()
    fused: tuple[int, ...] = ()
    differences: tuple[str, ...] = ()
    usual: tuple[int, ...] = ()


class ModulesView(Struct, frozen=True, kw_only=True):
    """The rows, outer before inner; `roots` are positions in them. None without modules.

    `sentences` say what the numbers are of, and what belongs to no row.
    """

    rows: tuple[ModuleRow, ...] = ()
    roots: tuple[int, ...] = ()
    sentences: tuple[str, ...] = ()
    empty: str = ""


def build(recording: Recording, places: Places, graphs: Sequence[GraphView]) -> ModulesView:
    """The tree of modules; no rows where the program has none."""
    tree = ModuleTree(recording)
    if all(not module.path for module in tree.modules):
        return ModulesView(empty=_why_none(recording))
    shapes = Shapes(recording, tree)
    fold(tree, shapes)
    counted = Counted(recording, tree)
    rows = _Rows(recording, places, graphs, tree, shapes, counted)
    roots = tuple(rows.add(root, 0) for root in tree.roots)
    return ModulesView(
        rows=tuple(row for row in rows.made if row is not None),
        roots=roots,
        sentences=tuple(_sentences(recording, counted)),
    )


def _why_none(recording: Recording) -> str:
    if not recording.captured_graphs():
        return "Dynamo captured no graph, so no modules are known."
    return "The captured graphs call no `nn.Module`."


class _Rows:
    """The rows, as the tree is walked."""

    def __init__(
        self,
        recording: Recording,
        places: Places,
        graphs: Sequence[GraphView],
        tree: ModuleTree,
        shapes: Shapes,
        counted: Counted,
    ) -> None:
        self.made: list[ModuleRow | None] = []
        self._recording = recording
        self._places = places
        self._tree = tree
        self._shapes = shapes
        self._counted = counted
        self._lines = Lines(recording, places, tree)
        self._boxes = {
            (graph.id, box.path): number
            for graph in graphs
            if graph.stage == "dynamo"
            for number, box in enumerate(graph.modules)
        }

    def add(self, number: int, depth: int) -> int:
        """The position of a module's row, which comes before those of the modules in it."""
        at = len(self.made)
        self.made.append(None)
        children = tuple(
            self.add(child, depth + 1) for child in self._tree.modules[number].children
        )
        self.made[at] = self._row(number, depth, children)
        return at

    def _row(self, number: int, depth: int, children: tuple[int, ...]) -> ModuleRow:
        module, sums = self._tree.modules[number], self._counted.sums[number]
        line, where = self._lines.of(number)
        whole = self._counted.whole
        known = sums.timed > 0 or sums.shared_seconds > 0
        counts_all = sums.unknown == 0
        return ModuleRow(
            depth=depth,
            name=self._name(number),
            path=".".join(module.path) if not module.members else "",
            type=module.type,
            children=children,
            alike=max(1, len(module.members)),
            entity=self._entity(number),
            line=entity_if_known(line),
            where=where,
            operators=sums.operators,
            calls=sums.calls,
            shared=sums.shared,
            seconds=rounded(sums.seconds) if known else None,
            shared_seconds=rounded(sums.shared_seconds),
            heat=_part(sums.seconds, whole),
            shared_heat=_part(sums.shared_seconds, whole),
            time=_time(sums, whole) if known else "",
            bytes=sums.bytes if self._counted.knows_bytes and sums.calls > sums.uncounted else None,
            bytes_text=self._bytes(sums),
            flops=sums.flops if sums.products > sums.unknown else None,
            flops_text=""
            if sums.products == sums.unknown
            else f"{'' if counts_all else '≥ '}{flops(sums.flops)}",
            compile=rounded(sums.compile) if self._counted.knows_compile else None,
            compile_text=seconds(sums.compile) if sums.compile else "",
            breaks=sums.breaks,
            kernels=tuple(sums.kernels),
            fused=tuple(sums.fused),
            differences=tuple(self._differences(number)),
            usual=tuple(self._usual(module.members)),
        )

    def _name(self, number: int) -> str:
        module = self._tree.modules[number]
        group = module.parent >= 0 and self._tree.modules[module.parent].members
        is_one_of_several = not module.path and not module.members and group
        return f"{module.name} ({module.compile_id})" if is_one_of_several else module.name

    def _bytes(self, sums: Sums) -> str:
        if not self._counted.knows_bytes or sums.calls == sums.uncounted:
            return ""
        return f"≥ {size(sums.bytes)}"

    def _entity(self, number: int) -> str:
        """The boxes of it in the captured graphs, by spaces where there are several."""
        module = self._tree.modules[number]
        inner = [number] if not module.members else module.members
        found: dict[str, None] = {}
        for at in inner:
            path = ".".join(self._tree.modules[at].path)
            nodes = (
                key for inside in self._tree.within(at) for key in self._tree.modules[inside].nodes
            )
            for graph in dict.fromkeys(graph for graph, _ in nodes):
                if (graph, path) in self._boxes:
                    found[f"module:{graph}:{self._boxes[graph, path]}"] = None
        return " ".join(found)

    def _differences(self, number: int) -> Iterator[str]:
        """A sentence for each block of several that is not as most of them are."""
        members = self._tree.modules[number].members
        if not members:
            return
        norm = most_like(self._shapes, members)
        touching = {at: self._touching(at) for at in members}
        [(usual_count, most)] = Counter(touching.values()).most_common(1)
        is_usual = most * 2 > len(members)
        for member in members:
            found = differences(self._tree, self._shapes, norm, member)
            if is_usual and touching[member] != usual_count:
                calls = plural(touching[member], "kernel call")
                found.append(f"{calls} instead of {usual_count} compute it")
            if found:
                name = ".".join(self._tree.modules[member].path) or self._name(member)
                yield f"`{name}` differs: {'; '.join(found)}."
        if not is_usual:
            least, greatest = min(touching.values()), plural(max(touching.values()), "kernel call")
            yield f"They are fused differently: {least} to {greatest} compute one of them."

    def _usual(self, members: Sequence[int]) -> Iterator[int]:
        """The positions of those that are equal to most."""
        norm = most_like(self._shapes, members) if members else -1
        for at, member in enumerate(members):
            if self._shapes.of[member] == self._shapes.of[norm]:
                yield at

    def _touching(self, number: int) -> int:
        """The calls of kernels that compute it, those fused with other modules included."""
        return self._counted.sums[number].calls + self._counted.sums[number].shared


def _time(sums: Sums, whole: float) -> str:
    """'12 µs, 8 %', '12 µs, and part of 3.1 µs'."""
    alone = f"{seconds(sums.seconds)}, {percent(_part(sums.seconds, whole))}" if sums.timed else ""
    part = f"part of {seconds(sums.shared_seconds)}" if sums.shared_seconds else ""
    return " and ".join(filter(None, (alone, part)))


def _part(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole > 0 else 0.0


def _sentences(recording: Recording, counted: Counted) -> Iterator[str]:
    if recording.kernels:
        yield (
            "A kernel is counted once: in the innermost module that holds all that it computes. "
            "In a module that holds only a part of it, it is told as shared."
        )
    if counted.forms:
        yield f"FLOP are those of products, in {listed(counted.forms)}."
    if counted.knows_time:
        yield f"Times are those of the benchmark's kernels, {seconds(counted.whole)} in all."
    elif recording.benchmark is not None:
        yield "The benchmark timed no kernels."
    elif recording.kernels:
        yield "No kernel was timed: `rec.bench()` measures them."
    rest = counted.rest
    apart = [
        plural(rest.calls, "kernel call") if rest.calls else "",
        f"{seconds(rest.seconds)} of kernels" if rest.seconds else "",
        f"{seconds(rest.compile)} of compiling" if rest.compile else "",
    ]
    if found := [text for text in apart if text]:
        yield f"Tied to no captured graph, and in no row: {', '.join(found)}."
