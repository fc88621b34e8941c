"""A function that is compiled again as a size changes, and whose branch pins that size down."""

from msgspec.structs import replace

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Attempt, Frame
from dynamo_lab.model.graphs import Value
from dynamo_lab.model.guards.guards import FailedGuard, Guard, Recompile
from dynamo_lab.model.guards.symbols import ShapeFact, Symbol
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.recording import Recording

from .table import Table, code, graph

_TEXT = """\
def scale(x, n):
    y = x * n
    if x.shape[0] == 8:
        y = y + 1
    return y"""
_X = "L['x'].size()[0]"


def _value(size: str) -> Value:
    return Value(dtype="float32", shape=(size, "3"), stride=("3", "1"), device="cpu")


def _graph(number: int, size: str, *, adds: bool) -> Table:
    table = Table()
    x = table.input("L_x_", value=_value(size))
    y = table.node("y", "operator.mul", x, stack=0, value=_value(size), arguments="l_x_, 3")
    if adds:
        y = table.node("y_1", "operator.add", y, stack=2, value=_value(size), arguments="y, 1")
    table.output(y)
    return table


def sizes() -> Recording:
    """Three compilations: of one size, of open sizes, and one more that hit the limit."""
    graphs = (
        graph(0, _graph(0, "8", adds=True)),
        replace(graph(1, _graph(1, "s77", adds=False)), compile_id="0/1"),
    )
    failed = FailedGuard(
        compile_id="0/0",
        text="tensor 'L['x']' size mismatch at index 0. expected 8, actual 16",
        source="L['x']",
        was="8",
        now="16",
        stack=0,
    )
    number = FailedGuard(
        compile_id="0/1", text="L['n'] == 3", source="L['n']", was="3", now="4", stack=0
    )
    return Recording(
        title="scale",
        sources=(Source("/home/me/scale.py", "user", (Excerpt(1, _TEXT),)),),
        spans=(
            Span(0, 1, "scale"),
            Span(0, 2, "scale", 8, 2, 13),
            Span(0, 3, "scale", 7, 3, 22),
            Span(0, 4, "scale", 12, 4, 17),
        ),
        stacks=((1,), (2,), (3,)),
        frames=(
            Frame(
                id=0,
                name="scale",
                span=0,
                outcome="compiled",
                bytecode=code(("RESUME", "0", 1), ("LOAD_FAST", "x", 2), ("LOAD_FAST", "y", 5)),
                attempts=tuple(
                    Attempt(compile_id=f"0/{i}", restart=0, outcome="compiled", graph=i)
                    for i in range(2)
                ),
            ),
        ),
        guards=(
            Guard(frame=0, compile_id="0/0", kind="TENSOR_MATCH", source="L['x']", stack=0),
            Guard(frame=0, compile_id="0/0", kind="EQUALS_MATCH", source="L['n']",
                  expressions=("L['n'] == 3",), stack=0),
        ),
        recompiles=(
            Recompile(
                frame=0, compile_id="0/1", failures=(("0/0", "size mismatch"),), failed=(failed,)
            ),
            Recompile(
                frame=0,
                compile_id="0/2",
                failures=(("0/1", "n == 3"), ("0/0", "size mismatch")),
                failed=(number, failed),
                limit_hit=True,
                limit="recompile_limit",
            ),
        ),
        symbols=(
            Symbol(frame=0, compile_id="0/1", name="s77", hint="16", lower="2", sources=(_X,),
                   stack=0),
            Symbol(frame=0, compile_id="0/2", name="s77", hint="8", lower="8", upper="8",
                   sources=(_X, "L['z'].size()[1]"), stack=0, value="8"),
            Symbol(frame=0, compile_id="0/2", name="u0", is_backed=False, lower="0", upper="24"),
        ),
        shape_facts=(
            ShapeFact(frame=0, compile_id="0/1", event="guard", expression="Ne(s77, 8)",
                      symbols=("s77",), stack=1),
            ShapeFact(frame=0, compile_id="0/2", event="guard", expression="Eq(s77, 8)",
                      symbols=("s77",), stack=1),
            ShapeFact(frame=0, compile_id="0/2", event="constant", expression="8",
                      symbols=("s77",), stack=1),
            ShapeFact(frame=0, compile_id="0/2", event="zero_one", expression="1",
                      source="L['w'].size()[0]", stack=0),
            ShapeFact(frame=0, compile_id="0/2", event="violation",
                      expression=f"You marked {_X} as dynamic but your code specialized it."),
        ),
        graphs=graphs,
        kernels=(
            Kernel(id=0, name="cpp_fused_add_mul_0", language="cpp", graph=0, wrapper=None,
                   nodes=(1, 2), code="void a() {}"),
            Kernel(id=1, name="cpp_fused_mul_0", language="cpp", graph=1, wrapper=None,
                   nodes=(1,), code="void b() {}"),
        ),
    )  # fmt: skip
