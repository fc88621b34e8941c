"""Which node a collective was: in a body that Inductor made for it, or put together of several."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from dynamo_lab.capture.ranks.flight import way_of
from dynamo_lab.model.graphs import Graph, Value
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.view.ranks import collectives
from dynamo_lab.view.ranks.causes.causes import known_of
from dynamo_lab.view.ranks.reasons import is_compilers, why
from tests.view.ranks.test_causes import call, rank
from tests.view.samples.table import Table, graph

EIGHT = Value(dtype="f32", shape=("8",))
REDUCES = "_c10d_functional.all_reduce.default"
GATHERS = "_c10d_functional.all_gather_into_tensor_out.default"


def body(number: int, target: str, stack: int) -> Graph:
    """A collective alone in a graph, as Inductor's overlap passes put it there."""
    own = Table()
    given = own.input("arg_0", EIGHT)
    own.output(own.node("inner", target, given, value=EIGHT, stack=stack))
    return replace(graph(number, own, "post_grad"), parent=0, parent_node=0)


def calling_bodies(*stacks: int, by: str = "control_deps") -> tuple[Graph, ...]:
    """A graph that calls a collective of each stack in a body, in this order."""
    whole = Table()
    x = whole.input("x", EIGHT)
    calls = {
        whole.node(f"reduced_{at}", f"torch.ops.higher_order.{by}", x, value=EIGHT): (at,)
        for at in range(1, len(stacks) + 1)
    }
    made = graph(0, whole, "post_grad")
    made = replace(made, frame=None, nodes=replace(made.nodes, subgraphs=calls))
    bodies = (body(at, REDUCES, stack) for at, stack in enumerate(stacks, 1))
    return made, *(replace(one, frame=None) for one in bodies)


def view_of(graphs: tuple[Graph, ...], *calls: Any) -> Any:
    both = tuple(replace(rank(number, *calls), graphs=graphs) for number in range(2))
    view = collectives.build(known_of(Job(title="step", recordings=both)))
    assert view is not None
    return view.meetings


def compiled(number: int, **facts: Any) -> Any:
    """A call of generated code, on the line of the compiled function."""
    return call(2, number, is_compiled=True, is_backward=True, **facts)


def in_backward(graphs: tuple[Graph, ...]) -> tuple[Graph, ...]:
    return tuple(replace(one, is_backward=True) for one in graphs)


def test_a_collective_in_a_body_has_the_node_that_calls_the_body() -> None:
    met = view_of(in_backward(calling_bodies(2, 4)), compiled(1), compiled(2), compiled(3),
                  compiled(4))  # fmt: skip
    assert [one.where.rpartition(" ")[2] for one in met] == ["3", "5", "3", "5"]
    assert ["reduced_1" in one.node for one in met] == [True, False, True, False]


@pytest.mark.parametrize("name", ["cond", "switch", "while_loop"])
def test_what_may_not_have_run_is_not_dealt_to_calls_in_turn(name: str) -> None:
    """Each run of the graph may have taken the same branch, or have gone round several times."""
    met = view_of(in_backward(calling_bodies(2, 4, by=name)), compiled(1), compiled(2))
    assert [(one.where.rpartition(" ")[2], one.node) for one in met] == [("2", "")] * 2
    (one,) = view_of(in_backward(calling_bodies(2, by=name)), compiled(1))
    assert one.where.endswith("line 3"), "nothing else can be it"


def test_what_was_put_together_has_the_lines_of_all() -> None:
    table = Table()
    x = table.input("x", EIGHT)
    at = table.node("both", REDUCES, x, value=EIGHT, stack=2)
    made = graph(0, table, "post_grad", backward=True)
    both = replace(made, frame=None, nodes=replace(made.nodes, bucketed={at: (2, 4)}))
    (one,) = view_of((both,), compiled(1))
    assert one.where == "train.py, lines 3, 5"
    assert one.why == "Inductor put the collectives of these lines together"
    assert one.lines == ("line:0:3",)
    alone = replace(both, nodes=replace(both.nodes, bucketed={}))
    (one,) = view_of((alone,), compiled(1))
    assert (one.where, one.why) == ("train.py, line 3", "")


def test_what_a_collective_fills_is_not_what_it_brings() -> None:
    table = Table()
    x, filled = table.input("x", EIGHT), table.input("filled", Value(shape=("16",)))
    table.node("gathered", GATHERS, x, filled, stack=2, arguments="x, 2, '0', out=filled")
    made = replace(graph(0, table, "post_grad", backward=True), frame=None)
    (one,) = view_of((made,), compiled(1, name="all_gather"))
    assert "gathered" in one.node


class Texts:
    """Of these frames, `train.py` alone is the user's."""

    def is_users(self, path: str) -> bool:
        return path == "train.py"

    def span(self, path: str, line: int, function: str) -> int:
        raise AssertionError

    def stack(self, spans: Any) -> int:
        raise AssertionError


def frames(*places: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"filename": file, "line": 1, "name": name} for file, name in places]


def test_what_the_compiler_calls_itself_is_not_the_programs() -> None:
    passes = "/x/torch/_inductor/fx_passes"
    user = ("train.py", "step")
    c10d = ("/x/torch/distributed/distributed_c10d.py", "all_gather_object")
    agreed = frames(c10d, (f"{passes}/overlap_scheduling.py", "run"), user)
    measured = frames(
        (f"{passes}/node_runtime_estimation.py", "benchmark"),
        (f"{passes}/overlap_scheduling.py", "run"), user,
    )  # fmt: skip
    ran = frames(("/x/torch/_inductor/output_code.py", "__call__"), user)
    assert not way_of(agreed, Texts()).is_compiled
    assert not way_of(measured, Texts()).is_compiled
    assert way_of(ran, Texts()).is_compiled
    said = [
        call(3, name="all_gather", through=way_of(one, Texts()).through)
        for one in (agreed, measured, ran)
    ]
    assert [is_compilers(one) for one in said] == [True, True, False]
    assert why(said[0], has_ddp=True).endswith("agree on its estimates")
    assert why(said[1], has_ddp=True) == "Inductor, compiling, measures a collective"
    assert why(said[2], has_ddp=True) == ""


def test_the_compilers_own_are_counted() -> None:
    own = call(3, through=("_inductor.comms.align",))
    ranks = rank(0, own, call(3, 2)), rank(1, own, call(3, 2))
    view = collectives.build(known_of(Job(title="step", recordings=ranks)))
    assert view is not None
    told = view.sentences[-1]
    assert told.startswith("1 collective of rank 0 is the compiler's own, while it compiled")
