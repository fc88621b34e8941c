"""A training step on two ranks: right only if gradients were reduced, and timed on the slowest."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest
import torch

from dynamo_lab.model.benchmarks import Machine
from dynamo_lab.model.ranks.jobs import Job as RanksJob
from dynamo_lab.model.ranks.ranks import Ending, Rank
from dynamo_lab.model.recording import Recording
from dynamo_lab.suite import parallel
from dynamo_lab.suite.jobs import Job
from dynamo_lab.suite.models.models import models
from dynamo_lab.suite.results import ON_RANKS, Case
from dynamo_lab.suite.subject import Subject
from dynamo_lab.suite.work import Steps

if TYPE_CHECKING:
    from pathlib import Path


def test_ranks_have_other_labels_and_so_other_gradients() -> None:
    program, case = models()["mlp"].build("small"), Case("mlp", "ddp", "float32")
    found: list[Any] = []
    for seed in (1, 1, 2):
        subject = Subject(program, case, "cpu", seed=seed)
        found.append(list(subject.values(subject.function).values()))
    first, again, other = found
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(first, other, strict=True))


def test_blocks_of_the_outermost_lists_are_gathered_one_by_one() -> None:
    nn = torch.nn
    inner = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    layers = nn.ModuleList([inner, nn.Linear(2, 2), nn.ReLU()])
    model = nn.ModuleDict({"layers": layers, "head": nn.Linear(2, 2)})
    assert list(parallel._blocks(model)) == [(layers, "0"), (layers, "1")]


def test_names_are_the_same_when_blocks_are_compiled() -> None:
    program, case = models()["mlp"].build("small"), Case("mlp", "fsdp", "float32")
    subject = Subject(program, case, "cpu")
    names = list(parallel._gradients(parallel._Way(subject, subject.module)))
    around, name = next(parallel._blocks(subject.module))
    setattr(around, name, torch.compile(getattr(around, name), backend="eager"))
    assert list(parallel._gradients(parallel._Way(subject, subject.module))) == names


@pytest.mark.parametrize(
    ("left", "verdict", "reason"),
    [
        ({}, "crashed", "3"),
        ({"problem-0": b'{"verdict":"wrong","reason":"rank 1: it differs"}'}, "wrong", "differs"),
        ({"times": b'{"eager":[1],"compiled":[1],"compile_seconds":1,"parameters":1}'},
         "not compiled", "captured no graph"),
    ],
)  # fmt: skip
def test_what_ranks_leave_says_why_there_are_no_times(
    tmp_path: Path, left: dict[str, bytes], verdict: str, reason: str
) -> None:
    for name, data in left.items():
        (tmp_path / name).write_bytes(data)
    ending = Ending(kind="exited", code=3)
    own = Recording(title="mlp", rank=Rank(number=0, size=1, ending=ending))
    found = parallel._facts(RanksJob(title="mlp", recordings=(own,)), tmp_path)
    assert found["verdict"] == verdict
    assert reason in found["reason"]


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize(
    "task", [pytest.param(t, marks=pytest.mark.long) if t == "fsdp" else t for t in ON_RANKS]
)
def test_a_small_model_runs_on_two_ranks(task: Any) -> None:
    job = Job(model="transformer_encoder", cases=(), ranks=2)
    case = Case("transformer_encoder", task, "float32")
    result = parallel.run_ranks(job, case, Steps(lambda _: None, nullcontext))
    assert (result.verdict, result.reason) == ("pass", "")
    assert result.ranks == 2
    assert len(result.eager) == len(result.compiled) == 11
    assert result.graphs
    assert result.machine != Machine()
