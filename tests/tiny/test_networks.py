"""The paper's networks, whole: a step of each in int8, in C, has PyTorch's bits."""

from __future__ import annotations

import shutil
import struct
import subprocess
from typing import TYPE_CHECKING

import pytest
import torch

import dynamo_lab as lab
from tests.benchmarks.tiny.__main__ import SCHEMES, update_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
@pytest.mark.parametrize("name", SCHEMES)
def test_a_networks_step_in_c_has_the_bits_of_pytorch(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    make, scheme = SCHEMES[name]
    model, sample = make(), (torch.randn(1, 3, 128, 128), torch.tensor([1]))
    plan = lab.tiny(model, sample, update=update_of(model, scheme), memory=None, dtype="int8")
    plan.to_c(tmp_path)
    (tmp_path / "samples.bin").write_bytes(plan.record(*sample))
    command = "gcc -std=c99 -O2 -fno-strict-aliasing -ffp-contract=off -fsanitize=address,undefined"
    command += " -fno-sanitize-recover main.c step.c -lm -o train"
    subprocess.run(command.split(), cwd=tmp_path, check=True)
    done = subprocess.run(
        ["./train", "samples.bin", "0.05", "2", "weights.bin"],
        cwd=tmp_path,
        env={"ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        check=True,
    )
    losses = [plan.step(*sample, lr=0.05).item() for _ in range(2)]
    printed = [float(line) for line in done.stdout.splitlines()]
    assert [struct.unpack("f", struct.pack("f", loss))[0] for loss in printed] == losses
    assert plan.quantized is not None
    nodes = (plan.graph.parameters.get(node.name, "") for node in plan.graph.graph.nodes)
    changed = [name for name in nodes if name in plan.graph.updated]
    expected = b"".join(plan.quantized.values[name].numpy().tobytes() for name in changed)
    assert (tmp_path / "weights.bin").read_bytes() == expected
