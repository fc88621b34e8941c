"""What `why_wrong` is asked with: options as of torch.compile, arguments in any memory layout."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.errors import OptionError

pytestmark = pytest.mark.live


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"mode": "fastest"}, "mode=fastest"),
        ({"dynamic": "yes"}, "pass True or False"),
        ({"options": {"no_such": 1}}, "no_such"),
    ],
)
def test_options_that_torch_compile_lacks_are_refused(chosen: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said) as refused:
        lab.why_wrong(lambda x: x + 1, torch.ones(2), **chosen)
    assert len(str(refused.value)) < 200


def test_the_same_values_in_a_row_are_not_told_as_eager_s_fault() -> None:
    x = torch.full((2, 20), 0.3)
    found = lab.why_wrong(lambda x: torch.special.logit(x, eps=0.51), x)
    assert found.verdict in ("same", "rounding")
