"""What is recorded of AOTAutograd: partitions that agree with the run, and their reasons."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

import dynamo_lab as lab
from dynamo_lab.errors import BudgetError
from dynamo_lab.live.budgets import HEADINGS
from dynamo_lab.model.autograd import Partition
from dynamo_lab.view import build
from tests.benchmarks.saved_bytes import kept

AOT = "aot_eager_decomp_partition"  # Inductor's partitioner and decompositions, without kernels


class Block(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.up = nn.Linear(size, 4 * size)
        self.down = nn.Linear(4 * size, size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(functional.gelu(self.up(self.norm(x))))


class Bottleneck(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.narrow = nn.Conv2d(size, size // 4, 1, bias=False)
        self.conv = nn.Conv2d(size // 4, size // 4, 3, padding=1, bias=False)
        self.widen = nn.Conv2d(size // 4, size, 1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(n) for n in (size // 4, size // 4, size))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = functional.relu(self.norms[0](self.narrow(x)))
        y = functional.relu(self.norms[1](self.conv(y)))
        return functional.relu(self.norms[2](self.widen(y)) + x)


def blocks() -> tuple[nn.Module, torch.Tensor]:
    return nn.Sequential(*(Block(32) for _ in range(2))), torch.randn(16, 32)


def residual() -> tuple[nn.Module, torch.Tensor]:
    return nn.Sequential(*(Bottleneck(32) for _ in range(2))), torch.randn(2, 32, 8, 8)


def gpt2() -> tuple[nn.Module, torch.Tensor]:
    from transformers import GPT2Config, GPT2LMHeadModel

    size: dict[str, Any] = {"n_layer": 4, "n_embd": 64, "n_head": 4, "vocab_size": 100}
    config = GPT2Config(**size, bos_token_id=0, eos_token_id=0, use_cache=False)
    model: Any = GPT2LMHeadModel(config)
    return model, torch.randint(0, 100, (2, 32))


def loss_of(model: nn.Module) -> Callable[[torch.Tensor], torch.Tensor]:
    def loss(x: torch.Tensor) -> torch.Tensor:
        made = model(x)
        return (made if isinstance(made, torch.Tensor) else made.logits).square().mean()

    return loss


def differentiated(recording: lab.Recording) -> list[Partition]:
    return [part for part in recording.partitions if part.backward is not None]


@pytest.mark.slow
@pytest.mark.parametrize(
    "made", [residual, *(pytest.param(one, marks=pytest.mark.long) for one in (blocks, gpt2))]
)
def test_what_is_kept_is_what_autograd_packs_and_the_profiler_sees(
    made: Callable[[], tuple[nn.Module, torch.Tensor]],
) -> None:
    torch.manual_seed(0)
    model, x = made()
    living = [x, *model.parameters(), *model.buffers()]
    found = kept(loss_of(model), (x,), living)
    assert found.recorded > 0
    assert found.packed == found.retained == found.recorded


def test_what_runs_again_stands_in_both_graphs_and_has_a_reason() -> None:
    model, x = blocks()
    recording = lab.explore(loss_of(model), x, grad=True, backend=AOT)
    (part,) = differentiated(recording)
    assert part.method == "min-cut"
    assert part.recomputed
    assert part.forward is not None
    assert part.backward is not None
    forward, backward = (recording.graphs[i].nodes for i in (part.forward, part.backward))
    for item in part.recomputed:
        assert forward.name[item.forward_node] == backward.name[item.backward_node] == item.name
    for value in part.saved:
        assert forward.name[value.forward_node] == value.name
        assert value.backward_node is not None
        assert backward.name[value.backward_node] == value.name
    assert any("allowlist" in value.reason for value in part.saved)
    assert part.unpartitioned_bytes is not None
    assert part.activation_bytes < part.unpartitioned_bytes
    view = build(recording).partitions[part.id]
    assert all(row.why for row in (*view.saved, *view.recomputed))
    assert sum(cost.bytes for cost in view.lines) == part.activation_bytes


def test_the_cut_costs_what_its_values_weigh() -> None:
    model, x = blocks()
    (part,) = differentiated(lab.explore(loss_of(model), x, grad=True, backend=AOT))
    assert part.solved == 1
    assert part.cut == sum(value.weight or 0 for value in part.saved)


def test_every_gradient_belongs_to_one_operator() -> None:
    model, x = blocks()
    recording = lab.explore(loss_of(model), x, grad=True, backend=AOT)
    (part,) = differentiated(recording)
    assert part.joint is not None
    joint = recording.graphs[part.joint].nodes
    nodes = [i for item in part.differentiated for i in (*item.forward, *item.backward)]
    calls = [node.index for node in joint if node.op == "call_function"]
    assert sorted(nodes) == calls
    gelus = [item for item in part.differentiated if item.operator == "aten.gelu"]
    assert len(gelus) == 2
    names = {joint[i].target for item in gelus for i in item.backward}
    assert "aten.exp.default" in names  # gelu's gradient has the normal density in it


def test_an_operator_without_a_gradient_has_none() -> None:
    def chosen(x: torch.Tensor) -> torch.Tensor:
        mask = x.detach() > 0
        return (x.sin() * mask).sum()

    x = torch.randn(8, requires_grad=True)
    (part,) = differentiated(lab.explore(chosen, x, grad=True, backend=AOT))
    by_name = {item.operator: item for item in part.differentiated}
    assert by_name["aten.gt"].backward == ()
    assert by_name["aten.sin"].backward


def test_gradients_added_up_belong_to_no_operator_and_others_are_named() -> None:
    def aliases(x: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b.add_(1)
        x = x.clone()
        return x + b, b.view(-1), x[0]

    x = torch.randn(3, 3, requires_grad=True)
    recording = lab.explore(aliases, x, torch.zeros(3, 3), grad=True, backend=AOT)
    (part,) = differentiated(recording)
    assert part.joint is not None
    joint = recording.graphs[part.joint].nodes
    by_name = {item.operator: item.backward for item in part.differentiated}
    assert [joint[i].target for i in by_name[""]] == ["aten.add.Tensor"]
    assert by_name["aten.view"] == ()


def test_a_gradient_is_tied_to_its_own_operator_and_a_sum_of_gradients_to_none() -> None:
    def neighbours(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        wave = x.sin()
        still = y.sin()  # has no gradient, so autograd gives it the number of the one before
        return (wave * still + x.exp()).sum()

    x = torch.randn(8, requires_grad=True)
    recording = lab.explore(neighbours, x, torch.randn(8), grad=True, backend=AOT)
    (part,) = differentiated(recording)
    sines = [item for item in part.differentiated if item.operator == "aten.sin"]
    assert [bool(item.backward) for item in sines] == [True, False]
    tied = [link for table in recording.links if table.reason == "gradient of" for link in table]
    graphs = recording.graphs
    assert "still" not in {graphs[one.upstream_graph].nodes.name[one.upstream_node] for one in tied}
    by_node = {one.downstream_node: one for one in tied}
    assert set(sines[0].backward) <= set(by_node)
    (sums,) = [item.backward for item in part.differentiated if item.operator == ""]
    linked = {down for t in recording.links if t.downstream == part.joint for _, down in t.pairs}
    assert sums
    assert linked.isdisjoint(sums)


def test_checkpoint_keeps_less_and_says_so() -> None:
    model, x = blocks()

    def checkpointed(x: torch.Tensor) -> torch.Tensor:
        for block in model.children():
            x = checkpoint(block, x, use_reentrant=False)
        return x.square().mean()

    plain = lab.explore(loss_of(model), x, grad=True, backend=AOT)
    saving = lab.explore(checkpointed, x, grad=True, backend=AOT)
    before, after = (differentiated(recording)[0] for recording in (plain, saving))
    assert after.activation_bytes < before.activation_bytes
    view = build(saving).partitions[after.id]
    assert any("torch.utils.checkpoint" in row.why for row in view.recomputed)
    changes = {change.name: change for change in lab.diff(plain, saving).counts}
    kept = changes["bytes kept"]
    assert (kept.a, kept.b) == (before.activation_bytes, after.activation_bytes)


@pytest.mark.parametrize("budget", [0.6, 0.2, 0.0])
def test_another_budget_keeps_what_was_foretold(budget: float) -> None:
    import torch._functorch.config

    model, x = blocks()
    told = lab.explore(loss_of(model), x, grad=True, backend=AOT).repartition(budget)
    with torch._functorch.config.patch(activation_memory_budget=budget):
        recording = lab.explore(loss_of(model), x, grad=True, backend=AOT)
    (part,) = differentiated(recording)
    (row,) = told.rows
    assert part.budget == budget
    assert row.activation_bytes == part.activation_bytes
    assert row.operators == sum(not item.is_free for item in part.recomputed)
    given = sum(value.role in ("parameter", "input") for value in part.saved)
    assert given > 0
    assert row.values == f"{len(part.saved) - given} + {given}"
    heading = str(told).splitlines()[1]
    assert re.split(r"  +", heading.strip()) == list(HEADINGS)


def test_saved_views_of_parameters_are_told_from_computed_values() -> None:
    w = torch.randn(8, 8, requires_grad=True)
    recording = lab.explore(
        lambda x: ((x @ w).relu() @ w).sum(), torch.randn(8, 8), grad=True, backend=AOT
    )
    (part,) = differentiated(recording)
    given = [value for value in part.saved if value.role in ("parameter", "input")]
    assert any(value.name.startswith("permute") for value in given)  # a view of w
    (row,) = recording.repartition(part.budget).rows
    assert row.values == f"{len(part.saved) - len(given)} + {len(given)}"


def test_budgets_that_cannot_be_asked_are_refused(tmp_path: Any) -> None:
    model, x = blocks()
    recording = lab.explore(loss_of(model), x, grad=True, backend=AOT)
    with pytest.raises(BudgetError, match="from 0 to 1"):
        recording.repartition(1.5)
    with pytest.raises(BudgetError, match=r"not \[0.5\]"):
        recording.repartition([0.5])  # pyright: ignore[reportArgumentType]
    with pytest.raises(BudgetError, match="no partition 7"):
        recording.repartition(0.5, partition=7)
    recording.save(tmp_path / "r.json")
    with pytest.raises(BudgetError, match="record again"):
        lab.load(tmp_path / "r.json").repartition(0.5)
    with pytest.raises(BudgetError, match="saw no graph"):
        lab.explore(torch.sin, x, backend="eager").repartition()
    with pytest.raises(BudgetError, match="no gradient"):
        lab.explore(torch.sin, x, grad=False, backend=AOT).repartition(0.5)


def test_writes_to_inputs_and_views_of_them_are_listed() -> None:
    def f(x: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        state.add_(1)
        return x.view(-1), (x * state).sum()

    recording = lab.explore(
        f, torch.randn(2, 2, requires_grad=True), torch.zeros(2), backend=AOT, grad=False
    )
    (part,) = recording.partitions
    assert part.method == "none"
    ((mutation,), (alias,)) = part.mutations, part.aliases
    assert (mutation.change, alias.kind) == ("data", "alias_of_input")
    written, seen = build(recording).partitions[0].handled
    assert "`state`" in written
    assert "`x`" in seen


def test_parameters_and_inputs_are_told_apart_and_lead_to_the_captured_graph() -> None:
    model, x = blocks()
    recording = lab.explore(loss_of(model), x, grad=True, backend=AOT)
    (part,) = differentiated(recording)
    roles = {value.role for value in part.saved}
    assert {"parameter", "input", "activation"} <= roles
    names = {row.name for row in build(recording).partitions[part.id].saved}
    assert any(name.endswith("up.weight") for name in names), names
    assert "x" in names
    inputs = [table for table in recording.links if table.reason == "same input"]
    assert inputs
    assert all(recording.graphs[t.upstream].stage == "dynamo" for t in inputs)


def test_symbolic_sizes_stand_for_those_of_the_run() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return (x.sin() @ x.cos().T).relu().sum()

    def run(dynamic: bool) -> tuple[lab.Recording, Partition]:
        x = torch.randn(7, 3, requires_grad=True)
        recording = lab.explore(f, x, grad=True, dynamic=dynamic, backend=AOT)
        return recording, differentiated(recording)[0]

    (dynamic, varying), (_, fixed) = run(True), run(False)
    assert varying.activation_bytes == fixed.activation_bytes > 0
    assert "bytes are of this run" in " ".join(build(dynamic).partitions[0].sentences)
    assert dynamic.repartition(1.0).rows[0].activation_bytes == varying.activation_bytes
