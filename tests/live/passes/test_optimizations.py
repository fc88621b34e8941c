"""What each kind of optimization did to a graph, as its pass and its matches tell it."""

import math
from typing import Any

import pytest
import torch
import torch._dynamo.utils
import torch._inductor.config as inductor
from torch import nn

import dynamo_lab as lab
from tests.live.passes.recorded import compose, matches, passes_named, targets


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return ((q @ k.transpose(-2, -1)) / math.sqrt(q.shape[-1])).softmax(-1) @ v


@pytest.mark.parametrize("training", [False, True])
def test_attention_by_hand_is_found(training: bool) -> None:
    inputs = [torch.randn(2, 4, 16, 32, requires_grad=training) for _ in range(3)]
    recording = lab.explore(attention, *inputs, grad=training)
    (match,) = matches(recording, "_sfdp_pattern")
    pattern = recording.patterns[match.pattern]
    assert pattern.kind == "replacement"
    assert "def _sfdp_pattern" in pattern.source
    assert "scaled_dot_product_attention" in pattern.replacement
    assert pattern.place.startswith("torch/_inductor/fx_passes/fuse_attention.py:")
    assert {node.name for node in match.before} >= set(match.gone) != set()
    assert any("scaled_dot_product" in target for target in targets(match.after))
    assert compose(recording) == (3 if training else 2)
    joint = [g for g in recording.graphs if g.stage == "joint"]
    assert len(joint) == int(training), "a graph traced for a pattern is none of the reader's"


class Towers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.towers = nn.ModuleList(nn.Linear(16, 16) for _ in range(5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([tower(x) for tower in self.towers], -1)


@pytest.mark.parametrize(
    ("options", "product"),
    [
        ({"pre_grad_fusion_options": {"batch_linear": {}}}, "torch.baddbmm"),
        (
            {"post_grad_fusion_options": {"batch_linear_post_grad": {"require_fbgemm": False}}},
            "aten.bmm",
        ),
    ],
)
def test_linear_layers_side_by_side_become_one(options: dict[str, Any], product: str) -> None:
    with inductor.patch(options):
        recording = lab.explore(Towers(), torch.randn(4, 16), grad=False)
    fusions = [
        match
        for item in recording.passes
        for match in item.matches
        if recording.patterns[match.pattern].kind == "fusion"
    ]
    (match,) = fusions
    assert len(match.before) == len(match.gone) == 5
    assert product in targets(match.after)
    assert compose(recording) == 2


def test_a_split_that_is_put_together_again_goes() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        parts = torch.split(x, 4, dim=1)
        return torch.cat(list(parts), dim=1) + 1

    options = {"normalization_pass": {}, "split_cat_pass": {}}
    with inductor.patch(pre_grad_fusion_options=options):
        recording = lab.explore(f, torch.randn(4, 16), grad=False)
    (normalized,) = passes_named(recording, "normalization_pass")
    (simplified,) = passes_named(recording, "split_cat_pass")
    assert normalized.matches
    assert {name for change in simplified.changes for name in change.removed} & {"cat", "cat_1"}
    assert compose(recording) == 2


class Convolutions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16)
        self.second = nn.Conv2d(16, 16, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.norm(self.first(x)).relu())


@pytest.mark.slow
def test_freezing_lays_out_convolutions_and_folds_constants() -> None:
    with inductor.patch(freezing=True):
        recording = lab.explore(Convolutions().eval(), torch.randn(2, 3, 16, 16), grad=False)
    (layout,) = passes_named(recording, "convert_conv_weights_to_channels_last")
    made = [p.node for change in layout.changes for p in change.added]
    assert any("torch.channels_last" in node.arguments for node in made)
    folded = passes_named(recording, "constant_fold")
    assert any(node.op == "get_attr" for p in folded for c in p.changes for node in c.changed)
    assert matches(recording, "folded_op"), "the normalization goes into the convolution"
    phases = [p.phase for p in recording.pipelines]
    assert phases == ["pre_grad", "joint", "layout", "freezing", "post_grad"]
    assert compose(recording) == 2


def test_an_operator_writes_in_place_where_nobody_reads_on() -> None:
    def f(x: torch.Tensor, at: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
        return torch.index_put(x.sin(), (at,), new) + 1

    recording = lab.explore(
        f, torch.randn(8, 8), torch.tensor([1, 2]), torch.randn(2, 8), grad=False
    )
    (item,) = passes_named(recording, "reinplace_inplaceable_ops")
    (node,) = (node for change in item.changes for node in change.changed)
    assert node.target == "aten.index_put_.default"


def test_constants_of_one_value_are_folded() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x * torch.ones(8, 8) + torch.zeros(8, 8) + 1

    recording = lab.explore(f, torch.randn(8, 8), grad=False)
    (item,) = passes_named(recording, "constant_fold_uniform_value")
    assert {"mul", "add"} <= {name for change in item.changes for name in change.removed}


def test_what_was_found_and_left_alone_is_counted() -> None:
    recording = lab.explore(lambda x: x.view(4, 16).sin(), torch.randn(8, 8), grad=False)
    alone = {
        recording.patterns[pattern].name: times
        for item in recording.passes
        for pattern, times in item.left_alone.items()
    }
    assert alone == {"pointless_view": 1}
