"""A reproducer is one file that raises where the fault is, and ends where it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.errors import BisectionError
from tests.live.bisections.miscompiles import lowering, seeded

if TYPE_CHECKING:
    from contextlib import ExitStack

pytestmark = pytest.mark.live
aten = torch.ops.aten

_WITHOUT_CACHES = {"TORCHINDUCTOR_FX_GRAPH_CACHE": "0", "TORCHINDUCTOR_AUTOGRAD_CACHE": "0"}

_RUN = """
import contextlib, runpy, sys
sys.path.insert(0, {folder!r})
import torch
from tests.live.bisections.miscompiles import lowering
with contextlib.ExitStack() as stack:
    if sys.argv[2] == "with":
        lowering(torch.ops.aten.erf.default)(stack)
    runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.mark.release  # two processes that import torch
def test_a_reproducer_fails_in_a_process_of_its_own_and_only_with_the_fault(tmp_path: Path) -> None:
    def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.erf(x @ w).sum(1)

    with seeded(lowering(aten.erf.default)):
        found = lab.why_wrong(program, torch.randn(24, 48), torch.randn(48, 96))
        made = found.reproducer()
    assert "dynamo_lab" not in made.text
    assert "(2, 2)" in made.text, "the inputs were not made small"
    assert "torch.__version__" not in made.text
    assert f"torch {torch.__version__.partition('+')[0]}" in made.text
    assert "AssertionError" in made.fault
    issue = made.issue()
    assert made.text in issue
    assert "### Versions" in issue
    made.save(tmp_path / "repro.py")
    with_fault = _run_apart(tmp_path, "with")
    assert with_fault.returncode == 1
    assert "Tensor-likes are not close" in with_fault.stderr
    assert _run_apart(tmp_path, "without").returncode == 0


def _run_apart(tmp_path: Path, fault: str) -> subprocess.CompletedProcess[str]:
    folder = str(Path(__file__).parents[3])
    return subprocess.run(
        [sys.executable, "-c", _RUN.format(folder=folder), str(tmp_path / "repro.py"), fault],
        capture_output=True,
        text=True,
        env={**os.environ, **_WITHOUT_CACHES},
    )


def test_a_reproducer_of_a_program_without_a_fault_runs_to_its_end() -> None:
    def program(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        return x[at].exp() * 2

    recording = lab.explore(program, torch.randn(8, 4), torch.tensor([1, 7]))
    (kernel, *_) = [k for k in recording.kernels if k.code]
    made = recording.reproducer(kernel=kernel.id)
    assert kernel.name in made.text
    assert not made.fault
    assert "(8, 4)" in made.text
    assert recording.reproducer(graph=0).text.splitlines()[1:] == made.text.splitlines()[1:]
    with pytest.raises(BisectionError, match="no graph 3"):
        recording.reproducer(graph=3)


_ALONE = """
import runpy, sys

class Refused:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == "dynamo_lab":
            raise ImportError("dynamo_lab was imported")

sys.meta_path.insert(0, Refused())
for path in sys.argv[1:]:
    runpy.run_path(path, run_name="__main__")
print("ran")
"""


@pytest.mark.release  # a process that imports torch
def test_files_of_a_graph_and_of_a_kernel_run_where_this_package_is_not(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(), torch.nn.LayerNorm(8))
    recording = lab.explore(model, torch.randn(4, 8), grad=True)
    kernels = [one for one in recording.kernels if one.code]
    assert kernels
    asked = {"graph": {"graph": 0}, "kernel": {"kernel": kernels[-1].id}}
    paths = [str(tmp_path / f"{name}.py") for name in asked]
    for path, which in zip(paths, asked.values(), strict=True):
        recording.reproducer(**which).save(path)
    done = subprocess.run(
        [sys.executable, "-c", _ALONE, *paths],
        capture_output=True,
        text=True,
        env={**os.environ, **_WITHOUT_CACHES},
    )
    assert done.stdout.split() == ["ran"], done.stderr


def test_a_crash_of_the_compiler_has_its_file_and_its_issue() -> None:
    def raises(stack: ExitStack) -> None:
        from unittest import mock

        from torch._inductor.lowering import lowerings

        def refuse(*_: Any) -> None:
            raise AssertionError("no such index")

        stack.enter_context(mock.patch.dict(lowerings, {aten.erf.default: refuse}))

    def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.erf(x @ w).exp()

    with seeded(raises):
        found = lab.why_wrong(program, torch.randn(24, 48), torch.randn(48, 96), dynamic=True)
        assert found.verdict == "crash"
        made = found.reproducer()
    assert "no such index" in made.fault
    assert "(2, 2)" in made.text, "the inputs were not made small"
    assert "dynamic=True" in made.text
    assert "The program fails when it is compiled" in made.issue()


def test_there_is_no_issue_without_a_fault() -> None:
    recording = lab.explore(lambda x: x.sin() + 1, torch.randn(8), backend="eager")
    with pytest.raises(BisectionError, match="nothing to report"):
        recording.reproducer(graph=0).issue()
