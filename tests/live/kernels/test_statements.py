"""Statements of real kernels: which node each line is there for."""

from typing import Any

import pytest
import torch
from torch.nn import functional

import dynamo_lab as lab
from tests.benchmarks.statement_coverage import counts, covered
from tests.live.explored import each
from tests.live.programs import PROGRAMS

RECOGNISED = {  # parts of a statement that one operator alone writes
    ".erf()": "erf",
    "libdevice.erf(": "erf",
    "metal::erf(": "erf",
    ".rsqrt()": "rsqrt",
    "libdevice.rsqrt(": "rsqrt",
    "precise::rsqrt(": "rsqrt",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", each())
def test_nine_in_ten_statements_are_known_forward_and_backward(name: str) -> None:
    fn, args, given = PROGRAMS[name]()
    options = {key: given.pop(key) for key in ("grad", "dynamic") if key in given}
    recording = lab.lower(fn, *args, **{**options, "grad": True}, **given)
    for is_backward in (False, True):
        assert covered(counts(recording, is_backward=is_backward)) >= 0.9
    for kernel in recording.kernels:
        assert bool(kernel.statements) == bool(kernel.code)


def normed(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> Any:
    y = functional.layer_norm(x, (64,), w, b)
    return functional.gelu(y), y.softmax(-1)


@pytest.mark.parametrize("target", ["cpu", "cuda:sm_90", "mps"])
def test_a_statement_belongs_to_the_operator_that_wrote_it(target: str) -> None:
    inputs = [torch.randn(size, requires_grad=True) for size in ((128, 64), (64,), (64,))]
    recording = lab.lower(normed, *inputs, target=target, grad=True)
    assert not [note for note in recording.notes if note.level != "info"]
    recognised = 0
    for kernel in recording.kernels:
        assert kernel.graph is not None
        names = recording.graphs[kernel.graph].nodes.name
        lines = kernel.code.split("\n")
        for statement in kernel.statements:
            assert set(statement.nodes) <= set(range(len(names)))
            for part, operator in RECOGNISED.items():
                if part in lines[statement.line - 1]:
                    recognised += 1
                    assert statement.origin == "emitted"
                    assert [names[node].rstrip("_0123456789") for node in statement.nodes] == [
                        operator
                    ]
    assert recognised >= 3


def test_a_kernel_that_several_layers_share_is_there_for_all_of_them() -> None:
    def twice(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return functional.gelu(functional.gelu(x @ w) @ w)

    recording = lab.lower(twice, torch.randn(64, 64), torch.randn(64, 64))
    (shared,) = [kernel for kernel in recording.kernels if kernel.code]
    assert shared.calls == 2
    stored = [s for s in shared.statements if ".store(" in shared.code.split("\n")[s.line - 1]]
    assert stored
    assert all(len(statement.nodes) == 2 for statement in stored)


def test_code_and_results_are_what_they_are_without_a_recording() -> None:
    inputs = [torch.randn(size) for size in ((128, 64), (64,), (64,))]
    with torch.no_grad():
        plain = torch.compile(normed)(*inputs)
        torch._dynamo.reset()
        watched = torch.compile(normed)
        with lab.record():
            seen = watched(*inputs)
    assert all(torch.equal(a, b) for a, b in zip(plain, seen, strict=True))
