"""A break in a function that another calls, met once from each."""

from typing import Any

from dynamo_lab.model.breaks import Break, Operand
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Attempt, Frame
from dynamo_lab.model.recording import Recording

from .table import SCALAR, Table, code, graph

CELL = """\
def helper(x):
    print(x.sum())
    return x + 1
def f(x):
    y = helper(x.sin())
    return y.cos()"""


def nested() -> Recording:
    """`f` calls `helper`, which breaks at its print: two breaks from one cause, four graphs."""
    tables = [Table() for _ in range(4)]
    for table, stack in zip(tables, (2, 3, 4, 5), strict=True):
        table.output(table.node("y", "torch.sin", table.input("l_x_"), stack=stack))
    return Recording(
        title="f",
        sources=(
            Source("<ipython-input-1-abc>", "cell", (Excerpt(1, CELL),)),
            Source("torch/external_utils.py", "library"),
        ),
        spans=(
            Span(0, 4, "f"),
            Span(0, 1, "helper"),
            Span(0, 5, "f", 8, 5, 23),
            Span(0, 2, "helper", 4, 2, 18),
            Span(0, 3, "helper", 11, 3, 16),
            Span(0, 6, "f", 11, 6, 18),
            Span(1, 9, "inner"),
        ),
        stacks=((2, 3), (3,), (2,), (3,), (4,), (5,)),
        frames=(
            _frame(0, "f", 0, 0),
            Frame(id=1, name="inner", span=6, outcome="skipped", caller=0, caller_line=5),
            _frame(2, "helper", 1, 1, caller=0, caller_line=5),
            _frame(3, "torch_dynamo_resume_in_helper_at_2", 1, 2, resumes=2, resumed_line=2),
            _frame(4, "torch_dynamo_resume_in_f_at_5", 0, 3, resumes=0, resumed_line=5),
        ),
        breaks=(_break(0, 0, 2, 0, 4), _break(1, 2, 3, 1, 3)),
        graphs=tuple(
            graph(i, table, frame=frame)
            for i, (table, frame) in enumerate(zip(tables, (0, 2, 3, 4), strict=True))
        ),
    )


def _frame(number: int, name: str, span: int, graph: int, **more: Any) -> Frame:
    return Frame(
        id=number,
        name=name,
        span=span,
        outcome="compiled",
        attempts=(Attempt(compile_id=f"{number}/0", restart=0, outcome="compiled", graph=graph),),
        bytecode=code(("RESUME", "0", 1), ("CALL", "1", 2)),
        **more,
    )


def _break(number: int, frame: int, span: int, graph: int, resumed: int) -> Break:
    return Break(
        id=number,
        frame=frame,
        compile_id=f"{frame}/0",
        span=span,
        effect="resumed",
        gb_type="Failed to trace builtin operator",
        reason="Failed to trace builtin operator `print`",
        context="builtin print [<class 'TensorVariable'>] False",
        stack=number,
        graph_before=graph,
        resume_frames=(resumed,),
        offset=2,
        opname="CALL",
        operands=(Operand("sum_1", SCALAR),),
    )
