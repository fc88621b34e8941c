"""A kernel whose statements are tied to nodes, with its assembly."""

from msgspec.structs import replace

from dynamo_lab.model.assembly import Assembly, Level, Resources
from dynamo_lab.model.kernels import Statement
from dynamo_lab.model.recording import Recording

from .branch_and_print import branch_and_print

CODE = """\
@triton.jit
def triton_poi_fused_add_gelu_0(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)
    tmp0 = tl.load(in_ptr0 + xindex)
    tmp1 = libdevice.erf(tmp0)
    tmp2 = tmp1 + 1.0
    tl.device_assert(True)
    tl.store(out_ptr0 + xindex, tmp2)"""
PTX = """\
.visible .entry triton_poi_fused_add_gelu_0(
mov.u32 %r1, %ctaid.x;
ld.global.b32 %r2, [%rd1];
add.f32 %f2, %f1, 0f3F800000;
st.global.b32 [%rd2], %r3;"""


def assembled() -> Recording:
    """The guiding example for a GPU: the first kernel has statements and two levels."""
    recording = branch_and_print()
    first = replace(
        recording.kernels[0],
        name="triton_poi_fused_add_gelu_0",
        language="triton",
        code=CODE,
        statements=(
            Statement(3, (1, 2, 3, 4, 5), "serves"),  # for lines of both files
            Statement(4, (1, 2), "serves"),
            Statement(5, (2,), "emitted"),
            Statement(6, (3, 5), "emitted"),
            Statement(7),
            Statement(8, (5,), "emitted"),
        ),
    )
    made = Assembly(
        kernel=0,
        target="cuda:sm_90",
        levels=(
            Level("TTIR", "%0 = tt.load %in_ptr0\n%1 = math.erf %0", ((1, 4), (2, 5))),
            Level("PTX", PTX, ((2, 3), (3, 4), (4, 6), (5, 8))),
        ),
        resources=Resources(
            threads=128, registers=72, shared=2048, spills=0, stack=0, occupancy=0.4375,
            limit="registers",
        ),
        chosen="Block sizes: XBLOCK = 256, 4 warps.",
    )  # fmt: skip
    kernels = (first, *recording.kernels[1:])
    return replace(recording, target="cuda:sm_90", kernels=kernels, assemblies=(made,))
