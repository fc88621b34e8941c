"""Our own functions of floats against float64, in units in the last place; and as vector code."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import pytest
import torch

from dynamo_lab.compiler import build as building
from dynamo_lab.compiler.build import build, compiler, options
from dynamo_lab.compiler.printers import prelude as printed
from dynamo_lab.compiler.printers.prelude import prelude
from dynamo_lab.errors import OptionError

pytestmark = pytest.mark.live

MOST_ULP = 4.0
FUNCTIONS = Path(printed.__file__).with_name("functions.h").read_text(encoding="utf-8")
NAMES = re.findall(r"^#define (\w+)f own_", FUNCTIONS, flags=re.MULTILINE)

LOOP = """void kernel_of_this_file(const float* restrict x, float* restrict y, long n) {{
  #pragma omp simd
  for (long i = 0; i < n; i++) y[i] = {name}f(x[i]);
}}
"""


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNAMO_LAB_CACHE", str(tmp_path))
    monkeypatch.setenv("DYNAMO_LAB_MATH", "own")
    monkeypatch.setattr(building, "_made", {})


def inputs() -> torch.Tensor:
    """Floats of every exponent, dense where functions bend, and what is no number."""
    seed = torch.Generator().manual_seed(0)
    bits = torch.randint(-(2**31), 2**31 - 1, (200_000,), generator=seed).to(torch.int32)
    near = torch.linspace(-8, 8, 200_001)
    wide = torch.linspace(-110, 110, 100_001)
    around = 1 + torch.linspace(-1e-3, 1e-3, 20_001)
    special = torch.tensor([0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-40, -1e-40])
    powers = 2.0 ** torch.arange(-126, 128)
    return torch.cat([bits.view(torch.float32), near, wide, around, special, powers])


def made(name: str, x: torch.Tensor) -> torch.Tensor:
    (run,) = build([LOOP.format(name=name)])
    run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]
    y = torch.empty_like(x)
    run(x.data_ptr(), y.data_ptr(), len(x))
    return y


@pytest.mark.parametrize("name", NAMES)
def test_it_is_within_a_few_units_of_the_last_place(name: str) -> None:
    x = inputs()
    exact = getattr(torch, name)(x.double())
    rounded, got = exact.float(), made(name, x)
    is_number = rounded.isfinite() & got.isfinite()
    assert torch.equal(got[~is_number].nan_to_num(7), rounded[~is_number].nan_to_num(7))
    up = torch.nextafter(rounded.abs(), torch.tensor(float("inf"))).double()
    unit = (up - rounded.abs().double()).clamp(min=2.0**-149)
    off = ((got.double() - exact).abs() / unit)[is_number & unit.isfinite()]
    assert off.max() <= MOST_ULP, (name, x[is_number][off.argmax()], off.max())
    zero = torch.tensor([0.0, -0.0])
    assert torch.equal(made(name, zero).signbit(), getattr(torch, name)(zero).signbit())


@pytest.mark.parametrize("name", NAMES)
def test_a_loop_of_it_is_vector_code(name: str, tmp_path: Path) -> None:
    if "Free Software Foundation" not in _version():
        pytest.skip("asks GCC what it vectorised")
    source = tmp_path / "loop.c"
    source.write_text(prelude() + LOOP.format(name=name))
    command = [*compiler(), *options(), "-fopt-info-vec-optimized", str(source)]
    done = subprocess.run([*command, "-o", f"{source}.so"], capture_output=True, text=True)
    assert "loop vectorized" in done.stderr


def _version() -> str:
    return subprocess.run([*compiler(), "--version"], capture_output=True, text=True).stdout


def test_another_word_for_whose_functions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNAMO_LAB_MATH", "mine")
    with pytest.raises(OptionError, match='neither "library" nor "own"'):
        prelude()
