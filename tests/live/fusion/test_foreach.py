# pyright: reportPrivateImportUsage=false
# Functions on lists have no public name.
"""Lists of tensors fuse index by index: what is shown is what the scheduler of PyTorch asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.render.terminal import render
from dynamo_lab.view import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from dynamo_lab.view.fusion.foreach import ForeachView

TARGET = "cuda:sm_90"  # on a CPU, Inductor has no kernels for lists


def aligned(xs: list[Tensor], ys: list[Tensor]) -> tuple[Tensor, ...]:
    torch._foreach_mul_(xs, 2.0)
    return torch._foreach_add(xs, ys)


def swapped(xs: list[Tensor], ys: list[Tensor]) -> tuple[Tensor, ...]:
    torch._foreach_mul_(xs, 2.0)
    return torch._foreach_add([xs[0], xs[2], xs[1]], ys)


def shorter(xs: list[Tensor], ys: list[Tensor]) -> tuple[Tensor, ...]:
    torch._foreach_mul_(xs, 2.0)
    return torch._foreach_add(xs[:2], ys[:2])


def lists_of(program: Callable[..., object]) -> tuple[lab.Recording, ForeachView]:
    xs, ys = ([torch.randn(8) for _ in range(3)] for _ in range(2))
    rec = lab.lower(program, xs, ys, target=TARGET)
    (schedule,) = build(rec).fusions.schedules
    assert schedule.foreach is not None
    return rec, schedule.foreach


def test_lists_that_match_at_every_index_are_fused() -> None:
    rec, view = lists_of(aligned)
    (pair,) = view.pairs
    assert pair.state == "fused"
    assert [item.reads for item in pair.indices] == [
        f"reads buf{at} of the same index" for at in range(3)
    ]
    (final,) = rec.schedules[0].final
    assert rec.schedules[0].groups[final.group].parts == ((0, 3), (1, 4), (2, 5))


def test_a_refusal_names_the_index_that_is_read_and_the_line() -> None:
    rec, view = lists_of(swapped)
    pair = view.pairs[0]
    assert pair.state == "refused"
    first, *rest = (item.state for item in pair.indices)
    assert first in ("possible", "not asked")  # since 2.15, whether one needs another goes first
    assert rest == ["refused", "not asked"]
    assert pair.sentence.startswith(
        "Refused at index 1 of 3. There the second list reads what the first has at index 2."
    )
    line = swapped.__code__.co_firstlineno + 2
    assert pair.sentence.endswith(f"That is line {line}.")
    assert "reads what is at index 2" in render(build(rec), sections=("fusion",))


def test_lists_of_other_lengths_say_so() -> None:
    _, view = lists_of(shorter)
    assert view.pairs[0].sentence == "The lists have 3 and 2 tensors."


def test_a_program_without_lists_has_no_such_part() -> None:
    rec = lab.lower(lambda x: (x * 2).sum(), torch.randn(8), target=TARGET)
    assert all(one.foreach is None for one in build(rec).fusions.schedules)


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.SGD])
def test_the_step_of_an_optimizer_is_one_kernel_for_all_parameters(
    kind: type[torch.optim.Optimizer],
) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
    model(torch.ones(2, 4)).sum().backward()
    optimizer = kind(model.parameters(), lr=0.1, foreach=True)  # pyright: ignore[reportCallIssue]
    rec = lab.lower(optimizer.step, target=TARGET)
    groups = rec.schedules[0].groups
    longest = max(len(groups[one.group].operations) for one in rec.schedules[0].final)
    final = next(g for g in groups if len(g.operations) == longest and g.parts)
    assert len(final.parts) == 4
