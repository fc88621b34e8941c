"""A step in int8: its gradients, its scaling, and its C, which has PyTorch's bits."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.nn import functional
from torch.nn.grad import conv2d_input

import dynamo_lab as lab
from dynamo_lab.errors import OptionError, TinyError
from dynamo_lab.tiny.int8.loss import SCORE, cross_entropy8
from dynamo_lab.tiny.int8.operators import conv8_input_grad, drawn
from dynamo_lab.tiny.int8.scales import multipliers, update_factor
from dynamo_lab.tiny.missing import remedy
from dynamo_lab.tiny.networks import Block, MobileNetwork, Transformer
from dynamo_lab.tiny.parts import Part, parts_of
from tests.tiny.in_c import integers_of, single, trained_in_c, updated

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.tiny.plan import Plan

pytestmark = pytest.mark.live

Sample = tuple[torch.Tensor, torch.Tensor]
UPDATE: dict[str, Any] = {
    **dict.fromkeys(("head.*", "last.*", "blocks.4.*", "blocks.3.*.bias"), "all"),
    "blocks.3.up.weight": 0.5,
    "blocks.3.depthwise.weight": 0.5,
    "blocks.2.down.weight": "all",
}


def samples(count: int) -> list[Sample]:
    draw = torch.Generator().manual_seed(1)
    return [
        (torch.randn(3, 3, 16, 16, generator=draw), torch.randint(5, (3,), generator=draw))
        for _ in range(count)
    ]


def planned(**options: Any) -> Plan:
    """Depthwise filters of two sizes, strides, a residual, sliced channels: each operator's C.

    The first convolution, with a stride, and two blocks go row by row; what is between the block
    after them and its last layer, which is trained, is there as a whole, and before it a channel.
    """
    torch.manual_seed(0)
    blocks = [
        Block(1, 3, 4),
        Block(3, 3, 4, 2),
        Block(3, 3, 6),
        Block(3, 5, 16, 2),
        Block(3, 3, 16),
    ]
    model = MobileNetwork(8, blocks, 32, 5)
    asked = {"update": UPDATE, "dtype": "int8", "calibrate": samples(3), **options}
    return lab.tiny(model, samples(1)[0], memory=None, **asked)


def integers(plan: Plan) -> dict[str, torch.Tensor]:
    assert plan.quantized is not None
    return {name: value.clone() for name, value in plan.quantized.values.items()}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_the_c_has_the_bits_of_pytorch(tmp_path: Path) -> None:
    plan, given = planned(), samples(4)
    printed = trained_in_c(plan, given, tmp_path)
    assert printed == [plan.step(*sample, lr=0.05).item() for _ in range(2) for sample in given]
    assert set(updated(plan)) == set(plan.selected)
    assert (tmp_path / "weights.bin").read_bytes() == integers_of(plan)
    assert plan.is_intact
    text = (tmp_path / "step.c").read_text(encoding="utf-8")
    assert re.findall(r"conv8_(?:rows|pair)\(", text.split("train_in_place(")[1]) == [
        "conv8_rows(",
        "conv8_pair(",
    ]


ARM = "-mcpu=cortex-m7 -mfpu=fpv5-sp-d16 -mfloat-abi=hard -mthumb -std=gnu99 -O2"
HAS_ARM = all(map(shutil.which, ("arm-none-eabi-gcc", "qemu-system-arm")))


@pytest.mark.release
@pytest.mark.skipif(not HAS_ARM, reason="no arm-none-eabi-gcc or no qemu-system-arm")
def test_a_cortex_m7_has_the_bits_of_pytorch(tmp_path: Path) -> None:
    plan, given = planned(), samples(2)
    plan.to_c(tmp_path)
    (tmp_path / "samples.bin").write_bytes(b"".join(plan.record(*sample) for sample in given))
    options = [*ARM.split(), "-fno-strict-aliasing", "-ffp-contract=off", '-DRATE="0.05"']
    link = ["--specs=rdimon.specs", "-nostartfiles", "-T", "mps2.ld"]
    sources = ["main.c", "step.c", "mps2.c", "-lm", "-o", "train.elf"]
    subprocess.run(["arm-none-eabi-gcc", *options, *link, *sources], cwd=tmp_path, check=True)
    board = ["qemu-system-arm", "-M", "mps2-an500", "-nographic", "-kernel", "train.elf"]
    done = subprocess.run(
        [*board, "-semihosting-config", "enable=on,target=native"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    losses = [plan.step(*sample, lr=0.05).item() for sample in given]
    assert [single(float(line)) for line in done.stdout.split()] == losses


@pytest.mark.slow
def test_a_scaled_step_is_that_of_float_and_an_unscaled_one_is_s_squared_smaller() -> None:
    """Many steps of chance, averaged: the mean of a rounded step is the step."""
    scales = torch.tensor([0.01, 0.002])
    scaled = update_factor(scales, 1.0, scaling=True)
    assert torch.allclose(scaled * scales, torch.ones(2))  # in the weight's own units: 1 of 1
    plain = update_factor(scales, 1.0, scaling=False)
    assert torch.allclose(plain / scaled, scales**2)
    plan, sample = planned(update="head.*", headroom=4.0), samples(1)[0]
    model = plan.model
    float_plan = lab.tiny(model, sample, update="head.*", memory=None)
    before = {name: model.get_parameter(name).detach().clone() for name in plan.selected}
    float_plan.step(*sample, lr=0.5)
    wanted = {name: model.get_parameter(name).detach() - before[name] for name in before}
    wanted = {name: value.clone() for name, value in wanted.items()}
    for name, value in before.items():
        model.get_parameter(name).data.copy_(value)
    start = integers(plan)
    assert plan.quantized is not None
    sums = {name: torch.zeros_like(value) for name, value in wanted.items()}
    for _ in range(24):
        plan.step(*sample, lr=0.5)
        for name, kept in start.items():
            value = plan.quantized.values[name]
            if name in sums:
                sums[name] += value - kept
            value.copy_(kept)
    for name, value in wanted.items():
        scale = plan.quantized.scales[name]
        found = sums[name] / 24 * scale.view(-1, *([1] * (value.dim() - 1)))
        assert (found - value).norm() < 0.2 * value.norm()


def lines(rates: Any) -> tuple[Plan, Any]:
    """Two rows of a linear layer, whose weights cancel: the scores are 0 for an input of ones.

    The loss is that of two scores alike: its gradient is -1/2 of the wanted one, 1/2 of the other;
    so is that of the bias, and of a weight, whose input is 1. A row's scale is 0.01 and 0.1, as
    its largest weight is 100 units, that of the input 1/255.
    """
    model = torch.nn.Linear(2, 2)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[1.0, -1.0], [10.0, -10.0]]))
        model.bias.zero_()
    sample = torch.ones(1, 2), torch.tensor([0])
    plan = lab.tiny(model, sample, memory=None, dtype="int8", headroom=1.27, scaling=rates)
    return plan, sample


@pytest.mark.parametrize(
    ("scaling", "rate", "weights", "biases"),
    [
        # lr * gradient / s: what it is of the parameter, in units of s
        (True, 0.2, [10, -1], [2550, -255]),
        # lr * gradient * s: a factor of s * s less, of a bias of (s / 255) * (s / 255)
        (False, 200.0, [1, -10], [0, 0]),
        (False, 2_550_000.0, None, [50, -500]),
        (["bias"], 200.0, [1, -10], [2_550_000, -255_000]),
    ],
)
def test_a_linear_layers_step_is_that_of_the_equations_by_hand(
    scaling: Any, rate: float, weights: list[int] | None, biases: list[int]
) -> None:
    """Lin et al., section 2.1: q's gradient is s times that of s * q; scaling divides by s * s."""
    plan, sample = lines(scaling)
    before = integers(plan)
    assert before["weight"].tolist() == [[100, -100], [100, -100]]
    assert plan.step(*sample, lr=rate).item() == pytest.approx(math.log(2), abs=1e-3)
    after = integers(plan)
    if weights is not None:
        moved = (after["weight"].int() - before["weight"]).tolist()
        assert moved == [[weights[0]] * 2, [weights[1]] * 2]
    assert after["bias"].tolist() == biases


def test_the_gradient_of_an_input_is_that_of_float() -> None:
    torch.manual_seed(0)
    scales = torch.rand(6) * 0.01 + 0.001
    weight = torch.randint(-127, 128, (6, 4, 3, 3), dtype=torch.int8)
    grad = torch.randint(-127, 128, (2, 6, 4, 4), dtype=torch.int8)
    whole, shift, unit = multipliers(scales, 6 * 9)
    options = ((2, 4, 8, 8), [2, 2], [1, 1], [1, 1], 1)
    found, scale = conv8_input_grad(grad, torch.tensor(0.5), weight, whole, shift, unit, *options)
    wanted = conv2d_input(
        options[0], weight * scales.view(-1, 1, 1, 1), grad * 0.5, stride=2, padding=1
    )
    assert (found * scale - wanted).abs().max() <= 0.51 * scale + 1e-3 * wanted.abs().max()
    assert found.abs().max() == 127


def test_the_loss_and_its_gradient_are_those_of_the_cross_entropy() -> None:
    torch.manual_seed(0)
    scores, target = (torch.randn(7, 9) * 1500).short(), torch.randint(9, (7,))
    target[2] = -100
    loss, grad, scale = cross_entropy8(scores, target, -100)
    given = (scores * SCORE).requires_grad_()
    wanted = functional.cross_entropy(given, target)
    wanted.backward()
    assert loss.item() == pytest.approx(wanted.item(), abs=1e-3)
    assert given.grad is not None
    assert (grad * scale - given.grad).abs().max() <= 0.51 * scale + 1e-4


def test_what_draws_the_rounding_is_even() -> None:
    found = drawn(torch.arange(20_000), 3, 7)
    assert found.min() >= 0
    assert found.max() < 1
    assert found.mean().item() == pytest.approx(0.5, abs=0.01)
    assert found.std().item() == pytest.approx(math.sqrt(1 / 12), abs=0.01)
    assert not torch.equal(found, drawn(torch.arange(20_000), 3, 8))


@pytest.mark.slow
def test_it_learns_and_answers_in_int8() -> None:
    plan, sample = planned(update="all"), samples(1)[0]
    before = plan.model(sample[0]).detach()
    assert (plan.predict(sample[0]) - before).abs().max() < 0.02
    losses = [plan.step(*sample, lr=0.1).item() for _ in range(12)]
    assert losses[-1] < losses[0] - 0.1
    assert (plan.facts.dtype, plan.facts.precision) == ("int8", "int8")
    assert "in int8" in str(plan)
    named = plan.model.named_parameters()
    counted = sum(p.numel() * (4 if name.endswith("bias") else 1) for name, p in named)
    assert plan.facts.bars[0].weights == counted
    assert sum(v.bytes for v in plan.facts.values if v.kind == "weight") == counted


def test_layers_in_rows_need_a_few_rows_of_what_is_between() -> None:
    plan = planned(update="head.*")
    quantize, fuse = (one for one in plan.facts.passes if one.name in ("quantize", "fuse"))
    assert fuse.after.bytes < quantize.after.bytes
    assert (quantize.before.flops is None, quantize.after.flops) == (False, None)
    assert "FLOP unknown" in str(plan)
    # three rows and one of eight channels, one of four, three and one of twelve
    rooms = {node.meta.get("scratch") for node in plan.graph.graph.nodes}
    assert 8 * (3 * 8 + 8) + 4 * 8 + 12 * (3 * 8 + 4) in rooms


@pytest.mark.parametrize(
    ("wide", "stride", "out", "fused"),
    [
        (8, 2, 16, ["conv8_pair", "conv8"]),  # in kB: a pair 8 + 1 + 2, rows 8 + 4 and some
        (16, 1, 4, ["conv8_rows"]),
        (1, 1, 8, ["conv8", "conv8", "conv8"]),  # a pair 8 + 1 + 1, none 8 + 1
    ],
)
def test_layers_are_fused_where_they_need_less(
    wide: int, stride: int, out: int, fused: list[str]
) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 1),
        torch.nn.Conv2d(8, wide, 1),
        torch.nn.Conv2d(wide, wide, 3, stride, 1, groups=wide),
        torch.nn.Conv2d(wide, out, 1),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(out, 2),
    )
    sample = torch.randn(1, 3, 32, 32), torch.tensor([1])
    plan = lab.tiny(model, sample, update="6.*", memory=None, dtype="int8")
    quantize, fuse = (one for one in plan.facts.passes if one.name in ("quantize", "fuse"))
    assert fuse.after.bytes <= quantize.after.bytes
    names = [getattr(node.target, "__name__", "") for node in plan.graph.graph.nodes]
    found = [name for name in names if re.fullmatch("conv8(_pair|_rows)?", name)]
    assert found == ["conv8", *fused, "conv8"]  # before them, and the linear layer


def test_of_a_weight_with_chosen_channels_those_alone_change_in_memory() -> None:
    plan = planned()
    found = parts_of(plan.graph)
    named = {plan.graph.parameters[node]: part for node, part in found.items()}
    assert {name: (one.dim, one.whole) for name, one in named.items()} == {
        "blocks.3.up.weight": (1, 6),
        "blocks.3.depthwise.weight": (0, 18),
    }
    part = Part(0, (3, 1), 4)
    assert (part.others, part.slots) == ((0, 2), (-1, 1, -2, 0))
    assert (part.of(36), part.constants(36)) == (18, 18 + 8)
    params = {name: plan.model.get_parameter(name) for name in plan.selected}
    sizes = {n: p.numel() * (4 if n.endswith("bias") else 1) for n, p in params.items()}
    counted = sum(size // (1 + (name in named)) for name, size in sizes.items())
    weights = [value for value in plan.facts.values if value.kind == "weight"]
    assert sum(value.bytes for value in weights) == counted == plan.facts.bars[-1].weights


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"optimizer": {"lr": 0.1, "momentum": 0.9}}, "plain SGD"),
        ({"dtype": "int4"}, 'neither "float32" nor "int8"'),
        ({"headroom": 0.5}, "below 1"),
        ({"calibrate": [(torch.randn(1, 3, 8, 8), torch.tensor([1]))]}, "other shapes or types"),
    ],
)
def test_what_int8_cannot_do_is_said(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        planned(**options)


def test_dropout_that_does_nothing_changes_nothing() -> None:
    sample = torch.randn(2, 4), torch.tensor([0, 2])
    losses: list[list[float]] = []
    for idle in (torch.nn.Dropout(), torch.nn.Identity()):
        torch.manual_seed(0)
        layers = torch.nn.Linear(4, 8), torch.nn.ReLU(), idle, torch.nn.Linear(8, 3)
        plan = lab.tiny(torch.nn.Sequential(*layers).eval(), sample, dtype="int8")
        losses.append([plan.step(*sample).item() for _ in range(2)])
    assert losses[0] == losses[1]


def test_what_helps_against_a_missing_operator_is_said() -> None:
    folded = "torch.nn.utils.fuse_conv_bn_eval(convolution, norm)"
    both = remedy(["aten.native_batch_norm_backward.default", "aten.sort"], ".")
    assert folded in both
    assert both.endswith("Write that part of the model with other operators.")
    assert folded not in remedy(["aten.sort"], ".")
    assert "other operators" not in remedy(["aten._native_batch_norm_legit_no_training"], ".")


def test_operators_without_an_int8_form_are_named() -> None:
    sample = torch.randn(1, 16, 8), torch.tensor([3])
    with pytest.raises(TinyError, match=r"no int8 form of .*native_layer_norm"):
        lab.tiny(Transformer(depth=1), sample, update="head.*", dtype="int8")
