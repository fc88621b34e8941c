"""A layer that is given a nested tensor: its fast path is all that it has."""

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.bench.fast_path import difference
from tests.live.fast_path.test_fast_path import Called


@pytest.mark.filterwarnings("ignore")
def test_a_nested_tensor_takes_it_eagerly_and_is_not_compiled() -> None:
    """Dynamo does not trace nested tensors of the old layout, and its own words say so."""
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True).eval()
    nested = torch.nested.nested_tensor([torch.randn(5, 32), torch.randn(9, 32)])
    asked = lab.fast_path(layer, nested, rounds=0)
    with torch.no_grad(), Called() as called:
        layer(nested)
    assert [one.taken for one in asked.trial.eager] == [True]
    assert sum(called.counts.values()) == 1
    assert asked.trial.compiled == ()
    assert asked.trial.uncompiled
    assert "Dynamo compiles nothing of it, so it runs eagerly" in str(asked)
    assert difference(nested, nested + 0.5) == pytest.approx(0.5, rel=1e-5)
    assert difference(nested, torch.ones(2, 9, 32)) is not None
