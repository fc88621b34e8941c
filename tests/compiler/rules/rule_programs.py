"""A small program for each lowering rule, made from its operator's schema.

A rule that is new has one at once; where the schema does not tell what an argument may be, `GIVEN`
does. So that a view has a kernel, its negative is taken.
"""

from __future__ import annotations

import inspect
from itertools import product
from operator import getitem
from typing import TYPE_CHECKING, Any

import torch
import torch._inductor.inductor_prims  # registers the operators that stand in the table by name
import torch.fx
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.node import map_arg

from dynamo_lab.compiler.lower import CannotLower
from dynamo_lab.compiler.program import Program
from dynamo_lab.compiler.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.compiler.targets.target import Target

aten = torch.ops.aten

DTYPES = (torch.float32, torch.int64, torch.bool)
"""Of tensors, tried in this order: some operators take integers only."""


def x(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.ones(sizes, dtype=dtype)


def at(*sizes: int) -> torch.Tensor:
    return x(*sizes, dtype=torch.int64)


GIVEN: dict[str, tuple[Any, ...]] = {
    "aten.view": (x(4, 6), [6, 4]),
    "aten._unsafe_view": (x(4, 6), [6, 4]),
    "aten.reshape": (x(4, 6), [6, 4]),
    "aten.squeeze": (x(4, 1, 6),),
    "aten.permute": (x(4, 6), [1, 0]),
    "aten.expand": (x(6), [4, 6]),
    "aten.unfold": (x(4, 6), 1, 3, 2),
    "aten.slice": (x(4, 6), 1, 1, 5, 2),
    "aten.split_with_sizes": (x(4, 6), [2, 4], 1),
    "aten.slice_scatter": (x(4, 6), x(4, 2), 1, 1, 5, 2),
    "aten.cat": ([x(4, 6), x(4, 2)], 1),
    "aten.constant_pad_nd": (x(4, 6), [1, 2]),
    "aten.repeat": (x(4, 6), [2, 1]),
    "aten.gather": (x(4, 6), 1, at(4, 2)),
    "aten.index": (x(4, 6), [at(3), at(3)]),
    "aten.index_put": (x(4, 6), [at(3), at(3)], x(3)),
    "aten.scatter.src": (x(4, 6), 1, at(4, 2), x(4, 2)),
    "aten.scatter.value": (x(4, 6), 1, at(4, 2), 2.0),
    "aten.scatter_add": (x(4, 6), 1, at(4, 2), x(4, 2)),
    "aten.cumsum": (x(4, 6), 1),
    "aten.cumprod": (x(4, 6), 1),
    "aten.max_pool2d_with_indices": (x(1, 2, 6, 6), [2, 2], [2, 2], [1, 1]),
    "aten.max_pool2d_with_indices_backward": (
        x(1, 2, 3, 3),
        x(1, 2, 6, 6),
        [2, 2],
        [2, 2],
        [0, 0],
        [1, 1],
        False,
        at(1, 2, 3, 3),
    ),
    "aten.avg_pool2d": (x(1, 2, 6, 6), [2, 2], [2, 2], [1, 1]),
    "aten.avg_pool2d_backward": (
        x(1, 2, 3, 3),
        x(1, 2, 6, 6),
        [2, 2],
        [2, 2],
        [0, 0],
        False,
        True,
        None,
    ),
    "aten.mm": (x(4, 6), x(6, 2)),
    "aten.bmm": (x(3, 4, 6), x(3, 6, 2)),
    "aten.clamp.default": (x(4, 6), 0.5, 2.0),
    "aten.clamp.Tensor": (x(4, 6), x(4, 6), x(4, 6)),
    "aten.where": (x(6, dtype=torch.bool),),
    "aten.full": ([4, 6], 1.5),
    "aten.arange": (0, 6, 2),
    "prims.iota": (6,),
    "prims.convert_element_type": (x(6), torch.int64),
    "aten._to_copy": (x(6),),
    "aten.empty_permuted": ([4, 6], [1, 0]),
    "aten.empty_strided": ([4, 6], [6, 1]),
    "aten.new_empty_strided": (x(6), [4, 6], [6, 1]),
}
"""Arguments, of an overload or of all of a packet; what is left is made from the schema."""

SUMS = "where an index says, from many threads"
"""Why a language without atomic sums leaves a rule to ATen."""

NAMED: dict[str, Any] = {
    "rounding_mode": "floor",
    "decimals": 2,
    "correction": 1,
    "start": 0,
    "step": 1,
    "device": torch.device("cpu"),
    "requires_grad": False,
    "approximate": "none",
}


def rules() -> list[str]:
    """Every rule that a graph can reach: it takes or gives a tensor."""
    return [name for name, target in _targets().items() if _has_tensor(target)]


def file_of(name: str) -> str:
    """The file of rules that has it."""
    rule = RULES.get(_targets()[name]) or RULES[name]
    return inspect.unwrap(rule).__module__.rpartition(".")[2]


def program_of(name: str, target: Target) -> Program:
    """The rule's program, printed for a target.

    Raises:
        AssertionError: none of the arguments that were tried is lowered by the rule.
    """
    operator, problems = _targets()[name], list[str]()
    for dtype, negative in product(DTYPES, (False, True)):
        try:
            made = Program(_graph(operator, dtype, negative=negative), target=target)
        except (RuntimeError, TypeError, ValueError, NotImplementedError, CannotLower) as error:
            problems.append(f"{type(error).__name__}: {str(error)[:200]}")
            continue
        left = [SUMS in fallback.reason for fallback in made.fallbacks]
        if all(left) and (made.kernels or left):
            return made
        problems.append(f"{len(made.kernels)} kernels, {made.fallbacks}")
    raise AssertionError(
        f"{name} has no program: add its arguments to GIVEN of {__file__}. " + "; ".join(problems)
    )


def _targets() -> dict[str, Any]:
    found = {str(target): _resolved(target) for target in RULES}
    return {name: target for name, target in found.items() if target is not None}


def _resolved(target: Any) -> Any:
    """An operator that is registered late stands by its name; None if this PyTorch lacks it."""
    if not isinstance(target, str):
        return target
    found: Any = torch.ops
    for part in target.split("."):
        found = getattr(found, part, None)
    return found


def _has_tensor(target: Any) -> bool:
    schema = target._schema
    kinds = [str(one.type) for one in (*schema.arguments, *schema.returns)]
    return any("Tensor" in kind for kind in kinds)


def _graph(operator: Any, dtype: torch.dtype, *, negative: bool) -> torch.fx.GraphModule:
    """One call of the operator: tracing would take some operators apart."""
    args, named = _arguments(operator, dtype)
    graph = torch.fx.Graph()
    with FakeTensorMode(allow_non_fake_inputs=True):
        tensors = [one for one in _flat(args) if isinstance(one, torch.Tensor)]
        inputs = [_valued(graph.placeholder(f"x{at}"), one) for at, one in enumerate(tensors)]
        call = _called(graph, operator, _filled(args, iter(inputs)), named)
        made = call.meta["val"]
        many = isinstance(made, list | tuple)
        parts = [_called(graph, getitem, [call, at]) for at in range(len(made))] if many else [call]
        if negative:
            for step in (aten._to_copy.default, aten.neg.default):
                more = {"dtype": torch.float32} if step is aten._to_copy.default else {}
                parts = [_called(graph, step, [part], more) for part in parts]
    graph.output(tuple(parts))
    return torch.fx.GraphModule({}, graph)


def _called(graph: torch.fx.Graph, target: Any, args: Any, named: Any = None) -> torch.fx.Node:
    node = graph.call_function(target, tuple(args), named or {})
    values = map_arg((node.args, node.kwargs), lambda one: one.meta["val"])
    return _valued(node, target(*values[0], **values[1]))


def _valued(node: torch.fx.Node, value: Any) -> torch.fx.Node:
    """With what it computes; a placeholder's as a fake tensor."""
    is_real = isinstance(value, torch.Tensor) and not isinstance(value, FakeTensor)
    node.meta["val"] = torch.empty_like(value) if is_real else value
    return node


def _arguments(operator: Any, dtype: torch.dtype) -> tuple[list[Any], dict[str, Any]]:
    packet = str(operator).rpartition(".")[0]
    known = list(GIVEN.get(str(operator), GIVEN.get(packet, ())))
    named = dict[str, Any]()
    for position, one in enumerate(operator._schema.arguments):
        if one.kwarg_only:
            if one.name in NAMED and (not one.has_default_value() or one.name == "decimals"):
                named[one.name] = NAMED[one.name]
            elif not one.has_default_value() or one.name == "dtype":
                named[one.name] = _dtype(packet) if one.name == "dtype" else None
        elif position >= len(known) and not one.has_default_value():
            known.append(_value(str(one.type), one.name, dtype))
    return known, named


def _dtype(packet: str) -> torch.dtype:
    return torch.int64 if packet == "prims.iota" else torch.float32


def _value(kind: str, name: str, dtype: torch.dtype) -> Any:
    match kind:
        case "Tensor" | "Optional[Tensor]":
            return x(4, 6, dtype=dtype)
        case "number" | "Optional[number]" | "float":
            return 1.5 if dtype.is_floating_point else 2
        case "List[int]" | "Optional[List[int]]" | "List[SymInt]":
            return [1] if name.startswith("dim") else [4, 6]
        case "Optional[ScalarType]" | "ScalarType":
            return torch.float32
        case "bool":
            return False
        case _:
            return 1


def _flat(args: Any) -> Iterator[Any]:
    for one in args:
        if isinstance(one, list | tuple):
            yield from _flat(one)
        else:
            yield one


def _filled(args: Any, left: Iterator[torch.fx.Node]) -> list[Any]:
    return [
        _filled(one, left)
        if isinstance(one, list | tuple)
        else next(left)
        if isinstance(one, torch.Tensor)
        else one
        for one in args
    ]
