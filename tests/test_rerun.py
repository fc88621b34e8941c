"""A run leaves no trace: tensors are put back whatever they share, and copies share it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor, nn

from dynamo_lab import rerun
from dynamo_lab.capture import storages
from dynamo_lab.rerun import leaves, without_trace

if TYPE_CHECKING:
    from collections.abc import Callable

NAN = float("nan")


def test_expanded_tensors_are_put_back() -> None:
    base = torch.tensor([1.0, NAN, 3.0, 4.0])
    wide = base.expand(3, 4)
    version = wide._version
    with without_trace([base, wide]):
        pass
    assert wide._version == version
    with without_trace([base, wide]):
        base.add_(1)
    assert torch.equal(base.nan_to_num(0), torch.tensor([1.0, 0, 3, 4]))


CHANGES: dict[str, Callable[[Tensor], Any]] = {
    "other memory": lambda t: setattr(t, "data", torch.zeros(2, 3)),
    "another shape": lambda t: setattr(t, "data", torch.zeros(7)),
    "a transpose in place": lambda t: t.t_(),
    "more memory": lambda t: t.resize_(100).zero_(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_lies_elsewhere_is_put_back(change: str) -> None:
    tensor = torch.arange(6.0).view(2, 3)
    place = tensor.data_ptr()
    with without_trace([tensor]):
        CHANGES[change](tensor)
    assert torch.equal(tensor, torch.arange(6.0).view(2, 3))
    if "memory" not in change or change == "other memory":
        assert tensor.data_ptr() == place


def test_gradients_are_put_back() -> None:
    layer = nn.Linear(2, 1)
    with without_trace([layer]):
        layer(torch.ones(2)).sum().backward()
    assert layer.weight.grad is None
    layer.weight.grad = grad = torch.ones(1, 2)
    with without_trace([layer]):
        layer(torch.ones(2)).sum().backward()
        layer(torch.ones(2)).sum().backward()
    assert layer.weight.grad is grad
    assert torch.equal(grad, torch.ones(1, 2))


def test_all_others_are_put_back_if_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    tensors = [torch.ones(3), torch.ones(4), torch.ones(5)]
    equal, asked = torch.equal, list[int]()

    def failing(a: Tensor, b: Tensor) -> bool:
        asked.append(1)
        if len(asked) == 1:
            raise RuntimeError("the first fails")
        return equal(a, b)

    monkeypatch.setattr(storages.torch, "equal", failing)

    def run() -> None:
        with without_trace(tensors):
            for tensor in tensors:
                tensor.zero_()

    with pytest.warns(UserWarning, match="the first fails"):
        run()
    assert [bool(tensor.all()) for tensor in tensors].count(True) == 2


def test_tensors_inside_tensors_and_what_has_no_memory() -> None:
    from torch.testing._internal.two_tensor import TwoTensor

    inner, other = torch.ones(3), torch.ones(3)
    lazy, meta = nn.LazyLinear(2).weight, torch.ones(3, device="meta")
    with without_trace([TwoTensor(inner, other), lazy, meta]):
        inner.zero_()
    assert torch.equal(inner, torch.ones(3))


def test_all_of_a_large_model_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerun, "_WALKED", 5)
    model = nn.Sequential(*(nn.BatchNorm1d(2) for _ in range(10)))
    assert len(leaves([model])) == 20
    before = [p.detach().clone() for p in model.parameters()]
    with without_trace([lambda: model]), torch.no_grad():
        for tensor in (*model.parameters(), *model.buffers()):
            tensor.add_(1)
    assert all(bool((p == b).all()) for p, b in zip(model.parameters(), before, strict=True))
    assert not any(name.endswith("tracked") and b for name, b in model.named_buffers())


def test_a_module_that_is_not_set_up_is_walked_too() -> None:
    class Half(nn.Module):
        def __init__(self) -> None:
            vars(self)["data"] = torch.ones(2)

    half: Any = Half()
    with without_trace([half]):
        half.data.zero_()
    assert half.data.all()
