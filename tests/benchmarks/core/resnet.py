# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""ResNet-50 with random weights, trained: the graph of a real size that budgets are about."""

import functools
import importlib.util
import linecache
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import dynamo_lab
from dynamo_lab.model.recording import Recording


def recorded_resnet(backend: str = "inductor") -> Recording:
    """The recording of one step of training with SGD, on the CPU."""
    model, args, loss = resnet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with dynamo_lab.record("ResNet-50") as recorder:
        torch.compile(loss, backend=backend)(*args).backward()
        optimizer.step()
    return recorder.recording


def resnet() -> tuple[Any, tuple[Any, ...], Callable[..., torch.Tensor]]:
    """The model in training, the arguments of its loss, and the loss."""
    torch.manual_seed(0)
    program = training()
    model = program.ResNet50().train()
    return model, (model, torch.randn(2, 3, 64, 64), torch.tensor([3, 7])), program.loss


@functools.cache
def training() -> Any:
    """The programs in training, from a copy: Dynamo skips the functions of this package's files."""
    with tempfile.TemporaryDirectory() as folder:
        path = shutil.copy(Path(__file__).with_name("training.py"), f"{folder}/training.py")
        spec = importlib.util.spec_from_file_location("training", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        linecache.getlines(path)  # the views show its lines, after the copy is gone
    return module
