# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""ResNet-50 with random weights, trained: the graph of a real size that budgets are about."""

import importlib.util
import shutil
import tempfile
from pathlib import Path
from typing import Any

import torch

import dynamo_lab
from dynamo_lab.model.recording import Recording


def recorded_resnet(backend: str = "inductor") -> Recording:
    """The recording of one step of training with SGD, on the CPU."""
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        program = _program(Path(folder))
        model = program.ResNet50().train()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        images, classes = torch.randn(2, 3, 64, 64), torch.tensor([3, 7])
        with dynamo_lab.record("ResNet-50") as recorder:
            torch.compile(program.loss, backend=backend)(model, images, classes).backward()
            optimizer.step()
    return recorder.recording


def _program(folder: Path) -> Any:
    """The model's module, from a copy: Dynamo skips the functions of this package's own files."""
    path = shutil.copy(Path(__file__).with_name("_resnet_model.py"), folder / "resnet50.py")
    spec = importlib.util.spec_from_file_location("resnet50", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
