"""A planned training step: its operations, values, and what could be updated."""

from __future__ import annotations

from msgspec import structs

from dynamo_lab.model.passes import GraphChange, NodeText, Pass, Pipeline, Placed
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.tiny import (
    StepMeasure,
    TinyBar,
    TinyOperation,
    TinyParameter,
    TinyPass,
    TinyPlan,
    TinyValue,
    Training,
)
from tests.view.samples.table import Table, graph


def stepped() -> Recording:
    """The same with two passes: the first makes a node of `mm`, the second another of its name."""
    known = planned()
    assert known.training is not None
    before = StepMeasure(bytes=960, resident=32, operations=3, flops=64_000)
    middle = structs.replace(before, bytes=480, seconds=(0.0019, 0.002, 0.00205))
    after = structs.replace(middle, operations=2, flops=None, seconds=None)
    passes = (
        TinyPass(name="prune", sentence="less is kept", before=before, after=middle),
        TinyPass(name="quantize", sentence="in integers", before=middle, after=after),
    )
    plan = structs.replace(known.training.plan, passes=passes)
    made = NodeText("made", "call_function", "aten.sum.default", "weight", "f32[8]")
    again = NodeText("made", "call_function", "conv8", "weight", "i8[8]")
    return structs.replace(
        known,
        training=structs.replace(known.training, plan=plan, pipeline=0),
        pipelines=(Pipeline(id=0, phase="training", compile_id="", graphs={"": 0}, end=2),),
        passes=(
            Pass(
                id=0,
                pipeline=0,
                name="prune",
                description="Less is kept.",
                seconds=0.001,
                changes=(GraphChange(removed=("mm",), added=(Placed(1, made),)),),
                origins={"made": "mm"},
            ),
            Pass(
                id=1,
                pipeline=0,
                name="quantize",
                description="In integers.",
                changes=(GraphChange(removed=("made",), added=(Placed(1, again),)),),
                origins={"made": ""},
            ),
        ),
    )


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
