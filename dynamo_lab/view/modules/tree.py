"""The modules of a program as a tree, over all graphs that Dynamo captured of it.

A tree begins at a function that Dynamo compiled: PyTorch names modules from there. What was
compiled several times has a tree for each compilation; the graphs after a break belong to the tree
of the graph before it.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.names import frame_names, origins
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.graphs.paths import Path, module_path

RootKey = tuple[int | None, str]
"""The frame at which modules begin to be named, and the number of its compilation."""


@dataclass
class Module:
    """A module, or a function at the root; `nodes` are the captured calls directly in it.

    A break is told once, of the first compilation that broke there: `broke` has it in all of them.
    """

    name: str
    path: Path
    root: int
    parent: int
    type: str = ""
    children: list[int] = field(default_factory=list[int])
    nodes: list[NodeKey] = field(default_factory=list[NodeKey])
    breaks: int = 0
    broke: int = 0
    frame: int | None = None
    compile_id: str = ""
    members: list[int] = field(default_factory=list[int])
    """Of a row for several alike: those that it stands for, which are its children, too."""


def _graphs_before(recording: Recording) -> dict[int | None, list[int]]:
    """By frame that resumes after breaks, the graphs that end there."""
    found = dict[int | None, list[int]]()
    for item in recording.breaks:
        for frame in item.resume_frames if item.graph_before is not None else ():
            found.setdefault(frame, []).append(item.graph_before or 0)
    return found


class ModuleTree:
    """The modules by number, a parent before its children until alike ones are folded."""

    def __init__(self, recording: Recording) -> None:
        self.modules: list[Module] = []
        self.roots: list[int] = []
        self.numbers = GraphTitles(recording).numbers
        self._recording = recording
        self._names = frame_names(recording)
        self._origins = origins(recording.frames)
        self._before = _graphs_before(recording)
        self._of_key: dict[RootKey, int] = {}
        self._of_graph: dict[int, int] = {}  # captured graph by its number -> root
        self._at: dict[tuple[int, Path], int] = {}
        self._homes: dict[tuple[int, int], int] = {}
        self._captured = {self.numbers[graph.id]: graph for graph in recording.captured_graphs()}
        for graph in recording.captured_graphs():
            self._add(graph)
        for item in recording.breaks:
            root = self.root_of_break(item.id)
            path = self.path_of_break(item.id)
            self.modules[self.placed(root, path)].breaks += 1
            for other in self._breaking(item, root):
                self.modules[self.placed(other, path)].broke += 1
        several = {self._origins[one.frame] for one in recording.breaks if one.times > 1}
        self._after = {
            frame.id
            for frame in recording.frames
            if frame.resumes is not None and self._origins[frame.id] in several
        }
        self._order()
        self.roots.sort(key=lambda root: self.modules[root].frame or 0)

    def _breaking(self, item: Break, first: int) -> list[int]:
        """The compilations that broke there: the first, and all if as many did as there are."""
        if item.times == 1:
            return [first]
        frame = self.modules[first].frame
        alike = [root for root in self.roots if self.modules[root].frame == frame]
        return alike if item.times >= len(alike) else [first]

    def _add(self, graph: Graph) -> None:
        table = graph.nodes
        root = self._root(graph)
        for text, kind in table.module_types.items():
            self.modules[self.placed(root, module_path(text))].type = kind
        for node, op in enumerate(table.op):
            if table.strings[op].startswith("call_"):
                self.modules[self._home(graph, node)].nodes.append((graph.id, node))

    def _order(self) -> None:
        """Puts modules in the order of their first operators; those without stay at the end."""
        first: dict[int, NodeKey] = {}
        last = (len(self._recording.graphs), 0)
        for number in range(len(self.modules) - 1, -1, -1):
            module = self.modules[number]
            keys = [*module.nodes[:1], *(first[child] for child in module.children)]
            first[number] = min(keys, default=last)
            module.children.sort(key=lambda child: first[child])

    def _root(self, graph: Graph) -> int:
        """The root of a captured graph: that of the graph before the break that it comes after."""
        number = self.numbers[graph.id]
        if number not in self._of_graph:
            earlier = self._before.get(graph.frame, ())
            before = next((one for one in earlier if one < graph.id), None)
            of = self._of_graph.get(self.numbers[before]) if before is not None else None
            frame = None if graph.frame is None else self._origins[graph.frame]
            key = (frame, _compilation(graph.compile_id))
            self._of_graph[number] = self._root_at(key, graph.compile_id) if of is None else of
        return self._of_graph[number]

    def _root_at(self, key: RootKey, compile_id: str) -> int:
        if key not in self._of_key:
            frame = key[0]
            name = self._recording.title if frame is None else self._names[frame]
            root = len(self.modules)
            self.modules.append(Module(name, (), root, -1, frame=frame, compile_id=compile_id))
            self.roots.append(root)
            self._of_key[key] = root
        return self._of_key[key]

    def placed(self, root: int, path: Path) -> int:
        """The module at a path; a new one is made with all that it lies in."""
        if not path:
            return root
        if (root, path) not in self._at:
            parent = self.placed(root, path[:-1])
            self._at[root, path] = len(self.modules)
            self.modules[parent].children.append(len(self.modules))
            self.modules.append(Module(path[-1], path, root, parent))
        return self._at[root, path]

    def _home(self, graph: Graph, node: int) -> int:
        string = graph.nodes.module[node]
        if (graph.id, string) not in self._homes:
            root = self._root(self._captured.get(self.numbers[graph.id], graph))
            path = module_path(graph.nodes.strings[string])
            self._homes[graph.id, string] = self.placed(root, path)
        return self._homes[graph.id, string]

    def home(self, key: NodeKey) -> int | None:
        """The module that a node of any stage lies in; None where no captured graph is known."""
        graph = self._recording.graphs[key[0]]
        return self._home(graph, key[1]) if self.numbers[graph.id] in self._of_graph else None

    def root_of_break(self, number: int) -> int:
        """Where the graph before it belongs, else the function that it is in."""
        item = self._recording.breaks[number]
        if item.graph_before is not None:
            of = self._of_graph.get(self.numbers[item.graph_before])
            if of is not None:
                return of
        frame = self._origins[item.frame]
        key = (frame, _compilation(item.compile_id))
        return self._root_at(key, item.compile_id)

    def path_of_break(self, number: int) -> Path:
        """The module in whose code it is, as far as each call on the way names one."""
        stack = self._recording.breaks[number].stack
        if stack is None:
            return ()
        found: Path = ()
        spans = self._recording.stacks[stack]
        for span, inner in pairwise(spans):
            callee, function = self._callee(span), self._recording.spans[inner].function
            if not callee or (function != "forward" and callee != (function,)):
                break
            if callee != (function,):  # else a method of the same module
                found = self._known(self.root_of_break(number), found, callee)
        return found

    def _known(self, root: int, around: Path, callee: Path) -> Path:
        """The path of what is called; an item of a list has one with its brackets."""
        numbered = "".join(f"[{one}]" if one.isdecimal() else f".{one}" for one in callee)
        as_written = (*around, *module_path(numbered))
        return as_written if (root, as_written) in self._at else (*around, *callee)

    def _callee(self, number: int) -> Path:
        """('layers', '3') for a span whose text is `self.layers[3](x)`, ('net',) for `net(x)`."""
        span = self._recording.spans[number]
        if span.column < 0 or span.end_line not in (-1, span.line):
            return ()
        lines = dict(self._recording.sources[span.source].lines())
        text = lines.get(span.line, "")[span.column : span.end_column]
        callee, opened, _ = text.partition("(")
        if not opened or not _NAMED.fullmatch(callee) or not _is_one_call(text):
            return ()
        named = callee.removeprefix("self.").removesuffix(".forward")
        return tuple(part for part in re.split(r"[.\[\]]+", named) if part)

    def within(self, module: int) -> Iterator[int]:
        """The module and all in it, outer before inner."""
        yield module
        for child in self.modules[module].children:
            yield from self.within(child)

    def nodes_in(self, module: int) -> Iterator[NodeKey]:
        """The captured calls of the module and of all in it."""
        for at in self.within(module):
            yield from self.modules[at].nodes

    def compared(self, module: Module) -> Iterator[NodeKey]:
        """The captured calls directly in a module, without those behind a break of several.

        Code that resumes is there for each compilation that broke, and is told of the first.
        """
        return (
            key for key in module.nodes if self._recording.graphs[key[0]].frame not in self._after
        )

    def above(self, module: int) -> list[int]:
        """The module and all that it lies in, inner before outer."""
        found: list[int] = []
        while module >= 0:
            found.append(module)
            module = self.modules[module].parent
        return found

    def common(self, modules: Iterable[int]) -> tuple[int, set[int]]:
        """The innermost module that holds all of these, and those below it that hold some."""
        ways = [self.above(module) for module in modules]
        shared = set(ways[0]).intersection(*ways[1:])
        inner = next(module for module in ways[0] if module in shared)
        return inner, {module for way in ways for module in way} - shared


_NAMED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*")


def _is_one_call(text: str) -> bool:
    """Whether the first parenthesis is closed at the end: `net(x)`, not `Net()(x)`."""
    try:
        made = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # it may come from anyone
        return False
    return isinstance(made, ast.Call) and not isinstance(made.func, ast.Call)


def _compilation(compile_id: str) -> str:
    """'1' for the second compilation of a frame, "3/1"."""
    return compile_id.partition("/")[2].partition("_")[0]
