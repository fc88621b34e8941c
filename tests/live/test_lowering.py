"""The lowering of real compilations: every node has its row, every line its node."""

from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention.flex_attention import flex_attention

import dynamo_lab as lab
from dynamo_lab.capture.lowering.buffers import BufferProbes
from dynamo_lab.capture.lowering.loop_bodies import Printer
from dynamo_lab.model.lowering import Buffer, Lowered
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.validate import validate
from dynamo_lab.view import build
from tests.live.explored import Explorations

LOOPS = ("pointwise", "scatter", "reduction", "scan", "sort")


def rows(recording: Recording) -> dict[str, Lowered]:
    """The row of each node of all lowered graphs, by name."""
    return {
        recording.graphs[lowering.graph].nodes.name[row.node]: row
        for lowering in recording.lowerings
        for row in lowering.nodes
    }


def of_operator(recording: Recording, operator: str) -> Lowered:
    """The row of the one node that calls an operator."""
    (found,) = (
        row
        for lowering in recording.lowerings
        for row in lowering.nodes
        if recording.graphs[lowering.graph].nodes[row.node].target.startswith(operator)
    )
    return found


def buffer_of(recording: Recording, row: Lowered, kind: str) -> Buffer:
    """The first buffer of a kind that was made with a row."""
    return next(b for b in map(recording.buffers.__getitem__, row.buffers) if b.kind == kind)


def line_nodes(recording: Recording, buffer: Buffer) -> set[str]:
    names = recording.graphs[buffer.graph].nodes.name
    return {names[line.node] for line in buffer.body}


@pytest.mark.parametrize(
    "name", ["training_step", "cond", "dynamic_shapes", "branch_and_print", "lstm", "attention"]
)
def test_every_node_of_every_lowered_graph_has_its_row(name: str, explored: Explorations) -> None:
    recording = explored(name).recording
    assert validate(recording) is None
    assert not [note for note in recording.notes if note.level == "failure"]
    lowered = {lowering.graph: lowering for lowering in recording.lowerings}
    for graph in recording.graphs:
        if graph.stage == "post_grad":
            assert [row.node for row in lowered[graph.id].nodes] == list(range(len(graph.nodes)))
            for row in lowered[graph.id].nodes:
                is_input = graph.nodes[row.node].op == "placeholder"
                assert (row.outcome == "input") == is_input
    for buffer in recording.buffers:
        assert bool(buffer.body) == (buffer.kind in LOOPS)
        assert all(line.node >= 0 for line in buffer.body), buffer.name
        assert not buffer.body or set(buffer.nodes) == {line.node for line in buffer.body}
        assert buffer.kind not in LOOPS or buffer.why is not None
    assert build(recording).lowering.lowerings or not lowered


def test_a_chain_of_pointwise_operators_is_one_loop() -> None:
    def chain(x: torch.Tensor) -> torch.Tensor:
        return (x.sin() * 2 + 1).relu()

    recording = lab.explore(chain, torch.randn(8, 8))
    found = rows(recording)
    assert Counter(row.outcome for row in found.values()) == {
        "input": 1, "inlined": 3, "realised": 1, "output": 1,
    }  # fmt: skip
    (buffer,) = recording.buffers
    assert buffer.why is not None
    assert buffer.why.cause == "output"
    assert line_nodes(recording, buffer) == {"sin", "mul", "add", "relu"}
    operators = [line.operator for line in buffer.body]
    assert operators[0] == "load"
    assert operators[-1] == "store"
    assert {"sin", "mul", "add", "relu"} <= set(operators)
    assert (buffer.dtype, buffer.shape, buffer.bytes) == ("f32", ("8", "8"), 256)
    assert (buffer.reads, [loop.size for loop in buffer.ranges]) == (("arg0_1",), ["64"])


def test_reductions_and_costly_loops_are_stored_with_a_reason() -> None:
    def normalised(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return functional.layer_norm(x, (64,), w).softmax(-1)

    recording = lab.explore(normalised, torch.randn(128, 64), torch.randn(64))
    kinds = {b.reduction: b for b in recording.buffers if b.kind == "reduction"}
    assert {"max", "sum"} <= set(kinds)
    for buffer in kinds.values():
        assert buffer.why is not None
        assert buffer.why.cause == "reduction"
        assert [loop.variable for loop in buffer.ranges] == ["i0", "r0"]
    exp = buffer_of(recording, of_operator(recording, "aten.exp"), "pointwise")
    assert exp.why is not None
    assert (exp.why.cause, exp.why.by, exp.why.users) == ("heavy reuse", "exp", 2)


def test_what_many_read_is_stored_once_its_loop_reads_too_much() -> None:
    def spread(a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
        total = a + b + c + d + e
        return total.sum(0), total.sum(1)

    recording = lab.explore(spread, *(torch.randn(16, 16) for _ in range(5)))
    stored = next(b for b in recording.buffers if b.why and b.why.cause == "reads reuse")
    assert stored.why is not None
    assert (stored.why.users, stored.why.count, stored.why.limit) == (2, 5, 4)
    assert "2 operators read it, and its loop reads 5 buffers" in str(build(recording).lowering)


def test_a_matrix_product_is_a_kernel_that_reads_memory() -> None:
    def product(x: torch.Tensor) -> torch.Tensor:
        return (x + 1) @ x

    recording = lab.explore(product, torch.randn(8, 8))
    assert of_operator(recording, "aten.mm").outcome in ("extern", "template")
    add = rows(recording)["add"]
    assert (add.outcome, add.buffers) == ("inlined", ())  # stored only when the product is lowered
    needed = next(b for b in recording.buffers if b.why and b.why.cause == "needed")
    assert needed.during == of_operator(recording, "aten.mm").node
    product_of = next(b for b in recording.buffers if b.kind in ("extern", "template"))
    assert needed.name in product_of.reads
    made = {name for kernel in recording.kernels for name in kernel.buffers}
    assert {needed.name, product_of.name} <= made


@torch.library.custom_op("dynamo_lab_tests::doubled", mutates_args=())
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@doubled.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def test_operators_without_a_loop_say_why() -> None:
    def several(x: torch.Tensor) -> Any:
        return doubled(x), torch.linalg.inv(x), torch.fft.fft(x).real

    recording = lab.explore(several, torch.randn(4, 4))
    own = of_operator(recording, "dynamo_lab_tests.doubled")
    inverse, complex_ = (of_operator(recording, f"aten.{n}") for n in ("linalg_inv", "_fft_r2c"))
    assert [row.outcome for row in (own, inverse, complex_)] == ["fallback"] * 3
    causes = [row.why.cause for row in (own, inverse, complex_) if row.why]
    assert causes == ["unknown", "listed", "unsupported"]
    called = {item.kernel for item in build(recording).lowering.called}
    assert any("doubled" in kernel for kernel in called)


def test_bodies_of_operators_are_lowerings_of_their_own(explored: Explorations) -> None:
    recording = explored("cond").recording
    graphs = recording.graphs
    bodies = [item for item in recording.lowerings if graphs[item.graph].parent is not None]
    assert len(bodies) == 2
    of_bodies = {b.name for b in recording.buffers if graphs[b.graph].parent is not None}
    made = {name for kernel in recording.kernels for name in kernel.buffers}
    assert of_bodies
    assert of_bodies <= made
    assert rows(recording)["cond"].outcome == "extern"


def test_a_scatter_that_its_rule_gives_away_says_which_function() -> None:
    def scattered(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        return torch.zeros(8).scatter_add(0, at, x)

    recording = lab.explore(scattered, torch.randn(16), torch.randint(8, (16,)))
    row = of_operator(recording, "aten.scatter_add")
    assert (row.outcome, row.form) == ("fallback", "ScatterFallback")
    assert row.why is not None
    assert row.why.cause == "rule"
    assert "scatter" in row.why.by


def test_views_compute_nothing_and_writes_force_what_they_overwrite() -> None:
    def written(x: torch.Tensor) -> torch.Tensor:
        y = x.t() + 1
        x.mul_(2)
        return y

    recording = lab.explore(written, torch.randn(4, 8))
    found = rows(recording)
    assert found["permute"].outcome == "view"
    assert found["copy_"].outcome == "in place"
    target = next(b for b in recording.buffers if b.layout.startswith("Mutation"))
    assert target.of == "arg0_1"


def test_what_an_output_is_copied_from_is_no_output() -> None:
    def written(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        t = x.t()
        t.mul_(2)
        return t[0].max(), t

    recording = lab.explore(written, torch.randn(8, 6))
    told = {step.name: step.sentence for step in build(recording).lowering.lowerings[0].steps}
    assert "an output of the graph, is copied from it into `buf1`" in told["mul"], told


def test_index_arithmetic_and_masks_are_lines_too() -> None:
    def gathered(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        return functional.pad(x, (1, 1))[at]

    recording = lab.explore(gathered, torch.randn(8, 8), torch.tensor([1, 2]))
    lines = [line for buffer in recording.buffers for line in buffer.body]
    assert {"indirect_indexing", "masked", "index_expr"} <= {line.operator for line in lines}
    assert {line.depth for line in lines} == {0, 1}
    assert any(line.text.startswith("def masked_subblock") for line in lines)


def test_sizes_that_vary_stay_symbols(explored: Explorations) -> None:
    recording = explored("dynamic_shapes").recording
    sizes = {loop.size for buffer in recording.buffers for loop in buffer.ranges}
    assert any("s" in size for size in sizes)


def test_a_rule_that_raises_is_a_row_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor import lowering

    def broken(*_: Any) -> Any:
        raise ValueError("no such loop")

    monkeypatch.setitem(lowering.lowerings, torch.ops.aten.sin.default, broken)
    recording = lab.explore(lambda x: x.cos().sin(), torch.randn(4))
    assert recording.failure is not None
    assert [row.outcome for row in recording.lowerings[0].nodes] == ["input", "inlined", "failed"]
    assert "no such loop" in recording.lowerings[0].nodes[-1].error
    assert validate(recording) is None


@pytest.mark.parametrize("name", ["node", "registered", "simplified", "lowered", "dropped"])
def test_a_probe_that_fails_is_a_note(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def broken(self: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        raise RuntimeError("probe")
        yield

    monkeypatch.setattr(BufferProbes, name, broken)
    x = torch.randn(8, 8)
    recording = lab.explore(lambda x: (x + 1).softmax(-1), x)
    assert [note.about for note in recording.notes if note.level == "failure"] == ["broken"]
    assert recording.kernels
    assert validate(recording) is None


def test_a_body_that_cannot_be_written_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Any, *_: Any) -> Any:
        raise RuntimeError("printer")

    monkeypatch.setattr(Printer, "lines", broken)
    recording = lab.explore(nn.Softmax(-1), torch.randn(8, 8))
    assert [note.about for note in recording.notes if note.level == "failure"] == ["simplified"]
    assert recording.buffers
    assert not any(buffer.body for buffer in recording.buffers)


def test_what_writes_through_a_view_is_in_place_and_no_view_with_nothing_to_compute() -> None:
    def clears(x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        y = x + 1  # an input is written anew as a whole since 2.15, and by a mask nothing is
        y.t()[rows] = 0.0
        return y.sum()

    found = lab.lower(clears, torch.ones(8, 8), torch.arange(4), target="cuda:sm_90")
    written = of_operator(found, "aten.index_put_")
    assert written.outcome == "in place"
    assert written.buffers, "it is computed"


def test_a_buffer_that_a_flex_attention_only_passes_on_is_none_that_is_missed() -> None:
    queries = torch.randn(1, 2, 128, 16)
    recording = lab.lower(flex_attention, queries, queries, queries)
    assert recording.failure is None
    assert not [note for note in recording.notes if note.level == "failure"]
