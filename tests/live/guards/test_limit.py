"""The limit of recompilations: what is said of the calls after it is what they do."""

import contextlib
from collections.abc import Sequence
from typing import Any

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.view import build

pytestmark = pytest.mark.live


def scale(x: torch.Tensor, n: int) -> torch.Tensor:
    return x * n + n


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("limit", [1, 2])
def test_calls_that_match_no_code_run_eagerly_or_raise(limit: int, fullgraph: bool) -> None:
    ran: list[int] = []

    def counting(module: torch.fx.GraphModule, _: Sequence[torch.Tensor]) -> Any:
        def run(*args: Any) -> Any:
            ran.append(1)
            return module.forward(*args)

        return run

    raised: list[str] = []
    patch = torch._dynamo.config.patch(recompile_limit=limit, assume_static_by_default=True)
    with patch, lab.record() as recorder:
        compiled = torch.compile(scale, backend=counting, fullgraph=fullgraph, dynamic=False)
        for n in (3, 4, 5, 3):
            try:
                compiled(torch.ones(3), n)
            except Exception as error:
                raised.append(type(error).__name__)
    assert len(ran) == limit + 1, "what was compiled is still used"
    assert bool(raised) == fullgraph
    view = build(recorder.recording)
    then = "a call that matches no code raises" if fullgraph else "calls that match no code run"
    finding = recorder.recording.findings[0].sentence
    assert then in finding
    assert "0 times" not in finding
    first = view.guards.recompiles[limit - 1]
    assert then in first.title
    assert then in first.advice
    assert set(raised) <= {"FailOnRecompileLimitHit"}
    assert (then in view.summary.sentence) == (limit == 1)


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("named", ["recompile_limit", "accumulated_recompile_limit"])
def test_the_limit_that_was_reached_is_named(named: str, fullgraph: bool) -> None:
    limits = {"recompile_limit": 8, "accumulated_recompile_limit": 256, named: 2}
    patch = torch._dynamo.config.patch({"assume_static_by_default": True, **limits})
    with patch, lab.record() as recorder:
        compiled = torch.compile(scale, backend="eager", fullgraph=fullgraph, dynamic=False)
        for n in (3, 4, 5):
            with contextlib.suppress(Exception):
                compiled(torch.ones(3), n)
    told = [one for one in build(recorder.recording).guards.recompiles if one.limit_hit]
    assert told
    assert f"`torch._dynamo.config.{named}` is the limit" in told[0].advice
