"""What a call became, as an FX graph that runs on real tensors."""

import operator
from typing import Any

import torch
from torch import fx

from dynamo_lab.capture.core.hooks import PYTREE as pytree
from dynamo_lab.capture.decompositions.decompose import Trace
from dynamo_lab.errors import DecompositionError


def graph_of(trace: Trace, name: str) -> fx.GraphModule:
    """The calls that stay, in order, as a module that takes the call's tensors.

    Calls that change a tensor in place stand where they were made, so nothing may be reordered.
    """
    return _Builder(trace).module(name)


def tensors_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The tensors among the arguments in order, one that is passed twice once."""
    leaves = pytree.tree_leaves((args, kwargs))
    found = {id(leaf): leaf for leaf in leaves if isinstance(leaf, torch.Tensor)}
    return list(found.values())


class _Builder:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._graph = fx.Graph()
        self._root = torch.nn.Module()
        self._nodes: dict[int, fx.Node] = {}

    def module(self, name: str) -> fx.GraphModule:
        trace = self._trace
        for number, tensor in enumerate(tensors_of(trace.args, trace.kwargs)):
            self._nodes[id(tensor)] = self._graph.placeholder(f"tensor_{number}")
        for leaf in trace.leaves:
            args, kwargs = self._known((leaf.args, leaf.kwargs))
            made = self._graph.call_function(leaf.op, args, kwargs)
            self._name(leaf.out, made)
        out = tuple(trace.out) if isinstance(trace.out, tuple) else trace.out  # of whatever class
        self._graph.output(self._known(out))
        return fx.GraphModule(self._root, self._graph, name)

    def _name(self, out: Any, made: fx.Node) -> None:
        if isinstance(out, torch.Tensor):
            self._nodes.setdefault(id(out), made)
            return
        for place, item in enumerate(out if isinstance(out, list | tuple) else ()):
            picked = self._graph.call_function(operator.getitem, (made, place))
            self._name(item, picked)

    def _known(self, value: Any) -> Any:
        """The value with nodes for tensors."""
        return pytree.tree_map_only(torch.Tensor, self._node, value)

    def _node(self, tensor: torch.Tensor) -> fx.Node:
        if id(tensor) not in self._nodes:
            constant = getattr(tensor, "constant", tensor)
            if constant is None or type(constant) is not torch.Tensor:
                raise DecompositionError("A rule reads a tensor that no operator made.")
            name = f"constant_{len(list(self._root.buffers()))}"
            self._root.register_buffer(name, constant)
            self._nodes[id(tensor)] = self._graph.get_attr(name)
        return self._nodes[id(tensor)]
