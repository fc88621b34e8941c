"""Whole models under `torch.compile(fn, backend="lab")`: outputs, losses and gradients are eager's.

The bound is that of PyTorch's own benchmarks, as `dynamo_lab.suite` has it: over each tensor, the
root mean square of the distance from float64 may be twice eager's (ten times, of few elements) and
a ten-thousandth of the tensor's own, since sums run in another order.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest
import torch

from dynamo_lab.compiler.backend import compiled
from dynamo_lab.suite.agreement import disagreement
from dynamo_lab.suite.models.models import models
from dynamo_lab.suite.results import Case, Task
from dynamo_lab.suite.subject import Subject

if TYPE_CHECKING:
    from dynamo_lab.compiler.program import Program

pytestmark = [pytest.mark.live, pytest.mark.slow]

OURS = (
    pytest.param("transformer", marks=pytest.mark.release),
    pytest.param("resnet18_plain", marks=pytest.mark.long),
)
"""What needs no other library."""
OTHERS = ("gpt2", "bert", "llama", "vit")


@pytest.mark.parametrize("task", ["inference", "training"])
@pytest.mark.parametrize("name", OURS)
def test_a_model_computes_what_eager_does(name: str, task: Task) -> None:
    assert_as_eager(name, task)


@pytest.mark.long
@pytest.mark.skipif(not importlib.util.find_spec("transformers"), reason="needs transformers")
@pytest.mark.parametrize("task", ["inference", "training"])
@pytest.mark.parametrize("name", OTHERS)
def test_a_model_of_transformers_computes_what_eager_does(name: str, task: Task) -> None:
    assert_as_eager(name, task)


def assert_as_eager(name: str, task: Task) -> None:
    torch.compiler.reset()
    torch.manual_seed(0)
    program, case = models()[name].build("small"), Case(name, task, "float32")
    eager, lab = Subject(program, case, "cpu"), Subject(program, case, "cpu")
    exact = Subject(program, case, "cpu", exact=True)
    expected = eager.values(eager.function)
    made: list[Program] = []
    with compiled(made.append):
        got = lab.values(torch.compile(lab.function, backend="lab"))
    assert len(made) == (2 if task == "training" else 1)  # one graph, forward and backward
    assert all(one.kernels for one in made)
    assert disagreement(expected, got, exact.values(exact.function), "float32") == ""
    for key, buffer in eager.module.named_buffers():  # the statistics of batches among them
        torch.testing.assert_close(dict(lab.module.named_buffers())[key], buffer, msg=key)
