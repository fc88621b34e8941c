"""One and the same kernel as Triton and as Metal computes what eager computes."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from dynamo_lab.compiler.printers.metal import MetalPrinter
from dynamo_lab.compiler.printers.triton import TritonPrinter
from dynamo_lab.compiler.targets.triton import Triton, module, text_of
from dynamo_lab.compiler.work import Unsupported
from dynamo_lab.measure.baselines import why_not
from tests.compiler.programs import BAD_INDEX, CASES, DOUBLE, EXACT
from tests.compiler.running import metal, problem_of, program_of, signature
from tests.kernels import hopper
from tests.kernels.in_interpreter import results_of

HAS_TRITON = find_spec("triton") is not None
IN_CHUNKS = [name for name in CASES | DOUBLE if "long" not in name]

COMPILED = ["functions", "rounding", "long softmax", "column sums", "extremes with NaN", "gathered"]
COMPILED += ["int8", "uint8", "shifts", "any and all", "bfloat16", "dynamic norm", *DOUBLE]


@pytest.fixture(scope="module")
def interpreted():
    """What Triton's interpreter finds wrong with each program."""
    if not HAS_TRITON:
        pytest.skip("needs Triton")
    return results_of("tests.compiler.interpreted")


@pytest.mark.parametrize("name", CASES | DOUBLE)
def test_triton(name, interpreted):
    assert interpreted[name] == ""


@pytest.mark.parametrize("name", IN_CHUNKS)
def test_triton_with_rows_in_chunks(name, interpreted):
    assert interpreted[f"{name} in chunks"] == ""


def test_triton_refuses_a_bad_index(interpreted):
    assert "index out of range" in interpreted["bad index"]


@pytest.mark.skipif(not HAS_TRITON, reason="needs Triton")
@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("blocks", [{}, {"most_in_block": 8, "elements": 256}])
def test_triton_compiles_for_hopper(name, blocks):
    """The interpreter takes what the compiler refuses: values of a loop that change their type."""
    printer = type("Printer", (TritonPrinter,), blocks)
    program = program_of((CASES | DOUBLE)[name], Triton(printer))
    made = module(text_of(program.sources))
    for kernel in program.kernels:
        printed, function = printer(kernel), getattr(made, kernel.name)
        assert "ld.global" in hopper.built(function, signature(printed), printed.launch.constexprs)


@pytest.mark.parametrize("name", [*CASES, "number of the run time"])
def test_metal(name, tmp_path):
    """The shader as C++, its threads as threads."""
    if reason := why_not("cpp", "cpu"):
        pytest.skip(reason)
    assert problem_of((CASES | DOUBLE)[name], metal(tmp_path)) == ""


def test_metal_s_functions_lose_no_digits(tmp_path):
    assert problem_of(EXACT, metal(tmp_path)) == ""


def test_metal_refuses_a_bad_index(tmp_path):
    problem = problem_of(BAD_INDEX, metal(tmp_path))
    assert problem.startswith("IndexError: index out of range")


def test_metal_refuses_float64():
    (kernel,) = program_of(DOUBLE["float64"]).kernels[:1]
    with pytest.raises(Unsupported, match="no float64"):
        MetalPrinter(kernel)
