"""How a model is quantized by each scheme, with torchao; the model itself stays as it is."""

from __future__ import annotations

import copy
import importlib
from typing import TYPE_CHECKING, Any

import torch
from msgspec import Struct

from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dynamo_lab.model.quantization.trial import Scheme

SCHEMES: tuple[Scheme, ...] = ("int8", "int8-dynamic", "int8-weights", "int4-weights")

_ON_CPU: tuple[Scheme, ...] = ("int8", "int4-weights")
"""Those of X86's quantizer and of `_weight_int4pack_mm_for_cpu`."""

_GROUP = 32
"""How many weights of a row share a scale in int4."""


def why_not(scheme: Scheme, device: str) -> str:
    """Why a scheme is not tried on a device ("cuda"); empty where it is."""
    if device == "cpu" or scheme not in _ON_CPU:
        return ""
    return "Its kernels are the CPU's: move the model and its arguments there to try it."


class Made(Struct, frozen=True, kw_only=True):
    """A quantized model. For an exported one `float_graph`, `observed` and `annotated` are set.

    `observed` are the operators with their observers, `annotated` the nodes that the quantizer
    chose, `known` the operators that it has a rule for.
    """

    module: Any
    float_graph: Any = None
    observed: tuple[str, ...] = ()
    annotated: frozenset[str] = frozenset()
    known: frozenset[Any] = frozenset()


def torchao_version() -> str:
    """The installed release of torchao.

    Raises:
        OptionError: it is not installed.
    """
    try:
        return str(_of("torchao").__version__)
    except ImportError:
        raise OptionError(
            'Quantization needs torchao: pip install "dynamo-lab[quantization]".'
        ) from None


def _of(name: str) -> Any:
    return importlib.import_module(name)


def lifting_pass() -> Any:
    """What torchao has Inductor do before the gradient; importing it sets it for the process."""
    return _of("torchao.quantization.pt2e.quantizer.x86_inductor_quantizer").quant_lift_up


def quantized(
    model: torch.nn.Module,
    example: tuple[Any, ...],
    scheme: Scheme,
    calibration: Iterable[tuple[Any, ...]],
) -> Made:
    """The model by a scheme; raises what torchao raises where it cannot be had here."""
    if scheme == "int8":
        return _exported(model, example, calibration)
    made = copy.deepcopy(model)
    _of("torchao.quantization").quantize_(made, _CONFIGS[scheme]())
    return Made(module=made)


def _dynamic() -> Any:
    config = _of("torchao.quantization").Int8DynamicActivationInt8WeightConfig
    return config(set_inductor_config=False)


def _weights() -> Any:
    return _of("torchao.quantization").Int8WeightOnlyConfig(set_inductor_config=False)


def _int4() -> Any:
    """Weights of four bits, packed for `_weight_int4pack_mm_for_cpu`: a prototype of torchao."""
    config = _of("torchao.prototype.quantization.int4").PrototypeInt4WeightOnlyConfig
    return config(group_size=_GROUP, set_inductor_config=False)


_CONFIGS: dict[str, Callable[[], Any]] = {
    "int8-dynamic": _dynamic,
    "int8-weights": _weights,
    "int4-weights": _int4,
}


def _exported(
    model: torch.nn.Module, example: tuple[Any, ...], calibration: Iterable[tuple[Any, ...]]
) -> Made:
    """Export, put in observers, show it data, and convert: torchao's pt2e for X86."""
    flow = _of("torchao.quantization.pt2e.quantize_pt2e")
    x86 = _of("torchao.quantization.pt2e.quantizer.x86_inductor_quantizer")
    untyped: Any = torch
    quantizer = x86.X86InductorQuantizer()
    chosen = x86.get_default_x86_inductor_quantization_config(reduce_range=saturates())
    quantizer.set_global(chosen)
    with torch.no_grad():
        float_graph = untyped.export.export(model, example).module()
        prepared = flow.prepare_pt2e(untyped.export.export(model, example).module(), quantizer)
        for inputs in calibration:
            prepared(*inputs)
        observed = tuple(_operators(prepared))
        annotated = frozenset(
            str(node.name)
            for node in prepared.graph.nodes
            if getattr(node.meta.get("quantization_annotation"), "_annotated", False)
        )
        converted = flow.convert_pt2e(prepared)
    known = frozenset(x86.quantizable_ops)
    return Made(
        module=converted,
        float_graph=float_graph,
        observed=observed,
        annotated=annotated,
        known=known,
    )


def saturates() -> bool:
    """Whether sums of two int8 products are kept in 16 bits, which overflow: so with AVX2.

    There activations have to do with seven bits (`reduce_range`), or results are far off.
    """
    return torch.backends.cpu.get_cpu_capability() in ("AVX2", "DEFAULT")


def _operators(graph: Any) -> list[str]:
    """The operators of a graph; an observer by the range that it saw."""
    found: list[str] = []
    for node in graph.graph.nodes:
        if node.op == "call_function":
            found.append(operator_name(node))
        elif node.op == "call_module" and "post_process" in str(node.target):
            found.append(_observer(graph.get_submodule(node.target), str(node.args[0])))
    return found


def _observer(observer: Any, of: str) -> str:
    low, high = (getattr(observer, name, None) for name in ("min_val", "max_val"))
    if not isinstance(low, torch.Tensor) or not isinstance(high, torch.Tensor) or not low.numel():
        return f"observer of {of}"
    return f"observer of {of}: {float(low.min()):.3g} to {float(high.max()):.3g}"


def operator_name(node: Any) -> str:
    """'linear' of `aten.linear.default`."""
    return str(node.target).removeprefix("aten.").removesuffix(".default")
