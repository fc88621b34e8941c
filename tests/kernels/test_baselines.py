"""Each hand-written implementation computes what its case's eager reference computes."""

from __future__ import annotations

import importlib.util

import pytest
import torch

from dynamo_lab.measure.baselines import baselines_of, why_not
from dynamo_lab.measure.cases import all_cases, find_case
from tests.kernels import hopper
from tests.kernels.in_interpreter import results_of
from tests.kernels.metal_on_cpu import Library

CASES = {case.name: case for case in all_cases()}
HALVES = [name for name, case in CASES.items() if "float16" in case.tolerance]
HAS_TRITON = importlib.util.find_spec("triton") is not None


def baseline(name, language):
    return next(one for one in baselines_of(CASES[name]) if one.language == language)


def check(name, language, device, dtype):
    if reason := why_not(language, device):
        pytest.skip(reason)
    compare(name, baseline(name, language), device, dtype)


def compare(name, implementation, device, dtype):
    case, run = CASES[name], implementation.load()
    relative, absolute = case.tolerance[dtype]
    expected = case.eager(*case.make(device, dtype, "small"))
    got = run(*case.make(device, dtype, "small"))
    torch.testing.assert_close(got, expected, rtol=relative, atol=absolute)


@pytest.mark.parametrize("name", CASES)
def test_in_cpp(name):
    check(name, "cpp", "cpu", "float32")


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@pytest.mark.parametrize("name", CASES)
def test_in_triton(name):
    for dtype in CASES[name].tolerance:
        check(name, "triton", "cuda", dtype)


@pytest.mark.mps
@pytest.mark.skipif(not torch.backends.mps.is_available(), reason="needs Metal")
@pytest.mark.parametrize("name", CASES)
def test_in_metal(name):
    check(name, "metal", "mps", "float32")


@pytest.fixture(scope="module")
def interpreted():
    """What Triton's interpreter finds wrong with each case and dtype."""
    if not HAS_TRITON:
        pytest.skip("needs Triton")
    return results_of("tests.kernels.interpreted")


@pytest.mark.parametrize("name", CASES)
def test_in_triton_s_interpreter(name, interpreted):
    assert interpreted[f"{name} float32"] == ""


@pytest.mark.parametrize("name", HALVES)
def test_in_triton_s_interpreter_with_half_precision(name, interpreted):
    assert interpreted[f"{name} float16"] == ""


@pytest.mark.skipif(not HAS_TRITON, reason="needs Triton")
@pytest.mark.parametrize("name", CASES)
def test_triton_compiles_for_hopper(name):
    """It fits the chip's shared memory, and wide loads are wide."""
    case = CASES[name]
    sizes = {key: 256 for key in case.sizes["small"]} | {"batch": 1, "width": 64, "blocks": 1}
    given = {key: sizes[key] for key in case.sizes["small"]}
    inputs = case.inputs("cpu", getattr(torch, case.gpu_dtype), **given)
    (found,) = hopper.compiled(baseline(name, "triton").load(), *inputs)
    assert found.metadata.shared <= 227 * 1024
    assert ".v4" in found.asm["ptx"] or "cp.async.cg" in found.asm["ptx"]


@pytest.mark.parametrize("name", CASES)
def test_metal_on_the_cpu(name, tmp_path, monkeypatch):
    """The shader as C++, its threads as threads."""
    if reason := why_not("cpp", "cpu"):
        pytest.skip(reason)
    monkeypatch.setattr(torch.mps, "compile_shader", lambda source: Library(source, tmp_path))
    compare(name, baseline(name, "metal"), "cpu", "float32")


def test_numbers_that_exponentials_stumble_over():
    """Rows with -infinity, and rows that are far from 0."""
    if reason := why_not("cpp", "cpu"):
        pytest.skip(reason)
    x = torch.randn(4, 40)
    x[0, 3] = -torch.inf
    x[1] += 1000
    x[2] -= 1000
    x[3, 5] = torch.nan
    run = next(one for one in baselines_of(find_case("softmax")) if one.language == "cpp").load()
    torch.testing.assert_close(run(x), torch.softmax(x, -1), equal_nan=True)
