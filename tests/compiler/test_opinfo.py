"""PyTorch's samples of its operators: whatever is lowered computes what eager does."""

from __future__ import annotations

import random
import warnings

import pytest

from tests.compiler.opinfo import Kind, Result, names, table, tried

pytestmark = pytest.mark.live

SAMPLE = 24
"""Operators of each kind in a usual run, the same ones each time."""
LEAST: dict[Kind, float] = {"forward": 0.65, "backward": 0.58, "bfloat16": 0.75, "int64": 0.64}
"""The share of operators without ATen, forward of all, else of those drawn."""
DECOMPOSED = {"nn.functional.layer_norm"}
"""Rows of one element: PyTorch's decomposition gives 2e-5 where eager's backward gives 0."""


def results(kind: Kind, few: int | None = None, samples: int = 3) -> list[Result]:
    every = names(kind)
    chosen = sorted(every) if few is None else random.Random(0).sample(sorted(every), few)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [tried(every[name], kind, samples) for name in chosen]


def differing(found: list[Result]) -> list[str]:
    return [f"{one.name}: {one.reason}" for one in found if one.verdict == "differs"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["forward", "backward", "bfloat16", "int64"])
def test_a_sample_of_operators(kind: Kind) -> None:
    found = results(kind, SAMPLE)
    assert differing(found) == []
    assert {one.name for one in found if one.verdict == "decomposed"} <= DECOMPOSED
    assert sum(one.verdict == "equal" for one in found) > SAMPLE // 2


@pytest.mark.parametrize("name", ["nn.functional.normalize", "masked.std"])
def test_a_saved_tensor_that_overlaps_itself_lies_as_the_backward_reads_it(name: str) -> None:
    """Its strides are (.., 0, 1): the backward was told so, and read other memory."""
    assert tried(names("backward")[name], "backward").verdict == "equal"


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "few"), [("forward", None), ("backward", 200), ("bfloat16", 200), ("int64", 200)]
)
def test_many_operators(kind: Kind, few: int | None) -> None:
    """None is silently wrong; `python -m tests.compiler.opinfo --kind` tries every operator."""
    found = results(kind, few, samples=3 if few is None else 1)
    assert differing(found) == []
    assert {one.name for one in found if one.verdict == "decomposed"} <= DECOMPOSED
    traced = [one for one in found if one.verdict in ("equal", "decomposed")]
    ours = [one for one in traced if not one.left]
    assert len(ours) > LEAST[kind] * len(traced), "\n".join(table(found))
