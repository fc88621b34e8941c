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
    made = lab.lower(
        gathered, torch.randn(8, 16), torch.randn(8, 16), torch.randn(8, 16), options=options
    )
    lab.check(made, failures=0)
    compose(made)
    return made


def pass_named(made: Recording, name: str) -> PassView:
    (found,) = (one for one in build(made).passes.passes if one.title == name)
    return found


def nodes_of(made: Recording) -> list[str]:
    """The names of the nodes of the last graph before lowering."""
    graph = [one for one in made.graphs if one.stage == "post_grad"][-1]
    return [node.target for node in graph.nodes if node.op == "call_function"]


def test_gathers_that_are_put_together_are_one_afterwards() -> None:
    before, after = lowered(), lowered(bucket_all_gathers_fx="all")
    told = [sum(GATHER in one for one in nodes_of(made)) for made in (before, after)]
    assert told == [2, 1]
    found = pass_named(after, "bucket_all_gathers")
    assert found.state == "did"
    assert found.sentence.startswith("Puts all-gathers of one group together")
    signs = [(line.sign, line.name) for hunk in found.hunks for line in hunk.lines]
    assert sum(sign == "-" and GATHER in name for sign, name in signs) == 2


def test_what_is_moved_is_shown_where_it_was_and_where_it_is() -> None:
    settings = {
        "aten_distributed_optimizations.enable_overlap_scheduling": True,
        "aten_distributed_optimizations.compute_estimator": "analytical",
    }
    made = lowered(**settings)
    found = pass_named(made, "overlap_scheduling")
    assert found.sentence.startswith("Starts collectives early")
    order = nodes_of(made)
    gathers = [at for at, one in enumerate(order) if GATHER in one]
    product = next(at for at, one in enumerate(order) if ".mm" in one)
    assert max(gathers) < product, order
    assert found.state == "did"
