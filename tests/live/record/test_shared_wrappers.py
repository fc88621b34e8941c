"""PyTorch compiles its own modules through one function: each module is a frame all the same."""

from __future__ import annotations

import gc
from typing import Any

import pytest
import torch
from torch import nn
from torch._dynamo import config

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
    made = (nn.Linear(4, 4), nn.Linear(4, 8), nn.Linear(4, 4), nn.ReLU(), doubles, adds)
    calls = [library.compile(one, backend="eager") for one in made]
    with lab.record() as recorder:
        for call in calls:
            call(torch.ones(2, 4))
    return recorder.recording


@pytest.mark.live
def test_each_module_is_a_frame_with_a_name_of_its_own(compiled: lab.Recording) -> None:
    shown = [(one.name, one.attempts[0].graph) for one in compiled.frames if one.attempts]
    assert shown == [("Linear", 0), ("Linear", 1), ("ReLU", 2), ("doubles", 3), ("adds", 4)]
    every = frame_names(compiled)
    names = [every[one.id] for one in compiled.frames if one.attempts]
    assert names == [
        "Linear(in_features=4, out_features=4, bias=True)",
        "Linear(in_features=4, out_features=8, bias=True)",
        "ReLU",
        "doubles",
        "adds",
    ]
    assert names[1] in str(compiled)


@pytest.mark.live
def test_another_module_is_no_recompilation(compiled: lab.Recording) -> None:
    assert compiled.recompiles == ()
    view = build(compiled)
    assert "captured 5 graphs from 5 frames, without a break" in view.summary.sentence
    assert "recompiled" not in view.summary.sentence
    assert [one for one in compiled.findings if "compiled again" in one.sentence] == []


@pytest.mark.live
def test_the_limit_that_modules_share_is_told_and_a_recompilation_is_of_its_own() -> None:
    library: Any = torch
    torch.compiler.reset()
    one, other = (library.compile(nn.Linear(4, n), backend="eager") for n in (4, 8))
    with config.patch(recompile_limit=2), lab.record() as recorder:
        one(torch.ones(2, 4))
        one(torch.ones(3, 4))
        other(torch.ones(2, 4))
    found = recorder.recording
    first, last = found.recompiles
    frames = [frame.id for frame in found.frames if frame.name == "Linear"]
    assert ([first.frame, last.frame], first.limit_hit, last.limit_hit) == (frames, False, True)
    told = [one.title for one in build(found).guards.recompiles]
    assert told[0].endswith("was compiled again")
    assert "runs eagerly: PyTorch calls its own modules by one function" in told[1]
