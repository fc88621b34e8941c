"""The memory that a wrapper allocates, hands out and lets go."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode

from dynamo_lab.capture.kernels import hooks
from dynamo_lab.compiler.program import Program

pytestmark = pytest.mark.live


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch.compiler.reset()


def test_outputs_that_are_copies_are_memory_of_their_own() -> None:
    def fn(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x + 1
        return y, y.clone(), x.clone(), y.view(-1)

    x = torch.zeros(6, 5)
    y, copy, copy_of_x, view = torch.compile(fn, backend="lab")(x)
    y.add_(1)
    x.add_(7)
    assert copy.unique().tolist() == [1.0]
    assert copy_of_x.unique().tolist() == [0.0]
    assert view.unique().tolist() == [2.0]


def test_memory_is_let_go() -> None:
    x = torch.randn(100)
    y = torch.compile(lambda x: x.sin() + 1, backend="lab")(x)
    dead = [weakref.ref(x), weakref.ref(y)]
    del x, y
    gc.collect()
    assert [ref() for ref in dead] == [None, None]


@pytest.mark.parametrize("allocate", [hooks.EMPTY_CPU.get(), hooks.EMPTY_CPU.otherwise])
def test_memory_of_the_cpu_is_allocated_without_a_dispatcher(allocate: Any) -> None:
    """It takes half the time; a PyTorch that lacks it has what stands for it."""

    class Watched(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    seen = list[str]()
    program = Program(make_fx(lambda x: x.t().contiguous() + 1)(torch.ones(2, 3))).build()
    with Watched():
        (made,) = program([torch.ones(2, 3)])
    assert "aten.empty_strided.default" not in seen
    assert made.tolist() == [[2, 2]] * 3
    memory = allocate((2, 3), (1, 2), torch.bfloat16)
    assert (memory.shape, memory.stride(), memory.dtype) == ((2, 3), (1, 2), torch.bfloat16)
