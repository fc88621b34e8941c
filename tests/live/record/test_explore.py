"""What `explore` records of small programs, compiled for real: structure, never generated code."""

import threading
from collections.abc import Generator
from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.errors import OptionError
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from tests.live.lines import line_of


def own_frames(recording: Recording) -> list[Frame]:
    """The frames that are not a library's."""
    kinds = [source.kind for source in recording.sources]
    return [f for f in recording.frames if kinds[recording.spans[f.span].source] == "user"]


def branch_and_print(x: torch.Tensor) -> torch.Tensor:
    y = torch.tanh(x) + 1
    if y.sum() > 0:
        y = y * 2
    print("total")
    return y.softmax(-1)


@pytest.fixture(scope="module")
def recording() -> lab.Recording:
    return lab.explore(branch_and_print, torch.ones(8, 8), grad=False)


def test_breaks_are_on_their_lines_with_their_ids(recording: lab.Recording) -> None:
    branch, output = recording.breaks
    assert (branch.gb_type, branch.registry_id) == ("Data-dependent branching", "GB0170")
    assert recording.spans[branch.span].line == line_of(branch_and_print, "if y.sum()")
    assert recording.spans[output.span].line == line_of(branch_and_print, 'print("total")')
    assert output.registry_id == "GB0059"
    assert branch.hints
    assert branch.link.endswith("gb0170.html")


def test_a_break_has_columns_that_cut_out_the_expression(recording: lab.Recording) -> None:
    output = recording.spans[recording.breaks[1].span]
    text = recording.sources[output.source].line(output.line)
    assert text is not None
    assert text[output.column : output.end_column] == 'print("total")'


def test_frames_resume_one_another_with_a_graph_each(recording: lab.Recording) -> None:
    first, second, third = (f for f in own_frames(recording) if f.outcome == "compiled")
    assert first.name == "branch_and_print"
    assert (second.resumes, third.resumes) == (first.id, second.id)
    assert [b.resume_frames for b in recording.breaks] == [(second.id,), (third.id,)]
    captured = recording.captured_graphs()
    assert [g.frame for g in captured] == [first.id, second.id, third.id]
    assert [b.graph_before for b in recording.breaks] == [g.id for g in captured[:2]]


def test_every_kernel_leads_back_to_lines_of_the_function(recording: lab.Recording) -> None:
    assert recording.kernels
    for kernel in recording.kernels:
        assert kernel.graph is not None
        nodes = recording.graphs[kernel.graph].nodes
        stacks = [nodes[index].stack for index in kernel.nodes]
        functions = {
            recording.spans[span].function
            for s in stacks
            if s is not None
            for span in recording.stacks[s]
        }
        assert any("branch_and_print" in function for function in functions)
        assert "kernel" in kernel.code


def test_bytecode_is_kept_before_and_after(recording: lab.Recording) -> None:
    frame = own_frames(recording)[0]
    assert any(i.opname == "RETURN_VALUE" and i.line > 0 for i in frame.bytecode)
    assert any("__compiled_fn" in i.argument for i in frame.attempts[-1].bytecode)


def test_compile_time_is_a_tree(recording: lab.Recording) -> None:
    names = {timing.name for timing in recording.timings}
    assert {"bytecode_tracing", "GraphLowering.codegen"} <= names
    for timing in recording.timings:
        assert timing.parent == -1 or recording.timings[timing.parent].start <= timing.start


def user_frames(recording: lab.Recording) -> list[tuple[str, str]]:
    """The frames of the program; PyTorch itself has some more when a process compiles first."""
    sources = [recording.sources[span.source] for span in recording.spans]
    return [
        (frame.name, frame.outcome)
        for frame in recording.frames
        if frame.span is not None and sources[frame.span].kind == "user"
    ]


def test_a_compile_cache_hides_nothing() -> None:
    first = lab.explore(branch_and_print, torch.ones(8, 8), grad=False)
    again = lab.explore(branch_and_print, torch.ones(8, 8), grad=False)
    assert user_frames(first) == user_frames(again) != []
    counts = [(len(r.graphs), len(r.kernels), len(r.breaks)) for r in (first, again)]
    assert counts[0] == counts[1]
    assert [k.code for k in first.kernels] == [k.code for k in again.kernels]


@pytest.mark.slow
def test_the_backward_is_recorded_also_when_it_is_compiled_lazily() -> None:
    weight = torch.randn(8, 8, requires_grad=True)
    with lab.record() as recorder:
        loss = torch.compile(lambda x: (x @ weight).relu().sum())(torch.randn(4, 8))
        loss.backward()
    recording = recorder.recording
    stages = {graph.stage for graph in recording.graphs}
    assert {"dynamo", "joint", "forward", "backward", "post_grad"} <= stages
    backward = [
        k
        for k in recording.kernels
        if k.graph is not None and recording.graphs[k.graph].is_backward
    ]
    assert backward
    assert all(kernel.nodes for kernel in backward)


@pytest.mark.slow
def test_backward_nodes_are_linked_to_the_forward_operators() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.gelu(x).softmax(-1)

    recording = lab.explore(f, torch.randn(4, 4, requires_grad=True), grad=True)
    joint = next(g for g in recording.graphs if g.stage == "joint")
    linked = {i for t in recording.links if t.downstream == joint.id for _, i in t.pairs}
    calls = {node.index for node in joint.nodes if node.op == "call_function"}
    assert calls <= linked


@pytest.mark.parametrize(
    ("options", "stages", "kernels"),
    [
        ({"backend": "eager"}, {"dynamo"}, False),
        ({"backend": "aot_eager"}, {"dynamo", "forward"}, False),
        ({"backend": "inductor"}, {"dynamo", "pre_grad", "forward", "post_grad"}, True),
        ({"mode": "reduce-overhead"}, {"dynamo", "pre_grad", "forward", "post_grad"}, True),
    ],
)
def test_backends_and_modes(options: dict[str, Any], stages: set[str], kernels: bool) -> None:
    recording = lab.explore(lambda x: x.sin() + 1, torch.randn(4), grad=False, **options)
    assert {graph.stage for graph in recording.graphs} == stages
    assert bool(recording.kernels) is kernels
    assert all(recording.environment.options[key] == value for key, value in options.items())


def test_a_users_own_backend_gets_the_graph_and_so_does_the_recording() -> None:
    seen: list[Any] = []

    def mine(graph: Any, inputs: Any) -> Any:
        seen.append(graph)
        return graph.forward

    recording = lab.explore(lambda x: x + 1, torch.randn(4), backend=mine)
    assert len(seen) == len(recording.captured_graphs()) == 1
    assert recording.environment.options["backend"] == "mine"


def test_dynamic_shapes_are_symbols() -> None:
    recording = lab.explore(lambda x: x * 2, torch.randn(6, 3), dynamic=True, backend="eager")
    values = [node.value for node in recording.graphs[0].nodes if node.value.shape]
    assert all(value.shape[0].startswith("s") and value.bytes is None for value in values)


def test_fullgraph_makes_a_break_the_failure() -> None:
    recording = lab.explore(branch_and_print, torch.ones(8, 8), fullgraph=True)
    assert [(b.effect, b.registry_id) for b in recording.breaks] == [("failed", "GB0170")]
    assert recording.failure is not None
    assert recording.failure.span is not None
    assert recording.spans[recording.failure.span].line == line_of(branch_and_print, "if y.sum()")
    assert own_frames(recording)[0].outcome == "failed"


@pytest.mark.parametrize("thing", [3, "model", None])
def test_what_cannot_be_called_is_refused(thing: Any) -> None:
    with pytest.raises(OptionError, match="cannot be called: pass a function or a module"):
        lab.explore(thing)


def test_an_argument_of_the_function_is_not_taken_for_a_mode_of_compile() -> None:
    with pytest.raises(OptionError, match=r"mode='nearest' is no mode .* a function of your own"):
        lab.explore(torch.nn.functional.interpolate, torch.ones(1, 1, 4), mode="nearest")


def test_a_program_without_a_graph_says_why() -> None:
    rnn = torch.nn.LSTM(4, 8)
    recording = lab.explore(lambda x: rnn(x)[0], torch.randn(3, 4))
    (found,) = recording.breaks
    assert "LSTM" in found.explanation
    assert recording.captured_graphs() == ()


def test_a_break_in_a_loop_keeps_its_cause_and_says_what_it_cost() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        for i in range(2):
            x = x + 1
            print(i)
        return x

    (found,) = lab.explore(f, torch.randn(3)).breaks
    assert (found.effect, found.registry_id) == ("skipped", "GB0059")
    assert "loop" in found.reason


def test_a_generator_is_skipped_with_a_reason() -> None:
    def generate(x: torch.Tensor) -> Generator[torch.Tensor, None, None]:
        yield x + 1

    frame = own_frames(lab.explore(generate, torch.randn(3)))[0]
    assert frame.outcome == "skipped"
    assert "enerator" in frame.reason


@pytest.mark.slow
def test_a_break_deep_in_inlined_calls_has_the_whole_stack() -> None:
    def helper(x: torch.Tensor) -> torch.Tensor:
        print("deep")
        return x * 2

    def middle(x: torch.Tensor) -> torch.Tensor:
        return helper(x) + 1

    def f(x: torch.Tensor) -> torch.Tensor:
        return middle(x).relu()

    recording = lab.explore(f, torch.randn(3))
    stack = recording.breaks[0].stack
    assert stack is not None
    functions = [recording.spans[span].function for span in recording.stacks[stack]]
    assert functions == ["f", "middle", "helper"]


def test_recompiles_name_the_guard_that_failed() -> None:
    with lab.record() as recorder:
        double = torch.compile(lambda x: x * 2, backend="eager")
        for size in (3, 4):
            double(torch.randn(size))
        double(torch.randn(3, dtype=torch.float64))
    first, second = recorder.recording.recompiles
    assert first.compile_id == "0/1"
    assert "size mismatch at index 0. expected 3, actual 4" in first.failures[0][1]
    assert {earlier for earlier, _ in second.failures} == {"0/0", "0/1"}
    assert "dtype" in second.failures[0][1]


def test_the_recompile_limit_is_marked() -> None:
    with lab.record() as recorder:
        scale = torch.compile(lambda x, n: x * n, backend="eager", dynamic=False)
        for n in range(10):
            scale(torch.randn(3), n)
    hits = [recompile.limit_hit for recompile in recorder.recording.recompiles]
    assert hits == [False] * 7 + [True]
    summary = build(recorder.recording).summary
    assert "recompiled 7 times, until it hit the limit." in summary.sentence, "8 graphs, 7 again"
    assert [c.value for c in summary.counts if c.label == "recompiles"] == ["7"]


def test_a_failing_backend_is_a_recorded_failure() -> None:
    def broken(graph: Any, inputs: Any) -> Any:
        raise ValueError("no code today")

    recording = lab.explore(lambda x: x + 1, torch.randn(3), backend=broken)
    assert recording.failure is not None
    assert "no code today" in recording.failure.message
    assert own_frames(recording)[0].outcome == "failed"
    assert len(recording.captured_graphs()) == 1


def test_our_own_code_is_never_the_users() -> None:
    """Where a model fails with no line of the user's between, our call of it is on the stack."""
    for wrong in (torch.ones(2), "no tensor"):
        recording = lab.explore(torch.nn.Linear(3, 3), wrong, backend="eager")
        assert recording.failure is not None
        assert not [source.path for source in recording.sources if source.kind == "user"]
        assert recording.failure.span is None


@pytest.mark.parametrize("cached", [False, True])
def test_compilation_in_a_thread_is_recorded(cached: bool) -> None:
    with lab.record() as recorder:
        compiled = torch.compile(lambda x: x.sin() + 41)
        thread = threading.Thread(target=compiled, args=(torch.randn(3),))
        thread.start()
        thread.join()
    assert len(recorder.recording.captured_graphs()) == 1
    assert recorder.recording.kernels


def test_the_bodies_of_higher_order_operators_belong_to_their_nodes() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda t: t.sin() + 1, lambda t: t.cos() * 2, (x,))

    recording = lab.explore(f, torch.randn(4, 4), grad=False)
    graph = recording.captured_graphs()[0]
    (node,) = (n for n in graph.nodes if n.subgraphs)
    bodies = [recording.graphs[index] for index in node.subgraphs]
    assert [(body.parent, body.parent_node) for body in bodies] == [(graph.id, node.index)] * 2
    targets = [{n.target for n in body.nodes} for body in bodies]
    assert any("sin" in t for t in targets[0])
    assert any("cos" in t for t in targets[1])


def test_guards_name_the_value_and_the_line() -> None:
    recording = lab.explore(lambda x, n: x * n, torch.randn(3), 5, backend="eager")
    guard = next(g for g in recording.guards if g.source == "L['n']")
    assert any("5" in expression for expression in guard.expressions)
    assert guard.stack is not None


def test_an_extern_kernel_is_found_in_the_wrapper() -> None:
    weight = torch.randn(4, 4)
    recording = lab.explore(lambda x: (x @ weight).relu(), torch.randn(2, 4))
    (extern,) = (kernel for kernel in recording.kernels if kernel.language == "extern")
    assert extern.wrapper is not None
    assert extern.line is not None
    lines = recording.wrappers[extern.wrapper].code.split("\n")
    assert extern.name in lines[extern.line - 1]


def test_a_break_that_recompilations_meet_again_is_one_break() -> None:
    with lab.record() as recorder:
        branch = torch.compile(branch_and_print, backend="eager", dynamic=False)
        for size in (3, 4, 5):
            branch(torch.ones(size, size))
    assert [b.times for b in recorder.recording.breaks] == [3, 3]


@pytest.mark.slow
def test_a_graph_whose_analysis_began_anew_does_not_count() -> None:
    layer = torch.nn.TransformerEncoderLayer(16, 2, batch_first=True).eval()
    recording = lab.explore(layer, torch.randn(2, 5, 16), dynamic=True, backend="aot_eager")
    compiled = [a for f in recording.frames for a in f.attempts if a.outcome == "compiled"]
    assert len(recording.captured_graphs()) == len([a for a in compiled if a.graph is not None])
