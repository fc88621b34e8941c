"""A made-up recording of any size, in the shape of a real one: for what only grows with nodes."""

from msgspec.structs import replace

from dynamo_lab.model.core.links import LinkTable
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.decompositions import (
    Call,
    Decompositions,
    Row,
    Rule,
    Step,
    Traced,
    Way,
)
from dynamo_lab.model.frames import Attempt, Frame, Instruction
from dynamo_lab.model.graphs import Graph, NodeTable, Stage, Value
from dynamo_lab.model.kernels import Kernel, Wrapper
from dynamo_lab.model.lowering import Buffer, LoopLine, Lowered, Lowering, LoweringRule, Range, Why
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.steps import AddedNode, Code, StepTable, Symbolic, Take, pack
from dynamo_lab.model.steps import Call as Interpreted

_NODES_A_LINE = 5
_NODES_A_KERNEL = 4
_NODES_A_LAYER = 40
_CALLS = 300
_INSTRUCTIONS = 1_000


def recording(nodes: int, steps: int = 0) -> Recording:
    """A recording of `nodes` nodes, half of them captured by Dynamo, half of them after passes."""
    half = nodes // 2
    lines = -(-half // _NODES_A_LINE)
    text = "def model(x):\n" + "".join(_line(number) for number in range(lines)) + "    return x\n"
    frame = Frame(
        id=0,
        name="model",
        span=0,
        outcome="compiled",
        attempts=(Attempt(compile_id="0/0", restart=0, outcome="compiled", graph=0),),
    )
    return Recording(
        title=f"{nodes} nodes",
        sources=(Source("model.py", "user", (Excerpt(1, text),)),),
        spans=(Span(0, 1, "model"), *map(_expression, range(lines))),
        stacks=tuple((at + 1,) for at in range(lines)),
        frames=(frame,),
        graphs=(
            _with_columns(
                _graph(0, "dynamo", half, ("torch.relu", "operator.add", "torch.matmul"))
            ),
            _graph(
                1,
                "post_grad",
                nodes - half,
                ("aten.relu.default", "aten.add.Tensor", "aten.mm.default"),
            ),
        ),
        kernels=tuple(_kernel(id, nodes - half) for id in range((nodes - half) // _NODES_A_KERNEL)),
        wrappers=(Wrapper(id=0, graph=1, compile_id="0/0", is_backward=False, code="call()\n"),),
        links=(
            LinkTable(
                upstream=0, downstream=1, reason="made", pairs=tuple((at, at) for at in range(half))
            ),
        ),
        decompositions=_decompositions(nodes - half),
        lowerings=(_lowering(nodes - half),),
        buffers=tuple(_buffer(id) for id in range((nodes - half) // _NODES_A_KERNEL)),
        film=_film(steps) if steps else None,
        seconds=1.0,
    )


def _expression(line: int) -> Span:
    """What is right of the equals sign of a line of the model."""
    return Span(0, line + 2, "model", 8, line + 2, len(_line(line)) - 1)


def _with_columns(graph: Graph) -> Graph:
    return replace(graph, expressions=graph.nodes.stack)


def _film(count: int) -> StepTable:
    """Steps of a function: each fifth makes a node, which becomes the variable `x`."""
    made = range(0, count, 5)
    code = tuple(Instruction(2 * at, "BINARY_OP", "", 2 + at // 5) for at in range(_INSTRUCTIONS))
    values = tuple(Symbolic("TensorVariable", "f32[64, 64]", node=at) for at in range(len(made)))
    return StepTable(
        codes=(Code(name="model", span=0, instructions=code),),
        calls=(Interpreted(code=0),),
        takes=(Take(frame=0, compile_id="0/0", restart=0, first=0, end=count, attempt=0),),
        strings=("x",),
        values=values,
        below=pack(-1 for _ in values),
        held=pack(range(len(values))),
        call=pack(0 for _ in range(count)),
        instruction=pack(at % _INSTRUCTIONS for at in range(count)),
        stack=pack(at // 5 for at in range(count)),
        bound=pack(one for at, step in enumerate(made) for one in (step, 0, at)),
        nodes=tuple(
            AddedNode(step, f"node_{at}", "call_function", "torch.relu", "f32[64, 64]")
            for at, step in enumerate(made)
        ),
    )


def _decompositions(count: int) -> Decompositions:
    """A call for each node of the second graph, of `_CALLS` kinds that share a rule."""
    here = (Way(end="set"), Way(step=0), Way(step=0))
    leaf = Call(operator="prims.add.default", arguments="f32[8]", ways=(Way(end="set"),) * 3)
    kinds = [
        Call(operator=f"aten.add_{kind // 8}.Tensor", arguments=f"f32[{kind}]", ways=here)
        for kind in range(_CALLS)
    ]
    rows = tuple(Row(call=_CALLS, name=f"add_{row}", arguments="self, other") for row in range(6))
    return Decompositions(
        traced=tuple(
            Traced(call=node % _CALLS, rule=0, graph=1, nodes=(node,)) for node in range(count)
        ),
        calls=(*kinds, leaf),
        steps=(Step(call=0, rule=0, inputs=("self", "other"), rows=rows, returns="add_5"),),
        rules=(Rule(kind="registered", name="add", file="add.py", line=1, text="def add(): ..."),),
    )


def _line(number: int) -> str:
    return f"    x = torch.relu(x @ w{number}) + x * {number} - torch.relu(x)\n"


def _graph(id: int, stage: Stage, count: int, targets: tuple[str, ...]) -> Graph:
    modules = tuple(f"model.layers.{layer}" for layer in range(count // _NODES_A_LAYER + 1))
    strings = ("placeholder", "call_function", "output", "", *targets, *modules)
    inner = range(1, count - 1)
    table = NodeTable(
        strings=strings,
        values=(Value(text="f32[64, 64]", dtype="float32", shape=("64", "64"), device="cpu"),),
        name=("x", *(f"node_{at}" for at in inner), "output"),
        op=(0, *(1 for _ in inner), 2),
        target=(3, *(4 + at % len(targets) for at in inner), 3),
        arguments=("", *(f"(node_{at - 1}, x)" for at in inner), f"((node_{count - 2},),)"),
        inputs=((), *((at - 1, max(0, at - 7)) for at in inner), (count - 2,)),
        value=(0,) * count,
        stack=(-1, *((at - 1) // _NODES_A_LINE for at in inner), -1),
        module=(3, *(4 + len(targets) + at // _NODES_A_LAYER for at in inner), 3),
    )
    return Graph(id=id, stage=stage, name=stage, compile_id="0/0", frame=0, nodes=table)


def _kernel(id: int, count: int) -> Kernel:
    first = 1 + id * _NODES_A_KERNEL
    return Kernel(
        id=id,
        name=f"cpp_fused_add_mm_relu_{id}",
        language="cpp",
        graph=1,
        wrapper=0,
        nodes=tuple(range(first, min(first + _NODES_A_KERNEL, count - 1))),
        code='extern "C" void kernel(const float* in, float* out)\n{\n'
        + "    out[0] = in[0];\n" * 30
        + "}\n",
        buffers=(f"buf{id}",),
    )


def _lowering(count: int) -> Lowering:
    """The last of so many nodes is stored each time, and the others inlined into it."""
    buffers = count // _NODES_A_KERNEL

    def row(node: int) -> Lowered:
        buffer, left = divmod(node, _NODES_A_KERNEL)
        if left < _NODES_A_KERNEL - 1 or buffer >= buffers:
            return Lowered(node=node, outcome="inlined", form="Pointwise", rule=0)
        return Lowered(node=node, outcome="realised", form="Pointwise", rule=0, buffers=(buffer,))

    rule = LoweringRule(name="make_pointwise", file="torch/_inductor/lowering.py", line=719)
    return Lowering(graph=1, rules=(rule,), nodes=tuple(map(row, range(count))))


def _buffer(id: int) -> Buffer:
    nodes = tuple(range(id * _NODES_A_KERNEL, (id + 1) * _NODES_A_KERNEL))
    return Buffer(
        id=id,
        name=f"buf{id}",
        graph=1,
        kind="pointwise",
        form="Pointwise",
        during=nodes[-1],
        nodes=nodes,
        why=Why(cause="reads reuse", users=3, count=5, limit=4),
        dtype="f32",
        shape=("64", "64"),
        stride=("64", "1"),
        layout="FixedLayout",
        bytes=16384,
        ranges=(Range("i0", "4096"),),
        reads=(f"buf{id - 1}",) if id else (),
        body=tuple(
            LoopLine(f"tmp{at} = ops.add(tmp{at - 1}, tmp{at - 2})", "add", nodes[at % len(nodes)])
            for at in range(20)
        ),
    )
