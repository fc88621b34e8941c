"""Sizes of 0 and 1: where marking them ends the recompilations, and where it does not."""

from typing import Any

import pytest
import torch
from torch._dynamo.decorators import mark_unbacked  # noqa: TID251 - the advice, followed

import dynamo_lab as lab
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build


def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def recorded(shapes: tuple[tuple[int, ...], ...], marked: int | None = None) -> Recording:
    torch.compiler.reset()
    compiled: Any = torch.compile(doubled, backend="eager")
    with lab.record() as recorder:
        for shape in shapes:
            x = torch.ones(shape)
            if marked is not None:
                mark_unbacked(x, marked)
            compiled(x)
    return recorder.recording


INNER_ZERO = ((4, 2), (4, 0), (4, 3)), ((4, 0), (4, 2)), ((2, 3, 4), (2, 0, 4))
OTHERS = (((4, 4), (0, 4), (3, 4)), 0), (((4, 2), (4, 1), (4, 3)), 1), (((2, 1, 4), (2, 3, 4)), 1)


@pytest.mark.parametrize("shapes", INNER_ZERO)
def test_a_size_of_0_that_is_not_the_outermost_is_not_advised_to_be_marked(shapes: Any) -> None:
    [found] = build(recorded(shapes)).findings.found
    assert not found.code
    assert "Marked unbacked, it is compiled again all the same" in found.remedy
    assert len(recorded(shapes, 1).recompiles) == 1


@pytest.mark.parametrize(("shapes", "size"), OTHERS)
def test_other_sizes_of_0_and_1_are_advised_to_be_marked(shapes: Any, size: int) -> None:
    [found] = build(recorded(shapes)).findings.found
    assert found.code == f"torch._dynamo.decorators.mark_unbacked(x, {size})"
    assert not recorded(shapes, size).recompiles


def cached(x: torch.Tensor, cache: Any) -> Any:
    if cache is not None:
        x = torch.cat([cache[0], x], 1)
    return x * 2, (x,)


def generated(*, is_marked: bool) -> Recording:
    torch.compiler.reset()
    compiled, cache = torch.compile(cached, backend="eager"), None
    with lab.record() as recorder:
        for tokens in (5, 1, 1):
            x = torch.ones(2, tokens, 4)
            if is_marked:
                mark_unbacked(x, 1)
            _, cache = compiled(x, cache)
    return recorder.recording


def test_a_cache_that_is_none_at_first_is_compiled_apart_though_a_size_is_marked() -> None:
    found = next(
        one for one in build(generated(is_marked=False)).findings.found if "unbacked" in one.code
    )
    assert "as by a cache that is None at first, is compiled again all the same" in found.remedy
    [left] = generated(is_marked=True).recompiles
    assert "is None" in left.failed[0].text
