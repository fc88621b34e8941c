"""A convolution under autocast, a concatenation, and two products, one of them of integers."""

from typing import Any

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.graphs import Value
from dynamo_lab.model.layouts.choices import LayoutChoice
from dynamo_lab.model.lowering import Buffer, LoopLine, Lowered, Lowering
from dynamo_lab.model.recording import Recording
from tests.view.samples.table import Table, graph

CELL = """\
with torch.autocast("cpu", torch.bfloat16):
    y = conv(x)
z = torch.cat([y, y], 1)
a = quantized(z)
b = product(z)"""

_IMAGE = ("2", "3", "16", "16")
_LAST = ("768", "1", "48", "3")
_MOVE = (LoopLine("ops.load()", "load"), LoopLine("ops.store()", "store"))
_QLINEAR = "torch.ops.onednn.qlinear_pointwise.default"


def _value(dtype: str, *shape: str) -> Value:
    return Value(dtype=dtype, shape=shape)


def choosing() -> Recording:
    """One graph, and what it is lowered from."""
    return Recording(
        title="choosing",
        sources=(Source("<ipython-input-7-abc>", "cell", (Excerpt(1, CELL),)),),
        spans=tuple(Span(0, line, "cell") for line in range(1, 6)),
        stacks=((0,), (1,), (2,), (3,), (4,)),
        frames=(Frame(id=0, name="<cell>", span=0, outcome="compiled"),),
        graphs=(graph(0, _captured()), graph(1, _generated(), "post_grad")),
        buffers=_buffers(),
        layout_choices=(LayoutChoice(graph=1, chosen=True, rule="oneDNN", convolutions=1),),
        lowerings=(Lowering(graph=1, nodes=_rows()),),
    )


def _captured() -> Table:
    table = Table()
    x, weight = table.input("x", _value("f32", *_IMAGE)), table.input("w", _value("f32", "3", "3"))
    called: dict[str, Any] = {"arguments": "'cpu', torch.bfloat16, True, None", "value": Value()}
    entered = table.node("enter", "torch.amp._enter_autocast", **called)
    conv = table.node("conv", "torch.conv2d", x, weight, stack=1, value=_value("bf16", *_IMAGE))
    table.node("exit", "torch.amp._exit_autocast", entered, value=Value())
    table.output(conv)
    return table


def _generated() -> Table:
    table = Table()
    x = table.input("x", Value(dtype="f32", shape=_IMAGE, stride=("768", "256", "16", "1")))
    weight = table.input("w", _value("f32", "3", "3", "1", "1"))
    packed = table.input("packed", _value("i8", "8", "8"))
    floats = table.input("floats", _value("f32", "8", "8"))
    conv = table.node("conv", "aten.convolution.default", x, weight, stack=1)
    cat = table.node("cat", "aten.cat.default", conv, conv, stack=2)
    flat = table.node("flat", "aten.relu.default", cat, value=_value("u8", "2", "8"))
    target = "torch._inductor.fx_passes.quantization.qlinear"
    product = table.node("q", target, flat, packed, stack=3, value=_value("f32", "2", "8"))
    mm = table.node(
        "mm", "aten.mm.default", product, floats, stack=4, value=_value("f32", "2", "8")
    )
    table.output(mm)
    return table


def _buffers() -> tuple[Buffer, ...]:
    image: dict[str, Any] = {"graph": 1, "shape": _IMAGE, "stride": _LAST, "bytes": 6144}
    extern: dict[str, Any] = {"graph": 1, "kind": "extern", "form": "ExternKernelAlloc"}
    return (
        Buffer(id=0, name="buf0", kind="pointwise", form="Pointwise", body=_MOVE, reads=("x",),
               **image),
        Buffer(id=1, name="buf1", kernel="extern_kernels.convolution", reads=("buf0", "w"),
               **{**image, **extern}),
        Buffer(id=2, name="buf2", kind="joined", form="ConcatKernel", reads=("buf1",), **image),
        Buffer(id=3, name="buf3", kernel=_QLINEAR, reads=("buf2", "packed"), **extern),
        Buffer(id=4, name="buf4", kernel="extern_kernels.mm", reads=("buf3", "floats"), **extern),
    )  # fmt: skip


def _rows() -> tuple[Lowered, ...]:
    extern: dict[str, Any] = {"outcome": "extern", "form": "ExternKernelAlloc"}
    return (
        Lowered(node=4, buffers=(0, 1), **extern),
        Lowered(node=5, outcome="realised", form="ConcatKernel", buffers=(2,)),
        Lowered(node=7, buffers=(3,), **extern),
        Lowered(node=8, buffers=(4,), **extern),
    )
