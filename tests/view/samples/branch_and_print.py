"""The guiding example."""

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.core.sources import Excerpt, Source, Span, Stack
from dynamo_lab.model.frames import Attempt, Frame
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.guards.guards import Guard
from dynamo_lab.model.kernels import Kernel, Wrapper
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import Timing

from .table import BOOL, KERNEL_CODE, SCALAR, Table, code, graph, with_columns

CELL = """\
y = act(x) + 1
if y.sum() > 0:
    y = y * 2
print("mean", y.mean())
out = torch.softmax(y, -1)"""
ACT = '''\
import torch


def act(x):
    """The activation."""
    return torch.nn.functional.gelu(x)'''


def branch_and_print() -> Recording:
    """The guiding example: a cell that breaks at a branch and at a print, three graphs."""
    spans = (
        Span(0, 1, "<cell>", 4, 1, 10),  # 0: act(x)
        Span(1, 6, "act", 11, 6, 38),  # 1: gelu
        Span(0, 1, "<cell>", 4, 1, 14),  # 2: act(x) + 1
        Span(0, 2, "<cell>", 3, 2, 10),  # 3: y.sum()
        Span(0, 2, "<cell>", 3, 2, 14),  # 4: y.sum() > 0
        Span(0, 3, "<cell>", 8, 3, 13),  # 5: y * 2
        Span(0, 4, "<cell>", 14, 4, 22),  # 6: y.mean()
        Span(0, 4, "<cell>", 0, 4, 23),  # 7: print(...)
        Span(0, 5, "<cell>", 6, 5, 26),  # 8: softmax
        Span(0, 1, "<cell>"),  # 9: the frame
    )
    stacks: tuple[Stack, ...] = ((0, 1), (2,), (3,), (4,), (5,), (6,), (7,), (8,))
    return Recording(
        title="softmax_gelu",
        sources=(
            Source("<ipython-input-3-abc>", "cell", (Excerpt(1, CELL),)),
            Source("/home/me/project/model.py", "user", (Excerpt(1, ACT),)),
        ),
        spans=spans,
        stacks=stacks,
        frames=_frames(),
        breaks=_breaks(),
        guards=_guards(),
        graphs=_graphs(),
        kernels=_kernels(),
        wrappers=(
            Wrapper(
                id=0, graph=5, compile_id="0/0", is_backward=False, code="import torch\n# call\n"
            ),
        ),
        links=(
            LinkTable(upstream=0, downstream=4, reason="traced", pairs=((0, 0), (1, 1), (2, 2))),
            LinkTable(
                upstream=4,
                downstream=5,
                reason="decomposed",
                pairs=((0, 0), (1, 1), (1, 2), (1, 3), (1, 4), (2, 5), (3, 6), (4, 7)),
            ),
        ),
        timings=_timings(),
        notes=(Note(level="info", about="kernels", message="2 of 3 graphs came from the cache."),),
        environment=Environment(python="3.11.9", torch="2.13.0", threads=8),
        seconds=2.0,
    )


def _frames() -> tuple[Frame, ...]:
    first = code(
        ("RESUME", "0", 0),
        ("LOAD_NAME", "act", 1),
        ("CALL", "1", 1),
        ("LOAD_NAME", "y", 2),
        ("POP_JUMP_FORWARD_IF_FALSE", "16", 2),
        ("BINARY_OP", "5 (*)", 3),
        ("LOAD_NAME", "print", 4),
        ("LOAD_NAME", "torch", 5),
    )
    second = code(("RESUME", "0", 2), ("BINARY_OP", "5 (*)", 3), ("LOAD_NAME", "print", 4))
    third = code(("RESUME", "0", 4), ("POP_TOP", "", 4), ("LOAD_NAME", "torch", 5))
    return (
        Frame(
            id=0,
            name="<cell>",
            span=9,
            outcome="compiled",
            bytecode=first,
            attempts=(
                Attempt(compile_id="0/0", restart=0, outcome="restarted", reason="break at line 2"),
                Attempt(
                    compile_id="0/0",
                    restart=1,
                    outcome="compiled",
                    graph=0,
                    seconds=1.0,
                    bytecode=code(("LOAD_GLOBAL", "__compiled_fn_1", 1), ("RETURN_VALUE", "", 1)),
                ),
            ),
        ),
        Frame(
            id=1,
            name="torch_dynamo_resume_in_cell_at_2",
            span=4,
            outcome="compiled",
            bytecode=second,
            resumes=0,
            resumed_line=3,
            attempts=(
                Attempt(compile_id="1/0", restart=1, outcome="compiled", graph=1, seconds=0.4),
            ),
        ),
        Frame(
            id=2,
            name="torch_dynamo_resume_in_cell_at_4",
            span=7,
            outcome="compiled",
            bytecode=third,
            resumes=1,
            resumed_line=4,
            attempts=(
                Attempt(compile_id="2/0", restart=0, outcome="compiled", graph=2, seconds=0.2),
            ),
        ),
    )


def _breaks() -> tuple[Break, ...]:
    return (
        Break(
            id=0,
            frame=0,
            compile_id="0/0",
            span=4,
            effect="resumed",
            gb_type="Data-dependent branching",
            reason="Data-dependent branching",
            registry_id="GB0170",
            context="attempted to jump with TensorVariable()",
            explanation="Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`). "
            "Dynamo does not support tracing dynamic control flow.",
            hints=("Use `torch.cond` to express this.", "Consider finding\na workaround."),
            link="https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html",
            stack=3,
            graph_before=0,
            resume_frames=(1,),
        ),
        Break(
            id=1,
            frame=1,
            compile_id="1/0",
            span=7,
            effect="resumed",
            gb_type="Failed to trace builtin operator",
            reason="Failed to trace builtin operator `print`",
            registry_id="GB0059",
            context="builtin print [<class 'ConstantVariable'>, <class 'TensorVariable'>] False",
            stack=6,
            graph_before=1,
            resume_frames=(2,),
        ),
    )


def _guards() -> tuple[Guard, ...]:
    return (
        Guard(
            frame=0,
            compile_id="0/0",
            kind="TENSOR_MATCH",
            source="L['x']",
            expressions=("check_tensor(L['x'], Tensor, dtype=torch.float32, size=[8, 8])",),
            stack=1,
        ),
        Guard(frame=1, compile_id="1/0", kind="TENSOR_MATCH", source="L['y']", stack=4),
        Guard(frame=0, compile_id="0/0", kind="GRAD_MODE", source=""),
        Guard(frame=0, compile_id="0/0", kind="NO_TENSOR_ALIASING", source="L['x']"),
    )


def _graphs() -> tuple[Graph, ...]:
    first, second, third = Table(), Table(), Table()
    x = first.input("l_x_")
    gelu = first.node("gelu", "torch.nn.functional.gelu", x, stack=0)
    y = first.node("y", "operator.add", gelu, stack=1, arguments="gelu, 1")
    total = first.node("sum_1", "sum", y, stack=2, value=SCALAR, op="call_method")
    first.output(y, first.node("gt", "operator.gt", total, stack=3, value=BOOL))
    y = second.node("y", "operator.mul", second.input("l_y_"), stack=4, arguments="l_y_, 2")
    mean = second.node("mean", "mean", y, stack=5, value=SCALAR, op="call_method")
    second.output(y, mean)
    softmax = third.node("out", "torch.softmax", third.input("l_y_"), stack=7)
    third.output(softmax)
    return (
        with_columns(graph(0, first)),
        with_columns(graph(1, second, frame=1)),
        with_columns(graph(2, third, frame=2)),
        graph(3, _joint(), "joint"),
        graph(4, _forward(), "forward"),
        graph(5, _post_grad(), "post_grad"),
    )


def _joint() -> Table:
    table = Table()
    table.output(table.input("primals_1"))
    return table


def _forward() -> Table:
    table = Table()
    gelu = table.node("gelu", "aten.gelu.default", table.input("arg0_1"), stack=0)
    add = table.node("add", "aten.add.Tensor", gelu, stack=1, arguments="gelu, 1")
    total = table.node("sum_1", "aten.sum.default", add, stack=2, value=SCALAR)
    table.output(add, table.node("gt", "aten.gt.Scalar", total, stack=3, value=BOOL))
    return table


def _post_grad() -> Table:
    table = Table()
    x = table.input("arg0_1")
    half = table.node("mul", "aten.mul.Tensor", x, stack=0, arguments="arg0_1, 0.5")
    erf = table.node("erf", "aten.erf.default", x, stack=0)
    one = table.node("add", "aten.add.Tensor", erf, stack=0, arguments="erf, 1")
    gelu = table.node("mul_1", "aten.mul.Tensor", half, one, stack=0)
    add = table.node("add_1", "aten.add.Tensor", gelu, stack=1, arguments="mul_1, 1")
    total = table.node("sum_1", "aten.sum.default", add, stack=2, value=SCALAR)
    table.output(add, table.node("gt", "aten.gt.Scalar", total, stack=3, value=BOOL))
    return table


def _kernels() -> tuple[Kernel, ...]:
    return (
        Kernel(
            id=0,
            name="cpp_fused_add_gelu_0",
            language="cpp",
            graph=5,
            wrapper=0,
            nodes=(1, 2, 3, 4, 5),
            code=KERNEL_CODE,
            line=12,
        ),
        Kernel(
            id=1,
            name="cpp_fused_gt_sum_1",
            language="cpp",
            graph=5,
            wrapper=0,
            nodes=(6, 7),
            code=KERNEL_CODE,
            line=30,
        ),
    )


def _timings() -> tuple[Timing, ...]:
    return (
        Timing("bytecode_tracing", 0.1, 0.25, 1, "0/0"),
        Timing("_compile.compile_inner", 0.0, 1.0, -1, "0/0"),
        Timing("backend_compile", 0.35, 0.5, 1, "0/0"),
        Timing("_compile.compile_inner", 1.2, 0.5, -1, "1/0"),
    )
