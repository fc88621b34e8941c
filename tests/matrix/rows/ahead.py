"""Compiling ahead of time, and what is kept of it."""

from tests.matrix.row import Row, calls, partly, sentence, shown, unseen

_DOCS = "https://docs.pytorch.org/docs/stable"
_PRECOMPILE = "https://github.com/pytorch/pytorch/blob/main/torch/compiler/precompile.py"

AHEAD = (
    Row(
        title="`aot_compile`",
        view="graphs",
        names=("compiler.load_compiled_function",),
        needs=("_dynamo.aot_compile.aot_compile_fullgraph",),
        program="""
def f(x): return x.sin() + 1
with torch._dynamo.config.patch(enable_aot_compile=True), lab.record() as recorder:
    torch.compile(f, fullgraph=True).aot_compile(((torch.ones(3),), {}))
rec = recorder.recording
""",
        seen=lambda rec: shown(
            "the frame, its graphs, guards and kernels, as of a call",
            "captured all of `f` as one graph" in sentence(rec),
            any(frame.bytecode for frame in rec.frames),
            rec.guards,
            rec.kernels,
        ),
        source=f"{_DOCS}/torch.compiler_api.html",
    ),
    Row(
        title="a function that was compiled ahead of time, called",
        view="overview",
        needs=("_dynamo.aot_compile.aot_compile_fullgraph",),
        program="""
def f(x): return x.sin() + 1
with torch._dynamo.config.patch(enable_aot_compile=True):
    ahead = torch.compile(f, fullgraph=True).aot_compile(((torch.ones(3),), {}))
with lab.record() as recorder: ahead(torch.ones(3))
rec = recorder.recording
""",
        seen=lambda rec: unseen(
            "nothing compiles, which is true; that compiled code ran is not told",
            not rec.frames,
            "Nothing was compiled" in sentence(rec),
        ),
        source=f"{_DOCS}/torch.compiler_api.html",
    ),
    Row(
        title="`precompile`",
        view="graphs",
        names=(
            "compiler.precompile",
            "compiler.precompile.capture",
            "compiler.precompile.Capture",
            "compiler.precompile.MakeFxTracer",
            "compiler.precompile.PrecompileSummary",
            "compiler.PrecompileError",
        ),
        needs=("compiler.precompile",),
        program="""
import tempfile
path = tempfile.mkdtemp() + "/f"
files = {"artifact_path": path + ".py", "cache_path": path + ".cache"}
capture = torch.compiler.precompile.capture(lambda x: x.sin() + 1, **files)
with lab.record() as recorder, capture as ahead: ahead(torch.ones(3))
rec = recorder.recording
""",
        seen=lambda rec: partly(
            "the graphs and kernels of the captured call, which Dynamo does not see; "
            "not the lines that they are of, nor the file that it writes",
            "Dynamo saw no Python function" in sentence(rec),
            not rec.frames,
            calls(rec, "forward") == ["aten.sin.default", "aten.add.Tensor"],
            rec.kernels,
        ),
        source=_PRECOMPILE,
    ),
    Row(
        title="what `precompile` wrote, loaded and called",
        view="overview",
        names=("compiler.precompile.load", "compiler.precompile.PrecompiledRunnable"),
        needs=("compiler.precompile",),
        program="""
import tempfile
path = tempfile.mkdtemp() + "/f"
files = {"artifact_path": path + ".py", "cache_path": path + ".cache"}
with torch.compiler.precompile.capture(torch.sin, **files) as ahead: ahead(torch.ones(3))
with lab.record() as recorder: torch.compiler.precompile.load(*files.values())(torch.ones(3))
rec = recorder.recording
""",
        seen=lambda rec: unseen(
            "nothing compiles, which is true; that compiled code ran is not told",
            not rec.frames,
            "Nothing was compiled" in sentence(rec),
        ),
        source=_PRECOMPILE,
    ),
    Row(
        title="the caches, saved and loaded",
        view="timeline",
        names=(
            "compiler.save_cache_artifacts",
            "compiler.load_cache_artifacts",
            "compiler.config.force_disable_caches",
        ),
        program="""
compiled = torch.compile(lambda x: x.sin() + 1)
with lab.record() as recorder:
    compiled(torch.ones(3)); saved = torch.compiler.save_cache_artifacts()
rec = recorder.recording
""",
        seen=lambda rec: shown(
            "what each compile cache answered for the graph; saving itself is not an event",
            rec.caches,
            rec.kernels,
        ),
        source="https://docs.pytorch.org/tutorials/recipes/torch_compile_caching_tutorial.html",
    ),
    Row(
        title="`torch.export`",
        view="package",
        names=("compiler.is_exporting", "export.export"),
        program="""
class Model(torch.nn.Module): forward = lambda self, x: x.sin() + 1
with lab.record() as recorder:
    torch.export.export(Model(), (torch.ones(3),))
rec = recorder.recording
""",
        seen=lambda rec: shown(
            "the graph of ATen operators that it captured",
            len(rec.exports) == 1,
            calls(rec) == ["aten.sin.default", "aten.add.Tensor"],
        ),
        source=f"{_DOCS}/export.html",
    ),
    Row(
        title="ExecuTorch",
        view="package",
        packages=("executorch",),
        program="""
from executorch.exir import to_edge
class Model(torch.nn.Module): forward = lambda self, x: x.sin() + 1
with lab.record() as recorder:
    to_edge(torch.export.export(Model(), (torch.ones(3),))).to_executorch()
rec = recorder.recording
""",
        seen=lambda rec: shown("the graph that `torch.export` captured", len(rec.exports) == 1),
        source="https://docs.pytorch.org/executorch/stable/index.html",
    ),
    Row(
        title="`make_graphed_callables`",
        view="overview",
        names=("cuda.make_graphed_callables",),
        cuda=True,
        program="""
linear = torch.nn.Linear(4, 4).cuda()
with lab.record() as recorder:
    torch.cuda.make_graphed_callables(linear, (torch.ones(2, 4, device="cuda"),))
rec = recorder.recording
""",
        seen=lambda rec: unseen(
            "nothing: it captures CUDA graphs without a compiler", not rec.frames
        ),
        source=f"{_DOCS}/generated/torch.cuda.make_graphed_callables.html",
    ),
)
