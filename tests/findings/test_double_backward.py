"""A gradient penalty: the gradient of a gradient that compiled code computed."""

from pathlib import Path

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
