"""CUDA graphs: which kernels one replays, decided as PyTorch does, before code is generated.

Where a program does not ask for CUDA graphs, or is only lowered, PyTorch's own rules are asked what
they would decide: they read a setting, which is on while they are asked and never while code is
generated.

Source: torch/_inductor/scheduler.py, `should_partition` and `get_graph_partition_signature`;
torch/_inductor/cudagraph_utils.py, `check_for_mutation`; torch/_inductor/output_code.py, what
`CompiledFxGraph` refuses, and `cudagraph_partition_post_compile`.
"""

import threading
from collections.abc import Container, Generator, Iterable, Iterator
from itertools import chain, groupby
from typing import Any, NamedTuple

from torch import fx

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.lowering import hooks
from dynamo_lab.capture.lowering.lowering import LoweringProbes
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.lowering import CudaGraphs, CudaPart

_ON = {"triton.cudagraphs": True}


class CudaGraphProbes:
    """Records for each graph on an NVIDIA or AMD GPU whether CUDA graphs replay it."""

    def __init__(self, recorder: Recorder, lowering: LoweringProbes) -> None:
        self._recorder = recorder
        self._lowering = lowering
        self._local = threading.local()

    def install(self, patches: Patches) -> None:
        """Watch the compilation of a graph, and the scheduler when it is about to write code."""
        patches.hook(hooks.CODEGEN, self.compiling)
        patches.hook(hooks.SCHEDULER_CODEGEN, self.scheduled)

    @property
    def _compiling(self) -> list["_Compiled"]:
        return self._local.__dict__.setdefault("compiling", [])

    def compiling(
        self, compiler: Any, gm: fx.GraphModule, inputs: Any, checks: Any, options: Any, *_: Any
    ) -> Generator[None, Any, None]:
        """A graph is compiled; some of its inputs, such as parameters, stay where they are."""
        fixed = frozenset(options.get("static_input_idxs") or ())
        asked = bool(options.get("cudagraphs", hooks.CUDA_GRAPHS.get()))
        self._compiling.append(_Compiled(gm, fixed, asked, bool(hooks.PARTITIONED.get())))
        try:
            yield
        finally:
            self._compiling.pop()

    def scheduled(self, scheduler: Any) -> Generator[None, Any, None]:
        """The order of kernels is final; the bodies of operators are no graphs of their own."""
        graph, lowered = self._lowering.current_graph, hooks.VIRTUALIZED.get().graph
        is_body = lowered is not None and getattr(lowered, "parent", None) is not None
        if graph is not None and self._compiling and not is_body and _is_gpu(lowered):
            compiled = self._compiling[-1]
            at_target, known = self._recorder.cuda_graphs_of_target
            known = frozenset() if graph.is_backward else known
            decision = _Decision(graph, lowered, compiled, compiled.fixed | known)
            asked = compiled.asked or at_target[graph.is_backward]
            is_on = bool(hooks.CUDA_GRAPHS.get())
            self._recorder.cuda_graphs.append(decision.made(scheduler, is_on=is_on, asked=asked))
        yield


def _is_gpu(lowered: Any) -> bool:
    return "cuda" in getattr(lowered, "device_types", ())


class _Compiled(NamedTuple):
    """What a graph is compiled with: `is_split` is the setting, before a C++ wrapper undoes it."""

    gm: fx.GraphModule
    fixed: frozenset[int]
    asked: bool
    is_split: bool


class _Decision:
    """What PyTorch decides on one graph."""

    def __init__(
        self, graph: Graph, lowered: Any, compiled: _Compiled, fixed: frozenset[int]
    ) -> None:
        self._lowered, self._gm, self._fixed = lowered, compiled.gm, fixed
        self._is_split = compiled.is_split
        self._graph = graph.id
        self._places = {name: at for at, name in enumerate(graph.nodes.name)}
        inputs = (node for node in self._gm.graph.nodes if node.op == "placeholder")
        self._inputs = {node: number for number, node in enumerate(inputs)}

    def made(self, scheduler: Any, *, is_on: bool, asked: bool) -> CudaGraphs:
        """The whole decision. `is_on`: the scheduler has put parts together already."""
        with hooks.SETTINGS.get().patch(_ON):
            reason, node = self._refused()
            nodes = scheduler.nodes if is_on else _reordered(scheduler)
            pieces = tuple(self._parts(scheduler, nodes)) if hooks.PARTITIONED.get() else ()
            written = (part.mutated for part in pieces)
            return CudaGraphs(
                graph=self._graph,
                asked=asked,
                skipped=_first_line(reason),
                node=self._place(node),
                mutated=tuple(dict.fromkeys(chain(*written)) if pieces else self._writers()),
                fixed=tuple(
                    self._tensors(n for n, at in self._inputs.items() if at in self._fixed)
                ),
                sizes=tuple(self._sizes()),
                pieces=pieces,
            )

    def _refused(self) -> tuple[str, Any]:
        """Why the whole graph is left out, and the node."""
        if reason := self._lowered.disable_cudagraphs_reason:
            return reason, self._told_of(reason)
        if self._lowered.cpp_wrapper and self._is_split:
            return "cpp-wrapper does not support graph partition yet", None
        moved = hooks.MOVED_INPUTS.get()(self._gm)
        if moved and (reason := hooks.MOVED_REFUSED.get()(moved)):
            return reason, self._told_of(reason)
        if not hooks.PARTITIONED.get() and (node := hooks.REFUSED_NODE.get()(self._gm)):
            return f"incompatible operator {node.target}", node
        reason = hooks.DEVICES_REFUSED.get()(dict(self._lowered.device_node_mapping))
        return (reason, self._told_of(reason)) if reason else ("", None)

    def _told_of(self, reason: str) -> Any:
        """The node whose stack PyTorch's sentence quotes."""
        stacks = ((node, node.meta.get("stack_trace")) for node in self._gm.graph.nodes)
        return next((node for node, stack in stacks if stack and stack in reason), None)

    def _writers(self, taken: Container[str] | None = None) -> Iterator[int]:
        """The nodes that write to inputs which the next call may find elsewhere."""
        for node in self._moving(taken):
            if node.name in self._lowered.mutated_inputs:
                writers = [user for user in node.users if _is_write(user)]
                place = self._place(writers[-1] if writers else node)
                if place is not None:
                    yield place

    def _moving(self, taken: Container[str] | None) -> Iterator[fx.Node]:
        """The inputs that the next call may find elsewhere: all, or those that are taken."""
        for node, number in self._inputs.items():
            if number not in self._fixed and (taken is None or node.name in taken):
                yield node

    def _tensors(self, inputs: Iterable[fx.Node]) -> Iterator[int]:
        for node in inputs:
            place = self._place(node)
            is_tensor = hasattr(self._lowered.graph_inputs.get(node.name), "get_size")
            if is_tensor and place is not None:
                yield place

    def _sizes(self) -> Iterator[str]:
        for name, value in self._lowered.graph_inputs.items():
            if hasattr(value, "free_symbols") and not hasattr(value, "get_size"):
                yield str(value) or name

    def _parts(self, scheduler: Any, nodes: list[Any]) -> Iterator[CudaPart]:
        """Neighbours with the same answer together."""
        answers = [(hooks.SHOULD_PARTITION.get()(scheduler, node), node) for node in nodes]
        for is_left_out, group in groupby(answers, key=lambda pair: pair[0] is not None):
            members = list(group)
            reason, first = members[0]
            taken = _taken(scheduler, [node for _, node in members]) if not is_left_out else ()
            yield CudaPart(
                is_recorded=not is_left_out,
                operations=sum(len(node.get_nodes()) for _, node in members),
                launches=sum(_is_launched(node) for _, node in members),
                reason=reason or "",
                node=self._origin(first) if is_left_out else None,
                mutated=tuple(self._writers(taken)),
                copied=tuple(self._tensors(self._moving(taken))),
            )

    def _origin(self, scheduled: Any) -> int | None:
        """The first node of the graph that a scheduled operation computes."""
        for one in scheduled.get_nodes():
            places = [self._place(node) for node in getattr(one.node, "origins", ())]
            known = [place for place in places if place is not None]
            if known:
                return max(known)
        return None

    def _place(self, node: Any) -> int | None:
        return None if node is None else self._places.get(node.name)


def _taken(scheduler: Any, nodes: list[Any]) -> frozenset[str]:
    """What a part is called with: what it reads or writes, and neither makes nor merely awaits."""
    made = {name for node in nodes for name in node.outputs_by_name}
    awaited = hooks.AWAITED.get()
    touched = {
        one.name
        for node in nodes
        for one in node.read_writes.reads | node.read_writes.writes
        if not isinstance(one, awaited)
    }
    return frozenset(scheduler.mutation_real_name.get(name, name) for name in touched - made)


def _is_launched(scheduled: Any) -> bool:
    """Whether a kernel on the GPU computes it: views of memory, and inputs, have none."""
    return scheduled.is_gpu() and not all(one.node.is_no_op() for one in scheduled.get_nodes())


def _reordered(scheduler: Any) -> list[Any]:
    """The order that PyTorch would choose so that there are fewer parts."""
    nodes = scheduler.nodes
    if hooks.PARTITIONED.get():
        for row in hooks.FEWER_PARTS:
            nodes = row.get()(scheduler, nodes) if row.exists else nodes
    return nodes


def _is_write(node: fx.Node) -> bool:
    target = str(node.target).removesuffix(".default").split(".")
    return any(part.endswith("_") and not part.startswith("__") for part in target)


def _first_line(reason: str) -> str:
    """PyTorch's reason without the stack that it quotes."""
    text = reason.partition("\n")[0].partition("Found from")[0]
    return text.removeprefix("skipping cudagraphs due to ").strip(" .")
