"""Lesson 18: several ranks on one laptop."""

from __future__ import annotations

import inspect
import json
import tempfile
import textwrap
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import need, need_count, need_function
from dynamo_lab.course.exercises import Exercise
from dynamo_lab.course.predictions import Prediction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.api.ranks.jobs import JobRecording

_RANKS = 2
_SECONDS = 60.0
"""How long the job of an answer may take: two processes have to import PyTorch first."""
_SECONDS_TO_COMPILE = 170.0

_PARTED = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(512, 512)
        self.second = nn.Linear(512, 512)
        self.third = nn.Linear(512, 128)
        self.fourth = nn.Linear(128, 512)
        self.fifth = nn.Linear(512, 64)

    def forward(self, x):
        x = self.first(x).relu()
        x = self.second(x).relu()
        x = self.third(x).relu()
        x = self.fourth(x).relu()
        return self.fifth(x)


model = nn.parallel.DistributedDataParallel(Net(), bucket_cap_mb=1)
step = torch.compile(model, backend="aot_eager")
step(torch.randn(8, 512)).sum().backward()
"""
"""The program that 18.1 asks about, as the notebook has it: 1 MB for the first bucket, too."""

_HARNESS = """


def _harness():
    import json
    from pathlib import Path

    rank, folder = dist.get_rank(), Path({folder!r})
    got = []
    for lists in json.loads((folder / f"given-{{rank}}").read_text()):
        given = [torch.tensor(one) for one in lists]
        found = {call}
        whole = found if isinstance(found, (list, tuple)) else [found]
        got.append([one.tolist() if torch.is_tensor(one) else one for one in whole])
    (folder / f"got-{{rank}}").write_text(json.dumps(got, default=repr))


_harness()
"""
"""What follows an answer in its cell: it is called on the rank's own tensors, again and again."""


def _job(text: str, name: str, namespace: dict[str, Any], limit: float = _SECONDS) -> JobRecording:
    """The job of running a text on each rank, as the notebook runs a cell."""
    from dynamo_lab.api.ranks.jobs import JobRecording
    from dynamo_lab.record.ranks.launch import launch
    from dynamo_lab.record.ranks.work import work_of_cell

    work = work_of_cell(text, name, f"<{name}>", namespace, limit=limit)
    return JobRecording(launch(work, _RANKS))


def _ran(job: JobRecording) -> None:
    """Check that all ranks ran to their end; else the job's own finding is the reason."""
    need(job.is_whole, "".join(job.findings[:1]) or "Not all ranks ran to their end.")


@cache
def _parted() -> JobRecording:
    import torch
    from torch import nn

    known = {"torch": torch, "nn": nn}
    job = _job(_PARTED, "exercise 18.1", known, _SECONDS_TO_COMPILE)
    _ran(job)
    return job


def _count_parts(answer: Any) -> str:
    count = need_count(answer)
    [split] = _parted()["rank 0"].splits
    need(
        count == len(split.buckets),
        "It is another number. DDP goes through the graph from its end, and adds up the bytes of "
        "the parameters that it meets, four for each number.",
    )
    sizes = " and ".join(f"{bucket.bytes:,}" for bucket in split.buckets)
    return (
        f"From the end, the buckets have {sizes} bytes. A bucket is cut when its limit of "
        f"{split.limit:,} is reached, not before it would be: so one may be far larger."
    )


def _called(answer: Any, call: str, given: Sequence[Any]) -> tuple[JobRecording, list[Any]]:
    """The job in which each rank calls the function with its own tensors, and what each got.

    `given` has, for each rank, the tensors of each call as lists.
    """
    import torch
    import torch.distributed as dist

    need_function(answer)
    code = getattr(answer, "__code__", None)
    need(code is not None and "<" not in answer.__qualname__, "Define it with `def`, in a cell.")
    text = textwrap.dedent(inspect.getsource(answer))
    with tempfile.TemporaryDirectory(prefix="dynamo_lab_course_") as at:
        for rank, calls in enumerate(given):
            Path(at, f"given-{rank}").write_text(json.dumps(calls))
        text += _HARNESS.format(folder=at, call=f"{answer.__name__}({call})")
        job = _job(text, "your answer", {**answer.__globals__, "torch": torch, "dist": dist})
        _ran(job)
        got = [json.loads(Path(at, f"got-{rank}").read_text()) for rank in range(len(given))]
    return job, got


def _same(got: Any, expected: Any) -> bool:
    """Whether lists of numbers are the same, within the rounding of their sums."""
    import torch

    try:
        a, b = torch.tensor(got, dtype=torch.float64), torch.tensor(expected, dtype=torch.float64)
    except (TypeError, ValueError):
        return False
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-4, atol=1e-4)


def _meet_always(answer: Any) -> str:
    import torch

    some = [torch.randn(6).abs() + at for at in range(5)]
    none = -torch.ones(6)
    # as many on each rank would meet, if in other calls than they belong to
    calls = ((some[0], none), (some[1], some[2]), (none, some[3]), (some[4], none))
    given = [[[call[rank].tolist()] for call in calls] for rank in range(_RANKS)]
    _, got = _called(answer, "*given", given)
    for number, call in enumerate(calls):
        whole = torch.cat(call)
        expected = whole[whole > 0].mean().item()
        for rank, own in enumerate(got):
            need(
                _same(own[number], [expected]),
                f"No rank waits forever, but rank {rank} got {_told(own[number])} where the mean "
                f"of the positive numbers of all ranks is {expected:.4g}.",
            )
    return (
        "Every rank makes every call, with zeros where it has nothing to add. What is brought may "
        "depend on the data; whether a collective is called may not."
    )


def _told(got: Any) -> str:
    try:
        [number] = got
        return f"{number:.4g}"
    except (TypeError, ValueError):
        return f"{got!r:.60}"


_SHAPES = ((3,), (2, 5), (1,), (4, 4), (7,), (2, 2, 2), (1, 9), (5,))


def _reduce_once(answer: Any) -> str:
    import torch

    made = [[torch.randn(shape) for shape in _SHAPES] for _ in range(_RANKS)]
    given = [[[one.tolist() for one in tensors]] for tensors in made]
    job, got = _called(answer, "given", given)
    expected = [(one + other).tolist() for one, other in zip(*made, strict=True)]
    for rank, [own] in enumerate(got):
        need(len(own) == len(expected), f"Return a list of the {len(expected)} sums.")
        for at, (one, right) in enumerate(zip(own, expected, strict=True)):
            need(
                _same(one, right),
                f"On rank {rank} the result for the tensor of shape {_SHAPES[at]} is not the sum "
                "over the ranks, in its shape.",
            )
    calls = max(len(one.rank.calls or ()) for one in job.values() if one.rank is not None)
    need(calls == 1, f"The sums are right, but it took {calls} calls: one is enough.")
    return (
        "One call for all: its fixed price is paid once. DDP does this with gradients: a bucket is "
        "what it sends together."
    )


EXERCISES = (
    Prediction(
        "18.1",
        "Count the parts",
        _count_parts,
        (
            "A megabyte is 1,048,576 bytes. What do the parameters of `fifth` take, then of "
            "`fourth` with it?",
            "The cut comes at the first layer with which the limit is reached, and that layer "
            "still belongs to the bucket.",
        ),
        shows=_parted,
    ),
    Exercise(
        "18.2",
        "A hang that depends on the data",
        _meet_always,
        (
            "Who decides whether `all_reduce` is called? Must it be the data of one rank?",
            "What would a rank bring that has no positive number, if it had to come?",
        ),
    ),
    Exercise(
        "18.3",
        "One collective for many tensors",
        _reduce_once,
        (
            "Tensors can be put into one: what is a bucket?",
            "`torch.cat` of flat tensors, one `all_reduce`, then `split` by their sizes, and "
            "`view_as` for the shapes.",
        ),
    ),
)
