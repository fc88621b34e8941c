"""Real models, recorded: no probe fails, and counts agree with PyTorch's own explanation."""

from contextlib import nullcontext

import pytest
import torch
import torch._dynamo

import dynamo_lab as lab
from dynamo_lab.model.core import codec
from dynamo_lab.view import build
from dynamo_lab.view.core.names import is_own
from tests.live.explored import Explorations, each
from tests.live.programs import PROGRAMS


@pytest.mark.parametrize("name", each())
def test_a_program_is_recorded_whole(name: str, explored: Explorations) -> None:
    recording = explored(name).recording
    assert recording.failure is None
    lab.check(recording, failures=0)
    assert codec.decode(codec.encode(recording), type=lab.Recording) == recording
    if recording.captured_graphs():
        assert recording.kernels
    _is_told_whole(recording)
    fn, args, given = PROGRAMS[name]()
    options = {key: given.pop(key) for key in ("grad", "dynamic") if key in given}
    torch._dynamo.reset()
    with torch.no_grad() if options.get("grad") is False else nullcontext():
        explained = torch._dynamo.explain(fn)(*args, **given)
    assert len(recording.captured_graphs()) == explained.graph_count
    resumed = [b for b in recording.breaks if b.effect == "resumed"]
    # explain keeps a break's reason on the graph before it, so it misses breaks without one
    assert len([b for b in resumed if b.graph_before is not None]) == len(explained.break_reasons)
    if explained.graph_count == 0:  # explain counts -1 breaks and says no more
        assert [b.effect for b in recording.breaks] == ["skipped"]


def _is_told_whole(recording: lab.Recording) -> None:
    """Every break has its line, its id and its instruction; every region is on the map, once."""
    view = build(recording)
    for item, card in zip(recording.breaks, view.breaks, strict=True):
        assert card.text.strip()
        assert item.registry_id
        assert item.opname
    shown = [row.entity for row in view.run_map if row.entity]
    own = {f"frame:{frame.id}" for frame in recording.frames if is_own(recording, frame)}
    assert own <= set(shown)
    assert {f"break:{item.id}" for item in recording.breaks} <= set(shown)
    assert len(shown) == len(set(shown))
