"""The trees of CUDA graphs: which follows which, how often each ran, and why one was made anew."""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby

from msgspec import Struct

from dynamo_lab.model.cuda_graphs.trees import (
    CudaNode,
    CudaOutput,
    CudaOverwritten,
    CudaRefusal,
    CudaStep,
    CudaTrees,
    CudaWalk,
)
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core import links
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.inputs import programs_name
from dynamo_lab.view.core.places import Places, entity
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.words import first_up, listed, plural, size, times
from dynamo_lab.view.cuda_graphs import pools
from dynamo_lab.view.cuda_graphs.pools import PoolView


class CudaOutputView(Struct, frozen=True, kw_only=True):
    """An output of a recorded CUDA graph, where it lies, and the line that made it."""

    text: str
    where: str = ""
    entity: str = ""


class CudaNodeView(Struct, frozen=True, kw_only=True):
    """A recorded CUDA graph as a row of its tree: `depth` says how far it is from the root."""

    title: str
    depth: int
    of: str
    entity: str
    replays: str
    inputs: str
    memory: str
    why: str
    outputs: tuple[CudaOutputView, ...]


class CudaWalkView(Struct, frozen=True, kw_only=True):
    """What calls did one after the other, and how often they came so."""

    text: str
    times: str


class CudaTreesView(Struct, frozen=True, kw_only=True):
    """The trees of one device, in the order of their recording, children after their parent."""

    sentence: str
    nodes: tuple[CudaNodeView, ...]
    walks: tuple[CudaWalkView, ...]
    overwritten: tuple[CudaOutputView, ...]
    pool: PoolView | None


_LIES = {
    "pool": "in the pool",
    "earlier": "in the memory of an earlier CUDA graph's output",
    "same": "in the memory of another output",
    "elsewhere": "outside the pool: it is an input, a parameter, or empty",
}
_DID = {
    "warm-up": "warm-up of {}",
    "recorded": "{} recorded",
    "replayed": "{}",
    "written": "{} without a CUDA graph, as it writes to an input",
    "limit": "{} without a CUDA graph, as it was recorded anew too often",
}


def build(recording: Recording, places: Places) -> tuple[CudaTreesView, ...]:
    """One for each manager that recorded or warmed up."""
    return tuple(_Trees(one, recording, places).view() for one in recording.cuda_trees)


def unknown(recording: Recording) -> str:
    """Why there are no trees, where the program asks for CUDA graphs; else empty."""
    if recording.cuda_trees or not any(one.asked for one in recording.cuda_graphs):
        return ""
    told = "Which CUDA graph follows which, and what their pool takes, only a run on the GPU tells"
    if recording.target:
        return f"{told}: this was lowered for {recording.target}, and not run."
    return f"{told}: in this recording no CUDA graph was warmed up, recorded or replayed."


class _Trees:
    """Builds the view of one manager's trees."""

    def __init__(self, trees: CudaTrees, recording: Recording, places: Places) -> None:
        self._trees = trees
        self._recording = recording
        self._places = places
        self._numbers = GraphTitles(recording).numbers
        self._shared = Counter(one.graph for one in trees.functions)
        self._recordings = Counter(node.function for node in trees.nodes)
        self._outputs: dict[int, list[CudaOutput]] = {}
        for output in trees.returned:
            self._outputs.setdefault(output.node, []).append(output)

    @cached_property
    def _ancestry(self) -> Ancestry:
        """Where inputs come from; it is asked for those that moved alone, and most did not."""
        return Ancestry(links.build(self._recording))

    def view(self) -> CudaTreesView:
        """All of it."""
        walks = sorted(self._trees.walks, key=lambda walk: -walk.times)
        return CudaTreesView(
            sentence=" ".join(self._sentences()),
            nodes=tuple(self._node(at, depth) for at, depth in self._in_order()),
            walks=tuple(map(self._walk, walks)),
            overwritten=tuple(map(self._overwritten, self._trees.overwritten)),
            pool=pools.build(self._trees, self._places),
        )

    def _sentences(self) -> Iterator[str]:
        trees = self._trees
        roots = sum(node.parent is None for node in trees.nodes)
        replays = sum(node.replays for node in trees.nodes)
        warm = sum(
            step.kind == "warm-up" and walk.times for walk in trees.walks for step in walk.steps
        )
        yield (
            f"On cuda:{trees.device} {plural(len(trees.nodes), 'CUDA graph')} in "
            f"{plural(roots, 'tree')}, of {plural(len(trees.functions), 'function')}: "
            f"{plural(warm, 'warm-up')}, {plural(len(trees.nodes), 'recording')}, "
            f"{plural(replays, 'replay')}."
        )
        marked = "which the program marks" if trees.marked else "which PyTorch counts by calls"
        yield f"{plural(trees.generations, 'step')}, {marked}."
        again = [(at, count) for at, count in self._recordings.items() if count > 1]
        for at, count in sorted(again, key=lambda pair: -pair[1])[:3]:
            yield f"{first_up(self._function(at))} was recorded {times(count)}."
        if trees.unlisted:
            are = "is" if trees.unlisted == 1 else "are"
            yield f"{plural(trees.unlisted, 'more path')} {are} not listed."

    def _in_order(self) -> Iterator[tuple[int, int]]:
        """Every CUDA graph after its parent, with its depth."""
        children: dict[int | None, list[int]] = {}
        for at, node in enumerate(self._trees.nodes):
            children.setdefault(node.parent, []).append(at)
        waiting = [(at, 0) for at in reversed(children.get(None, []))]
        while waiting:
            at, depth = waiting.pop()
            yield at, depth
            waiting += [(child, depth + 1) for child in reversed(children.get(at, []))]

    def _node(self, at: int, depth: int) -> CudaNodeView:
        node = self._trees.nodes[at]
        function = self._trees.functions[node.function]
        return CudaNodeView(
            title=f"CUDA graph {node.number}",
            depth=depth,
            of=self._function(node.function),
            entity="" if function.graph is None else f"graph:{function.graph}",
            replays=f"replayed {times(node.replays)}" if node.replays else "not replayed",
            inputs=_inputs(node),
            memory=_memory(node),
            why=self._why(node),
            outputs=tuple(map(self._output, self._outputs.get(at, []))),
        )

    def _function(self, at: int) -> str:
        """'forward of graph 1', with its own name where the graph is in several parts."""
        function = self._trees.functions[at]
        mode = function.mode or "function"
        if function.graph is None:
            return f"{mode} {function.compile_id}".strip()
        part = f", {function.name}" if function.name and self._shared[function.graph] > 1 else ""
        return f"{mode} of graph {self._numbers[function.graph]}{part}"

    def _output(self, output: CudaOutput) -> CudaOutputView:
        role = "output or saved value" if self._is_forward(output.node) else "output"
        much = "" if output.lies == "elsewhere" else f", {size(output.bytes)}"
        text = f"{role} {output.at}{much}, {_LIES[output.lies]}"
        return CudaOutputView(text=text, **self._place(output.span))

    def _is_forward(self, node: int) -> bool:
        return self._trees.functions[self._trees.nodes[node].function].mode == "forward"

    def _place(self, span: int | None) -> dict[str, str]:
        if span is None:
            return {}
        line = self._places.line_of(span)
        return {"where": self._places.where(line), "entity": entity(line)}

    def _why(self, node: CudaNode) -> str:
        """Why it was recorded, where another CUDA graph of the function was there already."""
        told = list(dict.fromkeys(map(self._refusal, node.refusals)))
        if told:
            return f"Recorded anew: {listed(told, 3)}."
        before = [
            one
            for one in self._trees.nodes
            if one.function == node.function and one.number < node.number
        ]
        if any(one.parent != node.parent for one in before):
            return "Recorded anew: another path leads to it."
        return ""

    def _refusal(self, refusal: CudaRefusal) -> str:
        other = f"CUDA graph {self._trees.nodes[refusal.node].number}"
        function = self._trees.nodes[refusal.node].function
        moved = listed([self._input(function, name) for name in refusal.inputs], 3) or "an input"
        match refusal.reason:
            case "CudagraphManagedIdxMismatch":
                return f"{moved}, made by a CUDA graph before it, lay elsewhere than for {other}"
            case "StaticInputIdxMismatch":
                return f"{moved}, which should stay in place, lay elsewhere than for {other}"
            case "ExpectedDeadIndicesBeforeGraphMismatch":
                held = [self._named(self._trees.returned[at]) for at in refusal.outputs]
                which = listed(held, 3, "or") or "an earlier output"
                return f"{which} was still held, and gone when {other} was recorded"
            case reason:
                return f"PyTorch's reason is `{reason}`"

    def _input(self, function: int, name: str) -> str:
        """An input as the program calls it, else by the compiler's name of it."""
        graph = self._trees.functions[function].graph
        own = "" if graph is None else programs_name(self._recording, self._ancestry, graph, name)
        return f"`{own or name}`" if name else "an input"

    def _named(self, output: CudaOutput) -> str:
        number = self._trees.nodes[output.node].number
        at = "" if output.span is None else f" ({self._places.where_span(output.span)})"
        return f"output {output.at} of CUDA graph {number}{at}"

    def _walk(self, walk: CudaWalk) -> CudaWalkView:
        text = " -> ".join(
            told if (count := len(list(group))) == 1 else f"{told} ({times(count)})"
            for told, group in groupby(map(self._step, walk.steps))
        )
        return CudaWalkView(text=text, times=times(walk.times))

    def _step(self, step: CudaStep) -> str:
        if step.node is None:
            return _DID[step.kind].format(self._function(step.function))
        return _DID[step.kind].format(f"CUDA graph {self._trees.nodes[step.node].number}")

    def _overwritten(self, one: CudaOverwritten) -> CudaOutputView:
        made = (
            "a warm-up" if one.node is None else f"CUDA graph {self._trees.nodes[one.node].number}"
        )
        function = self._function(one.function)
        text = (
            f"output {one.at} of {made} of {function} was still held when "
            f"{'it' if one.by == one.function else self._function(one.by)} began a new step "
            f"({times(one.times)}): reading it then raises"
        )
        return CudaOutputView(text=text, **self._place(one.span))


def _inputs(node: CudaNode) -> str:
    """What becomes of the inputs in each call."""
    told = [
        f"{node.copied} copied in each call ({size(node.copied_bytes)})" if node.copied else "",
        f"{node.managed} made by a CUDA graph before it" if node.managed else "",
        f"{node.fixed} in place" if node.fixed else "",
    ]
    return listed([one for one in told if one]) or "none"


def _memory(node: CudaNode) -> str:
    if node.reserved is None or node.live is None:
        return ""
    return f"{size(node.live)} live of {size(node.reserved)} reserved after it"
