"""A model that was exported and compiled ahead of time."""

from msgspec.structs import replace

from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.kernels import Kernel, Wrapper
from dynamo_lab.model.packages import (
    Constant,
    DimFact,
    Export,
    Inlined,
    Package,
    PackageFailure,
    PackageFile,
)
from dynamo_lab.model.recording import Recording

from .table import KERNEL_CODE, Table, graph

CODE = "class Model(nn.Module):\n    def forward(self, x):\n        return self.lin(x) * self.scale"
WRAPPER = """\
#include <torch/csrc/inductor/aoti_runtime/model.h>
extern "C" void kernel(const float* in_ptr0, float* out_ptr0);
void AOTInductorModel::run_impl() {
    aoti_torch_cpu_addmm_out(buf0, lin_bias, arg0_1, lin_weight, 1L, 1L);
    kernel((const float*)(buf0.data_ptr()), (float*)(buf1.data_ptr()));
}"""


def packaged() -> Recording:
    """Two operators, of which one became a kernel in C++, with a constant written into it."""
    exported = Table()
    weight = exported.node("lin_weight", "lin.weight", op="get_attr")
    bias = exported.node("lin_bias", "lin.bias", op="get_attr")
    scale = exported.node("scale", "scale", op="get_attr")
    x = exported.input("x")
    linear = exported.node("linear", "aten.linear.default", x, weight, bias, stack=0)
    exported.output(exported.node("mul", "aten.mul.Tensor", linear, scale, stack=0))
    lowered = Table()
    x = lowered.input("arg0_1")
    product = lowered.node("addmm", "aten.addmm.default", x, stack=0)
    lowered.output(lowered.node("mul", "aten.mul.Tensor", product, stack=0))
    graphs = (graph(0, exported), graph(1, lowered, "post_grad"))
    return Recording(
        title="model.pt2",
        sources=(Source("/home/me/model.py", "user", (Excerpt(1, CODE),)),),
        spans=(Span(0, 3, "forward"),),
        stacks=((0,),),
        graphs=tuple(_without_frame(one) for one in graphs),
        links=(LinkTable(upstream=0, downstream=1, reason="traced from", pairs=((4, 1), (5, 2))),),
        kernels=(
            Kernel(
                id=0, name="aoti_torch_cpu_addmm_out", language="extern", graph=1, wrapper=0,
                nodes=(1,), line=4,
            ),
            Kernel(
                id=1, name="kernel", language="cpp", graph=1, wrapper=0, nodes=(2,),
                code=KERNEL_CODE, line=5,
            ),
        ),
        wrappers=(Wrapper(id=0, graph=1, compile_id="", is_backward=False, code=WRAPPER),),
        exports=(
            Export(
                model="Model",
                span=0,
                at=0,
                graph=0,
                facts=(
                    DimFact(input="x", axis=0, dim="", event="constant", value="8", span=0),
                ),
            ),
        ),
        packages=(
            Package(
                file="model.pt2",
                bytes=1_550_000,
                files=(
                    PackageFile(path="c1.wrapper.cpp", kind="wrapper", bytes=37_000),
                    PackageFile(path="c1.wrapper.so", kind="library", bytes=1_495_144),
                    PackageFile(path="archive_format", kind="other", bytes=3),
                ),
                constants=(
                    Constant(
                        name="lin_weight", source="lin.weight", role="Parameter",
                        dtype="float32", shape=(8, 8), bytes=256, device="cpu",
                    ),
                    Constant(
                        name="_FOLDED_CONST_0", role="FoldedConstant", dtype="bfloat16",
                        shape=(8,), bytes=64, device="cpu", folded=True,
                    ),
                ),
                inlined=(Inlined("scale", "f32[8, 8]"),),
                inputs=("arg0_1",),
                outputs=("output0",),
                facts={"AOTI_DEVICE_KEY": "cpu", "AOTI_INVENTED": "later"},
                flags=("-O1", "-march=native"),
                wrapper=0,
            ),
        ),
    )  # fmt: skip


def unpackaged() -> Recording:
    """A model of which no package could be made."""
    failed = PackageFailure(
        stage="compile",
        error="InductorError",
        message="KeyError: torch.qint8",
        operator="aten.quantize_per_tensor.default",
        span=0,
        at=0,
    )
    return replace(packaged(), packages=(), package_failures=(failed,))


def _without_frame(made: Graph) -> Graph:
    return replace(made, frame=None, compile_id="")
