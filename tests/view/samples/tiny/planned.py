"""A planned training step: its operations, values, and what could be updated."""

from __future__ import annotations

from msgspec import structs

from dynamo_lab.model.recording import Recording
from dynamo_lab.model.tiny import (
    TinyBar,
    TinyOperation,
    TinyParameter,
    TinyPlan,
    TinyValue,
    Training,
)
from tests.view.samples.table import Table, graph


def planned() -> Recording:
    """A product and the step of its weight, in more memory than is allowed."""
    table = Table()
    weight = table.input("weight")
    product = table.node("mm", "aten.mm.default", weight, module="head")
    table.output(product)
    bar = TinyBar(
        name="sparse", bytes=96, weights=32, state=0, sample=0, activations=64, gradients=0
    )
    plan = TinyPlan(
        precision="float32",
        passes=(),
        bars=(structs.replace(bar, name="full update", bytes=960, gradients=864), bar),
        limit=64,
        arena=64,
        alive=64,
        order_bound=48,
        resident=32,
        frozen=0,
        parameters=16,
        updated=8,
        updated_tensors=1,
        peak_at="mm",
        operations=(
            TinyOperation(name="mm", phase="forward", bytes=96, node=product),
            TinyOperation(name="sgd_", phase="update", bytes=32),
        ),
        values=(
            TinyValue(name="head.weight", kind="weight", bytes=32, start=0, end=1, node=weight),
            TinyValue(name="mm", kind="activation", bytes=64, start=0, end=0, offset=0),
        ),
        trainable=(
            TinyParameter(name="head.weight", elements=16, channels=4, updated=0.5, node=weight),
        ),
    )
    joint = structs.replace(graph(0, table, "joint"), frame=None)
    return Recording(title="step", graphs=(joint,), training=Training(graph=0, plan=plan))
