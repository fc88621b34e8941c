"""The check of decompositions against eager, on a few operators of each outcome."""

import pytest
import torch

pytest.importorskip("expecttest", reason="torch.testing's database of operators needs it")

from dynamo_lab.api.decompose import Decomposition
from tests.benchmarks import decompositions as bench

pytestmark = pytest.mark.live

EQUAL = [
    "add",
    "addmm",
    "cumsum",
    "fft.rfft",
    "matmul",
    "native_layer_norm",
    "nn.functional.gelu",
    "nn.functional.local_response_norm",
    "softmax",
    "std",
    "var_mean",
]


def checked(name: str) -> bench.Row:
    [op] = bench.operators(names=[name])
    with torch.no_grad():
        return bench.check(op, 2)


@pytest.mark.parametrize("name", EQUAL)
def test_what_it_became_is_eager(name: str) -> None:
    row = checked(name)
    assert row.is_equal, row
    assert row.samples == 2


def test_random_operators_are_compared_in_shape() -> None:
    assert {level.outcome for level in checked("rand_like").levels} == {"random"}


def test_what_depends_on_numbers_is_refused_with_the_reason() -> None:
    for level in checked("unique").levels:
        assert level.outcome == "not traced"
        assert "depends on the numbers in its arguments" in level.reason


def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: object, **__: object) -> torch.Tensor:
        return torch.zeros(1)

    monkeypatch.setattr(Decomposition, "run", wrong)
    row = checked("nn.functional.gelu")
    assert {level.outcome for level in row.levels} == {"differs"}
    assert "differs" in bench.summary([row])


def test_the_choice_is_spread_and_always_the_same() -> None:
    names = [op.name for op in bench.operators(20)]
    assert names == [op.name for op in bench.operators(20)] == sorted(names)
    assert len(names) == 20
