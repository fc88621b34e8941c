"""What a program tells the compiler about its functions."""

from tests.matrix.row import Row, bodies, breaks, calls, notes, partly, shown

_MADE = "https://docs.pytorch.org/docs/stable/generated/torch.compiler"

MARKS = (
    Row(
        title="`compile` and its backends",
        view="graphs",
        names=("compiler.compile", "compiler.list_backends"),
        program="""
name = sorted(torch.compiler.list_backends(exclude_tags=()))[0]
rec = lab.explore(lambda x: x.sin(), torch.ones(3), backend=name)
""",
        seen=lambda rec: shown("the graph that any backend gets", calls(rec) == ["sin"]),
        source=f"{_MADE}.list_backends.html",
    ),
    Row(
        title="another default backend",
        view="graphs",
        names=("compiler.set_default_backend", "compiler.get_default_backend"),
        needs=("compiler.set_default_backend",),
        program="""
torch.compiler.set_default_backend("aot_eager")
compiled = torch.compile(lambda x: x.sin() + 1)
torch.compiler.set_default_backend("inductor")
with lab.record() as recorder: compiled(torch.ones(3))
rec = recorder.recording
""",
        seen=lambda rec: shown(
            "the graphs of the backend that was the default, and no kernels",
            calls(rec, "forward") == ["aten.sin.default", "aten.add.Tensor"],
            not rec.kernels,
        ),
        source="https://docs.pytorch.org/docs/stable/torch.compiler_api.html",
    ),
    Row(
        title="`disable`",
        view="breaks",
        names=("compiler.disable",),
        program="""
@torch.compiler.disable(reason="it logs")
def log(x): x.shape
def f(x): log(x); return x.sin()
rec = lab.explore(f, torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "the break, its line, and the reason that the program gives",
            breaks(rec) == ["Skip calling `torch.compiler.disable()`d function"],
            "it logs" in rec.breaks[0].explanation + rec.breaks[0].reason,
        ),
        source=f"{_MADE}.disable.html",
    ),
    Row(
        title="`allow_in_graph`",
        view="graphs",
        names=("compiler.allow_in_graph",),
        program="""
@torch.compiler.allow_in_graph
def opaque(x): return x.sin() + 1
rec = lab.explore(lambda x: opaque(x) * 2, torch.ones(3), backend="aot_eager")
""",
        seen=lambda rec: shown(
            "one node for the function as captured, its operators a stage later",
            len(calls(rec)) == 2,
            calls(rec, "forward")[:2] == ["aten.sin.default", "aten.add.Tensor"],
        ),
        source=f"{_MADE}.allow_in_graph.html",
    ),
    Row(
        title="`nonstrict_trace`",
        view="graphs",
        names=("compiler.nonstrict_trace",),
        needs=("compiler.nonstrict_trace",),
        program="""
@torch.compiler.nonstrict_trace
def opaque(x): return x.sin() + 1
rec = lab.explore(lambda x: opaque(x) * 2, torch.ones(3), backend="aot_eager")
""",
        seen=lambda rec: shown(
            "one call for the function as captured, its operators a stage later",
            sum("flat_apply" in target for target in calls(rec)) == 1,
            calls(rec, "forward")[:2] == ["aten.sin.default", "aten.add.Tensor"],
        ),
        source="https://docs.pytorch.org/docs/2.15/generated/torch.compiler.nonstrict_trace.html",
    ),
    Row(
        title="`substitute_in_graph`",
        view="graphs",
        names=("compiler.substitute_in_graph",),
        program="""
import zlib
@torch.compiler.substitute_in_graph(zlib.crc32, skip_signature_check=True)
def length(data, value=0): return len(data)
rec = lab.explore(lambda x: x + zlib.crc32(b"abc"), torch.ones(3), backend="eager")
""",
        seen=lambda rec: partly(
            "one graph without a break; not that another function was traced in its place",
            breaks(rec) == [],
            calls(rec) == ["operator.add"],
            any("3" in node.arguments for node in rec.captured_graphs()[0].nodes),
        ),
        source=f"{_MADE}.substitute_in_graph.html",
    ),
    Row(
        title="`assume_constant_result`",
        view="graphs",
        names=("compiler.assume_constant_result",),
        program="""
@torch.compiler.assume_constant_result
def scale(): return 3.0
rec = lab.explore(lambda x: x * scale(), torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "the constant in the graph, and that it is taken for granted",
            "`scale` was called once" in notes(rec),
            calls(rec) == ["operator.mul"],
            any("3.0" in node.arguments for node in rec.captured_graphs()[0].nodes),
        ),
        source=f"{_MADE}.assume_constant_result.html",
    ),
    Row(
        title="`wrap_numpy`",
        view="graphs",
        names=("compiler.wrap_numpy",),
        packages=("numpy",),
        program="""
import numpy
half = torch.compiler.wrap_numpy(lambda a: numpy.sin(a) / 2)
rec = lab.explore(half, torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "NumPy's functions as nodes on tensors",
            breaks(rec) == [],
            any("sin" in target for target in calls(rec)),
        ),
        source=f"{_MADE}.wrap_numpy.html",
    ),
    Row(
        title="code that asks whether it is compiled",
        view="graphs",
        names=("compiler.is_compiling", "compiler.is_dynamo_compiling"),
        program="""
def f(x): return x.sin() if torch.compiler.is_compiling() else x.cos()
rec = lab.explore(f, torch.ones(3), backend="eager")
""",
        seen=lambda rec: partly(
            "the operators of the side that was taken; not that eager takes the other",
            calls(rec) == ["sin"],
        ),
        source=f"{_MADE}.is_compiling.html",
    ),
    Row(
        title="`nested_compile_region`",
        view="graphs",
        names=("compiler.nested_compile_region",),
        program="""
@torch.compiler.nested_compile_region
def layer(x): return torch.relu(x) + 1
def model(x): return layer(layer(x))
rec = lab.explore(model, torch.ones(3), backend="aot_eager")
""",
        seen=lambda rec: shown(
            "two calls of `invoke_subgraph`, and its body once",
            calls(rec).count("torch.ops.higher_order.invoke_subgraph") == 2,
            bodies(rec) == 1,
        ),
        source=f"{_MADE}.nested_compile_region.html",
    ),
    Row(
        title="the start of a step of CUDA graphs",
        view="breaks",
        names=("compiler.cudagraph_mark_step_begin",),
        program="""
def f(x): torch.compiler.cudagraph_mark_step_begin(); return x.sin()
rec = lab.explore(f, torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "the break that it is inside of a compiled function; outside, on a GPU, that the "
            "program marks its steps, and how many",
            len(breaks(rec)) == 1,
        ),
        source=f"{_MADE}.cudagraph_mark_step_begin.html",
    ),
)
