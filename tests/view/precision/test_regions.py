"""Autocast in captured graphs: what is cast in a region, and what is no cast of autocast's."""

from __future__ import annotations

import pytest

from dynamo_lab.model.graphs import Value
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.precision.regions import Region, regions
from tests.view.samples.table import Table, graph

F32, BF16, F64, I64 = (
    Value(dtype=kind, shape=("8", "8")) for kind in ("f32", "bf16", "f64", "i64")
)
ENTER, EXIT = "torch.amp.autocast_mode._enter_autocast", "torch.amp.autocast_mode._exit_autocast"
LINEAR = "torch.nn.functional.linear"


def entered(table: Table, arguments: str) -> int:
    return table.node("_enter_autocast", ENTER, arguments=arguments, value=Value())


def left(table: Table, region: int) -> None:
    table.node("_exit_autocast", EXIT, region, value=Value())


def found(table: Table) -> list[Region]:
    return list(regions(Recording(title="f", graphs=(graph(0, table),))))


def names(region: Region) -> list[tuple[str, str, bool]]:
    return [(cast.name, cast.dtype, cast.is_narrower) for cast in region.casts]


def test_a_cast_is_of_the_innermost_region_that_is_open() -> None:
    table = Table()
    x, w = table.input("x", F32), table.input("w", F32)
    outer = entered(table, "'cpu', torch.bfloat16, True, None")
    first = table.node("linear", LINEAR, x, w, value=BF16)
    inner = entered(table, "'cpu', torch.bfloat16, False, None")
    table.node("linear_1", LINEAR, x, w, value=F32)
    left(table, inner)
    table.node("softmax", "torch.nn.functional.softmax", first, value=F32)
    left(table, outer)
    table.node("linear_2", LINEAR, x, w, value=F32)
    on, off = found(table)
    assert (on.node, on.device, on.dtype, on.enabled) == (outer, "cpu", "bfloat16", True)
    assert names(on) == [("linear", "bf16", True), ("softmax", "f32", False)]
    assert (off.node, off.dtype, off.enabled, off.casts) == (inner, "", False, ())


def test_its_default_type_is_not_guessed() -> None:
    table = Table()
    entered(table, "'cuda', None, True, None")
    (region,) = found(table)
    assert (region.device, region.dtype, region.casts) == ("cuda", "", ())


@pytest.mark.parametrize(
    ("target", "arguments", "op"),
    [
        ("to", "x, torch.bfloat16", "call_method"),
        ("bfloat16", "x", "call_method"),
        ("torch.sum", "x, dtype=torch.bfloat16", "call_function"),
        ("view", "x, torch.bfloat16", "call_method"),
        ("add_", "y, x", "call_method"),  # what is written in place keeps its type
        ("copy_", "y, x", "call_method"),
        ("operator.setitem", "y, 0, x", "call_function"),
        ("torch.add", "x, x, out=y", "call_function"),
    ],
)
def test_what_the_program_casts_itself_is_not_autocast_s(
    target: str, arguments: str, op: str
) -> None:
    table = Table()
    x, y = table.input("x", F32), table.input("y", BF16)
    region = entered(table, "'cpu', torch.bfloat16, True, None")
    table.node("made", target, x, y, value=BF16, op=op, arguments=arguments)
    left(table, region)
    table.node("again", target, x, y, value=BF16, op=op, arguments=arguments)
    assert [one.casts for one in found(table)] == [()]


@pytest.mark.parametrize(
    ("target", "given", "made", "is_seen"),
    [
        (LINEAR, F32, BF16, True),
        ("operator.matmul", F32, BF16, True),
        (LINEAR, F64, F32, True),
        (LINEAR, BF16, BF16, False),  # half weights without autocast
        (LINEAR, BF16, F32, False),
        ("mylib.pack", F32, BF16, False),  # whose own operator may do so without autocast
        ("torch.argmax", F32, I64, False),
    ],
)
def test_autocast_around_the_call_is_known_by_its_products(
    target: str, given: Value, made: Value, is_seen: bool
) -> None:
    table = Table()
    x, w = table.input("x", given), table.input("w", given)
    half = table.input("half", BF16)
    node = table.node("made", target, x, w, value=made)
    table.output(node, half)
    assert [(one.node, len(one.casts)) for one in found(table)] == ([(-1, 1)] if is_seen else [])
