"""The steps of the analysis: what each instruction did, correctly, at no cost to the program."""

from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.cli.core.stepper import playback_of
from dynamo_lab.errors import OptionError
from dynamo_lab.model.core.codec import decode, encode
from dynamo_lab.model.steps import StepTable, unpack
from dynamo_lab.view import build
from dynamo_lab.view.steps.playback import Moment


def filmed(fn: Any, *args: Any, **options: Any) -> lab.Recording:
    recording = lab.explore(fn, *args, backend="eager", detail="steps", **options)
    assert not recording.notes
    # a film whose columns do not fit each other would not come back
    assert decode(encode(recording), lab.Recording) == recording
    return recording


def moments(recording: lab.Recording) -> list[Moment]:
    playback = playback_of(build(recording))
    return [playback.moment(step) for step in range(len(playback))]


def film_of(recording: lab.Recording) -> StepTable:
    assert recording.film is not None
    return recording.film


def branching(x: torch.Tensor) -> torch.Tensor:
    y = torch.sin(x) + 1
    if y.sum() > 0:
        y = y.softmax(-1)
    print("hi")
    return torch.relu(y) @ x


def test_without_being_asked_there_is_no_film() -> None:
    assert lab.explore(branching, torch.ones(2, 2), backend="eager").film is None


def test_the_example_from_its_first_to_its_last_instruction() -> None:
    recording = filmed(branching, torch.ones(4, 4))
    shown = moments(recording)
    names = [moment.instruction.opname for moment in shown]
    assert names[0] == "RESUME"
    assert names[-1] == "RETURN_VALUE"
    film = film_of(recording)
    assert [take.restart for take in film.takes] == [0, 0, 1, 0]
    assert [recording.frames[t.frame].attempts[t.attempt].outcome for t in film.takes] == [
        "compiled", "restarted", "compiled", "compiled",
    ]  # fmt: skip
    endings = [[e.kind for e in m.events if e.kind != "checkpoint"] for m in shown]
    assert [kinds for kinds in endings if kinds] == [["break"], ["restart"], ["break"], ["compile"]]


def test_stack_and_locals_are_those_after_the_instruction() -> None:
    shown = moments(filmed(branching, torch.ones(4, 4)))
    added = next(m for m in shown if m.nodes and m.nodes[-1].added.text == "operator.add(sin, 1)")
    assert [(value.kind, value.text) for value in added.stack] == [("TensorVariable", "f32[4, 4]")]
    assert [(local.name, local.value.source) for local in added.variables] == [("x", "L['x']")]
    stored = shown[added.step + 1]
    assert stored.instruction.opname.startswith("STORE_FAST")
    assert not stored.stack
    assert [(local.name, local.is_new) for local in stored.variables] == [("x", False), ("y", True)]
    made = {local.name: added.nodes[local.value.node].added.name for local in stored.variables}
    assert made["y"] == "y"


def test_nodes_are_those_of_the_compiled_graph() -> None:
    recording = filmed(branching, torch.ones(4, 4))
    view = build(recording).steps
    assert view is not None
    for take in view.takes:
        if take.graph is not None:
            rows = [row for row in view.nodes if take.first <= row.added.step < take.end]
            graph = recording.graphs[take.graph].nodes
            assert sorted(row.node for row in rows) == list(range(len(graph)))
            assert [graph.name[row.node] for row in rows] == [row.added.name for row in rows]


def test_guards_arrive_with_the_step_that_needs_them() -> None:
    recording = filmed(branching, torch.ones(4, 4))
    film = film_of(recording)
    first = film.takes[0]
    seen = {(g.kind, g.source) for g in film.guards if first.first <= g.step < first.end}
    kept = {(g.kind, g.source) for g in recording.guards if g.compile_id == first.compile_id}
    assert kept <= seen
    tensor = next(guard for guard in film.guards if guard.kind == "TENSOR_MATCH")
    assert any(n.step == tensor.step and n.op == "placeholder" for n in film.nodes)


def test_inlined_calls_have_their_depth_and_their_caller() -> None:
    def inner(a: torch.Tensor) -> torch.Tensor:
        return a * 2

    def outer(a: torch.Tensor) -> torch.Tensor:
        return inner(a) + 1

    playback = playback_of(build(filmed(lambda x: outer(x) - 1, torch.ones(2))))
    shown = [playback.moment(step) for step in range(len(playback))]
    deepest = max(shown, key=lambda moment: len(moment.calls))
    assert [name.rpartition(".")[2] for name in deepest.calls] == ["<lambda>", "outer", "inner"]
    call = next(m for m in shown if len(m.calls) == 1 and m.instruction.opname.startswith("CALL"))
    assert len(shown[call.step + 1].calls) == 2, "the call goes into outer"
    after = playback.move(call.step, "over")
    assert len(shown[after].calls) == 1
    assert playback.move(deepest.step, "out") > deepest.step
    assert len(shown[playback.move(deepest.step, "out")].calls) < 3


def test_side_effects_are_told() -> None:
    class Counter:
        value = 0

    counter = Counter()
    seen: list[int] = []

    def counting(x: torch.Tensor) -> torch.Tensor:
        counter.value = 3
        seen.append(1)
        return x + 1

    film = film_of(filmed(counting, torch.ones(2)))
    effects = [event.text for event in film.events if event.kind == "effect"]
    assert any(text.startswith("sets ") and text.endswith(".value") for text in effects)
    assert any(text.startswith("changes ") for text in effects)
    assert (counter.value, seen) == (3, [1])


def test_a_container_shows_its_items_as_they_come() -> None:
    def collecting(x: torch.Tensor) -> torch.Tensor:
        parts = []
        parts.append(x + 1)
        parts.append(x * 2)
        return torch.cat(parts)

    shown = moments(filmed(collecting, torch.ones(2)))
    texts = [local.value.text for m in shown for local in m.variables if local.name == "parts"]
    assert list(dict.fromkeys(texts)) == ["[]", "[f32[2]]", "[f32[2], f32[2]]"]


def test_bodies_of_higher_order_operators_have_a_depth() -> None:
    def choosing(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda t: t.sin(), lambda t: t.cos(), (x,))

    nodes = film_of(filmed(choosing, torch.ones(3))).nodes
    assert {node.name: node.depth for node in nodes if node.name in ("sin", "cos")} == {
        "sin": 1,
        "cos": 1,
    }


def test_the_film_is_cut_and_says_so() -> None:
    whole = film_of(filmed(branching, torch.ones(4, 4)))
    recording = filmed(branching, torch.ones(4, 4), max_steps=20)
    film = film_of(recording)
    assert (len(film), film.cut) == (20, len(whole) - 20)
    assert unpack(film.call)[:16] == unpack(whole.call)[:16]
    view = build(recording).steps
    assert view is not None
    assert f"{len(whole) - 20} more steps" in view.cut
    assert len(recording.breaks) == 2, "the rest of the recording is whole"


def test_a_backend_that_compiles_something_itself() -> None:
    def backend(module: Any, inputs: Any) -> Any:
        torch.compile(lambda x: x.cos(), backend="eager")(torch.ones(3))
        return module

    def outer(x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        torch._dynamo.graph_break()
        return y + 1

    recording = lab.explore(outer, torch.ones(2), backend=backend, detail="steps")
    assert not recording.notes
    assert decode(encode(recording), lab.Recording) == recording
    film = film_of(recording)
    names = [recording.frames[take.frame].name.rpartition("<locals>.")[2] for take in film.takes]
    assert names[:3] == ["outer", "outer", "<lambda>"]
    assert names[3].startswith("torch_dynamo_resume_in_outer")
    assert all(take.attempt >= 0 for take in film.takes)


def test_looking_at_variables_changes_nothing() -> None:
    """Dynamo guards on what it examines: recording that made it examine more would add guards."""
    values = {"used": 3, "unused": 4, "deep": {"a": torch.ones(2), "b": [1, 2, 3]}}

    def reading(x: torch.Tensor, table: dict[str, Any]) -> torch.Tensor:
        deep = table["deep"]
        return x * table["used"] + deep["a"]

    plain = lab.explore(reading, torch.ones(2), values, backend="eager")
    film = lab.explore(reading, torch.ones(2), values, backend="eager", detail="steps")
    assert [(g.kind, g.source, g.expressions) for g in plain.guards] == [
        (g.kind, g.source, g.expressions) for g in film.guards
    ]
    assert [graph.nodes.name for graph in plain.graphs] == [g.nodes.name for g in film.graphs]


def test_odd_objects_are_named_by_their_type_and_never_run() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise AssertionError("run")

        __str__ = __repr__

        def __len__(self) -> int:
            raise AssertionError("run")

    odd = Odd()

    def passing(x: torch.Tensor, thing: object) -> torch.Tensor:
        kept = thing
        return x + 1 if kept is not None else x

    shown = moments(filmed(passing, torch.ones(2), odd))
    texts = {local.value.text for m in shown for local in m.variables if local.name == "thing"}
    assert texts == {"Odd"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [({"detail": "all"}, "There is no detail 'all'"), ({"max_steps": 0}, "records nothing")],
)
def test_options_that_make_no_sense(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        lab.explore(branching, torch.ones(2, 2), **options)


def test_a_recompilation_is_a_take_of_its_own() -> None:
    def scaled(x: torch.Tensor, by: int) -> torch.Tensor:
        return x * by

    def calls(x: torch.Tensor) -> None:
        compiled = torch.compile(scaled, backend="eager")
        for by in (2, 3, 4):
            compiled(x, by)

    with lab.record(detail="steps") as recorder:
        calls(torch.ones(2))
    view = build(recorder.recording).steps
    assert view is not None
    assert [take.title for take in view.takes] == ["scaled", "scaled, compilation 2"]
