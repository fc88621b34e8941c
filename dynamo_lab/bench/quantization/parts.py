"""What each part of a quantized model computes in, why some stayed float, and their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import fx

from dynamo_lab.bench.quantization.schemes import operator_name
from dynamo_lab.measure.checks import relative_error
from dynamo_lab.model.quantization.trial import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.bench.quantization.schemes import Made

_LINEAR_ONLY = "This scheme quantizes the weights of linear layers alone."
_LEFT = (
    "torchao left its weight as it is: sizes that are no multiple of the group, or a type that the "
    "scheme does not take."
)
_NO_RULE = "The X86 quantizer has no rule for this operator."
_NOT_CHOSEN = (
    "The X86 quantizer has a rule for this operator and did not choose this one. It does not say "
    "why; what surrounds an operator may decide."
)


def parts_of(made: Made, model: torch.nn.Module, example: tuple[Any, ...]) -> tuple[Part, ...]:
    """The parts in the order in which they run."""
    if made.float_graph is not None:
        return tuple(_operators(made, example))
    return tuple(_modules(made.module, model, example))


def _operators(made: Made, example: tuple[Any, ...]) -> Iterator[Part]:
    expected, found = (_values(graph, example) for graph in (made.float_graph, made.module))
    for node in made.module.graph.nodes:
        if node.op != "call_function" or "quantize" in operator_name(node):
            continue
        scheme, why = _chosen(node, made)
        error = relative_error(found.get(node.name), expected.get(node.name))
        kind = operator_name(node)
        yield Part(name=_module_of(node) or str(node.name), kind=kind, scheme=scheme, error=error,
                   why=why)  # fmt: skip


def _chosen(node: Any, made: Made) -> tuple[str, str]:
    """What it computes in: its inputs say so, or that the quantizer took it with the one before."""
    if any("dequantize" in operator_name(one) for one in node.all_input_nodes):
        return "int8", ""
    if node.name in made.annotated:
        return "int8, in the kernel of the one before", ""
    return "float", _NOT_CHOSEN if node.target in made.known else _NO_RULE


def _module_of(node: Any) -> str:
    stack: Any = node.meta.get("nn_module_stack") or {}
    return str(list(stack.values())[-1][0]) if stack else ""


def _values(graph: Any, example: tuple[Any, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}

    class Kept(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            found[n.name] = result = super().run_node(n)
            return result

    with torch.no_grad():
        Kept(graph).run(*example)
    return found


def _modules(
    made: torch.nn.Module, model: torch.nn.Module, example: tuple[Any, ...]
) -> Iterator[Part]:
    expected, found = _outputs(model, example), _outputs(made, example)
    for name, module in _named(made):
        if name not in expected or any(True for _ in module.children()):
            continue
        scheme, why = _weight_of(module)
        error = relative_error(found.get(name), expected[name])
        yield Part(name=name, kind=type(module).__name__, scheme=scheme, error=error, why=why)


def _named(model: Any) -> list[tuple[str, Any]]:
    return list(model.named_modules())


def _weight_of(module: torch.nn.Module) -> tuple[str, str]:
    if not isinstance(module, torch.nn.Linear):
        return "float", _LINEAR_ONLY
    kind = type(module.weight.data)
    if kind is torch.Tensor or kind is torch.nn.Parameter:
        return "float", _LEFT
    return kind.__name__, ""


def _outputs(model: torch.nn.Module, example: tuple[Any, ...]) -> dict[str, Any]:
    """What each module returned in its last call, of those that return one tensor."""
    found: dict[str, Any] = {}
    handles: list[Any] = []

    def keep(name: str) -> Any:
        def hook(_: Any, __: Any, result: Any) -> None:
            found[name] = result

        return hook

    try:
        for name, module in _named(model):
            if name:
                handles.append(module.register_forward_hook(keep(name)))
        with torch.no_grad():
            model(*example)
    finally:
        for handle in handles:
            handle.remove()
    return found


def bytes_of(module: Any) -> int:
    """The bytes of all parameters and buffers, or of a graph's constants, each storage once."""
    tensors: list[Any] = [*module.parameters(), *module.buffers()]
    if isinstance(module, fx.GraphModule):  # what it was made of may still hang on it
        names = {str(node.target) for node in module.graph.nodes if node.op == "get_attr"}
        tensors = [value for name in names if (value := _attribute(module, name)) is not None]
    plain = [part for tensor in tensors for part in _plain(tensor)]
    return sum(
        {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in plain}.values()
    )


def _attribute(module: Any, name: str) -> torch.Tensor | None:
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, torch.Tensor) else None


def _plain(tensor: Any) -> Iterator[torch.Tensor]:
    """The tensors that one consists of: torchao's weights are of their own classes."""
    inside = getattr(tensor, "__tensor_flatten__", None)
    data = getattr(tensor, "data", tensor)
    if inside is None or type(data) is torch.Tensor:
        yield tensor
        return
    for name in inside()[0]:
        yield from _plain(getattr(tensor, name))
