"""Programs on the host that name a device: lowered alike whether or not the machine has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import dynamo_lab as lab
from dynamo_lab.capture.targets import fakes

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.live


def by_name(x: torch.Tensor) -> torch.Tensor:
    return x.to("cuda").sin() + x.cuda()


def by_device(x: torch.Tensor) -> torch.Tensor:
    return x.sin().to(device=torch.device("cuda", 0), dtype=torch.float64).sum()


class Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.cuda() * self.scale


@pytest.mark.parametrize("has_device", [False, True])
@pytest.mark.parametrize("made", [lambda: by_name, lambda: by_device, Scaled])
def test_tensors_of_the_host_stay_there(
    made: Callable[[], Any], has_device: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fakes, "_is_there", lambda kind: has_device and kind == "cuda")
    recording = lab.lower(made(), torch.randn(4, 8), target="cuda:sm_90", grad=False)
    assert recording.failure is None, recording.failure
    assert [kernel.language for kernel in recording.kernels] == ["triton"]


def test_tensors_on_the_device_are_there_and_without_any_the_machine_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class There(torch.Tensor):
        device = torch.device("cuda", 0)  # pyright: ignore[reportIncompatibleMethodOverride]

    host, there = torch.ones(2), torch.ones(2).as_subclass(There)
    monkeypatch.setattr(fakes, "_is_there", lambda _: True)
    assert fakes.stays_here("cuda", lambda: [host])
    assert not fakes.stays_here("cuda", lambda: [host, there])
    assert not fakes.stays_here("cuda", lambda: [])
    assert not fakes.stays_here("cpu", lambda: [host])
    monkeypatch.setattr(fakes, "_is_there", lambda _: False)
    assert fakes.stays_here("cuda", lambda: [])


def multiplied_by_nothing(x: torch.Tensor) -> torch.Tensor:
    return F.softshrink(x) + x * 0


def without_a_rule_for_fakes(x: torch.Tensor) -> torch.Tensor:
    return torch.geqrf(x)[0].exp()


class WithAConstant(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.powers = torch.tensor([3.0])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.tensor([3.0]) + self.powers


def with_a_constant_in_a_kernel(x: torch.Tensor) -> torch.Tensor:
    counted = torch.tensor([float(i) for i in range(8)], device=x.device)
    return torch.cat([counted[None].repeat(2, 1), x]).sin()


MADE = [
    multiplied_by_nothing,
    without_a_rule_for_fakes,
    WithAConstant(),
    with_a_constant_in_a_kernel,
]


@pytest.mark.parametrize("fn", MADE, ids=lambda fn: getattr(fn, "__name__", "module"))
@pytest.mark.parametrize("target", ["cuda:sm_90", "mps"])
def test_what_pytorch_computes_while_it_compiles_is_computed_on_the_host(
    fn: Callable[..., Any], target: str
) -> None:
    recording = lab.lower(fn, torch.randn(8, 8), target=target, grad=False)
    assert recording.failure is None, recording.failure
    assert any(kernel.language in ("triton", "metal") for kernel in recording.kernels)


@pytest.mark.parametrize("target", ["cuda:sm_90", "mps"])
def test_a_constant_lies_where_it_is_made_and_is_not_copied(target: str) -> None:
    def before(x: torch.Tensor) -> torch.Tensor:
        counted = torch.tensor(list(range(16))[::-1], device=x.device)
        below = counted[None, :] < x[:, None]
        return below[:, :, None] & below[:, None, :]

    recording = lab.lower(before, torch.arange(4), target=target, grad=False)
    (wrapper,) = recording.wrappers
    assert "_tensor_constant0" in wrapper.code
    assert "_tensor_constant0_" not in wrapper.code  # Inductor's names for copies on a device
    assert not [node for node in recording.graphs[-1].nodes if "device_put" in node.target]
