"""What a lowering is spared, with the same facts: keys of caches, tables filled again."""

import gc
from collections.abc import Generator
from typing import Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.capture.core.undo import Changes
from dynamo_lab.capture.frames.hooks import COMPILE
from dynamo_lab.capture.graphs.caches import CacheProbes
from dynamo_lab.capture.graphs.hooks import FX_KEY
from dynamo_lab.capture.targets.hooks import HEADER, TYPES, TYPES_FROM
from dynamo_lab.capture.targets.sparing import few_collections, spare


class Counted(nn.Module):
    """A program that counts its runs."""

    runs: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("runs", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.runs.add_(1)
        return torch.softmax(x.sin() + 1, -1)


@pytest.mark.parametrize("made", [Counted, lambda: Counted().forward])
def test_what_was_lowered_is_compiled_again_by_who_asks_for_it(made: Any) -> None:
    program, x = made(), torch.randn(4, 8)
    assert lab.lower(program, x).kernels
    assert torch.compile(program)(x).shape == (4, 8)


def test_no_key_of_a_cache_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name = FX_KEY.place()
    asked: list[Any] = []
    make = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *args: asked.append(args) or make(*args))
    assert lab.lower(Counted(), torch.randn(4, 8)).caches == ()
    assert not asked


def test_no_graph_is_kept_for_a_question_that_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def handed_over(*args: Any) -> Generator[None, Any, None]:
        asked.append(args)
        yield

    monkeypatch.setattr(CacheProbes, "handed_over", handed_over)
    lab.lower(Counted(), torch.randn(4, 8))
    assert not asked
    lab.explore(Counted(), torch.randn(4, 8), backend="eager")
    assert asked


def test_types_are_filled_in_once(monkeypatch: pytest.MonkeyPatch) -> None:
    table, filled = TYPES.get(), list[Any]()
    fill = table.__init__
    monkeypatch.setattr(table, "__init__", lambda self: filled.append(self) or fill(self))
    assert lab.lower(Counted(), torch.randn(4, 8)).kernels
    assert len(filled) == 1


def test_a_type_that_is_registered_since_is_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    table, rules = TYPES.get(), TYPES_FROM[0].get()
    with Changes(spare):
        before = table()
        monkeypatch.setitem(rules, "a_new_operation", next(iter(rules.values())))
        assert table() is before
        assert before.a_new_operation
    del before.a_new_operation


def test_lines_of_a_log_are_written_for_who_asked_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name = HEADER.place()
    write, written = getattr(owner, name), list[str]()
    monkeypatch.setattr(owner, name, lambda *args: written.append(str(write(*args))) or written[-1])
    lab.lower(Counted(), torch.randn(4, 8))
    assert not written
    with lab.record(target="cpu", logs="trace_call") as recorder:
        torch.compile(Counted())(torch.randn(4, 8))
    assert any("in forward (Counted.forward)" in line for line in written)
    found = [record.text for record in recorder.recording.logs if record.name == "trace_call"]
    assert any("FX call" in text and "in forward (Counted.forward)" in text for text in found)


def test_python_looks_for_cycles_rarely_only_while_a_frame_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner, name = COMPILE.place()
    compile_frame, compiled, ran = getattr(owner, name), list[int](), list[Any]()

    def noted(*args: Any, **kwargs: Any) -> Any:
        compiled.append(gc.get_threshold()[0])
        return compile_frame(*args, **kwargs)

    @torch.compiler.disable()
    def program() -> None:
        ran.append(gc.get_threshold())

    def broken(x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        program()
        return y.cos()

    monkeypatch.setattr(owner, name, noted)
    before = gc.get_threshold()
    with lab.record(target="cpu"):
        ran.append(gc.get_threshold())
        torch.compile(broken)(torch.ones(3))
    assert len(compiled) >= 2
    assert min(compiled) > before[0]
    assert ran == [before, before]
    assert gc.get_threshold() == before


def test_a_threshold_that_the_program_sets_stays() -> None:
    before = gc.get_threshold()
    try:
        with lab.record(target="cpu"):
            gc.set_threshold(before[0] + 1)
        assert gc.get_threshold()[0] == before[0] + 1
        with few_collections():
            gc.set_threshold(before[0] + 2)
        assert gc.get_threshold()[0] == before[0] + 2
    finally:
        gc.set_threshold(*before)


def test_a_program_that_looks_for_no_cycles_is_left_so() -> None:
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with few_collections():
            assert gc.get_threshold()[0] == 0
        assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
