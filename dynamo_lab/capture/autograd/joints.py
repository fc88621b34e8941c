"""Joint graphs: what belongs together in one, and its partition under another budget."""

import operator
from collections.abc import Iterable
from itertools import groupby, islice
from typing import Any

import torch
from torch import fx

from dynamo_lab.capture.autograd.hooks import CHOICE
from dynamo_lab.capture.graphs.links import (
    is_backward,
    is_sum_of_gradients,
    of_backward,
    origin_names,
)
from dynamo_lab.model.autograd import Differentiated, Repartition
from dynamo_lab.model.core.flops import Call, flops_of, may_be_product


class Joint:
    """A joint graph as the partitioner saw it, with what it knew of its nodes."""

    def __init__(self, graph: fx.Graph, info: Any, budget: float) -> None:
        self.graph = graph
        self.budget = budget
        self._info = info

    def cut_again(self, budget: float) -> Repartition:
        """What the partitioner saves under a budget: the share of activation memory allowed."""
        choose = CHOICE.get()
        with torch.no_grad():
            saved = choose(self.graph, self._info, budget)
            again = self._computed_again(set(saved))
            given = _given(self.graph)
            return Repartition(
                budget=budget,
                saved=tuple(node.name for node in saved),
                activation_bytes=_new_bytes(self.graph, saved),
                operators=len(again),
                flops=sum(count or 0 for count in map(_flops, again)),
                uncounted=sum(_flops(node) is None for node in again),
                inputs=sum(storage_of(node) in given for node in saved),
            )

    def _computed_again(self, saved: set[fx.Node]) -> list[fx.Node]:
        """The forward's operators that the backward needs and that are not saved, without views."""
        needed = [n for n in self.graph.nodes if n.op != "output" and self._info.is_required_bw(n)]
        found = dict.fromkeys(needed)
        while needed:
            for read in needed.pop().all_input_nodes:
                if read not in saved and read not in found:
                    found[read] = None
                    needed.append(read)
        return [node for node in found if self._is_forward_operator(node) and not is_free(node)]

    def _is_forward_operator(self, node: fx.Node) -> bool:
        return node.op == "call_function" and self._info.is_required_fw(node)


def _flops(node: fx.Node) -> int | None:
    """Floating-point operations of a node's products; None where they are not known."""
    if not may_be_product(str(node.target)) or not _is_floating(node):
        return 0
    results = [shape for shape in map(_shape, _values(node)) if shape is not None]
    call = Call(
        shapes=tuple(map(_shape_of, node.args)),
        arguments=tuple(map(str, node.args)),
        results=tuple(results),
    )
    return flops_of(str(node.target), call)


def _is_floating(node: fx.Node) -> bool:
    kinds = [value.dtype for value in _values(node) if isinstance(value, torch.Tensor)]
    return not kinds or any(kind.is_floating_point or kind.is_complex for kind in kinds)


def _values(node: fx.Node) -> tuple[Any, ...]:
    """What a node returns, one by one."""
    value = node.meta.get("val")
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def _shape_of(argument: Any) -> tuple[int, ...] | None:
    return _shape(argument.meta.get("val")) if isinstance(argument, fx.Node) else None


def _shape(value: Any) -> tuple[int, ...] | None:
    """The sizes of a tensor as they are now; None of anything else."""
    if not isinstance(value, torch.Tensor):
        return None
    sizes = [size_now(size) for size in value.shape]
    return tuple(size for size in sizes if size is not None) if None not in sizes else None


def storage_of(node: Any) -> int:
    """A number that values share when they share memory; of no other value where it has none."""
    storage = _storage(node) if isinstance(node, fx.Node) else None
    return id(node) if storage is None else storage._cdata


def held_by(node: fx.Node) -> int | None:
    """The bytes of the storage that a node's value keeps alive, None where they are not known.

    Symbolic sizes stand for those of the call that is compiled, as they do for the partitioner.
    """
    storage = _storage(node)
    return None if storage is None else size_now(storage.nbytes())


def _storage(node: fx.Node) -> Any:
    """The storage of a node's value; None where it has none of its own."""
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
        return None
    try:
        return value.untyped_storage()
    except (NotImplementedError, RuntimeError):  # a subclass that wraps several tensors
        return None


def bytes_of(node: fx.Node) -> int | None:
    """The bytes of the elements of a node's value, with sizes as for `held_by`."""
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor):
        return None
    return size_now(value.numel() * value.element_size())


def size_now(size: Any) -> int | None:
    """A size as it is in the call that is compiled; asking for its hint adds no guard."""
    hint = size if isinstance(size, int) else size.node.hint
    return hint if isinstance(hint, int) else None


def is_free(node: fx.Node) -> bool:
    """Whether a node computes nothing: a view, a part of a tuple, arithmetic on sizes."""
    value = node.meta.get("val")
    if node.target is operator.getitem or isinstance(value, torch.SymInt | torch.SymFloat):
        return True
    is_tensor = isinstance(value, torch.Tensor)
    return is_tensor and storage_of(node) in {storage_of(read) for read in node.all_input_nodes}


def read_by_backward(joint: fx.Graph) -> int:
    """What the forward's values take that the backward reads, inputs left out."""
    backward = of_backward(joint.nodes)
    read = (value for node in backward for value in node.all_input_nodes)
    return _new_bytes(joint, (value for value in read if value not in backward))


def _new_bytes(joint: fx.Graph, values: Iterable[fx.Node]) -> int:
    """What values take beyond the graph's inputs, each storage once."""
    given = _given(joint)
    sizes = {storage_of(value): held_by(value) or 0 for value in values}
    return sum(size for storage, size in sizes.items() if storage not in given)


def _given(joint: fx.Graph) -> set[int]:
    """The storages of parameters and inputs, which live anyway; a view of one is in it too."""
    return {storage_of(node) for node in joint.nodes if node.op == "placeholder"}


_ADDED_UP, _UNNUMBERED = object(), object()


def differentiated_by(joint: fx.Graph) -> Iterable[Differentiated]:
    """The nodes by the number that autograd gave each operator; its gradients carry the same.

    An operator without a gradient has the number of the last one before it that has one, so runs
    of one operator and one captured node are separated, and the gradients belong to the first.
    """
    forward: dict[Any, list[tuple[tuple[str, str | None], int]]] = {}
    backward: dict[Any, list[int]] = {}
    after = of_backward(joint.nodes)
    for index, node in enumerate(joint.nodes):
        if node.op != "call_function":
            continue
        number = node.meta.get("seq_nr")
        if is_backward(node):
            number = _ADDED_UP if is_sum_of_gradients(node) else number
            backward.setdefault(number, []).append(index)
        elif node in after:  # of a user's own backward, whose forward autograd does not tell
            backward.setdefault((_operator(node), next(origin_names(node), None)), []).append(index)
        else:  # what AOTAutograd itself creates has no number: no gradient belongs to it
            forward.setdefault(_UNNUMBERED if number is None else number, []).append(
                ((_operator(node), next(origin_names(node), None)), index)
            )
    for number, nodes in forward.items():
        runs = [(key, tuple(i for _, i in run)) for key, run in groupby(nodes, lambda n: n[0])]
        for (name, _), run in runs:
            gradients = tuple(backward.pop(number, ()))
            yield Differentiated(operator=name, forward=run, backward=gradients)
    for number, gradients in backward.items():
        name = "" if number is _ADDED_UP else _operator_of(joint, gradients[0])
        yield Differentiated(operator=name, forward=(), backward=tuple(gradients))


def _operator_of(joint: fx.Graph, index: int) -> str:
    return _operator(next(islice(joint.nodes, index, None)))


def _operator(node: fx.Node) -> str:
    """The operator that was called, before it was decomposed."""
    original = node.meta.get("original_aten") or node.target
    return str(getattr(original, "overloadpacket", None) or getattr(original, "__name__", original))
