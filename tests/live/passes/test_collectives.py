"""Passes of Inductor that put collectives together and move them: before and after, as a diff."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as collectives
from torch.testing._internal.distributed.fake_pg import FakeStore

import dynamo_lab as lab
from dynamo_lab.view import build
from tests.live.passes.recorded import compose

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.api.recording import Recording
    from dynamo_lab.view.passes.passes import PassView

GATHER = "all_gather_into_tensor"


@pytest.fixture(autouse=True, scope="module")
def _group() -> Iterator[None]:
    """A group of two ranks of which only this one is there; nothing is sent."""
    dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
    yield
    dist.destroy_process_group()


def gathered(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    everyone: Any = dist.group.WORLD
    first = x @ collectives.all_gather_tensor(a, 0, everyone)
    return first @ collectives.all_gather_tensor(b, 0, everyone)


def lowered(**options: Any) -> Recording:
    """For a GPU: Inductor asks how fast it is before it moves anything."""
    inputs = [torch.randn(8, 16) for _ in range(3)]
    made = lab.lower(gathered, *inputs, target="cuda:sm_90", options=options)
    lab.check(made, failures=0)
    compose(made)
    return made


def pass_named(made: Recording, name: str) -> PassView:
    (found,) = (one for one in build(made).passes.passes if one.title == name)
    return found


def gathers(made: Recording) -> int:
    """How many are in the largest graph before lowering, the others being bodies."""
    graph = max((g for g in made.graphs if g.stage == "post_grad"), key=lambda g: len(g.nodes))
    return sum(GATHER in str(node.target) for node in graph.nodes if node.op == "call_function")


def names(found: PassView, sign: str) -> list[str]:
    lines = (line for hunk in found.hunks for line in hunk.lines)
    return [line.name for line in lines if line.sign == sign]


def test_gathers_that_are_put_together_are_one_afterwards() -> None:
    before, after = lowered(), lowered(bucket_all_gathers_fx="all")
    assert [gathers(made) for made in (before, after)] == [2, 1]
    found = pass_named(after, "bucket_all_gathers")
    assert found.state == "did"
    assert found.sentence.startswith("Puts all-gathers of one group together")
    assert sum(GATHER in name for name in names(found, "-")) == 2
    assert sum(GATHER in name for name in names(found, "+")) == 1


def test_what_is_moved_is_shown() -> None:
    setting = {"aten_distributed_optimizations.enable_overlap_scheduling": True}
    made = lowered(**setting)
    found = pass_named(made, "overlap_scheduling")
    assert (found.state, found.sentence.split()[0]) == ("did", "Starts")
    assert any("wait_tensor" in name for name in names(found, "+"))
    assert gathers(made) in (1, 2)
