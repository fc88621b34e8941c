"""An int8 plan as a C program with sanitizers, run on samples, and what PyTorch has for it."""

from __future__ import annotations

import os
import struct
import subprocess
from typing import TYPE_CHECKING

import torch

from dynamo_lab.tiny.selection import channel_dim

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dynamo_lab.tiny.plan import Plan

_BUILD = (
    "gcc -std=c99 -pedantic -Wall -Wextra -Werror -O1 -fno-strict-aliasing -ffp-contract=off "
    "-fsanitize=address,undefined -fno-sanitize-recover main.c step.c -lm -o train"
)


def trained_in_c(
    plan: Plan, samples: Sequence[tuple[torch.Tensor, torch.Tensor]], folder: Path
) -> list[float]:
    """The losses of two rounds over the samples; the parameters after them are in weights.bin."""
    plan.to_c(folder)
    (folder / "samples.bin").write_bytes(b"".join(plan.record(*sample) for sample in samples))
    subprocess.run(_BUILD.split(), cwd=folder, check=True)
    done = subprocess.run(
        ["./train", "samples.bin", "0.05", "2", "weights.bin"],
        cwd=folder,
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        check=True,
    )
    return [single(float(line)) for line in done.stdout.splitlines()]


def single(value: float) -> float:
    """The nearest number of 32 bits."""
    return struct.unpack("f", struct.pack("f", value))[0]


def updated(plan: Plan) -> list[str]:
    """The parameters that a step changes, in the order of the graph, as the program writes them."""
    nodes = (plan.graph.parameters.get(node.name, "") for node in plan.graph.graph.nodes)
    return [name for name in nodes if name in plan.graph.updated]


def integers_of(plan: Plan) -> bytes:
    """The updated parameters as they are in PyTorch; of weights the chosen channels alone."""
    assert plan.quantized is not None
    found = b""
    for name in updated(plan):
        value, channels = plan.quantized.values[name], plan.selected[name]
        if channels is not None:
            value = value.index_select(channel_dim(value), torch.tensor(channels))
        found += value.numpy().tobytes()
    return found
