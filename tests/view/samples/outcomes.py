"""What else can come of a program: nothing, a failure, a recompilation, a wrong result."""

from msgspec.structs import replace

from dynamo_lab.model.bisections import Bisection, BisectionTrial, Culprit, Difference
from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Attempt, Frame
from dynamo_lab.model.guards.guards import FailedGuard, Recompile, Refusal
from dynamo_lab.model.logs import LogRecord
from dynamo_lab.model.recording import Failure, Recording

from .block import block
from .branch_and_print import branch_and_print
from .table import Table, code, graph


def skipped() -> Recording:
    """A frame that Dynamo left alone, so nothing was compiled."""
    text = "def forward(n):\n    return n + 1"
    return Recording(
        title="forward",
        sources=(Source("/home/me/plain.py", "user", (Excerpt(1, text),)),),
        spans=(Span(0, 1, "forward"),),
        frames=(
            Frame(
                id=0,
                name="forward",
                span=0,
                outcome="skipped",
                reason="no tensor-related objects found in frame",
                bytecode=code(("RESUME", "0", 1), ("LOAD_FAST", "n", 2)),
            ),
        ),
    )


def nothing() -> Recording:
    """A cell in which Dynamo saw no function."""
    return Recording(title="a cell", sources=(Source("In [1]", "cell", (Excerpt(1, "x = 1"),)),))


def fullgraph_failed() -> Recording:
    """A frame that broke although one graph was asked for; the program raised."""
    text = "def f(x):\n    y = x.sin()\n    print(y)\n    return y"
    return Recording(
        title="f",
        sources=(Source("/home/me/whole.py", "user", (Excerpt(1, text),)),),
        spans=(Span(0, 1, "f"), Span(0, 3, "f", 4, 3, 12)),
        stacks=((1,),),
        frames=(
            Frame(
                id=0,
                name="f",
                span=0,
                outcome="failed",
                reason="Unsupported",
                bytecode=code(("RESUME", "0", 1), ("LOAD_FAST", "x", 2), ("CALL", "1", 3)),
                attempts=(Attempt(compile_id="0/0", restart=0, outcome="failed"),),
            ),
        ),
        breaks=(
            Break(
                id=0,
                frame=0,
                compile_id="0/0",
                span=1,
                effect="failed",
                gb_type="Failed to trace builtin operator",
                reason="print",
                context="builtin print []",
                stack=0,
            ),
        ),
        failure=Failure(
            type="Unsupported",
            message="\nFailed to trace builtin operator\n  more",
            traceback="Traceback (most recent call last):\n  ...",
            span=1,
        ),
    )


def recompiled() -> Recording:
    """A function compiled twice, as a size changed."""
    text = "def f(x):\n    return x.sin()"
    tables = (Table(), Table())
    for table in tables:
        table.output(table.node("sin", "sin", table.input("l_x_"), stack=0, op="call_method"))
    return Recording(
        title="f",
        sources=(Source("/home/me/twice.py", "user", (Excerpt(1, text),)),),
        spans=(Span(0, 1, "f"), Span(0, 2, "f", 11, 2, 18)),
        stacks=((1,),),
        frames=(
            Frame(
                id=0,
                name="f",
                span=0,
                outcome="compiled",
                bytecode=code(("RESUME", "0", 1), ("LOAD_FAST", "x", 2)),
                attempts=tuple(
                    Attempt(
                        compile_id=f"0/{i}", restart=0, outcome="compiled", graph=i, seconds=0.5
                    )
                    for i in range(2)
                ),
            ),
        ),
        graphs=tuple(graph(i, table) for i, table in enumerate(tables)),
        recompiles=(
            Recompile(
                frame=0,
                compile_id="0/1",
                failures=(("0/0", "tensor 'x' size mismatch at index 0. expected 8, actual 16"),),
            ),
        ),
    )


def refused() -> Recording:
    """A size changed under a stance that lets nothing be compiled: two calls ran eagerly."""
    first = recompiled()
    failed = FailedGuard(
        compile_id="0/0",
        text="tensor 'L['x']' size mismatch at index 0. expected 8, actual 16",
        source="L['x']",
        was="8",
        now="16",
        stack=0,
    )
    stance = 'torch.compiler.set_stance("eager_on_recompile")'
    refusal = Refusal(
        frame=0,
        by=stance,
        effect="eager",
        times=2,
        had_code=True,
        failed=(failed,),
        set_at=0,
        called_at=1,
    )
    return replace(first, recompiles=(), refusals=(refusal,))


def bisected() -> Recording:
    """Made wrong by a decomposition: "bug", with a line, a kernel and a value that is no number."""
    return replace(block(), bisection=_bisection())


def _bisection() -> Bisection:
    trial = BisectionTrial(
        what="as it is",
        backend="inductor",
        outcome="wrong",
        fault="output is off by 0.0104, allowed: 1.3e-05 relative, 0.0001 absolute",
        seconds=1.5,
    )
    return Bisection(
        verdict="bug",
        phase="step",
        sentence="Output is 1.65e+05 ULP from float64 compiled, and 8.65 ULP in eager.",
        culprits=(
            Culprit(kind="stage", name="Inductor"),
            Culprit(kind="lowering", name="erf", rule="erf_rule", place="rules.py:3"),
            Culprit(kind="kernel", name="cpp_fused_0"),
            Culprit(kind="statement", name="line 9", text="auto tmp1 = tmp0.erf();"),
        ),
        graph=0,
        nodes=(1,),
        kernel=0,
        differences=(Difference(value="output", verdict="wrong", absolute=0.0104),),
        trials=(
            trial,
            replace(trial, what="without decompositions", outcome="right", fault="", seconds=0.25),
        ),
        first_bad="buf0 (erf) of cpp_fused_0",
        has_float64=True,
        remarks=("Only its vectorised C++ is wrong.",),
        unfinished="it was stopped",
        seconds=2.0,
        versions={"torch": "2.13.0"},
    )


def logged() -> Recording:
    """Messages of a break, a graph, code and a log without a view."""
    recording = branch_and_print()
    broke, graph = recording.breaks[0], recording.graphs[0]
    return replace(
        recording,
        logs=(
            LogRecord(
                name="graph_breaks",
                text="Graph break in user code at cell.py:5\nGraph Break Reason: as above",
                compile_id=broke.compile_id,
                place="torch/_dynamo/symbolic_convert.py:5124",
                span=broke.span,
            ),
            LogRecord(
                name="graph_code",
                text="TRACED GRAPH\n ===== a =====\n class GraphModule(torch.nn.Module):",
                compile_id=graph.compile_id,
                place="torch/_dynamo/output_graph.py:2835",
            ),
            LogRecord(name="sym_node", text="eval s77 > 2", level="I", compile_id="0/0_1"),
            LogRecord(name="perf_hints", text="x" * 20, left_out=5),
        ),
    )
