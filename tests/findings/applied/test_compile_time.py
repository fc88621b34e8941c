"""What is advised where compiling takes long is done, and counted: graphs, nodes, symbols."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import dynamo_lab as lab
from tests.findings.faults import findings_of

pytestmark = pytest.mark.live


def _operators(recording: lab.Recording) -> int:
    return max(graph.operators for graph in recording.captured_graphs())


class Block(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one = torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.one(x)).sin() + x


def test_a_region_compiles_a_block_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the remedy says, tried: nodes are counted, no time is."""
    net = torch.nn.Sequential(*(Block() for _ in range(12)))
    x = torch.ones(2, 8)
    before = lab.explore(net, x, backend="aot_eager")
    [told] = [one for one in findings_of(before) if one.rule == "repeated-block"]
    assert "Block is compiled 12 times" in told.sentence
    compiler: Any = torch.compiler
    monkeypatch.setattr(Block, "forward", compiler.nested_compile_region(Block.forward))
    after = lab.explore(net, x, backend="aot_eager")
    assert _operators(after) < _operators(before)
    assert not [one for one in findings_of(after) if one.rule == "repeated-block"]


def test_blocks_that_are_compiled_one_by_one_find_the_code_again() -> None:
    """The first block's input has no gradient, and those of all the others have."""
    torch.compiler.reset()
    blocks = torch.nn.Sequential(*(Block() for _ in range(5)))
    for block in blocks:
        block.compile(backend="eager")
    with lab.record() as recorder:
        blocks(torch.randn(2, 8))
    assert len(recorder.recording.captured_graphs()) == 2


def test_sizes_that_are_marked_alone_have_fewer_symbols_than_with_dynamic_too() -> None:
    """What is advised where guards of sizes take long: each symbol has guards."""

    def symbols(*, is_marked: bool, dynamic: bool | None) -> int:
        torch.compiler.reset()
        x, y = torch.randn(7, 5), torch.randn(7, 6)
        mark: Any = vars(torch)["_dynamo"].mark_dynamic
        for one in (x, y) if is_marked else ():
            mark(one, 0)
        fn = lambda x, y: x.sum(1) + y.sum(1)  # noqa: E731
        return len(lab.explore(fn, x, y, backend="eager", dynamic=dynamic).symbols)

    every = symbols(is_marked=False, dynamic=True)
    assert symbols(is_marked=True, dynamic=None) < every
    assert symbols(is_marked=True, dynamic=True) >= every


@pytest.mark.parametrize("foreach", [None, True])
def test_the_loop_of_an_optimizer_is_not_the_reader_s(foreach: bool | None) -> None:
    """It is told what makes another loop of it, and so it does."""
    parameters = [torch.nn.Parameter(torch.ones(3)) for _ in range(16)]
    for one in parameters:
        one.grad = torch.ones(3)
    optimizer = torch.optim.AdamW(parameters, foreach=foreach)
    with lab.record() as recorder:
        torch.compile(optimizer.step, backend="aot_eager")()
    told = [one for one in findings_of(recorder.recording) if one.rule == "unrolled-loop"]
    assert len(told) == (not foreach)
    for found in told:
        assert "foreach=True" in found.code
        assert ("reached from" in found.sentence, found.gain) == (False, None)
