"""The shapes that a finding suggests hold from the smallest size on that they ask for."""

from typing import Any

import pytest
import torch
from torch.export import Dim, export

import dynamo_lab as lab

pytestmark = pytest.mark.live


class Halves(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.reshape(x.shape[0] // 2, -1) + 1


class Pools(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.avg_pool1d(x, 3)


@pytest.mark.parametrize(
    ("model", "axis", "bound", "smallest"),
    [(Halves(), 0, "min=2", (4, 9)), (Pools(), 1, "min=6", (8, 6))],
)
def test_the_smallest_size_that_is_suggested_passes(
    model: torch.nn.Module, axis: int, bound: str, smallest: tuple[int, int]
) -> None:
    example = torch.ones(8, 9)
    with lab.record() as recorder, pytest.raises(Exception, match="Constraints violated"):
        export(model, (example,), dynamic_shapes={"x": {axis: Dim("n")}})
    [finding] = recorder.recording.findings
    assert bound in finding.code
    given: dict[str, Any] = {"Dim": Dim}
    exec(finding.code, given)
    program = export(model, (example,), dynamic_shapes=given["dynamic_shapes"]).module()
    x = torch.ones(*smallest)
    assert torch.equal(program(x), model(x))
    assert finding.apply().numbers.same
