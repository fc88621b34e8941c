"""Graphs that PyTorch's own caches give the code of another graph."""

import torch
from torch._inductor import config

import dynamo_lab as lab

STARTS, GRADIENT = torch.linspace(-1, 1, 8), torch.linspace(2, -1, 8)


def moved(x: torch.Tensor, mean: torch.Tensor, square: torch.Tensor, steps: torch.Tensor) -> None:
    """A step of an optimizer, which reads how many there were."""
    steps.add_(1)
    mean.mul_(0.9).add_(GRADIENT, alpha=0.1)
    square.mul_(0.999).addcmul_(GRADIENT, GRADIENT, value=0.001)
    count = steps.item()
    of_mean, of_square = 1 - 0.9**count, 1 - 0.999**count
    x.addcdiv_(mean, (square.sqrt() / of_square**0.5).add_(1e-8), value=-0.001 / of_mean)


def run(x: torch.Tensor) -> torch.Tensor:
    x, mean, square, steps = x.clone(), x * 0, x * 0, torch.zeros(())
    for _ in range(4):
        moved(x, mean, square, steps)
    return x


def compiled() -> torch.Tensor:
    torch.compiler.reset()
    return torch.compile(run)(STARTS)


def test_what_only_the_caches_make_wrong_is_not_called_the_same() -> None:
    """Whether PyTorch's caches do so differs between its releases: compiling tells."""
    right = run(STARTS)
    is_wrong = not torch.allclose(compiled(), right)
    found = lab.why_wrong(run, STARTS)
    assert (found.verdict == "bug") == is_wrong, str(found)
    assert ("PyTorch's caches" in found.facts.sentence) == is_wrong
    wrong = [one for one in found.recording.findings if one.rule == "miscompiled"]
    assert [one.code for one in wrong] == [
        "torch.compiler.config.force_disable_caches = True"
    ] * is_wrong
    with config.patch(force_disable_caches=True):
        assert torch.allclose(compiled(), right), "as the answer says"
