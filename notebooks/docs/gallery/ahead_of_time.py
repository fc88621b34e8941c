"""Compiled ahead of time, for a program without Python.

`lab.package` writes a file that C++ loads, and records every stage on the way. **Package**
lists its contents.
"""

import tempfile
from pathlib import Path

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "package"

model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 10)).eval()
with tempfile.TemporaryDirectory() as folder:
    rec = lab.package(model, torch.randn(8, 64), path=Path(folder) / "model.pt2")
