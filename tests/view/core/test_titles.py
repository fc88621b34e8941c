"""What graphs are called: numbers from 1, and no title twice."""

from collections.abc import Callable

from msgspec.structs import replace

from dynamo_lab.model.graphs import Graph, NodeTable, Stage
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.core.titles import GraphTitles

Make = Callable[[str], Recording]

COND = NodeTable(
    strings=("call_function", "cond", ""), name=("cond", "cond_1"), op=(0, 0), target=(1, 1),
    arguments=("", ""), inputs=((), ()), value=(0, 0), stack=(-1, -1), module=(2, 2),
)  # fmt: skip


def named(*rows: tuple[Stage, str, bool, int | None, int | None]) -> list[tuple[int, str]]:
    """Number and title of graphs: (stage, compile id, is backward, parent, parent's node)."""
    graphs = tuple(
        Graph(
            id=id, stage=stage, name="", compile_id=compile_id, is_backward=is_backward,
            nodes=COND, parent=parent, parent_node=node,
        )
        for id, (stage, compile_id, is_backward, parent, node) in enumerate(rows)
    )  # fmt: skip
    found = GraphTitles(Recording(title="", graphs=graphs))
    assert len(set(found.titles)) == len(graphs)
    return list(zip(found.numbers, found.titles, strict=True))


def test_later_stages_are_named_after_the_captured_graph() -> None:
    assert named(
        ("dynamo", "0/0", False, None, None),
        ("joint", "0/0", False, None, None),
        ("dynamo", "1/0", False, None, None),
        ("forward", "1/0", False, None, None),
        ("backward", "0/0", True, None, None),
        ("post_grad", "0/0", False, None, None),
        ("post_grad", "0/0", True, None, None),
    ) == [
        (1, "graph 1"),
        (1, "graph 1 joint"),
        (2, "graph 2"),
        (2, "graph 2 forward"),
        (1, "graph 1 backward"),
        (1, "graph 1 post_grad"),
        (1, "graph 1 post_grad (backward)"),
    ]


def test_bodies_say_of_which_operator() -> None:
    assert named(
        ("dynamo", "0/0", False, None, None),
        ("dynamo", "0/0", False, 0, 0),
        ("dynamo", "0/0", False, 0, 0),
        ("dynamo", "0/0", False, 0, 1),
        ("forward", "0/0", False, None, None),
        ("forward", "0/0", False, 4, 0),
        ("forward", "0/0", False, 5, 1),
    ) == [
        (1, "graph 1"),
        (1, "graph 1 body 1 of cond"),
        (1, "graph 1 body 2 of cond"),
        (1, "graph 1 body of cond_1"),
        (1, "graph 1 forward"),
        (1, "graph 1 forward body of cond"),
        (1, "graph 1 forward body of cond_1 in body of cond"),
    ]


def test_a_graph_that_nothing_was_captured_for_has_the_number_0() -> None:
    assert named(("forward", "", False, None, None), ("dynamo", "0/0", False, None, None)) == [
        (0, "graph 0 forward"),
        (1, "graph 1"),
    ]


def test_a_frame_captured_again_and_a_graph_compiled_in_parts() -> None:
    assert named(
        ("dynamo", "0/0", False, None, None),
        ("dynamo", "0/0", False, None, None),
        ("forward", "0/0", False, None, None),
        ("forward", "0/0", False, None, None),
    ) == [
        (1, "graph 1"),
        (2, "graph 2"),
        (2, "graph 2 forward #1"),
        (2, "graph 2 forward #2"),
    ]


def test_everything_printed_uses_them(make: Make) -> None:
    recording = make("branch_and_print")
    view = build(recording)
    assert [graph.number for graph in view.graphs] == [1, 2, 3, 1, 1, 1]
    assert view.kernels.wrappers[0].title == "wrapper of graph 1 post_grad"
    without = replace(recording.wrappers[0], graph=None, is_backward=True)
    view = build(replace(recording, wrappers=(without,)))
    assert view.kernels.wrappers[0].title == "backward wrapper of 0/0"
