"""Recorded steps: two analyses of a function that inlines another and breaks at a print."""

import json

import msgspec

from dynamo_lab.capture.steps.columns import StepColumns
from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.frames import Attempt, Frame, Instruction
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.steps import AddedGuard, AddedNode, Event, EventKind, StepTable, Symbolic

from .table import Table, graph

CODE = "def inner(a):\n    return a * 2\n\ndef outer(x):\n    print(inner(x))"
X = Symbolic("TensorVariable", "f32[8]", "L['x']")
NULL = Symbolic("NullVariable")


def film() -> Recording:
    """`outer` calls `inner`, which is inlined, and breaks at line 5, in its second analysis."""
    steps = StepColumns(most=12)
    outer = steps.code(
        "outer",
        0,
        (
            Instruction(0, "RESUME", "", 4, 0, 4, 0),
            Instruction(2, "LOAD_FAST", "x", 5, 16, 5, 17),
            Instruction(4, "CALL", "", 5, 10, 5, 18),
            Instruction(6, "CALL", "", 5, 4, 5, 19),
        ),
    )
    inner = steps.code(
        "inner",
        1,
        (
            Instruction(0, "LOAD_FAST", "a", 2, 11, 2, 12),
            Instruction(2, "RETURN_VALUE", "", 2, 4, 2, 16),
        ),
    )
    _analysis(steps, outer, inner, "restart")
    _analysis(steps, outer, inner, "break")
    steps.skip()
    return Recording(
        title="outer",
        sources=(Source("/home/me/two.py", "user", (Excerpt(1, CODE),)),),
        spans=(Span(0, 4, "outer"), Span(0, 1, "inner"), Span(0, 5, "outer", 4, 5, 19)),
        frames=(
            Frame(
                id=0,
                name="outer",
                span=0,
                outcome="compiled",
                attempts=(
                    Attempt(
                        compile_id="0/0",
                        restart=0,
                        outcome="restarted",
                        reason="SpeculationRestartAnalysis",
                    ),
                    Attempt(compile_id="0/0", restart=1, outcome="compiled", graph=0),
                ),
            ),
            Frame(id=1, name="outer", span=0, outcome="skipped", resumes=0, resumed_line=5),
        ),
        breaks=(
            Break(
                id=0,
                frame=0,
                compile_id="0/0",
                span=2,
                effect="resumed",
                gb_type="Failed to trace builtin operator",
                reason="Dynamo does not know how to trace builtin operator `print`",
                context="builtin print [...]",
                graph_before=0,
                resume_frames=(1,),
                joins=(0,),
            ),
        ),
        graphs=(_graph(),),
        film=steps.freeze(),
    )


def _graph() -> Graph:
    table = Table()
    table.node("mul", "operator.mul", table.input("x"), arguments="x, 2")
    return graph(0, table)


def _analysis(steps: StepColumns, outer: int, inner: int, ending: EventKind) -> None:
    steps.begin(0, "0/0")
    frame = steps.call(outer, -1, -1)
    resumed = steps.step(frame, 0)
    steps.guard(AddedGuard(resumed, "GRAD_MODE", ""))
    steps.bind(resumed, "x", steps.value(X))
    steps.stack(steps.step(frame, 1), [steps.value(NULL), steps.value(X)])
    calling = steps.step(frame, 2)
    steps.event(Event(calling, "checkpoint"))
    call = steps.call(inner, frame, calling)
    multiplied = steps.step(call, 0)
    steps.bind(multiplied, "a", steps.value(X))
    x = AddedNode(multiplied, "x", "placeholder", "L_x_", "f32[8]")
    product = steps.node(AddedNode(multiplied, "mul", "call_function", "x * 2", "f32[8]"))
    steps.node(x)
    steps.guard(AddedGuard(multiplied, "TENSOR_MATCH", "L['x']"))
    steps.event(Event(steps.step(call, 1), "return"))
    steps.stack(calling, [steps.value(Symbolic("TensorVariable", "f32[8]", "", product))])
    steps.event(Event(steps.step(frame, 3), ending, "Failed to trace builtin operator"))
    steps.end(0 if ending == "restart" else 1)


def hostile_film() -> Recording:
    """The same with every text made of what breaks renderers."""
    hostile = "</script>\x1b[31m\u202e\u2028\n" + "x" * 300
    recording = film()
    assert recording.film is not None
    found = msgspec.json.decode(
        msgspec.json.encode(recording.film).replace(b"L['x']", json.dumps(hostile)[1:-1].encode()),
        type=StepTable,
    )
    return msgspec.structs.replace(recording, film=found)
