"""Unrolled loops and repeated blocks: what is folded, and what must not be."""

import random
from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dynamo_lab.model.graphs import Value
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.graphs.repeats.folds import listed_nodes
from dynamo_lab.view.graphs.repeats.stretches import stretches
from dynamo_lab.view.graphs.scenes import Scenes, nodes_of
from tests.view.graphs.unrolled import long_loop, recorded
from tests.view.samples.table import Table

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A property holds on a busy machine, too."""

STEPS = 12
CHANGED = 6
OTHER = Value(dtype="torch.float32", shape=("8", "1"), stride=("1", "1"), device="cpu", bytes=32)


def shown(recording: Recording) -> GraphView:
    return build(recording).graphs[0]


def loop(**changed: object) -> GraphView:
    """Twelve steps of two operators, of which the seventh is made otherwise."""
    table = Table()
    last, shared = table.input("x"), table.input("w")
    first = table.node("relu", "aten.relu.default", last)
    for at in range(STEPS):
        here = changed if at == CHANGED else {}
        read = first if here.get("far") else shared
        product = table.node(
            f"mm_{at}", str(here.get("target", "aten.mm.default")), last, read,
            stack=int(str(here.get("stack", 0))), module=str(here.get("module", "")),
        )  # fmt: skip
        value = OTHER if here.get("value") else table.rows[0][5]
        number = here.get("number", 2)
        last = table.node(
            f"add_{at}", "aten.add.Tensor", product, value=value, stack=1,
            arguments=f"mm_{at}, {number}, alpha={here.get('alpha', 1.5)}",
        )  # fmt: skip
    table.output(last)
    return shown(recorded(table))


def test_an_unrolled_loop_is_one_repeat() -> None:
    [one] = loop().repeats
    assert (one.first, one.size, one.times) == (3, 2, STEPS)
    assert (one.name, one.holds, one.differs, one.parent) == ("", "mm and add", (), -1)


@pytest.mark.parametrize(
    "changed",
    [
        {"target": "aten.bmm.default"},
        {"stack": 3},
        {"module": "L['self'].other"},
        {"value": True},
        {"number": 3},
        {"alpha": 2.5},
        {"far": True},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_step_that_is_made_otherwise_is_not_folded(changed: dict[str, object]) -> None:
    other = 3 + 2 * CHANGED
    for one in loop(**changed).repeats:
        assert not one.first <= other < one.first + one.size * one.times
    assert [one.times for one in loop(**changed).repeats] == [CHANGED, STEPS - CHANGED - 1]


def test_a_step_that_reads_another_weight_says_so() -> None:
    table = Table()
    last = table.input("x")
    weights = [table.input("w_1"), table.input("w_2")]
    for at in range(STEPS):
        last = table.node(f"mm_{at}", "aten.mm.default", last, weights[at == CHANGED])
    table.output(last)
    [one] = shown(recorded(table)).repeats
    assert one.times == STEPS
    assert one.differs == ("in 1 place some read another value than others (`w_1` … `w_2`)",)


def test_what_a_block_has_of_its_own_is_said(make: Callable[[str], Recording]) -> None:
    blocks, inner, *_, steps = shown(make("unrolled")).repeats
    assert (blocks.times, blocks.name) == (4, "h.0 … h.3")
    assert blocks.differs == ("each reads 1 value of its own (`h_0_weight` … `h_3_weight`)",)
    assert (inner.times, inner.holds, inner.parent) == (12, "tanh", 0)
    assert steps.differs == ("a number passed to `add` counts from 0 to 22 in steps of 2",)


def test_few_nodes_are_not_folded() -> None:
    assert shown(long_loop(4)).repeats == ()
    assert [one.times for one in shown(long_loop(5)).repeats] == [5]


def test_bodies_of_their_own_keep_blocks_apart() -> None:
    table = Table()
    last = table.input("x")
    for at in range(STEPS):
        last = table.node(f"cond_{at}", "torch.ops.higher_order.cond", last)
    table.output(last)
    assert len(shown(recorded(table)).repeats) == 1
    called = recorded(table)
    nodes = called.graphs[0].nodes
    bodies = {at: (at,) for at in range(1, STEPS + 1)}
    changed = replace(called.graphs[0], nodes=replace(nodes, subgraphs=bodies))
    assert shown(replace(called, graphs=(changed,))).repeats == ()


@unhurried
@given(st.lists(st.integers(0, 3), max_size=60))
def test_stretches_are_equal_and_as_long_as_they_get(keys: list[int]) -> None:
    def same(one: int, other: int) -> bool:
        return keys[one] == keys[other]

    for start, end, period in stretches(keys, same):
        assert end - start >= 3 * period
        assert all(keys[at] == keys[at + period] for at in range(start, end - period))
        assert start == 0 or keys[start - 1] != keys[start - 1 + period]
        assert end == len(keys) or keys[end] != keys[end - period]


@unhurried
@given(st.lists(st.integers(0, 2), min_size=1, max_size=9), st.integers(6, 12))
def test_a_repeated_row_is_found(row: list[int], times: int) -> None:
    keys = [7, *(row * times), 8]
    found = stretches(keys, lambda one, other: keys[one] == keys[other])
    assert any(start <= 1 and end >= 1 + len(row) * times for start, end, _ in found)


@pytest.mark.parametrize("length", [1_000, 10_000])
def test_no_sequence_takes_more_than_a_number_of_comparisons_an_entry(length: int) -> None:
    rng = random.Random(0)
    thue_morse = [at.bit_count() % 2 for at in range(length)]
    fibonacci = [0, 1]
    while len(fibonacci) < length:
        fibonacci += fibonacci[: len(fibonacci) // 2 + 1]
    sequences: list[Sequence[int]] = [
        [0] * length,
        [rng.randrange(2) for _ in range(length)],
        thue_morse,
        fibonacci[:length],
        [part for size in range(1, int((2 * length) ** 0.5)) for part in (*[0] * size, 1)][:length],
    ]
    for keys in sequences:
        compared = 0

        def same(one: int, other: int, keys: Sequence[int] = keys) -> bool:
            nonlocal compared
            compared += 1
            return keys[one] == keys[other]

        list(stretches(keys, same))
        assert compared <= 43 * len(keys) + 100


def test_a_listing_has_the_first_block_and_what_stands_for_the_others() -> None:
    graph = shown(long_loop(50))
    rows = list(listed_nodes(graph))
    assert rows == [0, 1, 2, 3, graph.repeats[0], 102]


def test_each_node_is_in_one_box_whatever_is_open(make: Callable[[str], Recording]) -> None:
    graph = shown(make("unrolled"))
    scenes = Scenes(graph, {graph.id: graph}, inputs=True)
    every = scenes.all_open()
    some = [frozenset(pair) for pair in combinations(sorted(every), 2)][::7]
    for opened in (frozenset[str](), scenes.initially_open(), every, *some):
        boxes = list(scenes.modules(opened).boxes())
        held = sorted(node for box in boxes for node in nodes_of(graph, box))
        assert held == list(range(len(graph.name)))
    assert all(box.node >= 0 for box in scenes.modules(every).boxes())


def test_a_diagram_opens_the_first_block_and_one_box_for_the_others() -> None:
    graph = shown(long_loop(5_000))
    scenes = Scenes(graph, {graph.id: graph})
    assert scenes.count(frozenset()) == 4
    assert [box.id for box in scenes.modules(scenes.initially_open()).boxes()] == [
        "n0_0", "n0_1", "n0_10002", "q0_0_0", "n0_2", "n0_3",
    ]  # fmt: skip
