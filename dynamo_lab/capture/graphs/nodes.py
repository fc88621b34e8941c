"""FX nodes as facts: the columns of a NodeTable from a torch.fx graph."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import torch
from torch import fx

from dynamo_lab.capture.core.compat import name_of
from dynamo_lab.capture.core.hooks import OPERATORS
from dynamo_lab.capture.core.pool import Pool
from dynamo_lab.capture.core.sources import Texts
from dynamo_lab.capture.graphs.replaced import Meta, meta_of
from dynamo_lab.model.graphs import NodeTable, Value

_LONGEST_ARGUMENTS = 400  # characters; beyond that a node's arguments are cut
_BUCKETED = "bucketing_stack_trace_sources"

_DTYPES = {
    torch.float32: "f32",
    torch.float64: "f64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "b8",
    torch.complex64: "c64",
    torch.complex128: "c128",
}


Roots = tuple[tuple[str, str], ...]
"""Dynamo's names at which paths of modules begin, each with the reader's, empty for none."""

OF_SELF: Roots = (("self", ""),)
"""A method names the modules of its object without it, as PyTorch does."""


def node_table(
    graph: fx.Graph,
    texts: Texts,
    roots: Roots = OF_SELF,
    metas: Mapping[str, Meta] = MappingProxyType({}),
) -> NodeTable:
    """The nodes of `graph` in order; `metas` says by name what those are of that do not tell."""
    strings = Pool[str]()
    values = Pool[Value]()
    nodes = list(graph.nodes)
    of = {node: meta_of(node, metas) for node in nodes}
    index = {node: position for position, node in enumerate(nodes)}
    return NodeTable(
        name=tuple(node.name for node in nodes),
        op=tuple(strings.add(node.op) for node in nodes),
        target=tuple(strings.add(target_name(node)) for node in nodes),
        arguments=tuple(arguments_text(node) for node in nodes),
        inputs=tuple(tuple(index[n] for n in node.all_input_nodes if n in index) for node in nodes),
        value=tuple(values.add(node_value(node)) for node in nodes),
        stack=tuple(_stack(of[node], texts) for node in nodes),
        module=tuple(strings.add(module_path(of[node], roots)) for node in nodes),
        bucketed={at: own for at, node in enumerate(nodes) if (own := _bucketed(node, texts))},
        sources={at: own for at, node in enumerate(nodes) if (own := _source(node, roots))},
        module_types={
            path: name for node in nodes for path, name in _modules(of[node], roots) if path
        },
        strings=strings.items(),
        values=values.items(),
    )


def target_name(node: fx.Node) -> str:
    """The operator or attribute as PyTorch writes it: "aten.add.Tensor", "torch.sin", "softmax"."""
    return target_text(node.target)


def target_text(target: Any) -> str:
    """The target of a node as PyTorch writes it."""
    if isinstance(target, str):
        return target
    if isinstance(target, (OPERATORS.OpOverload, OPERATORS.OpOverloadPacket)):
        return str(target)
    return function_name(target)


def function_name(target: Any) -> str:
    """A function by its module: "torch.sin", "torch.nn.functional.softmax", "softmax"."""
    name = getattr(target, "__name__", type(target).__name__)
    module = getattr(target, "__module__", "") or ""
    if module.startswith(("torch._C", "_operator")) or not module:
        module = "operator" if module == "_operator" else "torch"
    return f"{module.removeprefix('builtins').removeprefix('.')}.{name}".lstrip(".")


def arguments_text(node: fx.Node) -> str:
    """The arguments of a node as code, cut where they are very long."""
    return "" if node.op == "placeholder" else call_text(node.args, node.kwargs)


def call_text(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Arguments as they are written in a call."""
    parts = [format_argument(argument) for argument in args]
    parts += [f"{key}={format_argument(value)}" for key, value in kwargs.items()]
    text = ", ".join(parts)
    return text if len(text) <= _LONGEST_ARGUMENTS else f"{text[: _LONGEST_ARGUMENTS - 1]}…"


def format_argument(argument: Any) -> str:
    """An argument of a node as code: names for nodes, values for constants."""
    match argument:
        case fx.Node():
            return argument.name
        case list():
            return f"[{', '.join(map(format_argument, argument))}]"
        case tuple():
            return f"({', '.join(map(format_argument, argument))})"
        case dict():
            return (
                "{" + ", ".join(f"{k!r}: {format_argument(v)}" for k, v in argument.items()) + "}"
            )
        case slice():
            parts = (argument.start, argument.stop, argument.step)
            return ":".join("" if part is None else format_argument(part) for part in parts)
        case _:
            return repr(argument)


def node_value(node: fx.Node) -> Value:
    """What the node produces, from the fake value that tracing left on it."""
    found = traced_value(node)
    if isinstance(found, torch.Tensor):
        return tensor_value(found)
    return Value(text=describe_value(found))


def traced_value(node: fx.Node) -> Any:
    """The fake value that tracing left on a node."""
    meta = node.meta
    return meta.get("val", meta.get("example_value"))


def dtype_name(dtype: torch.dtype) -> str:
    """The short name, "f32" for torch.float32; PyTorch's own name where there is no short one."""
    return _DTYPES.get(dtype, str(dtype).removeprefix("torch."))


def tensor_value(tensor: torch.Tensor) -> Value:
    """A tensor, real or fake, as a fact."""
    known = all(isinstance(size, int) for size in tensor.shape)
    return Value(
        text=_tensor_text(tensor),
        dtype=dtype_name(tensor.dtype),
        shape=tuple(map(str, tensor.shape)),
        stride=tuple(map(str, tensor.stride())) if tensor.layout is torch.strided else (),
        device=str(tensor.device),
        bytes=tensor.numel() * tensor.element_size() if known else None,
    )


def _tensor_text(tensor: torch.Tensor) -> str:
    """A tensor in a few words; without its memory, of which a fake one has to be asked."""
    return f"{dtype_name(tensor.dtype)}[{', '.join(map(str, tensor.shape))}]"


def describe_value(found: Any) -> str:
    """A value in a few words: "f32[8, 4]", "Sym(s0)", the name of its type."""
    match found:
        case None:
            return ""
        case torch.Tensor():
            return _tensor_text(found)
        case tuple() | list():
            return f"({', '.join(map(describe_value, found))})"
        case torch.SymInt() | torch.SymFloat() | torch.SymBool():
            return f"Sym({found})"
        case _:
            return type(found).__name__


def _stack(meta: Meta, texts: Texts) -> int:
    formatted = meta.get("stack_trace")
    return texts.stack_of_text(formatted) if formatted else -1


def _bucketed(node: fx.Node, texts: Texts) -> tuple[int, ...]:
    """The stacks of the collectives that a pass of Inductor's put together to this node.

    `_populate_node_meta` in `torch/_inductor/fx_passes/bucketing.py` notes them on all nodes that
    it makes for them; the node's own stack is that of the first.
    """
    if getattr(node.target, "namespace", "") != "_c10d_functional":
        return ()
    known = list(node.meta.get(_BUCKETED) or ())
    return tuple(map(texts.stack_of_text, known)) if len(known) > 1 else ()


def _source(node: fx.Node, roots: Roots) -> str:
    """What an input of a captured graph is, as written in code; empty where Dynamo tells none."""
    source = getattr(node.meta.get("grapharg"), "source", None)
    if source is None:
        return ""
    others = (root for root in roots if root[1] or root[0] == "fn")
    return readable_path(name_of(source), (("self", "self"), *others))


def _modules(meta: Meta, roots: Roots) -> Iterator[tuple[str, str]]:
    """The nn.Modules that ran the node, outermost first: path from the root, and class."""
    stack = meta.get("nn_module_stack") or meta.get("fwd_nn_module_stack") or {}
    for path, kind in stack.values():
        name = kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))
        yield readable_path(path, roots), name.rpartition(".")[2]


def module_path(meta: Meta, roots: Roots = OF_SELF) -> str:
    """The nn.Module that ran the node, from the root: "encoder.layer.0.attention"."""
    return next((path for path, _ in reversed(list(_modules(meta, roots)))), "")


_ROOT = re.compile(r"^[LG]\[(['\"])(.*?)\1\]")
_BOUND = re.compile(r"^L\[(['\"])fn\1\](?:\.__closure__\[\d+\]\.cell_contents)*\.__self__")
"""The object of a method that a wrapper calls, also through decorators, which hold it in a cell."""
_KEPT = r"_(?:modules|parameters|buffers)"
_STORED = re.compile(rf"(?:^|\.)(?:__dict__\[['\"]{_KEPT}['\"]\]|{_KEPT})\[(['\"])([^'\"\]]+)\1\]")
_ASKED = re.compile(r"getattr\((.+), (['\"])(\w+)\2\)")


@cache
def readable_path(path: str, roots: Roots = OF_SELF) -> str:
    """Dynamo's name of a module as one writes it: "layers.0" for "L['self'].layers[0]".

    Others than modules keep their brackets: "steps[0]", "parts['head']".
    """
    path = _STORED.sub(r".\2", _BOUND.sub("L['self']", path) if "fn" in dict(roots) else path)
    while (asked := _ASKED.sub(r"\1.\3", path)) != path:
        path = asked
    if found := _ROOT.match(path):
        known = dict(roots).get(found[2], found[2])
        is_inside = path[found.end() :].startswith("[") and not known
        path = (found[2] if is_inside else known) + path[found.end() :]
    return path.lstrip(".")


def subgraphs(module: fx.GraphModule) -> dict[str, fx.GraphModule]:
    """The graph modules that this one's higher-order operators call, by attribute name."""
    names = dict.fromkeys(str(node.target) for node in module.graph.nodes if node.op == "get_attr")
    owned = {name: getattr(module, name, None) for name in names if "." not in name}
    return {name: body for name, body in owned.items() if isinstance(body, fx.GraphModule)}


def subgraph_calls(graph: fx.Graph, bodies: dict[str, int]) -> dict[int, tuple[int, ...]]:
    """For each node, by index, the graphs it calls; `bodies` maps attribute names to graph ids."""
    bodies_of = {
        n: bodies[n.target] for n in graph.nodes if n.op == "get_attr" and n.target in bodies
    }
    calls = (tuple(bodies_of[i] for i in n.all_input_nodes if i in bodies_of) for n in graph.nodes)
    return {index: called for index, called in enumerate(calls) if called}
