"""Attention: each call in the graphs that Dynamo captured, and each kernel in those generated."""

from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import fx

from dynamo_lab.capture.attention.inside import WITH_A_CALL_INSIDE, arguments_inside
from dynamo_lab.capture.attention.settings import Settings, settings, settings_after
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.graphs.nodes import dtype_name, traced_value
from dynamo_lab.model.attention.calls import Attention, Kernel, Operand, Problem
from dynamo_lab.model.graphs import Graph

_CALLS = (
    torch.nn.functional.scaled_dot_product_attention,
    torch.ops.aten.scaled_dot_product_attention.default,
)
_NAMES = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")
_FUSED: dict[str, Kernel] = {
    "aten::_scaled_dot_product_flash_attention_for_cpu": "flash",
    "aten::_scaled_dot_product_flash_attention": "flash",
    "aten::_scaled_dot_product_efficient_attention": "efficient",
    "aten::_scaled_dot_product_cudnn_attention": "cudnn",
}


class AttentionProbes:
    """Records the calls of attention in each recorded graph."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._around: WeakKeyDictionary[fx.Graph, Settings] = WeakKeyDictionary()

    def recorded(self, graph: Graph, fx_graph: fx.Graph) -> None:
        """A graph was recorded: what attention is in it."""
        try:
            self._recorder.attentions += self._found(graph, fx_graph)
        except Exception as error:
            self._recorder.note_failure("attention", error)

    def _found(self, graph: Graph, fx_graph: fx.Graph) -> Iterator[Attention]:
        if graph.stage not in ("dynamo", "post_grad"):
            return
        now = self._around.pop(fx_graph, None) or settings()
        for index, node in enumerate(fx_graph.nodes):
            now = settings_after(node, now)
            self._enter(node, now)
            kind = _kind(node, graph)
            arguments = None if kind is None else _arguments(node)
            if kind is not None and arguments is not None:
                yield Attention(
                    graph=graph.id,
                    node=index,
                    kind=kind,
                    device=str(arguments["query"].device.type),
                    problem=problem_of(arguments, now, _result(node), is_traced=kind != "fused"),
                )

    def _enter(self, node: fx.Node, now: Settings) -> None:
        """The body of a higher-order operator begins with the settings around it."""
        body = getattr(node.graph.owning_module, str(node.target), None)
        if node.op == "get_attr" and isinstance(body, fx.GraphModule):
            self._around[body.graph] = now


def _kind(node: fx.Node, graph: Graph) -> Any:
    if node.op != "call_function":
        return None
    if graph.stage == "dynamo":
        if getattr(node.target, "__name__", "") == "flex_attention":
            return "flex"
        return "sdpa" if node.target in (*_CALLS, *WITH_A_CALL_INSIDE) else None
    return "fused" if _schema(node) in _FUSED else None


def _schema(node: fx.Node) -> str:
    return str(getattr(getattr(node.target, "_schema", None), "name", ""))


def _arguments(node: fx.Node) -> dict[str, Any] | None:
    """The arguments by the names that `scaled_dot_product_attention` gives them, as traced."""
    if node.target in WITH_A_CALL_INSIDE:
        found = arguments_inside(node)
        return found and {**dict(zip(_NAMES, found[0], strict=False)), **found[1]}
    schema = getattr(node.target, "_schema", None)
    names = _NAMES if schema is None else [argument.name for argument in schema.arguments]
    given = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
    given["attn_mask"] = given.pop("attn_bias", given.get("attn_mask"))
    if getattr(node.target, "__name__", "") == "flex_attention":
        given = {name: given[name] for name in _NAMES[:3]}
    return {
        name: traced_value(value) if isinstance(value, fx.Node) else value
        for name, value in given.items()
    }


def _result(node: fx.Node) -> torch.Tensor | None:
    value = traced_value(node)
    first = value[0] if isinstance(value, list | tuple) and value else value
    return first if isinstance(first, torch.Tensor) else None


def problem_of(
    arguments: dict[str, Any],
    now: Settings,
    result: torch.Tensor | None = None,
    *,
    is_traced: bool = True,
) -> Problem:
    """A call as PyTorch sees it, by its arguments' names.

    With `result`, what it gives when traced, the types are those after autocast, which casts where
    the query has another, and gradients are recorded where it has one. Of an operator that is not
    `is_traced` it is not known.
    """
    is_cast = result is not None and result.dtype != arguments["query"].dtype
    cast = result if is_cast else None
    found = {name: _operand(arguments[name], cast) for name in _NAMES[:3]}
    mask = arguments.get("attn_mask")
    grad = torch.is_grad_enabled() if result is None else result.requires_grad
    return Problem(
        query=found["query"],
        key=found["key"],
        value=found["value"],
        mask=_operand(mask, cast) if isinstance(mask, torch.Tensor) else None,
        dropout=float(arguments.get("dropout_p") or 0.0),
        is_causal=bool(arguments.get("is_causal")),
        scale=_scale(arguments.get("scale")),
        enable_gqa=bool(arguments.get("enable_gqa")),
        grad=grad if is_traced else None,
        allowed=now.allowed,
        order=now.order,
        deterministic=now.deterministic,
    )


def _scale(scale: Any) -> float | None:
    return float(scale) if isinstance(scale, int | float) else None


def _operand(tensor: torch.Tensor, cast: torch.Tensor | None) -> Operand:
    dtype = tensor.dtype
    if cast is not None and dtype.is_floating_point and cast.dtype.is_floating_point:
        dtype = cast.dtype  # what autocast makes of it
    is_nested = tensor.is_nested
    sizes = () if is_nested else tuple(tensor.shape)
    is_known = all(isinstance(size, int) for size in sizes)
    return Operand(
        dtype=dtype_name(dtype),
        shape=(None,) * tensor.dim() if is_nested else tuple(map(_hint, sizes)),
        stride=(None,) * tensor.dim() if is_nested else tuple(map(_hint, tensor.stride())),
        symbols=() if is_known else tuple(map(str, sizes)),
        offset=None if is_nested else _hint(tensor.storage_offset()),
        requires_grad=tensor.requires_grad,
        is_nested=is_nested,
    )


def _hint(size: Any) -> int | None:
    """The number that a size had when it was traced; None if it had none."""
    if isinstance(size, int):
        return size
    hint = getattr(size.node, "hint", None)
    return hint if isinstance(hint, int) else None
