"""Which bucket of DDP a collective was: by the order and the bytes, and only where that tells."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.ranks.ranks import Call, Rank
from dynamo_lab.model.ranks.reducers import Reduced, Reducer
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.ranks.known import Known
from tests.view.samples.table import Table, graph

FIRST = (Reduced(bytes=120, parameters=("b", "a.weight")),)
REBUILT = (Reduced(bytes=40, parameters=("b",)), Reduced(bytes=80, parameters=("a.weight",)))

TEXT = """\
model = DDP(net)
h = x @ a.weight
y = h + b"""


def call(number: int, floats: int, **facts: Any) -> Call:
    known: dict[str, Any] = {"is_backward": True, **facts}
    return Call(name="all_reduce", group="0", number=number, sizes=((floats,),), dtypes=("Float",),
                started=float(number), **known)  # fmt: skip


def known(*calls: Call, **reducer: Any) -> Known:
    facts: dict[str, Any] = {"initial": FIRST, "rebuilt": REBUILT, "span": 0, **reducer}
    rank = Rank(number=0, size=2, calls=calls, reducers=(Reducer(group="0", **facts),))
    recording = Recording(
        title="step",
        sources=(Source("train.py", "user", (Excerpt(1, TEXT),)),),
        spans=(Span(0, 1, "train"), Span(0, 2, "forward"), Span(0, 3, "forward")),
        stacks=((1,), (2,)),
        rank=rank,
    )
    return Known("rank 0", recording, rank)


def told(one: Known) -> list[str]:
    assert one.rank.calls
    return [one.buckets.why(call) for call in one.rank.calls]


def test_each_backward_reduces_the_buckets_of_a_list_in_order() -> None:
    one = known(call(1, 30), *(call(2 + at, (10, 20)[at % 2]) for at in range(4)))
    assert told(one) == [
        "DDP reduces all gradients (`b`, `a.weight`), by its size and order",
        *["DDP reduces bucket 0 of 2 (`b`), by its size and order",
          "DDP reduces bucket 1 of 2 (`a.weight`), by its size and order"] * 2,
    ]  # fmt: skip


def test_a_backward_that_was_cut_off_is_told_as_far_as_it_came() -> None:
    assert told(known(call(1, 10), call(2, 20), call(3, 10)))[2].startswith("DDP reduces bucket 0")


@pytest.mark.parametrize(
    "calls",
    [
        (call(1, 20), call(2, 10)),  # not in their order
        (call(1, 11), call(2, 20)),
        (call(1, 10, is_backward=False), call(2, 20, is_backward=False)),  # the program's own
        (call(1, 10, through=("ddp_comm_hooks",)), call(2, 20, through=("ddp_comm_hooks",))),
        (call(1, 10, is_compiled=True), call(2, 20, is_compiled=True)),
    ],
)
def test_nothing_is_said_of_others(calls: tuple[Call, ...]) -> None:
    one = known(*calls)
    assert told(one) == ["", ""]
    assert one.line_behind(calls[0]) is None


def test_what_two_modules_may_have_sent_is_of_neither() -> None:
    one = known(call(1, 10), call(2, 20))
    twice = Rank(number=0, size=2, calls=one.rank.calls, reducers=one.rank.reducers * 2)
    assert told(Known("rank 0", one.recording, twice)) == ["", ""]


def test_the_line_is_that_of_the_wrap_where_no_graph_is_known() -> None:
    one = known(call(1, 10), call(2, 20))
    assert one.rank.calls
    assert [one.line_behind(each) for each in one.rank.calls] == [(0, 1), (0, 1)]
    assert [one.line_of(each) for each in one.rank.calls] == [None, None]


def test_the_line_is_that_of_the_forward_where_the_one_graph_has_it() -> None:
    table = Table()
    x = table.input("l_x_")
    weight = table.input("l_self_modules_a_parameters_weight_")
    bias = table.input("l_self_parameters_b_")
    product = table.node("h", "operator.matmul", x, weight, stack=0)
    table.output(table.node("y", "operator.add", product, bias, stack=1))
    one = known(call(1, 10), call(2, 20), call(3, 30))
    compiled = replace(one.recording, graphs=(graph(0, table),))
    seen = Known("rank 0", compiled, one.rank)
    assert one.rank.calls
    lines = [seen.line_behind(each) for each in one.rank.calls]
    assert lines == [(0, 3), (0, 2), (0, 1)]  # all gradients together are of no line
