"""Diffs of passes: they are applied as a pass changed the graph, and refer to what there is."""

from collections.abc import Callable

import msgspec
import pytest

from dynamo_lab.model.passes import GraphChange, NodeText, Placed, apply, begun, left, state_of
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.validate import validate

Make = Callable[[str], Recording]


def node(name: str, arguments: str = "") -> NodeText:
    return NodeText(name, "call_function", name, arguments)


def names(state: dict[str, tuple[NodeText, ...]], body: str = "") -> str:
    return " ".join(item.name for item in state[body])


A, B, C, D = (node(name) for name in "abcd")


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (GraphChange(), "a b c d"),
        (GraphChange(removed=("b", "d")), "a c"),
        (GraphChange(added=(Placed(0, node("x")), Placed(5, node("y")))), "x a b c d y"),
        (GraphChange(added=(Placed(2, node("y")), Placed(1, node("x")))), "a x y b c d"),
        (GraphChange(removed=("a",), added=(Placed(3, node("x")),)), "b c d x"),
        (GraphChange(moved=((0, "d"),)), "d a b c"),
        (GraphChange(moved=((3, "a"), (0, "c"))), "c b d a"),
        (GraphChange(removed=("b",), moved=((2, "a"),), added=(Placed(1, node("x")),)), "c x a d"),
    ],
)
def test_a_change_is_applied(change: GraphChange, wanted: str) -> None:
    assert names(apply({"": (A, B, C, D)}, [change])) == wanted


def test_a_node_that_changes_keeps_its_place_and_may_move_as_well() -> None:
    changed = node("b", "a, a")
    made = apply({"": (A, B, C)}, [GraphChange(changed=(changed,), moved=((2, "b"),))])
    assert made[""] == (A, C, changed)


def test_bodies_come_and_go() -> None:
    came = apply({"": (A,)}, [GraphChange(body="body_0", added=(Placed(0, B),))])
    assert came == {"": (A,), "body_0": (B,)}
    assert apply(came, [GraphChange(body="body_0", removed=("b",))]) == {"": (A,)}


def test_a_pipeline_goes_on_from_what_another_left(make: Make) -> None:
    recording = make("rewritten")
    first, second = recording.pipelines
    assert begun(recording, first) == state_of(recording.graphs, {"": 1})
    assert begun(recording, second) == left(recording, first)
    assert left(recording, second) == state_of(recording.graphs, second.became)


def test_what_timings_list_is_told_from_what_they_leave_out(make: Make) -> None:
    timers = [item.timer for item in make("rewritten").passes]
    assert timers[0] == "pass.joint_graph_passes.remove_noop_ops"
    assert timers[2] == "", "disabled, so not timed"
    assert timers[3] == timers[5] == ""


@pytest.mark.parametrize(
    ("table", "changes", "problem"),
    [
        ("pipelines", {"follows": 0}, "follows 0, which is none before it"),
        ("pipelines", {"graphs": {"": 99}}, "pipelines[0].graphs is 99"),
        ("pipelines", {"became": {"b": -1}}, "pipelines[0].became is -1"),
        ("pipelines", {"first": 2, "end": 1}, "has the passes 2 to 1"),
        ("pipelines", {"end": 99}, "has the passes 0 to 99"),
        ("passes", {"pipeline": 9}, "passes[0].pipeline is 9"),
        ("passes", {"parent": 0}, "ran inside of 0, which is none before it"),
        ("passes", {"left_alone": {7: 1}}, "passes[0].left_alone is 7"),
        ("passes", {"changes": (GraphChange(moved=((-2, "b"),)),)}, "puts a node at -2"),
        ("patterns", {"span": 99}, "patterns[0].span is 99"),
    ],
)
def test_what_refers_to_nothing_is_refused(
    make: Make, table: str, changes: dict[str, object], problem: str
) -> None:
    recording = make("rewritten")
    rows = getattr(recording, table)
    damaged = (msgspec.structs.replace(rows[0], **changes), *rows[1:])
    found = validate(msgspec.structs.replace(recording, **{table: damaged}))
    assert found is not None
    assert problem in found
    assert validate(recording) is None
