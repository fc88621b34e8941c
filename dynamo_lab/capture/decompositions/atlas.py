"""Counts of operators: what the installed PyTorch has registered, tagged, and has rules for."""

import functools
from collections.abc import Iterable, Iterator
from typing import Any, get_args

import torch

from dynamo_lab.capture.decompositions import hooks
from dynamo_lab.capture.decompositions.natives import native_functions, native_on
from dynamo_lab.capture.decompositions.rulebook import Rulebook, describe, is_core, lowering_of
from dynamo_lab.capture.graphs.operators import named
from dynamo_lab.model.decompositions import (
    DEVICES,
    TARGETS,
    Census,
    Device,
    Entry,
    Level,
    Lowering,
    Native,
    Overload,
    Placed,
)


def levels() -> tuple[Level, ...]:
    """From all that is registered down to the operators of Inductor's loops."""
    everything, aten = _overloads(), _aten()
    table = Rulebook("prims")
    rules = [op for op in aten if op in table]
    generated = [op for op in aten if lowering_of(op) == "code"]
    known = (
        (
            "all namespaces",
            everything,
            "what the dispatcher knows, quantized ones included",
            "",
        ),
        ("ATen", aten, "torch.ops.aten", "2,000+ overloads of 1,200+ operators"),
        (
            "ATen, functional",
            [op for op in aten if not _writes(op)],
            "without those that write to an argument: in-place and out=",
            "",
        ),
        (
            "not composite",
            [op for op in aten if not _writes(op) and not op._can_decompose()],
            "the rest is composed of others by kernels in C++ (CompositeImplicitAutograd)",
            "about 750 canonical operators",
        ),
        ("with a rule in Python", rules, "registered decompositions and references", ""),
        ("Inductor writes code", generated, "a lowering that is no call of a kernel", ""),
        (
            "core ATen",
            [op for op in aten if is_core(op)],
            "tagged core: what a backend is promised",
            "",
        ),
        ("prims", _of(everything, "prims"), "torch.ops.prims", "about 250"),
    )
    counted = tuple(
        Level(title=title, operators=_packets(ops), overloads=len(ops), text=text, seed=seed)
        for title, ops, text, seed in known
    )
    loops = len(_loop_operators())
    text = "what Inductor's loops are written in (OpsHandler)"
    loop = Level(title="loop IR", operators=loops, overloads=loops, text=text, seed="about 50")
    return (*counted, loop)


def entries() -> tuple[Entry, ...]:
    """Each ATen operator, by name."""
    table = Rulebook("prims")
    of_name: dict[str, list[Any]] = {}
    for op in _aten():
        of_name.setdefault(str(op.overloadpacket), []).append(op)
    return tuple(_entry(name, ops, table) for name, ops in sorted(of_name.items()))


def _entry(name: str, ops: list[Any], table: Rulebook) -> Entry:
    return Entry(
        name=name,
        overloads=len(ops),
        core=sum(map(is_core, ops)),
        composite=sum(op._can_decompose() for op in ops),
        rules=sum(op in table for op in ops),
        inductor=min(map(lowering_of, ops), key=get_args(Lowering).index),
    )


def census(device: Device) -> Census:
    """Where the kernels of all functions of PyTorch's list are, on a device."""
    rules = Rulebook("inductor")
    known = {_listed(op): op for op in _aten()}
    return Census(
        device=device,
        release=str(torch.__version__),
        functions=tuple(
            Placed(
                name=name,
                native=native_on(name, device),
                is_lowered=name in known
                and (known[name] in rules or lowering_of(known[name]) == "code"),
            )
            for name in native_functions()
        ),
    )


def _listed(op: Any) -> str:
    """An overload by its name in PyTorch's list: "add.Tensor", "relu"."""
    return op.name().partition("::")[2]


def overloads(name: str) -> tuple[Overload, ...]:
    """Each overload of an operator.

    Raises:
        DecompositionError: there is no such operator.
    """
    found = named(name)
    packet = getattr(found, "overloadpacket", found)
    ops = [found] if found is not packet else list(_dispatched(packet))
    books = {to: Rulebook(to) for to in TARGETS}
    return tuple(_overload(op, books) for op in ops)


def _dispatched(packet: Any) -> Iterator[Any]:
    """The overloads that the dispatcher knows: a packet also lists TorchScript's own."""
    known = set(hooks.ALL_OPERATORS.get()())
    for overload in packet.overloads():
        op = getattr(packet, overload)
        if op.name() in known:
            yield op


def _overload(op: Any, books: dict[Any, Rulebook]) -> Overload:
    found = {to: book.rule(op) for to, book in books.items()}
    return Overload(
        name=str(op),
        schema=str(op._schema),
        tags=tuple(sorted(tag.name for tag in op.tags)),
        rules={to: describe(rule, op) if rule else None for to, rule in found.items()},
        ends={to: books[to].end(op) for to, rule in found.items() if rule is None},
        lowering=lowering_of(op),
        natives=_natives(op) if op.namespace == "aten" else {},
    )


def _natives(op: Any) -> dict[Device, Native]:
    return {device: native_on(_listed(op), device) for device in DEVICES}


@functools.cache
def _overloads() -> tuple[Any, ...]:
    """Every overload that is registered."""
    hooks.LOWERINGS.get()  # importing them registers Inductor's own operators
    return tuple(_loaded(hooks.ALL_OPERATORS.get()()))


def _loaded(names: Iterable[str]) -> Iterator[Any]:
    for name in sorted(names):
        namespace, _, rest = name.partition("::")
        packet, _, overload = rest.partition(".")
        try:
            found = getattr(getattr(torch.ops, namespace), packet)
            yield getattr(found, overload or "default")
        except (AttributeError, RuntimeError):  # TorchScript's own: not for tensors
            continue


def _aten() -> list[Any]:
    return _of(_overloads(), "aten")


def _of(ops: Iterable[Any], namespace: str) -> list[Any]:
    return [op for op in ops if op.namespace == namespace]


def _packets(ops: Iterable[Any]) -> int:
    return len({(op.namespace, op.overloadpacket.__name__) for op in ops})


def _writes(op: Any) -> bool:
    return bool(op._schema.is_mutable)


def _loop_operators() -> list[str]:
    plumbing = {"placeholder", "output"}  # of the FX graph that a loop is traced into
    return [
        name for name in vars(hooks.LOOP_OPERATORS.get()) if name[0] != "_" and name not in plumbing
    ]
