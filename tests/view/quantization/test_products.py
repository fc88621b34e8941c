"""Products of integers: the kernel that does each, and what is no quantized product."""

from __future__ import annotations

from typing import Any

import pytest

from dynamo_lab.model.graphs import Value
from dynamo_lab.model.lowering import Buffer, Lowered, Lowering
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.quantization.products import Product, products
from tests.view.samples.table import Table, graph

F32, I8, U8 = (Value(dtype=kind, shape=("8", "8")) for kind in ("f32", "i8", "u8"))
SCALE = Value(dtype="f32", shape=("8", "1"))
TO_FLOAT = "prims.convert_element_type.default"


def found(table: Table, node: int, kernel: str = "extern_kernels.mm") -> list[Product]:
    extern: dict[str, Any] = {"kind": "extern", "form": "ExternKernelOut"}
    made = Buffer(id=0, name="buf0", graph=0, kernel=kernel, **extern)
    row = Lowered(node=node, outcome="extern", form="ExternKernelOut", buffers=(0,))
    recording = Recording(
        title="f",
        graphs=(graph(0, table, "post_grad"),),
        buffers=(made,),
        lowerings=(Lowering(graph=0, nodes=(row,)),),
    )
    return list(products(recording))


def test_weights_that_are_made_float_before_the_product() -> None:
    table = Table()
    x, weight, scale = table.input("x", F32), table.input("w", I8), table.input("s", SCALE)
    floats = table.node("floats", TO_FLOAT, weight, value=F32)
    scaled = table.node("scaled", "aten.mul.Tensor", floats, scale, value=F32)
    turned = table.node("turned", "aten.permute.default", scaled, value=F32)
    (one,) = found(table, table.node("mm", "aten.mm.default", x, turned, value=F32))
    assert (one.kernel, one.given, one.weight, one.is_integer) == ("", "f32", "i8", True)


def test_the_operands_of_a_sum_come_after_what_is_added() -> None:
    table = Table()
    x, weight, added = table.input("x", F32), table.input("w", I8), table.input("b", F32)
    floats = table.node("floats", "quantized_decomposed.dequantize_per_channel.default", weight,
                        value=F32)  # fmt: skip
    (one,) = found(table, table.node("mm", "aten.addmm.default", added, x, floats, value=F32))
    assert (one.given, one.weight) == ("f32", "i8")


@pytest.mark.parametrize("is_weight", [True, False])
def test_a_mask_of_bytes_and_an_image_are_no_quantized_weights(is_weight: bool) -> None:
    table = Table()
    x, weight, bytes_ = table.input("x", F32), table.input("w", F32), table.input("b", U8)
    floats = table.node("floats", TO_FLOAT, bytes_, value=F32)
    masked = table.node("masked", "aten.mul.Tensor", weight, floats, value=F32)
    pair = (x, masked) if is_weight else (floats, weight)
    assert found(table, table.node("mm", "aten.mm.default", *pair, value=F32)) == []


@pytest.mark.parametrize(
    ("packed", "read_as", "weights"),
    [("i32", "i8", ["i8"]), ("i8", "f16", []), ("i8", "i8", ["i8"])],
)
def test_a_view_as_another_type_is_what_is_read(
    packed: str, read_as: str, weights: list[str]
) -> None:
    """`w.view(torch.int8)` of packed integers; halves whose bytes are stored are no integers."""
    table = Table()
    x = table.input("x", F32)
    weight = table.input("w", Value(dtype=packed, shape=("8", "2")))
    bytes_ = Value(dtype=read_as, shape=("8", "8"))
    viewed = table.node("view", "aten.view.dtype", weight, value=bytes_)
    floats = table.node("floats", TO_FLOAT, viewed, value=F32)
    made = found(table, table.node("mm", "aten.mm.default", x, floats, value=F32))
    assert [one.weight for one in made] == weights


def test_a_part_of_weights_is_what_the_whole_is() -> None:
    """What `split` makes has no type of its own."""
    table = Table()
    x, weight = table.input("x", F32), table.input("w", I8)
    floats = table.node("floats", TO_FLOAT, weight, value=F32)
    parts = table.node("split", "aten.split.Tensor", floats, value=Value())
    part = table.node("getitem", "operator.getitem", parts, value=F32)
    (one,) = found(table, table.node("mm", "aten.mm.default", x, part, value=F32))
    assert one.weight == "i8"


def test_without_bytes_there_is_nothing_to_look_for() -> None:
    table = Table()
    x, weight = table.input("x", F32), table.input("w", F32)
    assert found(table, table.node("mm", "aten.mm.default", x, weight, value=F32)) == []


@pytest.mark.parametrize(
    ("target", "kernel", "pattern"),
    [
        ("torch._inductor.fx_passes.quantization.qlinear", "onednn.qlinear_pointwise", "qlinear"),
        ("aten._int_mm.default", "extern_kernels._int_mm", ""),
        ("aten._weight_int4pack_mm_for_cpu.default", "quantized.int4mm_packed_weight_cpu", ""),
    ],
)
def test_a_kernel_for_integers_is_named(target: str, kernel: str, pattern: str) -> None:
    table = Table()
    x, weight, scale = table.input("x", U8), table.input("w", I8), table.input("s", SCALE)
    (one,) = found(table, table.node("q", target, x, scale, weight, value=F32), kernel)
    assert (one.kernel, one.given, one.weight, one.pattern) == (kernel, "u8", "i8", pattern)


def test_a_long_chain_of_sums_is_walked_once() -> None:
    """Each node is read twice, so that there are 2 ** 60 ways up."""
    table = Table()
    x, at = table.input("x", F32), table.input("w", I8)
    at = table.node("floats", TO_FLOAT, at, value=F32)
    for number in range(60):
        at = table.node(f"sum_{number}", "aten.add.Tensor", at, at, value=F32)
    (one,) = found(table, table.node("mm", "aten.mm.default", x, at, value=F32))
    assert one.weight == "i8"


def test_an_identity_whose_rows_are_counted_in_bytes_is_no_quantized_weight() -> None:
    """What PyTorch makes of `x @ torch.eye(8)`."""
    table = Table()
    x, count = table.input("x", F32), Value(dtype="u8", shape=("8",))
    rows = table.node("iota", "prims.iota.default", value=count)
    columns = table.node("iota_1", "prims.iota.default", value=count)
    column = Value(dtype="u8", shape=("8", "1"))
    turned = table.node("unsqueeze", "aten.unsqueeze.default", rows, value=column)
    same = Value(dtype="b8", shape=("8", "8"))
    equal = table.node("eq", "aten.eq.Tensor", turned, columns, value=same)
    identity = table.node("floats", TO_FLOAT, equal, value=F32)
    assert found(table, table.node("mm", "aten.mm.default", x, identity, value=F32)) == []
