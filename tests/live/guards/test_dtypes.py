"""A dtype that goes to and fro: one is advised for all calls, and it ends the recompilations."""

from collections.abc import Iterable

import torch

import dynamo_lab as lab
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build


def summed(x: torch.Tensor) -> torch.Tensor:
    return (x * 2).sum(-1)


CALLS = torch.ones(4), torch.ones(5).double(), torch.ones(6), torch.ones(7).half()


def recorded(calls: Iterable[torch.Tensor]) -> Recording:
    torch.compiler.reset()
    compiled = torch.compile(summed, backend="eager", dynamic=False)
    with lab.record() as recorder:
        for x in calls:
            compiled(x)
    return recorder.recording


def test_one_dtype_is_advised_and_ends_what_dtypes_cause() -> None:
    view = build(recorded(CALLS)).guards
    advised = {
        remedy.code
        for item in view.recompiles
        for cause in item.causes
        for remedy in cause.remedies
        if ".to(" in remedy.code
    }
    assert advised == {"x = x.to(torch.float32)"}
    followed = recorded(x.to(torch.float32) for x in CALLS)
    assert not any("dtype" in one.text for item in followed.recompiles for one in item.failed)
