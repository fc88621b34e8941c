"""Kernels on a GPU that is here: Triton on CUDA, Metal on a Mac, each against eager there."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.utils._pytree import tree_map

from dynamo_lab.compiler.backend import compiled
from tests.compiler.programs import CASES, DOUBLE, Case
from tests.compiler.test_programs import PROGRAMS, assert_as_eager

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.compiler.program import Program

DEVICE = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else ""
pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not DEVICE, reason="needs a CUDA device, or a Mac with a GPU"),
]
EVERY = CASES | (DOUBLE if DEVICE == "cuda" else {})


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch.compiler.reset()
    torch.manual_seed(0)


def there(args: Any) -> Any:
    return tree_map(lambda x: x.to(DEVICE, copy=True) if isinstance(x, torch.Tensor) else x, args)


@pytest.mark.parametrize("name", EVERY)
def test_a_program_of_every_construct(name: str) -> None:
    case: Case = EVERY[name]
    made: list[Program] = []
    given, same = there(case.args()), there(case.args())
    with compiled(made.append):
        got = torch.compile(case.run, backend="lab", dynamic=case.is_dynamic or None)(*given)
    expected = case.run(*same)
    assert any(program.kernels for program in made)
    torch.testing.assert_close(
        (got, given),
        (expected, same),
        rtol=max(case.tolerance, 1e-4),
        atol=max(case.least, 1e-5),
        equal_nan=True,
    )


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("fn", PROGRAMS)
def test_results_and_gradients_are_eagers(fn: Callable[..., Any], dynamic: bool) -> None:
    lab = torch.compile(fn, backend="lab", dynamic=dynamic)
    for rows in (33, 64, 7, 5000):
        args = (torch.randn(rows, 48, device=DEVICE), torch.randn(48, device=DEVICE))
        assert_as_eager(fn, lab, args, (1e-3, 1e-4), 2e-3)


def test_a_number_that_lies_on_the_cpu_is_left_to_aten() -> None:
    x, scale = torch.randn(64, device=DEVICE), torch.tensor(3.0)
    got = torch.compile(lambda x, s: (x * s).exp() + 1, backend="lab")(x, scale)
    torch.testing.assert_close(got, (x * scale).exp() + 1)


BAD_INDEX = f"""
import torch
x, at = torch.randn(9, device={DEVICE!r}), torch.tensor([3, -10], device={DEVICE!r})
print(torch.compile(lambda x, at: x[at] * 2, backend="lab")(x, at).tolist())
"""


def test_a_bad_index_is_no_result() -> None:
    done = subprocess.run([sys.executable, "-c", BAD_INDEX], capture_output=True, text=True)
    assert done.returncode, done.stdout
    assert "Error" in done.stderr
