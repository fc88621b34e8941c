"""A gradient penalty: the gradient of a gradient that compiled code computed."""

from pathlib import Path

import pytest
import torch

from dynamo_lab.view import build
from tests.findings.faults import findings_of, recorded

PENALTY = """
import torch

weight = torch.ones(4, requires_grad=True)

def model(x):
    return (x * weight).tanh()

def fn(x):
    (inner,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    penalty = (inner.norm() - 1) ** 2
    penalty.backward()  # fault
    return penalty.detach()

def record(lab):
    return lab.explore(fn, torch.ones(4, requires_grad=True), backend="aot_eager")
"""


def test_the_second_gradient_is_found_first_and_the_remedy_ends_the_error(tmp_path: Path) -> None:
    recording = recorded(PENALTY, tmp_path, "penalty")
    assert recording.failure is not None
    [found, *_] = findings_of(recording)
    assert found.rule == "double-backward"
    assert found.where.endswith("line 12")
    first = "(inner,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)"
    assert first in PENALTY
    mended = recorded(PENALTY.replace(first, found.code), tmp_path, "mended")
    assert mended.failure is None
    assert all(one.rule != "double-backward" for one in findings_of(mended))


def by_autograd(x: torch.Tensor) -> torch.Tensor:
    (inner,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return inner.norm()


def by_func(x: torch.Tensor) -> torch.Tensor:
    return torch.func.grad(lambda x: (x**3).sum())(x).norm()


def test_what_is_said_of_backward_holds_of_a_loss_with_a_gradient_in_it(tmp_path: Path) -> None:
    recording = recorded(PENALTY, tmp_path, "penalty")
    [called] = [one for one in build(recording).breaks if one.title == "backward() call"]
    assert "unless the compiled function captures the gradient too" in called.advice[0]
    x = torch.ones(4, requires_grad=True)
    with pytest.raises(RuntimeError, match="double backward"):
        torch.compile(by_autograd, backend="aot_eager")(x).backward()
    torch.compile(by_func, backend="aot_eager")(x).backward()
    expected = torch.ones(4, requires_grad=True)
    by_autograd(expected).backward()
    torch.testing.assert_close(x.grad, expected.grad)
