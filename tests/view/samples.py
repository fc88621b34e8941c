"""Small recordings made by hand, whose every value a test may rely on."""

from dataclasses import dataclass, field

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.environment import Environment
from dynamo_lab.model.frames import Attempt, Frame, Instruction
from dynamo_lab.model.graphs import Graph, NodeTable, Stage, Value
from dynamo_lab.model.guards import Guard, Recompile
from dynamo_lab.model.kernels import Kernel, Wrapper
from dynamo_lab.model.links import LinkTable
from dynamo_lab.model.notes import Note
from dynamo_lab.model.recording import Failure, Recording
from dynamo_lab.model.sources import Excerpt, Source, Span, Stack
from dynamo_lab.model.timings import Timing

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
F32 = Value(dtype="torch.float32", shape=("8", "8"), stride=("8", "1"), device="cpu", bytes=256)
SCALAR = Value(dtype="torch.float32", shape=(), device="cpu", bytes=4)
BOOL = Value(dtype="torch.bool", shape=(), device="cpu", bytes=1)
NONE = Value()

Row = tuple[str, str, str, str, tuple[int, ...], Value, int]
"""Name, op, target, arguments, inputs, value, stack."""


@dataclass
class Table:
    """Rows on their way to a NodeTable."""

    rows: list[Row] = field(default_factory=list[Row])
    modules: list[str] = field(default_factory=list[str])

    def node(
        self,
        name: str,
        target: str,
        *inputs: int,
        value: Value = F32,
        stack: int = -1,
        module: str = "",
        op: str = "call_function",
        arguments: str = "",
    ) -> int:
        """Append a node and return its index."""
        shown = arguments or ", ".join(self.rows[i][0] for i in inputs)
        self.rows.append((name, op, target, shown, inputs, value, stack))
        self.modules.append(module)
        return len(self.rows) - 1

    def input(self, name: str, value: Value = F32) -> int:
        """Append a placeholder."""
        return self.node(name, name, value=value, op="placeholder")

    def output(self, *inputs: int) -> int:
        """Append the output."""
        return self.node("output", "output", *inputs, value=NONE, op="output")

    def freeze(self) -> NodeTable:
        """The columns, pooled."""
        strings: dict[str, int] = {}
        values: dict[Value, int] = {}

        def pooled(text: str) -> int:
            return strings.setdefault(text, len(strings))

        return NodeTable(
            name=tuple(row[0] for row in self.rows),
            op=tuple(pooled(row[1]) for row in self.rows),
            target=tuple(pooled(row[2]) for row in self.rows),
            arguments=tuple(row[3] for row in self.rows),
            inputs=tuple(row[4] for row in self.rows),
            value=tuple(values.setdefault(row[5], len(values)) for row in self.rows),
            stack=tuple(row[6] for row in self.rows),
            module=tuple(pooled(module) for module in self.modules),
            strings=tuple(strings),
            values=tuple(values),
        )


def graph(
    number: int, table: Table, stage: Stage = "dynamo", frame: int = 0, backward: bool = False
) -> Graph:
    """A graph of the sample's frame."""
    return Graph(
        id=number,
        stage=stage,
        name=f"graph_{number}",
        compile_id=f"{frame}/0",
        frame=frame,
        is_backward=backward,
        nodes=table.freeze(),
    )


def code(*steps: tuple[str, str, int]) -> tuple[Instruction, ...]:
    """Instructions two bytes apart: (opname, argument, line)."""
    return tuple(Instruction(2 * i, name, arg, line) for i, (name, arg, line) in enumerate(steps))


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
        graph(0, first),
        graph(1, second, frame=1),
        graph(2, third, frame=2),
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


KERNEL_CODE = """\
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C" void kernel(const float* in_ptr0, float* out_ptr0)
{
    for (int64_t x0 = 0; x0 < 64; ++x0) out_ptr0[x0] = in_ptr0[x0] + 1.0f;
}"""


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


def skipped() -> Recording:
    """A frame that Dynamo left alone, so nothing was compiled."""
    text = "def forward(n):\n    return n + 1"
    return Recording(
        title="skipped",
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


def fullgraph_failed() -> Recording:
    """A frame that broke although one graph was asked for; the program raised."""
    text = "def f(x):\n    y = x.sin()\n    print(y)\n    return y"
    return Recording(
        title="fullgraph",
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
        title="recompiled",
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


HOSTILE = (
    's = "</script><b>bold</b>&amp;" + "[red]markup[/red]"  # \x1b[31mred\x1b[0m',
    "t = 'right\u202eleft' + 'para\u2028graph' + '\u200f'  # \x07 bell, \u0085 next, \x9b31m csi",
)


def hostile() -> Recording:
    """Text that would be markup, a control sequence or a reordering, wherever text can be."""
    evil = " ".join(HOSTILE)
    table = Table()
    x = table.input("l_x_</script>")
    table.output(table.node("[red]n", f"op.{evil}", x, stack=0, module=f"L['{evil}']"))
    return Recording(
        title=evil,
        sources=(Source(f"/tmp/{evil}.py", "user", (Excerpt(1, "\n".join(HOSTILE)),)),),
        spans=(Span(0, 1, evil, 4, 1, 29), Span(0, 2, evil)),
        stacks=((0,),),
        frames=(Frame(id=0, name=evil, span=0, outcome="skipped", reason=evil),),
        breaks=(
            Break(
                id=0,
                frame=0,
                compile_id=evil,
                span=0,
                effect="skipped",
                gb_type=evil,
                reason=evil,
                context=evil,
                explanation=evil,
                hints=(evil,),
                link=f"javascript:{evil}",
                stack=0,
            ),
        ),
        guards=(Guard(frame=0, compile_id="", kind=evil, source=evil, expressions=(evil,)),),
        recompiles=(Recompile(frame=0, compile_id=evil, failures=((evil, evil),)),),
        graphs=(graph(0, table),),
        kernels=(
            Kernel(id=0, name=evil, language="cpp", graph=0, wrapper=0, nodes=(1,), code=evil),
        ),
        wrappers=(Wrapper(id=0, graph=0, compile_id=evil, is_backward=False, code=evil),),
        timings=(Timing(evil, 0.0, 1.0),),
        notes=(Note(level="failure", about=evil, message=evil, traceback=evil),),
        failure=Failure(type=evil, message=evil, traceback=evil, span=1),
        environment=Environment(platform=evil, options={evil: evil}),
    )


def big(nodes: int = 5000) -> Recording:
    """A deep model: `nodes` operators in nested modules, four stages, a kernel per ten nodes."""
    text = "\n".join(f"    x = self.step_{i}(x)  # line {i + 1}" for i in range(400))
    spans = tuple(Span(0, 1 + i, "forward", 8, 1 + i, 20) for i in range(400))
    stacks: tuple[Stack, ...] = tuple((0, i) for i in range(1, 400))
    targets = ("aten.mm.default", "aten.add.Tensor", "aten.gelu.default", "aten.mul.Tensor")
    graphs: list[Graph] = []
    for number, stage in enumerate(("dynamo", "joint", "forward", "post_grad")):
        table = Table()
        last = table.input("x")
        for i in range(nodes):
            layer = i * 48 // nodes
            part = ("attn.query", "attn.key", "attn.value", "mlp.up", "mlp.down", "norm")[i % 6]
            last = table.node(
                f"n_{i}",
                targets[i % 4],
                *{last, max(0, last - 7)},
                stack=i % 399,
                module=f"L['self'].layers.{layer}.{part}",
            )
        table.output(last)
        graphs.append(graph(number, table, stage))  # pyright: ignore[reportArgumentType]
    pairs = tuple((i, i) for i in range(nodes + 2))
    return Recording(
        title="big",
        sources=(Source("/home/me/big.py", "user", (Excerpt(1, text),)),),
        spans=spans,
        stacks=stacks,
        frames=(
            Frame(
                id=0,
                name="forward",
                span=0,
                outcome="compiled",
                bytecode=code(*(("LOAD_FAST", "x", i + 1) for i in range(400))),
                attempts=(Attempt(compile_id="0/0", restart=0, outcome="compiled", graph=0),),
            ),
        ),
        graphs=tuple(graphs),
        kernels=tuple(
            Kernel(
                id=i,
                name=f"cpp_fused_{i}",
                language="cpp",
                graph=3,
                wrapper=0,
                nodes=tuple(range(1 + 10 * i, 11 + 10 * i)),
                code=KERNEL_CODE,
            )
            for i in range(nodes // 10)
        ),
        wrappers=(
            Wrapper(id=0, graph=3, compile_id="0/0", is_backward=False, code="import torch"),
        ),
        links=tuple(
            LinkTable(upstream=i, downstream=i + 1, reason="traced", pairs=pairs) for i in range(3)
        ),
        timings=tuple(
            Timing(f"pass.{i}", 0.01 * i, 0.009, -1 if i % 20 == 0 else i // 20 * 20)
            for i in range(400)
        ),
    )
