"""What decides whether, when and how far Dynamo captures."""

from tests.matrix.row import Row, breaks, calls, notes, partly, sentence, shown, unseen

_DOCS = "https://docs.pytorch.org/docs/stable"
_CONFIG = "https://docs.pytorch.org/docs/2.15/user_guide/torch_compiler/torch.compiler.config.html"

CAPTURE = (
    Row(
        title="nested graph breaks",
        view="breaks",
        needs=("_dynamo.config.nested_graph_breaks",),
        program="""
def inner(x): torch._dynamo.graph_break(); return x.sin()
def outer(x): return inner(x.cos()) + 1
with torch._dynamo.config.patch(nested_graph_breaks=True):
    rec = lab.explore(outer, torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "one break, in the inner function, and a graph on each side of it",
            breaks(rec) == ["Call to `torch._dynamo.graph_break()`"],
            "line 1" in sentence(rec),
            len(rec.captured_graphs()) == 2,
        ),
        source=f"{_DOCS}/compile/programming_model.graph_breaks_index.html",
    ),
    Row(
        title="`set_stance`",
        view="overview",
        names=("compiler.set_stance",),
        program="""
compiled = torch.compile(lambda x: x.sin(), backend="eager")
with lab.record() as recorder, torch.compiler.set_stance("force_eager"):
    compiled(torch.ones(3))
rec = recorder.recording
""",
        seen=lambda rec: shown(
            "the stance that was in force, and the calls that it ran eagerly",
            not rec.captured_graphs(),
            [one.effect for one in rec.refusals] == ["eager"],
            'ran eagerly (`torch.compiler.set_stance("force_eager")`' in sentence(rec),
        ),
        source=f"{_DOCS}/generated/torch.compiler.set_stance.html",
    ),
    Row(
        title='`set_stance("fail_on_recompile")`',
        view="overview",
        program="""
compiled = torch.compile(lambda x: x.sin(), backend="eager")
with lab.record() as recorder, torch.compiler.set_stance("fail_on_recompile"):
    try: compiled(torch.ones(4))
    except RuntimeError: pass
rec = recorder.recording
""",
        seen=lambda rec: shown(
            "the call that it refused, with its line, and that there was no code for it",
            [(one.effect, one.had_code) for one in rec.refusals] == [("raised", False)],
            "no code had been compiled for it" in sentence(rec),
        ),
        source=f"{_DOCS}/generated/torch.compiler.set_stance.html",
    ),
    Row(
        title="`error_on_graph_break`",
        view="breaks",
        needs=("_dynamo.error_on_graph_break",),
        program="""
@torch._dynamo.error_on_graph_break(True)
def strict(x): print("here"); return x.sin()
def f(x): return strict(x) + 1
rec = lab.explore(f, torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "the break, with its line, and that it ended the program",
            len(breaks(rec)) == 1,
            rec.failure,
            "ended with Unsupported" in sentence(rec),
        ),
        source=f"{_DOCS}/compile/programming_model.error_on_graph_break.html",
    ),
    Row(
        title="the limit of recompilations",
        view="guards",
        names=("compiler.config.recompile_limit",),
        program="""
compiled = torch.compile(lambda x, n: x * n, backend="eager", dynamic=False)
with torch.compiler.config.patch(recompile_limit=1), lab.record() as recorder:
    compiled(torch.ones(3), 2); compiled(torch.ones(3), 3)
rec = recorder.recording
""",
        seen=lambda rec: shown(
            "the guard that failed, and that the function runs eagerly since",
            any(one.limit_hit for one in rec.recompiles),
            "hit the limit of recompilations" in sentence(rec),
        ),
        source=_CONFIG,
    ),
    Row(
        title="`fail_on_recompile_limit_hit`",
        view="guards",
        names=("compiler.config.fail_on_recompile_limit_hit",),
        program="""
compiled = torch.compile(lambda x, n: x * n, backend="eager", dynamic=False)
settings = {"recompile_limit": 1, "fail_on_recompile_limit_hit": True}
with torch.compiler.config.patch(settings), lab.record() as recorder:
    for n in (2, 3): compiled(torch.ones(3), n)
rec = recorder.recording
""",
        seen=lambda rec: shown(
            "the limit, and the error that ended the program",
            any(one.limit_hit for one in rec.recompiles),
            rec.failure,
        ),
        source=_CONFIG,
    ),
    Row(
        title="dynamic shapes, found by recompiling",
        view="shapes",
        names=(
            "compiler.config.automatic_dynamic_shapes",
            "compiler.config.dynamic_shapes",
            "compiler.config.assume_static_by_default",
        ),
        program="""
compiled = torch.compile(lambda x: x.sin(), backend="eager")
with lab.record() as recorder:
    compiled(torch.ones(3)); compiled(torch.ones(4))
rec = recorder.recording
""",
        seen=lambda rec: shown(
            "the size that failed its guard, and the symbol that it became",
            len(rec.recompiles) == 1,
            len(rec.symbols) == 1,
        ),
        source=_CONFIG,
    ),
    Row(
        title="`backed_size_oblivious`",
        view="shapes",
        needs=("fx.experimental._config.backed_size_oblivious",),
        program="""
with torch.fx.experimental._config.patch(backed_size_oblivious=True):
    rec = lab.explore(lambda x: x + 1, torch.ones(1, 4), backend="eager", dynamic=True)
""",
        seen=lambda rec: partly(
            "the symbols, of the size 1 too; not that this setting keeps it a symbol",
            len(rec.symbols) == 2,
        ),
        source=f"{_DOCS}/torch.compiler_dynamic_shapes.html",
    ),
    Row(
        title="unbacked sizes",
        view="shapes",
        needs=("_dynamo.decorators.mark_unbacked",),
        program="""
x = torch.ones(6, 4)
torch._dynamo.decorators.mark_unbacked(x, 0)
rec = lab.explore(lambda x: x.sin().sum(0), x, backend="eager")
""",
        seen=lambda rec: shown(
            "the symbol u0, and its assertion in the graph",
            [one.name for one in rec.symbols] == ["u0"],
            "aten._assert_scalar.default" in calls(rec),
        ),
        source=f"{_DOCS}/torch.compiler_dynamic_shapes.html",
    ),
    Row(
        title="numbers of tensors in the graph",
        view="shapes",
        names=("compiler.config.capture_scalar_outputs",),
        program="""
with torch.compiler.config.patch(capture_scalar_outputs=True):
    rec = lab.explore(lambda x: x * x.sum().item(), torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "the call `item` as a node, and the symbol of its result",
            "item" in calls(rec),
            len(rec.symbols) == 1,
        ),
        source=_CONFIG,
    ),
    Row(
        title="shapes that depend on data",
        view="shapes",
        names=("compiler.config.capture_dynamic_output_shape_ops",),
        program="""
with torch.compiler.config.patch(capture_dynamic_output_shape_ops=True):
    rec = lab.explore(lambda x: x.nonzero() + 1, torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "the operator, and the symbol u0 of its size",
            "nonzero" in calls(rec),
            [one.name for one in rec.symbols] == ["u0"],
        ),
        source=_CONFIG,
    ),
    Row(
        title="messages moved out of the way",
        view="graphs",
        names=("compiler.config.reorderable_logging_functions",),
        program="""
def f(x): print("here"); return x.sin()
with torch.compiler.config.patch(reorderable_logging_functions={print}):
    rec = lab.explore(f, torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "one graph without a break, and that the message is printed after it",
            breaks(rec) == [],
            calls(rec) == ["sin"],
            "`print` of line" in notes(rec),
        ),
        source=_CONFIG,
    ),
    Row(
        title="compiled autograd",
        view="graphs",
        needs=("_dynamo.compiled_autograd._enable",),
        program="""
x = torch.ones(3, requires_grad=True)
compiler = torch.compile(backend="eager")
with lab.record() as recorder, torch._dynamo.compiled_autograd._enable(compiler):
    x.sin().sum().backward()
rec = recorder.recording
""",
        seen=lambda rec: shown(
            "the graph of the backward as Dynamo captured it, a node for each gradient function",
            len(rec.captured_graphs()) == 1,
            any("SinBackward0" in target for target in calls(rec)),
        ),
        source="https://docs.pytorch.org/tutorials/intermediate/compiled_autograd_tutorial.html",
    ),
    Row(
        title="`with torch.device(...)` inside",
        view="breaks",
        program="""
def f(n):
    with torch.device("meta"): return torch.ones(n) + 1
rec = lab.explore(f, 3, backend="eager")
""",
        seen=lambda rec: shown(
            "the break: Dynamo does not go into this context",
            breaks(rec) == ["Unsupported context manager"],
        ),
        source="https://docs.pytorch.org/tutorials/recipes/recipes/changing_default_device.html",
    ),
    Row(
        title="`with torch.device(...)` around",
        view="graphs",
        program="""
with torch.device("meta"):
    rec = lab.explore(lambda x: x + torch.ones(3), torch.ones(3), backend="eager")
""",
        seen=lambda rec: shown(
            "the graph, with values on that device",
            {node.value.device for node in rec.captured_graphs()[0].nodes} >= {"meta"},
        ),
        source="https://docs.pytorch.org/tutorials/recipes/recipes/changing_default_device.html",
    ),
    Row(
        title="`set_default_device`",
        view="graphs",
        names=("set_default_device",),
        program="""
torch.set_default_device("meta")
rec = lab.explore(lambda x: x + torch.ones(3), torch.ones(3), backend="eager")
torch.set_default_device(None)
""",
        seen=lambda rec: shown(
            "the graph, with values on that device",
            {node.value.device for node in rec.captured_graphs()[0].nodes} >= {"meta"},
        ),
        source=f"{_DOCS}/generated/torch.set_default_device.html",
    ),
    Row(
        title="`DebugMode`",
        view="graphs",
        needs=("utils._debug_mode.DebugMode",),
        program="""
compiled = torch.compile(lambda x: x.sin() + 1, backend="aot_eager")
with lab.record() as recorder, torch.utils._debug_mode.DebugMode() as mode:
    compiled(torch.ones(3))
rec = recorder.recording
""",
        seen=lambda rec: partly(
            "the graphs, as without it; the operators that it lists as they run are not shown",
            calls(rec) == ["sin", "operator.add"],
        ),
        source="https://github.com/pytorch/tutorials/pull/3697",
    ),
    Row(
        title="the guards that are kept",
        view="guards",
        names=(
            "compiler.skip_all_guards_unsafe",
            "compiler.keep_portable_guards_unsafe",
            "compiler.keep_tensor_guards_unsafe",
            "compiler.skip_guard_on_all_nn_modules_unsafe",
            "compiler.skip_guard_on_inbuilt_nn_modules_unsafe",
            "compiler.skip_guard_on_globals_unsafe",
        ),
        program="""
none = {"guard_filter_fn": torch.compiler.skip_all_guards_unsafe}
compiled = torch.compile(lambda x: x.sin(), backend="eager", options=none)
with lab.record() as recorder:
    compiled(torch.ones(3))
rec = recorder.recording
""",
        seen=lambda rec: shown(
            "the guards that are checked, here none, and those that the filter took away",
            rec.guards == (),
            "TENSOR_MATCH on L['x']" in notes(rec),
            rec.captured_graphs(),
        ),
        needs=("compiler.skip_all_guards_unsafe",),
        source=f"{_DOCS}/torch.compiler_api.html",
    ),
    Row(
        title="guards on several ranks",
        view="guards",
        names=("compiler.set_enable_guard_collectives",),
        program="""
before = torch.compiler.set_enable_guard_collectives(True)
rec = lab.explore(lambda x: x.sin(), torch.ones(3), backend="eager")
torch.compiler.set_enable_guard_collectives(before)
""",
        seen=lambda rec: unseen(
            "one process compiles as it would without, and nothing says that ranks agree first",
            rec.guards,
        ),
        source=f"{_DOCS}/torch.compiler_api.html",
    ),
)
