"""Objects of Inductor's IR as facts: what an operator became, what produces a buffer."""

import functools
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dynamo_lab.capture.decompositions.rulebook import short
from dynamo_lab.capture.graphs.nodes import dtype_name
from dynamo_lab.capture.lowering import hooks
from dynamo_lab.capture.lowering.hooks import IR as ir
from dynamo_lab.capture.lowering.origins import made_by
from dynamo_lab.model.lowering import BufferKind, LoweringRule, Outcome


@functools.cache
def rule_of(rule: Callable[..., Any]) -> LoweringRule:
    """A registered lowering, without the wrapper that registering puts around it."""
    function: Any = inspect.unwrap(rule)
    function = getattr(function, "func", function)
    name = getattr(function, "__qualname__", type(function).__name__).partition(".<locals>")[0]
    code = getattr(function, "__code__", None)
    if code is None:
        return LoweringRule(name=name)
    return LoweringRule(name=name, file=short(code.co_filename), line=code.co_firstlineno)


def became(result: Any, node: str, made: set[str]) -> tuple[Outcome, str]:
    """What a node was lowered to, and its class; `made` names the buffers made meanwhile."""
    first = next(_values(result), None)
    if first is None:
        return "nothing", ""
    if not isinstance(first, ir.IRNode):
        return "size", ""
    inner = _unboxed(first)
    if isinstance(inner, ir.Loops):
        return ("inlined" if made_by(inner) == node else "same"), form_of(inner)
    if isinstance(inner, ir.BaseView):
        return "view", form_of(inner)
    is_new = isinstance(inner, ir.Buffer) and inner.get_name() in made
    return ("realised" if is_new else "same"), form_of(inner)


def _values(result: Any) -> Iterator[Any]:
    if isinstance(result, list | tuple):
        for item in result:
            yield from _values(item)
    elif result is not None:
        yield result


def _unboxed(value: Any) -> Any:
    while isinstance(value, ir.MutableBox):
        value = value.data
    return value


def form_of(value: Any) -> str:
    """The class of what computes a value: a loop's own class where a buffer stores it."""
    return type(value.data if isinstance(value, ir.ComputedBuffer) else value).__name__


def kind_of(buffer: Any) -> BufferKind:
    """What makes a buffer."""
    kinds: tuple[tuple[type, BufferKind], ...] = (
        (ir.Scatter, "scatter"),
        (ir.Pointwise, "pointwise"),
        (ir.Reduction, "reduction"),
        (ir.Scan, "scan"),
        (ir.Sort, "sort"),
        (ir.TemplateBuffer, "template"),
        (ir.FallbackKernel, "fallback"),
        (ir.MultiOutput, "part"),
        (ir.ConcatKernel, "joined"),
        (ir.MutationOutput, "written"),
        (ir.ExternKernel, "extern"),
    )
    maker = buffer.data if isinstance(buffer, ir.ComputedBuffer) else buffer
    if type(buffer).__name__.endswith("Fallback"):  # of scatters, copies and the like
        return "fallback"
    found: list[BufferKind] = [kind for of, kind in kinds if isinstance(maker, of)]
    return found[0] if found else "other"


def kernel_of(buffer: Any) -> str:
    """What is called to make a buffer: "extern_kernels.mm"; empty for a loop."""
    name = hooks.KERNEL_NAME.of(buffer) or hooks.KERNEL_OPERATOR.of(buffer)
    return str(name) if name else _COPY if isinstance(buffer, ir.DeviceCopy) else ""


_COPY = "aten.copy_"
"""A copy from one device to another is the only library call that Inductor gives no name."""


def called_by_wrapper(node: Any) -> str:
    """The library function that the wrapper calls for an extern node, as it is written there.

    Empty where the wrapper does the work itself: it checks a size, or runs a body.
    """
    return str(node.try_get_kernel_name() or kernel_of(node))


def planned(buffer: Any, nodes: Mapping[str, int]) -> dict[str, Any]:
    """A buffer once its layout is decided, as fields of the fact; `nodes` are indices by name."""
    facts: dict[str, Any] = {
        "operation": hooks.OPERATION_NAME.of(buffer) or "",
        "layout": type(buffer.layout).__name__,
        "of": _within(buffer),
        "kernel": kernel_of(buffer),
    }
    if isinstance(buffer.layout, ir.Layout):
        facts |= _laid_out(buffer.layout)
    if isinstance(buffer, ir.ComputedBuffer):
        facts["nodes"] = tuple(sorted({nodes[o.name] for o in buffer.origins if o.name in nodes}))
        if isinstance(buffer.data, ir.Loops):  # flex attention's functions may return an input
            facts["reduction"] = str(buffer.data.get_reduction_type() or "")
    else:
        facts["reads"] = tuple(dict.fromkeys(_inputs(hooks.INPUTS.of(buffer))))
    return facts


def _laid_out(layout: Any) -> dict[str, Any]:
    size = [_plain(length) for length in layout.size]
    known = [length for length in size if isinstance(length, int)]
    return {
        "dtype": dtype_name(layout.dtype),
        "device": str(layout.device),
        "shape": tuple(map(str, size)),
        "stride": tuple(str(_plain(step)) for step in layout.stride),
        "bytes": math.prod(known, start=layout.dtype.itemsize) if known == size else None,
    }


def _plain(size: Any) -> Any:
    """A size as a number where it is one: sympy's take long to become text."""
    return int(size) if getattr(size, "is_Integer", False) else size


def _within(buffer: Any) -> str:
    """The buffer that this one lies in, writes to, or is a part of."""
    match buffer.layout:
        case ir.MutationLayoutSHOULDREMOVE() as layout:
            return layout.get_buffer().get_name()
        case ir.NonOwningLayout() as layout:
            return layout.view.get_name()
        case _:
            parts = _inputs(buffer.inputs) if isinstance(buffer, ir.MultiOutput) else iter(())
            return next(parts, "")


def _inputs(inputs: Any) -> Iterator[str]:
    """The names of what a kernel is given, which may lie in lists."""
    for item in inputs:
        if isinstance(item, list | tuple):
            yield from _inputs(item)
        elif hasattr(item, "get_name") and not type(item).__name__.endswith("Constant"):
            yield item.get_name()


def parts_of(schedule: Any) -> Sequence[Any]:
    """What a kernel is made for: scheduler nodes, or one extern kernel."""
    return schedule if isinstance(schedule, list | tuple) else (schedule,)
