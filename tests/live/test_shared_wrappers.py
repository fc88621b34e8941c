"""PyTorch compiles its own modules through one function: each module is a frame all the same."""

from __future__ import annotations

import gc
from typing import Any

import pytest
import torch
from torch import nn

import dynamo_lab as lab
from dynamo_lab.capture.frames.known import KnownFrames
from dynamo_lab.view import build
from dynamo_lab.view.core.names import frame_names


def wrapper() -> None: ...


class Thing:
    """What a wrapper calls."""


def test_a_code_means_the_frame_that_was_asked_for_last() -> None:
    code, one, other, known = wrapper.__code__, Thing(), Thing(), KnownFrames()
    assert known.find(code) is None
    assert known.find(code, one) is None
    assert known.add(code, 3, one) == 3
    assert (known.find(code), known.find(code, other)) == (3, None)
    assert known.add(code, 4, other) == 4
    assert (known.find(code), known.find(code, one), known.find(code)) == (4, 3, 3)
    assert code in known


def test_a_frame_that_was_seen_before_is_that_of_the_first_thing() -> None:
    code, one, other, known = wrapper.__code__, Thing(), Thing(), KnownFrames()
    known.add(code, 0)
    assert known.find(code, one) == 0
    assert known.find(code, other) is None


def test_a_thing_that_is_gone_is_not_taken_for_the_next_at_its_place() -> None:
    code, known, things = wrapper.__code__, KnownFrames(), [Thing()]
    known.add(code, 0, things[0])
    place = known._by_called.copy()
    del things[:]
    gc.collect()
    other = Thing()
    known._by_called = {(id(code), id(other)): one for one in place.values()}
    assert known.find(code, other) is None


@torch.no_grad()
def doubles(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@torch.no_grad()
def adds(x: torch.Tensor) -> torch.Tensor:
    return x + 1


@pytest.fixture(scope="module")
def compiled() -> lab.Recording:
    library: Any = torch
    torch.compiler.reset()
    with lab.record() as recorder:
        for made in (nn.Linear(4, 4), nn.Linear(4, 8), nn.Linear(4, 4), nn.ReLU(), doubles, adds):
            library.compile(made, backend="eager")(torch.ones(2, 4))
    return recorder.recording


@pytest.mark.live
def test_each_module_is_a_frame_with_a_name_of_its_own(compiled: lab.Recording) -> None:
    names = frame_names(compiled)
    assert names == (
        "Linear (1 of 3)", "Linear (2 of 3)", "Linear (3 of 3)", "ReLU", "doubles", "adds",
    )  # fmt: skip
    graphs = [[one.graph for one in frame.attempts] for frame in compiled.frames]
    assert graphs == [[at] for at in range(6)]
    assert compiled.frames[1].details == "in_features=4, out_features=8, bias=True"


@pytest.mark.live
def test_another_module_is_no_recompilation(compiled: lab.Recording) -> None:
    assert compiled.recompiles == ()
    view = build(compiled)
    assert "captured 6 graphs from 6 frames, without a break" in view.summary.sentence
    assert "recompiled" not in view.summary.sentence


@pytest.mark.live
def test_modules_that_differ_are_named_by_how_they_were_made() -> None:
    library: Any = torch
    torch.compiler.reset()
    one, other = (library.compile(nn.Linear(4, n), backend="eager") for n in (4, 8))
    with lab.record() as recorder:
        one(torch.ones(2, 4))
        other(torch.ones(2, 4))
        one(torch.ones(3, 4))
    found = recorder.recording
    assert frame_names(found) == (
        "Linear(in_features=4, out_features=4, bias=True)",
        "Linear(in_features=4, out_features=8, bias=True)",
    )
    assert [(item.frame, len(item.failures)) for item in found.recompiles] == [(0, 1)]
    assert [len(frame.attempts) for frame in found.frames] == [2, 1]
    assert "(in_features=4, out_features=8, bias=True)" in str(found)
