"""The C of a plan as a function that this process calls: a step takes milliseconds."""

from __future__ import annotations

import ctypes
import subprocess
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.tiny.plan import Plan

OPTIONS = "-std=c99 -O3 -march=native -fno-strict-aliasing -ffp-contract=off -shared -fPIC"


class Native:
    """The step of an int8 plan, built by gcc; it has the bits of `plan.step`."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        plan.to_c(folder)
        command = ["gcc", *OPTIONS.split(), "step.c", "-lm", "-o", "step.so"]
        subprocess.run(command, cwd=folder, check=True)
        self._plan, self._library = plan, ctypes.CDLL(str(folder / "step.so"))
        self._library.train_step.restype = ctypes.c_float
        self._library.updated_part.restype = ctypes.c_void_p

    def step(self, x: torch.Tensor, y: torch.Tensor, lr: float) -> float:
        """Train on one sample: the loss."""
        record = ctypes.create_string_buffer(self._plan.record(x, y))
        start = ctypes.addressof(record)
        target = ctypes.c_void_p(start + len(record) - 1 - y.numel() * y.element_size())
        return self._library.train_step(ctypes.c_void_p(start), target, ctypes.c_float(lr))

    def fetch(self) -> None:
        """Give the plan the integers as they are now, for `plan.predict`."""
        graph, quantized = self._plan.graph, self._plan.quantized
        assert quantized is not None
        order = [graph.parameters.get(node.name, "") for node in graph.graph.nodes]
        for number, name in enumerate(one for one in order if one in graph.updated):
            size = ctypes.c_size_t()
            data = self._library.updated_part(number, ctypes.byref(size))
            value = quantized.values[name]
            raw = torch.frombuffer(bytearray(ctypes.string_at(data, size.value)), dtype=value.dtype)
            value.copy_(raw.view(value.shape))
