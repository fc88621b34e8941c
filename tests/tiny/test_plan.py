"""What a plan says, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.errors import OptionError, TinyError
from tests.tiny.models import convolutions, difference, stepped_eagerly

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live


class Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.head(x)
        if x.sum() > 0:
            x = x * 2
        return x


def test_a_break_is_named_with_its_place_and_what_to_do() -> None:
    with pytest.raises(TinyError) as raised:
        lab.tiny(Branches(), (torch.randn(1, 4), torch.tensor([0])))
    said = str(raised.value)
    assert "no single graph: Data-dependent branching, at " in said
    assert "test_plan.py:" in said
    assert "in forward: `if x.sum() > 0:`" in said
    assert "torch.where" in said


def test_a_limit_that_cannot_be_met_says_the_least_and_what_takes_it() -> None:
    model, sample = convolutions()
    with pytest.raises(TinyError) as raised:
        lab.tiny(model, sample, memory="4 kB")
    plan = lab.tiny(model, sample, memory=None)
    said = str(raised.value)
    assert f"needs {plan.facts.bytes / 1000:.1f} kB and the limit is 4 kB" in said
    assert "needs less" in said
    assert f"at the worst moment, {plan.facts.peak_at}, the arena holds 1.5 kB of " in said
    assert plan.facts.order_bound + plan.facts.resident > 4000


def test_each_pass_is_kept_with_what_it_won() -> None:
    model, sample = convolutions()
    plan = lab.tiny(model, sample, update={"point.weight": 0.5})
    names = [one.name for one in plan.facts.passes]
    assert names == ["split", "prune", "slice", "masks", "fold", "update", "order", "arena"]
    for earlier, later in zip(plan.facts.passes, plan.facts.passes[1:], strict=False):
        assert earlier.after == later.before
    prune = plan.facts.passes[1]
    assert prune.after.bytes < prune.before.bytes
    assert prune.after.flops
    assert prune.before.flops
    assert prune.after.flops < prune.before.flops
    slices = plan.facts.passes[2]
    assert slices.before.flops
    assert slices.after.flops
    assert slices.before.flops - slices.after.flops == 2 * 2 * 16 * 8 * 4  # half of one product
    full, sparse, reordered = plan.facts.bars
    assert full.bytes > sparse.bytes >= reordered.bytes
    assert plan.facts.alive + plan.facts.resident == reordered.bytes
    assert plan.facts.arena >= plan.facts.alive


def test_a_bias_alone_keeps_no_activation_for_a_weight() -> None:
    """Of the forward a step of biases keeps bits, and what the loss needs."""
    model, sample = convolutions()
    plan = lab.tiny(model, sample, update="bias")
    forward = plan.graph.forward
    saved = {
        read.name
        for node in plan.graph.graph.nodes
        if node.op == "call_function" and node.name not in forward
        for read in node.all_input_nodes
        if read.name in forward and read.op == "call_function"
    }
    values = {name: plan.graph.nodes[name].meta["val"] for name in saved}
    kept = {name for name, value in values.items() if getattr(value, "ndim", 0) == 4}
    readers = {
        user.target.__name__
        for name in kept
        for user in plan.graph.nodes[name].users
        if user.name not in forward
    }
    assert readers == {"pack_between"}


def test_the_plan_prints_its_passes_and_four_bars() -> None:
    model, sample = convolutions()
    said = str(lab.tiny(model, sample, update="bias", memory="100 kB", precision="int8"))
    for words in ("limit 100 kB", "full update", "sparse, reordered", "as int8 would", "prune"):
        assert words in said
    assert max(map(len, said.splitlines())) <= 100


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"update": "point.wight"}, "nearest name is 'point.weight'"),
        ({"update": {"point.weight": 9}}, "has 8 input channels, and 9 is neither"),
        ({"update": {"point.weight": [8]}}, "are numbers of 0 to 7"),
        ({"update": {"point.bias": 0.5}}, "has no input channels to choose from"),
        ({"update": []}, "selects no parameter"),
        ({"update": 3}, "is not understood"),
        ({"memory": "much"}, "is no size"),
        ({"optimizer": "adam"}, "There is no optimizer 'adam'"),
        ({"optimizer": {"rate": 1}}, "SGD has no setting 'rate'"),
        ({"optimizer": {"lr": -1}}, "is no number that is not negative"),
        ({"channels": "best"}, 'neither "first" nor "largest"'),
        ({"precision": "int4"}, "is not one of"),
    ],
)
def test_what_is_not_understood_is_said(options: dict[str, Any], said: str) -> None:
    model, sample = convolutions()
    with pytest.raises(OptionError, match=said):
        lab.tiny(model, sample, **options)


def test_a_frozen_parameter_is_not_updated_without_a_word() -> None:
    model, sample = convolutions()
    model.get_parameter("point.weight").requires_grad_(False)
    with pytest.raises(OptionError, match=r"'point.weight' has requires_grad=False"):
        lab.tiny(model, sample, update="point.weight")
    plan = lab.tiny(model, sample, update="all")
    assert "point.weight" not in plan.selected


def test_a_loss_that_is_no_number_and_statistics_that_change_are_refused() -> None:
    model, sample = convolutions()
    with pytest.raises(TinyError, match="The loss is no scalar"):
        lab.tiny(model, sample, loss=lambda out, y: out)
    with pytest.raises(TinyError, match=r"call model.eval\(\) first"):
        lab.tiny(nn.Sequential(nn.BatchNorm2d(3), *[model]), sample)


class Lines(nn.Module):
    """Two layers of one weight, and one that is never called."""

    def __init__(self, *, has_idle: bool = False) -> None:
        super().__init__()
        self.one, self.two, self.head = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 3)
        self.two.weight = self.one.weight
        if has_idle:
            self.idle = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.two(torch.relu(self.one(x))))


LINES = torch.randn(2, 4), torch.tensor([0, 1])


def test_a_weight_that_layers_share_is_updated_once_and_by_its_first_name() -> None:
    model = Lines()
    plan = lab.tiny(model, LINES)
    assert plan.facts.updated == plan.facts.parameters == sum(p.numel() for p in model.parameters())
    eager, losses = stepped_eagerly(model, plan, LINES)
    assert plan.step(*LINES).item() == pytest.approx(losses[0], abs=1e-6)
    assert difference(model, eager) <= 1e-6
    with pytest.raises(OptionError, match=r"'two.weight' is the parameter 'one.weight'"):
        lab.tiny(model, LINES, update="two.weight")
    with pytest.raises(TinyError, match=r"'one.weight' and 'two.weight' are one parameter"):
        lab.tiny(model, LINES, dtype="int8")


def test_what_the_loss_does_not_depend_on_is_named() -> None:
    with pytest.raises(TinyError, match=r"does not depend on 'idle.weight', 'idle.bias', so"):
        lab.tiny(Lines(has_idle=True), LINES, update="head.*")
    with pytest.raises(TinyError, match="does not depend on any parameter"):
        lab.tiny(nn.Linear(4, 3), LINES, loss=lambda out, y: out.detach().sum())


def test_a_loss_in_a_container_and_one_that_fails_are_said() -> None:
    with pytest.raises(TinyError, match="The loss is a container of 2"):
        lab.tiny(nn.Linear(4, 3), LINES, loss=lambda out, y: (out.sum(), out))
    with pytest.raises(TinyError, match=r"as it does without a plan: ValueError: .*batch_size"):
        lab.tiny(nn.Linear(4, 3), (LINES[0], torch.tensor([0])))


def test_types_without_c_are_named_with_their_parameter(tmp_path: Path) -> None:
    plan = lab.tiny(nn.Linear(4, 3).double(), (LINES[0].double(), LINES[1]))
    with pytest.raises(TinyError, match=r"the parameter 'weight' \(its elements are torch.float64"):
        plan.to_c(tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_the_channels_with_the_largest_weights() -> None:
    model, sample = convolutions()
    with torch.no_grad():
        model.get_parameter("point.weight")[:, [2, 5]] += 10
    plan = lab.tiny(model, sample, update={"point.weight": 2}, channels="largest")
    assert plan.selected["point.weight"] == (2, 5)
