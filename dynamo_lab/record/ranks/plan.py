"""The plan of a job: what each kind of its ranks would compile and call, without running any."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dynamo_lab.errors import OptionError
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.plans import Plan
from dynamo_lab.record.ranks.kinds import kinds_of
from dynamo_lab.record.ranks.launch import check
from dynamo_lab.record.ranks.process import ending_of, note_raised
from dynamo_lab.record.ranks.work import run

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from dynamo_lab.capture.core.undo import Undo
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.ranks.work import Work

_NOISE = "torch.distributed.device_mesh"
"""It warns where Dynamo copies a mesh of fake groups, which nobody will use."""


def plan(work: Work, n: int, fn: Callable[[], Any] | None = None) -> Job:
    """The plan of running this work, or a function of this process, as n ranks.

    A program that raises as rank 0 is planned no further, and the job has what it came to.

    Raises:
        OptionError: there cannot be so many ranks, or this process is a rank of a job itself.
    """
    check(n, work.limit)
    import torch.distributed as dist

    if dist.is_initialized():
        raise OptionError(
            "This process has a process group already, so it cannot be a rank of a planned job: "
            "call `torch.distributed.destroy_process_group()` first."
        )
    started = time.monotonic()
    planned: dict[int, Recording] = {}

    def of(number: int) -> Recording | None:
        if number not in planned:
            if planned and time.monotonic() - started > work.limit:
                return None
            planned[number] = _planned(work, fn, number, n)
        return planned[number]

    kinds, left = kinds_of(of, n)
    spent = time.monotonic() - started
    return Job(
        title=work.title,
        recordings=tuple(planned[kind.representative] for kind in kinds),
        limit=work.limit,
        remarks=tuple(left),
        plan=Plan(size=n, kinds=tuple(kinds), seconds=spent),
    )


def _planned(work: Work, fn: Callable[[], Any] | None, number: int, n: int) -> Recording:
    """What one rank would compile and call; only what rank 0 prints is printed."""
    from dynamo_lab.capture.ranks.plan import PlannedRank, capture_only
    from dynamo_lab.capture.session import watch
    from dynamo_lab.record.recorders import new_recorder

    label = {work.path: work.label}
    recorder = new_recorder(work.title)
    if work.kind == "cell":
        recorder.texts.set_cell_label(label.get)
    rank = recorder.rank = PlannedRank(recorder, number, n)

    def first(undo: Undo) -> None:
        capture_only(undo)
        _pretend(undo, work, number, n)
        rank.install(undo)

    code, raised = 0, None
    watching = watch(recorder, first=first)
    with closing(watching), watching, _quiet(number > 0):
        try:
            rank.run(fn or (lambda: run(work)))
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        except Exception as error:
            raised, code = error, 1
            note_raised(error, recorder, rank.ended)
    rank.ending = ending_of(code, raised)
    return replace(recorder.recording, state="done")


def _pretend(undo: Undo, work: Work, number: int, n: int) -> None:
    """Let a script find itself started by `torchrun`, and make the group that is there already."""
    import torch.distributed as dist

    undo.replace(dist, "destroy_process_group", _nothing)
    for name, value in (
        ("RANK", number), ("LOCAL_RANK", number), ("WORLD_SIZE", n), ("LOCAL_WORLD_SIZE", n),
    ):  # fmt: skip
        undo.add(_restore, name, os.environ.get(name))
        os.environ[name] = str(value)
    if work.kind == "script":
        undo.replace(dist, "init_process_group", _nothing)


def _restore(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _nothing(*_: Any, **__: Any) -> None:
    """In place of what is done for a planned rank."""


@contextlib.contextmanager
def _quiet(is_quiet: bool) -> Generator[None]:
    """Print nothing, for a program that has printed the same before; and no noise of fakes."""
    logger = logging.getLogger(_NOISE)
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with contextlib.redirect_stdout(io.StringIO()) if is_quiet else contextlib.nullcontext():
            yield
    finally:
        logger.setLevel(level)
