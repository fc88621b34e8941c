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


class Sliced(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, 2:] + x.sum()


class Convolved(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.conv1d(x[None], torch.ones(2, 4, 3))


class Reshaped(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.reshape(4, 3).sum(0)


@pytest.mark.parametrize("model", [Sliced(), Convolved()])
def test_a_size_of_one_that_is_computed_is_the_examples_not_the_programs(
    model: torch.nn.Module,
) -> None:
    asked = {"x": {1: Dim("n", min=4)}}
    with lab.record() as recorder, pytest.raises(Exception, match="Constraints violated"):
        export(model, (torch.ones(4, 3),), dynamic_shapes={"x": {1: Dim("n")}})
    [finding] = recorder.recording.findings
    assert (
        "takes it for 3, as in the example, where `x.shape[1] - 2` is below 2" in finding.sentence
    )
    assert "an example in which it is 2 or more" in finding.remedy
    program = export(model, (torch.ones(4, 8),), dynamic_shapes=asked).module()
    assert program(torch.ones(4, 5)).shape == model(torch.ones(4, 5)).shape


def test_a_size_that_the_program_needs_is_told_so() -> None:
    with lab.record() as recorder, pytest.raises(Exception, match="Constraints violated"):
        export(Reshaped(), (torch.ones(4, 3),), dynamic_shapes={"x": {1: Dim("n")}})
    [finding] = recorder.recording.findings
    assert finding.sentence.endswith("needs it to be 3.")
