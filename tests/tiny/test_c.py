"""The C code trains as PyTorch does, step by step, in its arena and without undefined behaviour."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import dynamo_lab as lab
from dynamo_lab.errors import OutputError, TinyError
from dynamo_lab.tiny.networks import Transformer
from tests.tiny.models import convolutions, stepped_eagerly

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.tiny.plan import Plan

pytestmark = pytest.mark.live

CHECKED = ("-fsanitize=address,undefined", "-fno-sanitize-recover", "-fstack-usage")
OPTIONS = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-fno-strict-aliasing")

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")


def built(plan: Plan, folder: Path) -> Path:
    plan.to_c(folder)
    command = ["gcc", *OPTIONS, "-ffp-contract=off", *CHECKED, "main.c", "step.c", "-lm"]
    done = subprocess.run(
        [*command, "-o", "train"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "train"


def trained(program: Path, sample: tuple[torch.Tensor, torch.Tensor], *options: str) -> list[float]:
    """The losses that the program prints."""
    x, y = sample
    (program.parent / "samples.bin").write_bytes(x.numpy().tobytes() + y.numpy().tobytes())
    done = subprocess.run(
        [program, "samples.bin", *options],
        cwd=program.parent,
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [float(line) for line in done.stdout.splitlines()]


@needs_gcc
@pytest.mark.parametrize(
    ("update", "settings"),
    [
        ("all", {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.01}),
        (
            {"depthwise.weight": 0.5, "point.weight": [1, 4, 6], "head.weight": 3, "*.bias": "all"},
            {"lr": 0.05},
        ),
    ],
    ids=["all", "sparse"],
)
def test_the_program_trains_as_pytorch(
    update: Any, settings: dict[str, float], tmp_path: Path
) -> None:
    model, sample = convolutions()
    plan = lab.tiny(model, sample, update=update, optimizer=settings)
    program = built(plan, tmp_path)
    eager, losses = stepped_eagerly(model, plan, sample, steps=3)
    assert trained(program, sample, "0.05", "3", "weights.bin") == pytest.approx(losses, abs=1e-5)
    data = torch.frombuffer(bytearray((tmp_path / "weights.bin").read_bytes()), dtype=torch.float32)
    expected = torch.cat([eager.get_parameter(name).detach().flatten() for name in plan.selected])
    assert (data - expected).abs().max() <= 1e-5
    assert expected.numel() == data.numel()
    stack = next(tmp_path.glob("*step.su")).read_text(encoding="utf-8")
    assert "train_step" in stack
    assert f"ARENA_BYTES = {plan.facts.arena}," in (tmp_path / "step.h").read_text(encoding="utf-8")


@needs_gcc
def test_a_write_beside_the_arena_is_noticed(tmp_path: Path) -> None:
    model, sample = convolutions()
    program = built(lab.tiny(model, sample, update="bias"), tmp_path)
    text = (tmp_path / "step.c").read_text(encoding="utf-8")
    at = text.index("  return *((float")
    harmed = f"{text[:at]}  block.after[0] = 0;\n{text[at:]}"
    (tmp_path / "step.c").write_text(harmed, encoding="utf-8")
    subprocess.run(
        ["gcc", *OPTIONS, "main.c", "step.c", "-lm", "-o", "train"], cwd=tmp_path, check=True
    )
    with pytest.raises(AssertionError, match="the arena's borders were written to"):
        trained(program, sample)


class Tokens(nn.Module):
    """PyTorch's own encoder layer between an embedding and scores for each token."""

    def __init__(self) -> None:
        super().__init__()
        options: dict[str, Any] = {"batch_first": True, "norm_first": True, "dropout": 0.0}
        self.embed = nn.Embedding(11, 16)
        self.block = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu", **options)
        self.head = nn.Linear(16, 11)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.block(self.embed(x))).flatten(0, 1)


class Causal(nn.Module):
    """Attention to what came before, of a few keys' columns, with values that are wider."""

    def __init__(self) -> None:
        super().__init__()
        self.mixed, self.wide = nn.Linear(6, 8), nn.Linear(6, 8)
        self.head = nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        queries, keys = self.mixed(x).view(2, 5, 2, 2, 2).permute(2, 0, 3, 1, 4).unbind(0)
        values = self.wide(x).view(2, 5, 2, 4).transpose(1, 2)
        scores = (queries @ keys.transpose(-2, -1)).softmax(-1)
        one = torch.stack([scores @ values, functional.gelu(values)], 2).mean(2)
        two = functional.scaled_dot_product_attention(values, one, values, is_causal=True)
        return self.head(two.transpose(1, 2).reshape(2, 5, 8).mean(1))


SEQUENCES = {
    "transformer": lambda: (
        Transformer(depth=1),
        (torch.randn(2, 16, 8), torch.tensor([3, 1])),
    ),
    "encoder layer": lambda: (Tokens(), (torch.randint(11, (2, 6)), torch.randint(11, (12,)))),
    "causal": lambda: (Causal(), (torch.randn(2, 5, 6), torch.tensor([0, 2]))),
}


@pytest.mark.slow
@needs_gcc
@pytest.mark.parametrize("name", SEQUENCES)
def test_transformers_train_as_in_pytorch(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model, sample = SEQUENCES[name]()
    plan = lab.tiny(model, sample, memory=None, optimizer={"lr": 0.05})
    program = built(plan, tmp_path)
    eager, losses = stepped_eagerly(model, plan, sample, steps=3)
    assert trained(program, sample, "0.05", "3", "weights.bin") == pytest.approx(losses, abs=1e-6)
    data = torch.frombuffer(bytearray((tmp_path / "weights.bin").read_bytes()), dtype=torch.float32)
    order = [plan.graph.parameters.get(node.name, "") for node in plan.graph.graph.nodes]
    changed = [name for name in order if name in plan.graph.updated]
    expected = torch.cat([eager.get_parameter(name).detach().flatten() for name in changed])
    assert set(changed) == set(plan.selected)
    assert (data - expected).abs().max() <= 1e-6


class Sorted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(x).cumsum(1).sort(1).values


def test_operators_without_c_are_named_before_anything_is_written(tmp_path: Path) -> None:
    plan = lab.tiny(Sorted(), (torch.randn(2, 4), torch.tensor([1, 0])), update="head.*")
    folder = tmp_path / "code"
    with pytest.raises(TinyError) as raised:
        plan.to_c(folder)
    for name in ("aten.cumsum.default", "aten.sort.default"):
        assert f"{name} (it has no rule)" in str(raised.value)
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    model, sample = convolutions()
    taken = tmp_path / "file"
    taken.write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match="cannot be written"):
        lab.tiny(model, sample, update="bias").to_c(taken)


def test_nothing_is_allocated_and_frozen_weights_are_constant(tmp_path: Path) -> None:
    model, sample = convolutions()
    lab.tiny(model, sample, update="head.bias").to_c(tmp_path)
    text = "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("*.[ch]"))
    assert "malloc" not in text
    weights = (tmp_path / "weights.h").read_text(encoding="utf-8")
    assert "static float w_head_bias[4]" in weights
    assert weights.count("static const float w_constant_") == 1
    assert weights.count("static const float") == 8


@pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("cmake")), reason="no CMake, no gcc")
def test_its_cmake_file_builds_the_program_that_trains(tmp_path: Path) -> None:
    model, sample = convolutions()
    plan = lab.tiny(model, sample, update="head.*")
    plan.to_c(tmp_path)
    for words in (["-S", ".", "-B", "build"], ["--build", "build"]):
        done = subprocess.run(
            ["cmake", *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning" not in done.stderr
    program = (tmp_path / "build" / "train").rename(tmp_path / "train")
    assert trained(program, sample, "0.05") == pytest.approx([plan.step(*sample).item()], abs=1e-5)


def test_its_cmake_file_names_what_is_written(tmp_path: Path) -> None:
    """But for what starts it on a board, which brings a linker's script of its own."""
    model, sample = convolutions()
    written = lab.tiny(model, sample, update="bias").to_c(tmp_path)
    (line,) = re.findall(r"add_executable\(train (.*)\)", (tmp_path / "CMakeLists.txt").read_text())
    assert set(line.split()) == {path.name for path in written if path.suffix == ".c"} - {"mps2.c"}
