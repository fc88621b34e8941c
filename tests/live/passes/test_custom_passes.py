"""Passes of the reader's own: they run, stand under their names, and are named where they fail."""

from typing import Any

import pytest
import torch
import torch._dynamo.utils
import torch._inductor.config as inductor
from torch.fx import Graph

import dynamo_lab as lab
from dynamo_lab.capture.passes.snapshots import Family
from dynamo_lab.errors import OptionError
from tests.live.passes.recorded import added, compose, passes_named


def twice(graph: Graph) -> None:
    """Adds what it finds to itself."""
    for node in list(graph.find_nodes(op="call_function", target=torch.ops.aten.sin.default)):
        with graph.inserting_after(node):
            made = graph.call_function(torch.ops.aten.add.Tensor, (node, node))
            made.meta.update(node.meta)
        for user in [user for user in node.users if user is not made]:
            user.replace_input_with(node, made)


def leave(graph: Graph) -> None:
    pass


def sine(x: torch.Tensor) -> torch.Tensor:
    return x.sin() * 3


@pytest.mark.slow
def test_a_pass_of_ones_own_runs_and_stands_under_its_name() -> None:
    before = inductor.post_grad_custom_post_pass, inductor.pre_grad_custom_pass
    x = torch.randn(4, requires_grad=True)
    with lab.passes(post_grad=twice, pre_grad=leave, joint=leave):
        recording = lab.explore(sine, x, grad=True)
        torch.testing.assert_close(torch.compile(sine)(x), 2 * sine(x))
    assert (inductor.post_grad_custom_post_pass, inductor.pre_grad_custom_pass) == before
    forward, backward = passes_named(recording, "twice")
    assert recording.pipelines[backward.pipeline].is_backward
    assert (forward.description, added(forward)) == (
        "Adds what it finds to itself.",
        {"aten.add.Tensor"},
    )
    assert forward.span is not None
    assert recording.spans[forward.span].line == twice.__code__.co_firstlineno
    assert {(p.name, p.function) for p in (forward, backward)} == {("twice", "twice")}
    assert forward.hook.startswith("post_grad_custom_post_pass")
    phases = [recording.pipelines[p.pipeline].phase for p in passes_named(recording, "leave")]
    assert phases == ["pre_grad", "joint"]
    assert compose(recording) == 3


@pytest.mark.slow
def test_a_pass_that_was_edited_is_not_taken_from_a_cache() -> None:
    x = torch.randn(4)
    for factor in (2, 3):

        def scale(graph: Graph, by: int = factor) -> None:
            for node in graph.find_nodes(op="call_function", target=torch.ops.aten.mul.Tensor):
                node.args = (node.args[0], by)

        torch._dynamo.reset()
        with lab.passes(post_grad=scale):
            torch.testing.assert_close(torch.compile(sine)(x), x.sin() * factor)


def test_a_pass_that_fails_is_named_and_what_came_before_stays() -> None:
    def breaks(graph: Graph) -> None:
        raise ValueError("no such node")

    with lab.passes(post_grad=breaks):
        recording = lab.explore(sine, torch.randn(4))
    assert recording.failure is not None
    assert "post_grad pass `breaks` raised ValueError: no such node" in recording.failure.message
    (failed,) = passes_named(recording, "breaks")
    assert "no such node" in failed.error
    assert passes_named(recording, "remove_noop_ops")
    assert recording.pipelines[-1].error


def strand(graph: Graph) -> None:
    """Reads a node of another graph."""
    stray = Graph().placeholder("stray")
    next(iter(graph.find_nodes(op="output"))).args = ((stray,),)


def disorder(graph: Graph) -> None:
    """Puts what is read first last, which Inductor sorts out by itself."""
    first = next(node for node in graph.nodes if node.op == "call_function")
    next(iter(graph.find_nodes(op="output"))).prepend(first)


@pytest.mark.parametrize("phase", ["post_grad", "joint"])
def test_a_pass_that_breaks_the_graph_is_named(phase: str) -> None:
    passes: dict[str, Any] = {phase: [strand]}
    with lab.passes(**passes):
        recording = lab.explore(sine, torch.randn(4))
    assert recording.failure is not None
    assert f"{phase} pass `strand` left a graph that cannot run" in recording.failure.message
    (failed,) = passes_named(recording, "strand")
    assert "left a graph that cannot run" in failed.error


@pytest.mark.parametrize("phase", ["pre_grad", "joint", "post_grad"])
def test_order_alone_is_no_fault(phase: str) -> None:
    passes: dict[str, Any] = {phase: disorder}
    x = torch.randn(4)
    with lab.passes(**passes):
        recording = lab.explore(sine, x)
        torch.testing.assert_close(torch.compile(sine)(x), sine(x))
    assert recording.failure is None
    assert not recording.notes


@pytest.mark.parametrize("wrong", [{}, {"post_grad": "reinplace"}, {"joint": [3]}])
def test_what_is_no_pass_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"(pass|use) a function"), lab.passes(**wrong):
        pytest.fail("the block ran")


def test_a_pass_that_is_switched_off_says_so() -> None:
    with inductor.patch(disabled_passes="remove_noop_ops"):
        recording = lab.explore(sine, torch.randn(4), grad=False)
    found = passes_named(recording, "remove_noop_ops")
    assert found
    assert all(item.disabled and not item.timer for item in found)


def test_a_probe_that_fails_leaves_the_compilation_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(family: Family) -> Any:
        raise RuntimeError("cannot look")

    monkeypatch.setattr(Family, "look", fails)
    x = torch.randn(4)
    with lab.record() as recorder:
        torch.testing.assert_close(torch.compile(sine)(x), sine(x))
    notes = [note for note in recorder.recording.notes if note.level == "failure"]
    assert notes
    assert recorder.recording.kernels
