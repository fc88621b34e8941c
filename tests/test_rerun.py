"""A run leaves no trace: tensors are put back whatever they share, and copies share it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor, nn

from dynamo_lab.capture.core import storages
from dynamo_lab.record import reach, replay
from dynamo_lab.record.reach import leaves
from dynamo_lab.record.replay import copies, without_trace

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
    monkeypatch.setattr(reach, "_WALKED", 5)
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


def test_copies_lie_as_the_originals_and_share_as_they_do() -> None:
    memory = torch.arange(256.0)
    wide = memory[40:].as_strided((4, 8), (16, 2), 50)
    expanded = memory[60].expand(3)
    bits = memory[48:52].view(torch.int32)
    copied, more = copies(([wide, expanded, wide], {"bits": bits}))
    for a, b in zip((wide, expanded, bits), (*copied[:2], more["bits"]), strict=True):
        assert (a.stride(), a.dtype) == (b.stride(), b.dtype)
        assert torch.equal(a, b)
        assert a.data_ptr() != b.data_ptr()
        assert a.data_ptr() - wide.data_ptr() == b.data_ptr() - copied[0].data_ptr()
    assert copied[2] is copied[0]
    assert copied[0].untyped_storage().nbytes() < memory.untyped_storage().nbytes()
    copied[0].zero_()
    assert wide.any()


def test_copies_keep_whether_gradients_are_gathered() -> None:
    weight = nn.Parameter(torch.ones(3))
    views = copies([weight, weight.detach(), (weight * 2).t(), torch.ones(0)])
    assert [t.requires_grad for t in views] == [True, False, True, False]
    assert all(t.is_leaf for t in views)


def test_what_is_more_than_a_view_of_memory_is_copied_by_itself() -> None:
    conjugate = torch.ones(3, dtype=torch.complex64).mul(1j).conj()
    copied, sparse, meta = copies(
        [conjugate, torch.eye(2).to_sparse(), torch.ones(2, device="meta")]
    )
    assert torch.equal(copied, conjugate)
    assert sparse.is_sparse
    assert meta.is_meta


def test_a_large_tensor_is_not_copied_but_a_slice_of_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "COPIED_BYTES", 128)
    large = torch.ones(1000)
    assert copies(large) is large
    assert copies(large[500:510]) is not large
    row = large[:4].expand(50, 4)
    assert copies(row).data_ptr() != row.data_ptr()
