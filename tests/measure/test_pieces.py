"""Comparing large tensors: piece by piece, and no longer than asked."""

from __future__ import annotations

import pytest
import torch

from dynamo_lab.measure import pieces
from dynamo_lab.measure.checks import compare
from dynamo_lab.measure.pieces import Allowed, Found, differences
from dynamo_lab.model.benchmarks import Benchmark, Comparison, Way
from dynamo_lab.view.benchmarks.agreements import agreements


class Counted:
    """A clock that moves a second with each look at it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(pieces.PIECE, "cpu", 10)


def compared(eager: torch.Tensor, other: torch.Tensor, seconds: float) -> Comparison:
    asked = {"output": eager}, {"output": other}
    (found,) = compare(*asked, way=0, phase="forward", seconds=seconds, clock=Counted())
    return found


def test_pieces_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = torch.Generator().manual_seed(0)
    eager = torch.randn(9, 11, generator=drawn)
    exact = eager.double() + 1e-8
    other = (eager.t() * (1 + 1e-7)).t()

    def found() -> Found:
        return differences(eager, other, exact, Allowed(1e-5, 1e-5, 4.0), lambda _: True)

    by_pieces = found()
    monkeypatch.setitem(pieces.PIECE, "cpu", 1 << 20)
    whole = found()
    assert by_pieces.elements == whole.elements == 99
    assert by_pieces.ulp == pytest.approx(whole.ulp)
    assert by_pieces.error_ulp == pytest.approx(whole.error_ulp)
    assert by_pieces.is_within == whole.is_within


def test_without_time_a_few_pieces_are_compared_and_it_says_so() -> None:
    eager = torch.arange(1000.0)
    found = compared(eager, eager.clone(), seconds=20)
    assert 0.01 <= found.share < 0.5
    bench = Benchmark(title="", ways=(Way(name="eager", kind="eager"),), comparisons=(found,))
    (told,) = agreements(bench)
    assert "% of output's elements were compared" in told.sentence
    assert compared(eager, eager.clone(), seconds=1e9).share == 1.0
    assert (
        "were compared"
        not in agreements(
            Benchmark(title="", ways=bench.ways, comparisons=(compared(eager, eager, 1e9),))
        )[0].sentence
    )


def test_at_least_one_piece_of_each_tensor_is_compared() -> None:
    many = {f"output {at}": torch.ones(30) for at in range(4)}
    wrong = {name: value + 1 for name, value in many.items()}
    found = compare(many, wrong, way=0, phase="forward", seconds=0, clock=Counted())
    assert [one.verdict for one in found] == ["wrong"] * 4


def test_what_is_compared_is_spread_over_the_tensor() -> None:
    eager = torch.zeros(1000)
    other = eager.clone()
    other[500:] = 1.0
    assert compared(eager, other, seconds=8).verdict == "wrong"


def test_large_whole_numbers_that_differ_by_one_are_wrong() -> None:
    eager = torch.full((3,), 2**60)
    assert compared(eager, eager + 1, seconds=1e9).verdict == "wrong"
