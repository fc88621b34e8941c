"""Settings that change the kernels that Inductor writes."""

from tests.matrix.row import Row, kernel_text, partly, shown

_CONFIG = "https://github.com/pytorch/pytorch/blob/main/torch/_inductor/config.py"

KERNELS = (
    Row(
        title="combo kernels",
        view="kernels",
        needs=("_inductor.config.combo_kernels",),
        program="""
def f(x, y): return x.sin() + 1, y.cos() * 2
settings = {"combo_kernels": True}
rec = lab.lower(f, torch.ones(64), torch.ones(999), target="cuda:sm_90", options=settings)
""",
        seen=lambda rec: shown(
            "one kernel with both programs in it",
            len(rec.kernels) == 1,
            "tl_math.sin" in kernel_text(rec) and "tl_math.cos" in kernel_text(rec),
        ),
        source=_CONFIG,
    ),
    Row(
        title="graph partition of CUDA graphs",
        view="kernels",
        needs=("_inductor.config.graph_partition",),
        program="""
def f(x): return x.sin()[x > 0].exp()
with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
    rec = lab.lower(f, torch.ones(64), target="cuda:sm_90", mode="reduce-overhead")
""",
        seen=lambda rec: shown(
            "the parts that are recorded, and what is left out between them, with why",
            not rec.cuda_graphs[0].skipped,
            [part.is_recorded for part in rec.cuda_graphs[0].pieces][:3] == [True, False, True],
            "unbacked" in rec.cuda_graphs[0].pieces[1].reason,
        ),
        source=_CONFIG,
    ),
    Row(
        title="tensor descriptors",
        view="kernels",
        needs=("_inductor.config.triton.use_tensor_descriptor",),
        program="""
def f(x): return x.sin() + x.T
settings = {"triton.use_tensor_descriptor": True, "assume_aligned_inputs": True}
rec = lab.lower(f, torch.ones(256, 256), target="cuda:sm_90", options=settings)
""",
        seen=lambda rec: shown(
            "the descriptors in the kernel's code",
            "make_tensor_descriptor" in kernel_text(rec),
        ),
        source=_CONFIG,
    ),
    Row(
        title="numbers as eager rounds them",
        view="kernels",
        needs=("_inductor.config.emulate_precision_casts",),
        program="""
def f(x): return (x + 1) * x
x = torch.ones(64, dtype=torch.float16)
rec = lab.lower(f, x, target="cuda:sm_90", options={"emulate_precision_casts": True})
""",
        seen=lambda rec: shown(
            "the cast to float16 between the operators, in the kernel's code",
            ".to(tl.float16)" in kernel_text(rec).replace("tl.store", ""),
        ),
        source=_CONFIG,
    ),
    Row(
        title="division as eager rounds it",
        view="kernels",
        needs=("_inductor.config.eager_numerics.division_rounding",),
        program="""
def f(x, y): return x / y
options = {"eager_numerics.division_rounding": True}
rec = lab.lower(f, torch.ones(64), torch.ones(64), target="cuda:sm_90", options=options)
""",
        seen=lambda rec: shown("`div_rn` in the kernel's code", "div_rn" in kernel_text(rec)),
        source=_CONFIG,
    ),
    Row(
        title="`batch_invariant`",
        view="kernels",
        needs=("_inductor.config.batch_invariant",),
        program="""
def f(x): return x.softmax(-1)
settings = {"batch_invariant": True}
rec = lab.lower(f, torch.ones(4, 512), target="cuda:sm_90", options=settings)
""",
        seen=lambda rec: partly(
            "the setting in the kernel's metadata; what it changes is chosen on the device",
            "'batch_invariant': True" in kernel_text(rec),
        ),
        source=_CONFIG,
    ),
)
