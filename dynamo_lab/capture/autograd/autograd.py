"""AOTAutograd: the joint graph, its partition into forward and backward, and what was saved."""

import functools
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
import torch
from torch import fx

from dynamo_lab.capture.autograd import hooks
from dynamo_lab.capture.autograd.joints import (
    Joint,
    bytes_of,
    differentiated_by,
    held_by,
    is_free,
    read_by_backward,
    size_now,
    storage_of,
)
from dynamo_lab.capture.core.hooks import PYTREE
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.graphs.graphs import GraphProbes, is_of_a_pattern
from dynamo_lab.model.autograd import (
    Change,
    InputMutation,
    OutputAlias,
    Partition,
    Recomputed,
    Role,
    SavedValue,
)
from dynamo_lab.model.graphs import Graph


class _Cut(NamedTuple):
    """A solved min-cut: its network and the vertices on the side of the source and of the sink."""

    value: float
    network: Any
    above: set[str]
    below: set[str]

    def nodes(self) -> set[str]:
        """The nodes whose values are saved: their two vertices are on different sides."""
        inside = (name.removesuffix("_in") for name in self.above if name.endswith("_in"))
        return {name for name in inside if f"{name}_out" in self.below}

    def weight(self, name: str) -> float | None:
        """The price of saving a node's value; None if it cannot be saved."""
        capacity = self._edge(f"{name}_in", f"{name}_out").get("capacity")
        return None if capacity is None or capacity == float("inf") else float(capacity)

    def reason(self, name: str) -> str:
        """Why a node may not be recomputed, or must be, or cannot be saved."""
        edges = (
            self._edge("source", f"{name}_in"),
            self._edge(f"{name}_in", "sink"),
            self._edge(f"{name}_in", f"{name}_out"),
        )
        return next((edge["reason"] for edge in edges if "reason" in edge), "")

    def _edge(self, above: str, below: str) -> dict[str, Any]:
        return self.network.get_edge_data(above, below) or {}


class AutogradProbes:
    """Records AOTAutograd's graphs and each partition. A thread partitions one at a time."""

    def __init__(self, recorder: Recorder, graphs: GraphProbes) -> None:
        self._recorder = recorder
        self._graphs = graphs
        self._local = threading.local()
        self._before_joint: Callable[[], None] = lambda: None
        self._donors: list[tuple[Any, int]] = []

    def install(self, patches: Patches) -> None:
        """Watch AOTAutograd's stages, the partitioner and the min-cut that it solves."""

        @functools.cache
        def watch_partitioner() -> None:
            patches.hook(hooks.CHOICE, self.choice)
            # networkx comes with torch; the partitioner imports it when it first cuts a graph
            if hooks.MINIMUM_CUT.exists:
                patches.hook(hooks.MINIMUM_CUT, self.minimum_cut)
            elif hooks.NETWORKX.exists:
                patches.watch(hooks.NETWORKX.get(), "minimum_cut", self.minimum_cut)

        self._before_joint = watch_partitioner  # importing it waits until there is a gradient
        patches.hook(hooks.JOINT, self.joint_graph)
        patches.hook(hooks.PARTITION, self.partitioned)
        patches.hook(hooks.FORWARD, self.compiled_forward)
        patches.hook(hooks.INFERENCE, self.inference_graph)
        patches.hook(hooks.BACKWARD, self.compiled_backward)

    def joint_graph(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """AOTAutograd's graph of forward and backward together."""
        self._before_joint()
        result = yield
        if is_of_a_pattern():
            return
        graph = self._graphs.record(result[0], "joint")
        self._local.joint = graph, tuple(differentiated_by(result[0].graph))

    def choice(
        self, joint_graph: fx.Graph, node_info: Any, memory_budget: float = 1, *_: Any
    ) -> Generator[None, Any, None]:
        """The partitioner decides what to save, and solves min-cuts for that."""
        self._local.cuts = []
        saved = yield
        cuts: list[_Cut] = self._local.cuts
        names = {node.name for node in saved}
        cut = next((cut for cut in reversed(cuts) if cut.nodes() == names), None)
        joint = Joint(joint_graph, node_info, float(memory_budget))
        self._local.chosen = joint, cut, len(cuts)

    def minimum_cut(self, network: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """The min-cut of a network with two vertices a node and an edge between them."""
        value, (above, below) = yield
        if hasattr(self._local, "cuts"):
            self._local.cuts.append(_Cut(float(value), network, set(above), set(below)))

    def partitioned(
        self, fx_g: fx.GraphModule, joint_inputs: Any, subclasses: Any, metadata: Any, *_: Any
    ) -> Generator[None, Any, None]:
        """The joint graph is partitioned into a forward and a backward."""
        self._local.chosen = None
        forward, backward, kept, *_rest = yield
        if is_of_a_pattern():
            return
        joint, differentiated = vars(self._local).pop("joint", (None, ()))
        chosen = self._local.chosen
        about, cut, solved = chosen or (None, None, 0)
        graphs = self._graphs.record(forward, "forward"), self._graphs.record(backward, "backward")
        saved = tuple(_saved(forward.graph, backward.graph, kept, set(_static(metadata)), cut))
        if hooks.BACKWARD.exists:  # else a backward that keeps its graph would not be noticed
            saved = tuple(_with_donations(saved, backward.graph, metadata))
        self._add(
            graphs[0],
            metadata,
            method="min-cut" if chosen else "default",
            joint=None if joint is None else joint.id,
            backward=graphs[1].id,
            budget=1.0 if about is None else about.budget,
            cut=None if cut is None else cut.value,
            solved=solved,
            saved=saved,
            recomputed=tuple(_recomputed(forward.graph, backward.graph, saved, cut)),
            unpartitioned_bytes=read_by_backward(fx_g.graph),
            differentiated=differentiated,
        )
        self._local.partition = len(self._recorder.partitions) - 1
        self._donors.append((metadata, self._local.partition))
        if about is not None:
            self._recorder.joints[self._local.partition] = about

    def compiled_forward(
        self,
        forward: fx.GraphModule,
        inputs: Any,
        subclasses: Any,
        metadata: Any,
        kept: int,
        *_: Any,
    ) -> Generator[None, Any, None]:
        """The backend compiles a forward, and may change the layout of what is saved."""
        strides, _compiled = yield
        if is_of_a_pattern() or not strides:  # or the backend says nothing of layouts
            return
        part = self._local.partition
        names = {
            node.name
            for node, made in zip(_outputs(forward.graph), strides, strict=False)
            if isinstance(node, fx.Node) and node.op == "placeholder" and _moved(node, made)
        }
        saved = self._recorder.partitions[part].saved
        told = tuple(msgspec.structs.replace(v, copied=v.name in names) for v in saved)
        self._recorder.update(self._recorder.partitions, part, saved=told)

    def compiled_backward(
        self, backward: Any, saved_tensors_use_once: bool, *_: Any
    ) -> Generator[None, Any, None]:
        """The backward is compiled, or was: the first that keeps its graph undoes donations."""
        yield
        metadata = backward.fw_metadata
        if saved_tensors_use_once or metadata.bw_donated_idxs:
            return
        for known, part in self._donors:
            if known is metadata:
                values = self._recorder.partitions[part].saved
                kept = tuple(msgspec.structs.replace(one, donated=False) for one in values)
                self._recorder.update(self._recorder.partitions, part, saved=kept)

    def inference_graph(
        self, fw_module: fx.GraphModule, inputs: Any, subclasses: Any, metadata: Any, *_: Any
    ) -> Generator[None, Any, None]:
        """AOTAutograd's only graph if no gradient is required."""
        if not is_of_a_pattern():
            self._add(self._graphs.record(fw_module, "forward"), metadata)
        yield

    def _add(self, forward: Graph, metadata: Any, **facts: Any) -> None:
        self._recorder.partitions.append(
            Partition(
                id=len(self._recorder.partitions),
                compile_id=forward.compile_id,
                frame=forward.frame,
                forward=forward.id,
                mutations=tuple(_mutations(metadata.input_info)),
                aliases=tuple(_aliases(metadata.output_info)),
                **facts,
            )
        )


def _static(metadata: Any) -> Iterable[int]:
    """The inputs that stay where they are between calls: parameters and buffers."""
    return metadata.static_input_indices or ()


def _indices(graph: fx.Graph) -> dict[str, int]:
    return {node.name: index for index, node in enumerate(graph.nodes)}


def _outputs(graph: fx.Graph) -> list[Any]:
    return PYTREE.arg_tree_leaves(*next(iter(reversed(graph.nodes))).args)


def _saved(
    forward: fx.Graph, backward: fx.Graph, kept: int, static: set[int], cut: _Cut | None
) -> Iterable[SavedValue]:
    """The last `kept` outputs of the forward, which are inputs of the backward."""
    places, received = _indices(forward), _indices(backward)
    outputs = _outputs(forward)
    returned = {storage_of(node) for node in outputs[: len(outputs) - kept]}
    inputs = [node for node in forward.nodes if node.op == "placeholder"]
    roles: dict[int, Role] = {
        storage_of(n): "parameter" if i in static else _role_of_input(n)
        for i, n in enumerate(inputs)
    }
    numbers: dict[int, int] = {}
    for node in outputs[len(outputs) - kept :]:
        if not isinstance(node, fx.Node):
            continue
        storage = storage_of(node)
        role = roles.get(storage) or ("output" if storage in returned else _role(node))
        yield SavedValue(
            name=node.name,
            forward_node=places[node.name],
            backward_node=received.get(node.name),
            role=role,
            bytes=bytes_of(node),
            storage=numbers.setdefault(storage, len(numbers)),
            held=held_by(node),
            weight=cut.weight(node.name) if cut else None,
            reason=cut.reason(node.name) if cut else "",
        )


def _with_donations(
    saved: Iterable[SavedValue], backward: fx.Graph, metadata: Any
) -> Iterable[SavedValue]:
    """Saved values with whether the backward may overwrite them, by the number of its input."""
    inputs = [index for index, node in enumerate(backward.nodes) if node.op == "placeholder"]
    given = {inputs[number] for number in metadata.bw_donated_idxs or ()}
    for value in saved:
        yield msgspec.structs.replace(value, donated=value.backward_node in given)


def _moved(node: fx.Node, strides: Sequence[Any] | None) -> bool:
    """Whether a value comes out of the compiled forward with other strides than it went in.

    Of dynamic sizes Inductor tells the strides of the call that is compiled, in numbers.
    """
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or strides is None:
        return False
    return any(
        before is not None and after is not None and before != after
        for before, after in zip(
            map(size_now, value.stride()), map(size_now, strides), strict=False
        )
    )


def _role_of_input(node: fx.Node) -> Role:
    return "symbol" if _role(node) == "symbol" else "input"


def _role(node: fx.Node) -> Role:
    match node.meta.get("val"):
        case torch.Tensor():
            return "activation"
        case torch.SymInt() | torch.SymFloat() | torch.SymBool() | int() | float():
            return "symbol"
        case _:
            return "state"


def _recomputed(
    forward: fx.Graph, backward: fx.Graph, saved: Sequence[SavedValue], cut: _Cut | None
) -> Iterable[Recomputed]:
    """The operators that stand in both graphs: the partitioner copied them, names and all."""
    places = {n.name: i for i, n in enumerate(forward.nodes) if n.op == "call_function"}
    for index, node in enumerate(backward.nodes):
        if node.op != "call_function" or node.name not in places:
            continue
        yield Recomputed(
            name=node.name,
            forward_node=places[node.name],
            backward_node=index,
            bytes=bytes_of(node),
            is_free=is_free(node),
            weight=cut.weight(node.name) if cut else None,
            reason=cut.reason(node.name) if cut else "",
        )


def _mutations(infos: Sequence[Any]) -> Iterable[InputMutation]:
    for index, info in enumerate(infos):
        changes: dict[Change, bool] = {
            "storage": info.mutates_storage_metadata,
            "data": info.mutates_data,
            "metadata": info.mutates_metadata and not info.mutates_storage_metadata,
        }
        for change, happens in changes.items():
            if happens:
                yield InputMutation(
                    input=index,
                    change=change,
                    in_graph=info.mutation_type.name == "MUTATED_IN_GRAPH",
                    requires_grad=bool(info.requires_grad),
                )


def _aliases(infos: Sequence[Any]) -> Iterable[OutputAlias]:
    for index, info in enumerate(infos):
        if info.output_type.name != "non_alias":
            yield OutputAlias(output=index, kind=info.output_type.name, base=info.base_idx)
