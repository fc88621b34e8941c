"""Why Inductor stores a value or calls a kernel for it, from the functions that led there."""

import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from torch import fx

from dynamo_lab.capture.lowering import hooks
from dynamo_lab.capture.lowering.limits import heavy_operators, realize_limits
from dynamo_lab.model.lowering import Cause, Why

_ASKERS: dict[str, Cause] = {
    "mark_buffer_mutated": "mutated",
    "realize_into": "in place",
    "copy_input": "copy",
    "realize_input": "needed",
    "as_storage_and_layout": "strides",
    "require_strides": "strides",
    "require_stride_order": "strides",
    "require_exact_strides": "strides",
}

_PLUMBING = frozenset({
    "__init__", "call_function", "create", "decide_layout", "handler", "inner", "realize",
    "register_buffer", "run_node", "tree_map", "wrap_tensors", "wrapped", "<listcomp>", "<genexpr>",
})  # fmt: skip


def asking() -> list[FrameType]:
    """The functions of Inductor that led here, the innermost first, up to the operator's."""
    return list(_frames(sys._getframe(1)))


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        if "_inductor" in frame.f_code.co_filename:
            yield frame
            if frame.f_code.co_name == "run_node":
                return
        frame = frame.f_back


def why_stored(loops: Any, node: fx.Node, frames: Sequence[FrameType]) -> Why:
    """Why a loop's result is put into memory, while `node` is being lowered."""
    names = [frame.f_code.co_name for frame in frames]
    for name, frame in zip(names, frames, strict=True):
        if frame.f_code.co_qualname == "ConcatKernel.realize_into":
            return Why(cause="joined")
        if name == "mark_reuse":
            return _reused(loops, frame, _rule(names))
        if name == "mark_buffer_mutated":
            return Why(cause="mutated", by=str(frame.f_locals.get("name", "")))
        if name in _ASKERS:
            return _asked(_ASKERS[name], node, names)
    if node.op == "output":
        return Why(cause="output")
    rule = _rule(names)
    if rule:
        return _by_rule(loops, rule)
    if "call_function" in names:
        return _by_rule(loops, "")
    return _by_the_graph(loops, node, hinted="realize_hint" in names)


def _asked(cause: Cause, node: fx.Node, names: Sequence[str]) -> Why:
    """Something needs it in memory: the graph itself if it is an output, else a user of it."""
    by_the_graph = "call_function" not in names and _is_output(node)
    if cause in ("strides", "needed", "copy") and (node.op == "output" or by_the_graph):
        return Why(cause="output")
    return Why(cause=cause, by=_rule([name for name in names if name not in _ASKERS]))


def _by_rule(loops: Any, rule: str) -> Why:
    kind = type(loops).__name__
    if "Reduction" in kind:
        return Why(cause="reduction", by=rule)
    return Why(cause="scan" if kind in ("Scan", "Sort") else "rule", by=rule)


def _by_the_graph(loops: Any, node: fx.Node, *, hinted: bool) -> Why:
    """What `GraphLowering.run_node` decides once the operator is lowered."""
    _, most_operations, most_reads = _limits(loops)
    counted = loops.inner_fn_opcount()
    if hinted:
        if loops.num_reads() > most_reads:
            return Why(cause="many reads", count=loops.num_reads(), limit=most_reads)
        if counted.num_ops > most_operations:
            return Why(cause="large", count=counted.num_ops, limit=most_operations)
        return Why(cause="read again", by=_demanding(node), users=len(node.users))
    if _is_output(node):
        return Why(cause="output")
    if counted.num_ops > most_operations:
        return Why(cause="large", count=counted.num_ops, limit=most_operations)
    return Why(cause="strides")


def _reused(loops: Any, frame: FrameType, rule: str) -> Why:
    """Its readers would each compute it again."""
    most_reads, most_operations, _ = _limits(loops)
    counted = loops.inner_fn_opcount()
    users: Any = frame.f_locals.get("users")
    users = users if isinstance(users, int) else None
    heavy = next((name for name in heavy_operators() if name in counted.used_ops), "")
    if heavy and _on_cpu(loops):
        return Why(cause="heavy reuse", by=heavy, users=users)
    ops, reads = counted.num_ops, loops.num_reads()
    if ops <= most_operations and reads > most_reads:
        return Why(cause="reads reuse", by=rule, users=users, count=reads, limit=most_reads)
    # torch 2.15 allows two operations fewer where there are many readers
    limit = min(most_operations, ops - 1)
    return Why(cause="large reuse", by=rule, users=users, count=ops, limit=limit)


def why_fallback(frames: Sequence[FrameType], *, known: bool, listed: bool) -> Why:
    """Why PyTorch's own kernel is called; whether there was a rule, and if all it does is that."""
    names = [frame.f_code.co_name for frame in frames]
    if "call_function" not in names:
        asked = bool(hooks.FALLBACK_BY_DEFAULT.get())
        return Why(cause="asked" if asked else "unsupported")
    if not known:
        return Why(cause="unknown")
    if listed:
        return Why(cause="listed")
    rule = _rule(names)
    return Why(cause="rule", by=rule) if rule else Why(cause="asked")


def _rule(names: Sequence[str]) -> str:
    """The nearest function that is more than plumbing."""
    skipped = {"mark_reuse", "realize_hint", "should_realize_on_reuse"}
    return next((n for n in names if n not in _PLUMBING and n not in skipped), "")


def _demanding(node: fx.Node) -> str:
    demanding = hooks.NEEDS_REALIZED.get()
    return next((user.name for user in node.users if user.target in demanding), "")


def _is_output(node: fx.Node) -> bool:
    return any(user.op == "output" for user in node.users)


def _limits(loops: Any) -> tuple[int, int, int]:
    return realize_limits(on_cpu=_on_cpu(loops))


def _on_cpu(loops: Any) -> bool:
    return loops.get_device().type == "cpu"
