"""What runs in a separate process: `python -m dynamo_lab.suite.worker JOB EVENTS`.

It ends when its standard input does: whoever started it holds the other end, and takes it along
when it dies. Then nobody else is left to remove the folder that it works in.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from dynamo_lab.suite.jobs import FOLDER, WAITING, Done, Job, Step, write_event
from dynamo_lab.suite.locks import alone
from dynamo_lab.suite.models.models import models
from dynamo_lab.suite.results import ON_RANKS, Result

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from dynamo_lab.suite.results import Case

_TRIES = 10
"""To remove a folder while what compiles may still write to it."""


def main() -> None:
    """Run the job in the first file named, and report about it in the second."""
    folder = Path(sys.argv[1]).parent
    threading.Thread(target=_die_with_parent, args=[folder], daemon=True).start()
    job = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Job)
    run_job(job, Path(sys.argv[2]))


def run_job(job: Job, events: Path) -> None:
    """Run each case of the job."""
    model = models()[job.model]
    write_event(events, Step(job.cases[0], "starting"))
    program, result = _built(job)
    if program is not None:
        _warm_up(job.device)
    for case in job.cases:
        found = result or _run(program, case, job, events)
        completed = replace(found, case=case, family=model.family, size=job.size, created=_now())
        write_event(events, Done(completed))


def _built(job: Job) -> tuple[Any, Result | None]:
    """The program, or the result of all cases where there is none."""
    model, case = models()[job.model], job.cases[0]
    if not model.is_installed:
        reason = f"{model.family} is not installed: pip install {model.family}"
        return None, Result(case=case, verdict="not installed", reason=reason)
    try:
        import torch

        torch.manual_seed(0)
        return model.build(job.size), None
    except (ImportError, AttributeError) as error:  # a release that has no such model
        reason = f"{type(error).__name__}: {error}"
        return None, Result(case=case, verdict="not installed", reason=reason[:300])
    except Exception as error:  # any other: eager PyTorch cannot have it either
        reason = f"{type(error).__name__}: {error}"
        return None, Result(case=case, verdict="eager error", reason=reason[:300])


def _run(program: Any, case: Case, job: Job, events: Path) -> Result:
    from dynamo_lab.suite.work import Steps, run

    step = "starting"

    def tell(name: str) -> None:
        nonlocal step
        step = name
        write_event(events, Step(case, name))

    @contextmanager
    def have_device() -> Generator[None]:
        write_event(events, Step(case, WAITING))
        with alone(job.slot):
            write_event(events, Step(case, step))
            yield

    tell("starting")
    if case.task in ON_RANKS:
        from dynamo_lab.suite.parallel import run_ranks

        return run_ranks(job, case, Steps(tell, have_device))
    return run(program, case, job.device, Steps(tell, have_device))


def _warm_up(device: str) -> None:
    """Compile something small, so that no model pays for what only the first compile does."""
    import torch

    def small(x: torch.Tensor) -> torch.Tensor:
        return (x @ x).sin().sum()

    try:
        torch.compile(small)(torch.ones(32, 32, device=device, requires_grad=True)).backward()
    except Exception as error:  # any: then the models say what is the matter
        print(f"Nothing compiles: {error}", file=sys.stderr)


def _die_with_parent(folder: Path) -> None:
    while os.read(0, 4096):
        pass
    if folder.name.startswith(FOLDER):  # and not one of a job that someone wrote by hand
        _remove(folder)
    os._exit(1)


def _remove(folder: Path) -> None:
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")


if __name__ == "__main__":
    main()
