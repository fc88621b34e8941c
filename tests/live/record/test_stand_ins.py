"""What stands in for PyTorch's own while code is lowered for a device that is not there."""

import sys
from types import ModuleType
from typing import Any

import pytest

from dynamo_lab.capture.targets.targets import pretend
from dynamo_lab.model import targets

pytestmark = pytest.mark.live


def test_a_module_imported_meanwhile_keeps_nothing_that_stood_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from torch.utils import _triton

    own, target = _triton.has_triton, targets.parse("cuda:sm_90")
    late: Any = ModuleType("torch._inductor.late")
    assert target is not None
    with pretend(target):
        late.has_triton = _triton.has_triton
        assert late.has_triton(include_cpu=True)
        monkeypatch.setitem(sys.modules, late.__name__, late)
    assert late.has_triton is own
    assert _triton.has_triton is own
