"""A training step on several ranks, under DDP and under FSDP2: eager against compiled.

The ranks are processes of one job, started and recorded as `lab.ranks` does. Each has labels of its
own, so that gradients are right only if they were reduced: they are compared with the mean of those
that the ranks compute alone. A round is as long as its slowest rank.
"""

from __future__ import annotations

import math
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct

from dynamo_lab.measure.machine import describe_machine
from dynamo_lab.model.benchmarks import Machine
from dynamo_lab.suite.agreement import disagreement
from dynamo_lab.suite.models.models import models
from dynamo_lab.suite.results import Case, Result, Size, Verdict
from dynamo_lab.suite.subject import Subject, loss_of, scores_of, synchronize
from dynamo_lab.suite.work import Found, errors_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import torch

    from dynamo_lab.model.ranks.jobs import Job as RanksJob
    from dynamo_lab.suite.jobs import Job
    from dynamo_lab.suite.work import Steps

_ASKED = "DYNAMO_LAB_SUITE_ASKED"
"""Names the file that tells a rank what to do."""
_ROUNDS = 11
_ROUND_SECONDS = 0.05
_WARMUP = 3
"""Steps before those that are timed: DDP makes its buckets anew after the first."""
_COMPILED = "_orig_mod."
"""What `torch.compile` puts into the names of a module's parameters."""
_LONGEST = 24 * 3600.0
"""Seconds that a job has of itself: the suite's limit comes before."""


class _Asked(Struct, frozen=True):
    model: str
    size: Size
    case: Case
    device: str
    folder: str


class _Times(Struct, frozen=True):
    eager: tuple[float, ...]
    compiled: tuple[float, ...]
    compile_seconds: float
    parameters: int


class _Problem(Struct, frozen=True):
    verdict: Verdict
    reason: str


def run_ranks(job: Job, case: Case, steps: Steps) -> Result:
    """What is found of the case on `job.ranks` ranks of this machine."""
    from dynamo_lab.record.ranks.launch import launch
    from dynamo_lab.record.ranks.work import Work

    start = time.perf_counter()
    backend = "nccl" if job.device == "cuda" else "gloo"
    work = Work(kind="function", title=str(case), backend=backend, limit=_LONGEST,
                module=__name__, name="on_rank", search_path=tuple(sys.path))  # fmt: skip
    with TemporaryDirectory(prefix="dynamo_lab_suite_ranks_") as folder, steps.alone():
        steps.tell(f"on {job.ranks} ranks")
        asked = _Asked(job.model, job.size, case, job.device, folder)
        path = Path(folder) / "asked"
        path.write_bytes(msgspec.json.encode(asked))
        os.environ[_ASKED] = str(path)
        ran = launch(work, job.ranks)
        facts = _facts(ran, Path(folder))
    return Result(
        case=case,
        ranks=job.ranks,
        seconds=time.perf_counter() - start,
        **facts,
    )


def _facts(ran: RanksJob, folder: Path) -> dict[str, Any]:
    """What the ranks left: their times, or why there are none."""
    from dynamo_lab.view.ranks.causes.causes import causes

    first = ran.recordings[0]
    graphs = len(first.captured_graphs())
    counts: dict[str, Any] = {
        "breaks": len(first.breaks), "graphs": graphs, "kernels": len(first.kernels),
    }  # fmt: skip
    if (machine := folder / "machine").exists():
        counts["machine"] = msgspec.json.decode(machine.read_bytes(), type=Machine)
    for number in range(len(ran.recordings)):
        told = folder / f"problem-{number}"
        if told.exists():
            problem = msgspec.json.decode(told.read_bytes(), type=_Problem)
            return {"verdict": problem.verdict, "reason": problem.reason, **counts}
    times = folder / "times"
    if not times.exists():
        reason = next(causes(ran), "the ranks left no times")
        return {"verdict": "crashed", "reason": reason[:500], **counts}
    if not graphs:
        reason = "Dynamo captured no graph: all of it ran eagerly"
        return {"verdict": "not compiled", "reason": reason, **counts}
    found = msgspec.json.decode(times.read_bytes(), type=_Times)
    return {"verdict": "pass", **msgspec.structs.asdict(found), **counts}


def on_rank() -> None:
    """What each rank does: the file that the environment names says of which case."""
    import torch.distributed as dist

    asked = msgspec.json.decode(Path(os.environ[_ASKED]).read_bytes(), type=_Asked)
    folder = Path(asked.folder)
    if dist.get_rank() == 0:
        (folder / "machine").write_bytes(msgspec.json.encode(describe_machine(asked.device)))
    try:
        times = _measured(asked)
    except Found as found:
        problem = _Problem(found.verdict, found.reason)
        (folder / f"problem-{dist.get_rank()}").write_bytes(msgspec.json.encode(problem))
        raise
    if dist.get_rank() == 0:
        (folder / "times").write_bytes(msgspec.json.encode(times))


def _measured(asked: _Asked) -> _Times:
    import torch
    import torch.distributed as dist

    torch.manual_seed(0)
    program, case, device = models()[asked.model].build(asked.size), asked.case, asked.device
    seed = 1 + dist.get_rank()
    with errors_as("eager error"):
        single = Subject(program, case, device, seed=seed)
        alone = _mean(_gradients(_Way(single, single.module)))
        exact = _exact(asked, program, seed)
        eager = _on_ranks(Subject(program, case, device, seed=seed), case.task)
        values = _gradients(eager)
    _agree(disagreement(alone, values, exact, case.precision), "eager error", "eager, on ranks, ")
    with errors_as("compile error"):
        compiled = _on_ranks(Subject(program, case, device, seed=seed), case.task, is_compiled=True)
        start = time.perf_counter()
        values = _gradients(compiled)
        first = time.perf_counter() - start
    _agree(disagreement(alone, values, exact, case.precision), "wrong")
    with errors_as("compile error"):
        times = _in_turns(
            {"eager": _step(eager.subject), "compiled": _step(compiled.subject)}, device
        )
    return _Times(
        eager=tuple(times["eager"]),
        compiled=tuple(times["compiled"]),
        compile_seconds=max(0.0, first - min(times["compiled"])),
        parameters=sum(one.numel() for one in program.module.parameters()),
    )


class _Way(NamedTuple):
    """A model as it is called, and the module whose parameters have their plain names."""

    subject: Subject
    inner: torch.nn.Module


def _on_ranks(subject: Subject, task: str, is_compiled: bool = False) -> _Way:
    """The same, its module wrapped for the ranks: compiled as users of each do.

    DDP's is compiled as a whole. FSDP2 has hooks at each block, in Python: the blocks are compiled.
    """
    import torch
    import torch.distributed as dist

    subject.label()
    if task == "ddp":
        own = [torch.cuda.current_device()] if subject.device == "cuda" else None
        inner = subject.module
        made: Any = torch.nn.parallel.DistributedDataParallel(inner, device_ids=own)
        subject.module = _compiled(made) if is_compiled else made
        return _Way(subject, inner)
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh(subject.device, (dist.get_world_size(),))
    places = list(_blocks(subject.module))
    if is_compiled:
        for around, name in places:
            setattr(around, name, _compiled(getattr(around, name)))
        if not places:
            subject.module = _compiled(subject.module)
    for block in dict.fromkeys(getattr(around, name) for around, name in places):
        fully_shard(block, mesh=mesh)
    fully_shard(subject.module, mesh=mesh)
    # its parameters are others now
    subject.optimizer = type(subject.optimizer)(subject.module.parameters(), lr=subject.rate)
    return _Way(subject, subject.module)


def _compiled(module: Any) -> Any:
    import torch

    return torch.compile(module)


def _blocks(module: torch.nn.Module) -> Iterator[tuple[torch.nn.Module, str]]:
    """Where the parts are that are gathered one by one: those of the outermost lists that learn."""
    import torch

    is_list = isinstance(module, torch.nn.ModuleList | torch.nn.Sequential)
    for name, child in module.named_children():
        if not is_list:
            yield from _blocks(child)
        elif next(child.parameters(), None) is not None:
            yield module, name


def _loss(subject: Subject) -> Any:
    with subject.contexts():
        assert subject.labels is not None
        scores = scores_of(subject.module(**subject.inputs))
        return loss_of(scores, subject.labels, subject.target)


def _gradients(way: _Way) -> dict[str, torch.Tensor]:
    """The gradients of one backward, whole on each rank."""
    subject = way.subject
    subject.label()
    _loss(subject).backward()
    found = {
        f"gradient of {name.replace(_COMPILED, '')}": _whole(parameter.grad)
        for name, parameter in way.inner.named_parameters()
        if parameter.grad is not None
    }
    subject.optimizer.zero_grad()
    synchronize(subject.device)
    return found


def _whole(gradient: Any) -> torch.Tensor:
    return (gradient.full_tensor() if hasattr(gradient, "full_tensor") else gradient).clone()


def _mean(values: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The mean over all ranks of what each computed alone."""
    import torch.distributed as dist

    for value in values.values():
        dist.all_reduce(value)
        value /= dist.get_world_size()
    return dict(values)


def _exact(asked: _Asked, program: Any, seed: int) -> dict[str, torch.Tensor] | None:
    """The same in float64; None where the model, on any rank, cannot."""
    values, problem = None, ""
    try:
        subject = Subject(program, asked.case, asked.device, exact=True, seed=seed)
        values = _gradients(_Way(subject, subject.module))
    except Exception as error:  # any: a model may insist on its type in any place
        problem = str(error) or type(error).__name__
    return None if any(_from_all(problem)) or values is None else _mean(values)


def _agree(problem: str, verdict: Verdict, before: str = "") -> None:
    """End the case on all ranks where one has a problem: one that went on would wait forever."""
    for rank, told in enumerate(_from_all(problem)):
        if told:
            raise Found(verdict, f"{before}rank {rank}: {told}")


def _from_all(text: str) -> Iterator[str]:
    import torch.distributed as dist

    found: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(found, text)
    yield from found


def _step(subject: Subject) -> Callable[[], None]:
    def step() -> None:
        subject.optimizer.zero_grad()
        _loss(subject).backward()
        subject.optimizer.step()

    return step


def _in_turns(ways: Mapping[str, Callable[[], None]], device: str) -> dict[str, list[float]]:
    """Seconds a step, of each round that of the slowest rank; in each round another goes first."""
    for way in ways.values():
        for _ in range(_WARMUP):
            way()
    loops = {
        name: math.ceil(_ROUND_SECONDS / _slowest(way, 1, device)) for name, way in ways.items()
    }
    found: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for number in range(_ROUNDS):
        for at in range(len(names)):
            name = names[(number + at) % len(names)]
            found[name].append(_slowest(ways[name], loops[name], device))
    return found


def _slowest(work: Callable[[], None], loops: int, device: str) -> float:
    """The seconds a call, on the rank that took longest: the same number on all."""
    import torch
    import torch.distributed as dist

    synchronize(device)
    dist.barrier()
    start = time.perf_counter()
    for _ in range(loops):
        work()
    synchronize(device)
    took = torch.tensor([(time.perf_counter() - start) / loops], device=device)
    dist.all_reduce(took, op=dist.ReduceOp.MAX)
    return max(float(took), 1e-9)
