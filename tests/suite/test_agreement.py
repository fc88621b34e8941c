from __future__ import annotations

import pytest
import torch

from dynamo_lab.suite.agreement import disagreement

EXACT = torch.linspace(-3, 3, 5000, dtype=torch.float64)
EAGER = EXACT.float()


def told(compiled: torch.Tensor, precision: str = "float32") -> str:
    return disagreement({"y": EAGER}, {"y": compiled}, {"y": EXACT}, precision)


def test_rounding_agrees() -> None:
    assert told(EAGER) == ""
    assert told(EAGER * (1 + 2**-23)) == ""


def test_one_element_far_off_is_wrong() -> None:
    wrong = EAGER.clone()
    wrong[17] += 1.0
    assert told(wrong).startswith("y is 0.014 from float64 (root mean square), eager ")


def test_amp_allows_more() -> None:
    off = EAGER * 1.003
    assert told(off, "amp") == ""
    assert told(off) != ""


def test_as_far_from_float64_as_eager_is_no_fault() -> None:
    noise = torch.randn(5000, generator=torch.Generator().manual_seed(0)) * 0.01
    eager, compiled = {"y": EAGER + noise}, {"y": EAGER - noise}
    assert disagreement(eager, compiled, {"y": EXACT}, "float32") == ""
    assert disagreement(eager, compiled, None, "float32") != ""


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_nan_is_wrong_unless_eager_has_it_too(bad: float) -> None:
    compiled = EAGER.clone()
    compiled[3] = bad
    assert told(compiled) != ""
    assert disagreement({"y": compiled}, {"y": compiled}, {"y": EXACT}, "float32") == ""


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_one_overflow_of_eager_excuses_no_other_element(bad: float) -> None:
    eager, off = EAGER.clone(), EAGER.clone()
    eager[3] = off[3] = bad
    off[17] += 1.0
    for exact in ({"y": EXACT}, {"y": eager.double()}, None):
        assert disagreement({"y": eager}, {"y": eager.clone()}, exact, "float32") == ""
        assert "root mean square" in disagreement({"y": eager}, {"y": off}, exact, "float32")
        assert disagreement({"y": eager}, {"y": EAGER}, exact, "float32") == (
            "y is infinite or NaN in other places than eager's"
        )


def test_float64_that_overflows_alone_leaves_eager_to_compare_with() -> None:
    exact, off = EXACT.clone(), EAGER.clone()
    exact[3] = float("nan")
    off[3] += 1.0
    assert disagreement({"y": EAGER}, {"y": EAGER.clone()}, {"y": exact}, "float32") == ""
    assert disagreement({"y": EAGER}, {"y": off}, {"y": exact}, "float32") != ""


def test_a_gradient_that_is_rounding_alone_is_no_fault() -> None:
    large, small = torch.ones(2000), torch.full((2000,), 1e-9)
    eager = {"weight": large, "bias": small}
    compiled = {"weight": large, "bias": -40 * small}
    exact = {"weight": large.double(), "bias": torch.zeros(2000).double()}
    assert disagreement(eager, compiled, exact, "float32") == ""


def test_other_shapes_types_and_counts_are_said() -> None:
    assert told(EAGER.double()) == "y is float64[5000], eager's is float32[5000]"
    assert disagreement({"y": EAGER}, {}, None, "float32") == "it gives 0 tensors, eager 1"
    whole = torch.arange(3)
    assert disagreement({"n": whole}, {"n": whole + 1}, None, "float32") == (
        "n differs from eager's"
    )
