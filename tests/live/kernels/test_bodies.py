"""What is said of operators that run bodies: `cond` and the like."""

from collections.abc import Sequence

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.view import View, build


def straight(x: torch.Tensor) -> torch.Tensor:
    return x.sin() * 2 + (x.sum() > 0)


@pytest.fixture(scope="module")
def chosen() -> View:
    def both(x: torch.Tensor) -> torch.Tensor:
        total = x.sum() > 0
        y = torch.cond(total, lambda a: a.sin(), lambda a: a.cos() + a.sum(), (x,))
        return y * 2 + total

    return build(lab.explore(both, torch.ones(4, 4)))


def peaks(view: View) -> Sequence[str]:
    return [memory.sentences[0] for item in view.fusions.schedules for memory in item.memory]


@pytest.mark.slow
def test_kernels_of_a_body_compute_nothing_outside_of_it(chosen: View) -> None:
    titles = [kernel.title for kernel in chosen.kernels.kernels]
    assert titles[0] == "fused sum + gt"
    assert titles[-1] == "fused mul + add"
    assert set(titles[1:-1]) == {"cond"}, "the predicate is an operator before it"


def test_the_peak_says_that_bodies_are_not_in_it(chosen: View) -> None:
    outer, *bodies = peaks(chosen)
    assert outer.endswith("come on top, and what bodies allocate while they run.")
    assert bodies
    assert not any("bodies" in sentence for sentence in bodies)


def test_a_program_without_bodies_speaks_of_none() -> None:
    view = build(lab.explore(straight, torch.ones(4, 4)))
    assert all("bodies" not in sentence for sentence in peaks(view))
