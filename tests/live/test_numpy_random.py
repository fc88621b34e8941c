"""What is said of NumPy's random numbers in a compiled program, held against what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import dynamo_lab as lab

if TYPE_CHECKING:
    from collections.abc import Callable

    Program = Callable[[torch.Tensor], torch.Tensor]

pytestmark = pytest.mark.live

X = torch.zeros(4, dtype=torch.float64)
OUTSIDE = np.random.default_rng(0)


def draws(x: torch.Tensor) -> torch.Tensor:
    return x + torch.from_numpy(np.random.randn(4))


def seeds(x: torch.Tensor) -> torch.Tensor:
    np.random.seed(0)
    return x + torch.from_numpy(np.random.randn(4))


def asks_a_generator(x: torch.Tensor) -> torch.Tensor:
    return x + torch.from_numpy(OUTSIDE.standard_normal(4))


def draws_one(x: torch.Tensor) -> torch.Tensor:
    return x + np.random.uniform(0, 1)


def only_computes(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.sin(x.numpy()))


def rules(program: Program, backend: str = "aot_eager") -> dict[str, str]:
    found = lab.explore(program, X, backend=backend).findings
    return {one.rule: one.sentence for one in found if one.rule.startswith("numpy")}


def repeats(program: Program, seed: Callable[[int], object], backend: str) -> bool:
    """Whether two calls after the same seed give the same, compiled."""
    torch._dynamo.reset()  # pyright: ignore[reportPrivateUsage]
    compiled = torch.compile(program, backend=backend)
    compiled(X)
    results: list[torch.Tensor] = []
    for _ in range(2):
        seed(3)
        results.append(compiled(X))
    return torch.equal(*results)


def test_a_draw_in_the_graph_is_pytorchs() -> None:
    said = rules(draws)
    assert list(said) == ["numpy-draws"]
    assert "`np.random.randn` is part of the graph: PyTorch's generator" in said["numpy-draws"]
    assert not repeats(draws, np.random.seed, "aot_eager")
    assert repeats(draws, torch.manual_seed, "aot_eager")


def test_a_seed_in_the_graph_seeds_nothing_or_pytorch() -> None:
    said = rules(seeds)
    assert list(said) == ["numpy-seed", "numpy-draws"]
    assert said["numpy-seed"].endswith("while it was compiled, and no call seeds any.")
    assert not repeats(seeds, lambda _: None, "aot_eager")
    assert rules(seeds, "eager")["numpy-seed"].endswith("generator, and NumPy's never.")
    assert repeats(seeds, lambda _: None, "eager")


def test_a_draw_at_a_break_and_arithmetic_are_numpys_own() -> None:
    assert not rules(asks_a_generator)
    assert not rules(draws_one)
    assert not rules(only_computes)
    assert repeats(draws_one, np.random.seed, "aot_eager")
    with torch._dynamo.config.patch(use_numpy_random_stream=True):  # pyright: ignore
        assert not rules(draws)
        assert repeats(draws, np.random.seed, "aot_eager")


def test_a_number_that_numpy_draws_is_no_tensors() -> None:
    rec = lab.explore(draws_one, X, backend="aot_eager")
    [finding] = [one for one in rec.findings if one.rule == "graph-break"]
    assert finding.grade == "may change meaning"
    assert "PyTorch's generator then draws" in finding.remedy
    assert "round trip" not in finding.sentence
    assert "Keep the value a tensor" not in str(rec)
    assert "Draw before the call" in str(rec)
