"""Classes and rows that there are not: a sentence in PyTorch, and no step in C."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import dynamo_lab as lab
from dynamo_lab.errors import OptionError, TinyError

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.tiny.plan import Plan

pytestmark = pytest.mark.live

BUILD = (
    "gcc -std=c99 -pedantic -Wall -Wextra -Werror -O1 -fno-strict-aliasing -ffp-contract=off "
    "-fsanitize=address,undefined -fno-sanitize-recover main.c step.c -lm -o train"
)
Sample = tuple[torch.Tensor, torch.Tensor]


class Words(nn.Module):
    """Scores of what comes next: of the targets, a view alone is read."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(6, 4), nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.table(x))


def next_word(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(scores.flatten(0, 1), target[:, 1:].reshape(-1))


def words(batch: int = 1) -> Plan:
    torch.manual_seed(0)
    example = torch.tensor([[5, 0, 1]] * batch), torch.tensor([[99, 0, -100, 2]] * batch)
    return lab.tiny(Words(), example, loss=next_word, memory=None)


def rows(**options: Any) -> tuple[Plan, Sample]:
    torch.manual_seed(0)
    sample = torch.randn(2, 4), torch.tensor([0, 2])
    return lab.tiny(nn.Linear(4, 3), sample, memory=None, **options), sample


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_a_class_that_there_is_not_is_said_and_changes_nothing(dtype: str) -> None:
    plan, (x, _) = rows(dtype=dtype)
    before = plan.model.get_parameter("weight").detach().clone()
    for wrong in (3, -1):
        said = f"of the sample has class {wrong}, and the scores are of 3 classes: 0 to 2, or -100"
        with pytest.raises(OptionError, match=said):
            plan.step(x, torch.tensor([0, wrong]))
    assert torch.equal(plan.model.get_parameter("weight"), before)
    assert plan._run.steps == 0  # what draws the rounding of the next one
    assert plan.step(x, torch.tensor([0, -100])).isfinite()


def test_an_example_and_samples_to_calibrate_with_are_looked_at() -> None:
    x, model = torch.randn(1, 4), nn.Linear(4, 3)
    with pytest.raises(TinyError, match=r"fails on the example, .*Target 7 is out of bounds"):
        lab.tiny(model, (x, torch.tensor([7])), memory=None)
    given: dict[str, Any] = {"dtype": "int8", "calibrate": [(x, torch.tensor([4]))]}
    with pytest.raises(OptionError, match="has class 4"):
        lab.tiny(model, (x, torch.tensor([1])), memory=None, **given)
    given = {"update": "search", "search": {"data": [(x, torch.tensor([9]))] * 4}}
    with pytest.raises(OptionError, match="has class 9"):
        lab.tiny(model, (x, torch.tensor([1])), memory="1 kB", **given)


def test_rows_of_an_embedding_and_what_a_view_leaves_out() -> None:
    plan, x, y = words(), torch.tensor([[5, 0, 1]]), torch.tensor([[99, 0, -100, 2]])
    assert plan.step(x, y).isfinite()  # the 99 is not read
    with pytest.raises(OptionError, match=r"Tensor 0 .* index 6, and the embedding has 6 rows"):
        plan.step(torch.tensor([[5, 6, 1]]), y)
    with pytest.raises(OptionError, match="Tensor 1 of the sample has class 3"):
        plan.step(x, torch.tensor([[0, 0, 3, 2]]))


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_a_copy_of_what_a_view_leaves_is_of_the_sample(tmp_path: Path) -> None:
    """Of two rows `reshape` makes a copy, where of one it is a view."""
    plan, x = words(2), torch.tensor([[5, 0, 1], [2, 3, 4]])
    good, bad = (
        torch.tensor([[99, 0, 1, 2], [-5, 2, -100, 0]]),
        torch.tensor([[0] * 4, [0, 0, 7, 0]]),
    )
    assert "aten.clone.default" in {str(node.target) for node in plan.graph.graph.nodes}
    done = in_c(plan, [(x, good), (x, bad)], tmp_path)
    assert (done.returncode, len(done.stdout.split())) == (1, 1)
    assert "part 1 of sample 1 has 7, which is no class" in done.stderr
    with pytest.raises(OptionError, match="Tensor 1 of the sample has class 7"):
        plan.step(x, bad)
    assert plan.step(x, good).item() == pytest.approx(float(done.stdout), abs=1e-6)


def copied_first(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(scores.flatten(0, 1), target.clone()[:, 1])


def test_of_a_copy_that_is_read_in_part_that_part_is_looked_at(tmp_path: Path) -> None:
    sample = torch.tensor([[1], [4]]), torch.tensor([[99, 2], [99, 0]])
    plan = lab.tiny(Words(), sample, loss=copied_first, memory=None)
    assert plan.step(*sample).isfinite()
    with pytest.raises(OptionError, match="Tensor 1 of the sample has class 3"):
        plan.step(sample[0], torch.tensor([[0, 3], [0, 0]]))
    with pytest.raises(TinyError, match="the numbers that it reads by are no part of the sample"):
        plan.to_c(tmp_path / "code")


class Shifted(Words):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x + 1).flatten(0, 1)


def test_numbers_that_are_computed_have_no_c(tmp_path: Path) -> None:
    sample = torch.tensor([[1, 0, 4]]), torch.tensor([0, 1, 2])
    plan = lab.tiny(Shifted(), sample, memory=None)
    with pytest.raises(TinyError, match="the numbers that it reads by are no part of the sample"):
        plan.to_c(tmp_path / "code")
    assert not (tmp_path / "code").exists()


def in_c(plan: Plan, samples: list[Sample], folder: Path) -> subprocess.CompletedProcess[str]:
    plan.to_c(folder)
    parts = [part for sample in samples for part in sample]
    records = b"".join(part.contiguous().numpy().tobytes() for part in parts)
    (folder / "samples.bin").write_bytes(records)
    subprocess.run(BUILD.split(), cwd=folder, check=True)
    return subprocess.run(
        ["./train", "samples.bin", "0.1"],
        cwd=folder,
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_the_program_stops_at_a_class_that_there_is_not(dtype: str, tmp_path: Path) -> None:
    plan, sample = rows(dtype=dtype)
    x = torch.zeros(2, 4, dtype=torch.int8) if dtype == "int8" else sample[0]
    given = [(x, torch.tensor([0, -100])), (x, torch.tensor([2, 1 << 40]))]
    done = in_c(plan, given, tmp_path)
    assert (done.returncode, len(done.stdout.split())) == (1, 1)
    assert "part 1 of sample 1 has 1099511627776, which is no class" in done.stderr


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_a_step_of_a_row_that_there_is_not_changes_nothing(tmp_path: Path) -> None:
    """Without main.c: a program that calls the step itself."""
    plan = words()
    plan.to_c(tmp_path)
    (tmp_path / "main.c").write_text(
        "#include <stdio.h>\n#include <string.h>\n#include <math.h>\n"
        '#include "step.h"\n'
        "int main(void) {\n"
        "  const int64_t good[] = {5, 0, 1}, bad[] = {5, -1, 1}, y[] = {99, 0, -100, 2};\n"
        "  static char kept[1000];\n  size_t n;\n  int64_t found;\n"
        "  const void *part = updated_part(0, &n);\n  memcpy(kept, part, n);\n"
        "  if (!isnan(train_step(bad, y, 0.1f)) || memcmp(kept, part, n)) return 2;\n"
        "  if (wrong_part(&found) != 0 || found != -1) return 3;\n"
        "  if (isnan(train_step(good, y, 0.1f)) || !memcmp(kept, part, n)) return 4;\n"
        "  return 0;\n}\n",
        encoding="utf-8",
    )
    subprocess.run(BUILD.split(), cwd=tmp_path, check=True)
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    subprocess.run(["./train"], cwd=tmp_path, env=environment, check=True)
