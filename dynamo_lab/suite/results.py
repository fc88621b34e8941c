"""The result of each model, and the file that stores it, from which a run is resumed."""

import os
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.benchmarks import Machine
from dynamo_lab.suite.lines import append_line, read_lines

Task = Literal["inference", "training", "optimizer", "ddp", "fsdp"]
"""`optimizer` is a training step of the compiled model, with the optimizer's step eager and, in
place of that, compiled too. `ddp` and `fsdp` are a training step on several ranks."""

ON_RANKS: tuple[Task, ...] = ("ddp", "fsdp")

Precision = Literal["float32", "amp"]
Size = Literal["small", "full"]
"""A model of a few layers that a processor runs in milliseconds, or as it was published."""

Verdict = Literal[
    "pass",
    "wrong",
    "not compiled",
    "compile error",
    "eager error",
    "crashed",
    "out of memory",
    "timed out",
    "not installed",
]
"""`pass`: it compiled and computed the same; `not compiled`: Dynamo left all of it to Python. A
model counts as attempted unless eager PyTorch cannot run it here either, or a package that it comes
from is missing."""


class Case(Struct, frozen=True, order=True):
    """What is measured: a model, doing one thing in one precision."""

    model: str
    task: Task
    precision: Precision

    def __str__(self) -> str:
        return f"{self.model} {self.task} {self.precision}"


class Result(Struct, frozen=True, kw_only=True):
    """The result of a case. Of the task "optimizer" both ways compile the model.

    `eager` and `compiled` are seconds a call, one a round, measured in turns; none unless it
    passed. `compile_seconds` is the first call's time beyond a later one's, with empty caches.
    Peaks are the bytes that a call held beyond what was there before it, None where the device
    does not count them. `seconds` is what finding out took, waiting for the device not counted. On
    several `ranks` a time is that of the slowest, and peaks are not known.
    """

    case: Case
    verdict: Verdict
    family: str = ""
    size: Size = "small"
    reason: str = ""
    eager: tuple[float, ...] = ()
    compiled: tuple[float, ...] = ()
    compile_seconds: float | None = None
    breaks: int | None = None
    graphs: int | None = None
    kernels: int | None = None
    eager_peak: int | None = None
    compiled_peak: int | None = None
    parameters: int | None = None
    ranks: int = 1
    seconds: float = 0.0
    machine: Machine = Machine()
    created: str = ""

    @property
    def is_attempt(self) -> bool:
        """Whether it says something about the compiler."""
        return self.verdict not in ("eager error", "not installed")


class Results(Struct, frozen=True):
    """A file's results, the last of each case, and how many of its lines were damaged."""

    results: tuple[Result, ...] = ()
    damaged: int = 0


def read(path: str | os.PathLike[str], must_exist: bool = True) -> Results:
    """The results in a file.

    Raises:
        SuiteError: there is no such file, or nothing in it is a result.
    """
    lines = read_lines(path, Result, must_exist)
    found: dict[Case, Result] = {}
    for result in lines.facts:
        found.pop(result.case, None)
        found[result.case] = result
    return Results(tuple(found.values()), lines.damaged)


def append(path: str | os.PathLike[str], result: Result) -> None:
    """Add a result to the file.

    Raises:
        SuiteError: the file cannot be written.
    """
    append_line(path, result)


def still_to_do(cases: Iterable[Case], results: Sequence[Result]) -> list[Case]:
    """The cases without a result. One whose package was missing is tried again."""
    done = {one.case for one in results if one.verdict != "not installed"}
    return [case for case in cases if case not in done]


def incomparable(one: Sequence[Result], other: Sequence[Result]) -> str:
    """What keeps the times of two runs from being compared; empty where they may be.

    Another release of PyTorch or Triton is what one compares, so it is no reason.
    """
    for name in ("device", "processor", "settings", "cores", "threads"):
        ours, theirs = (_values(run, name) for run in (one, other))
        if ours != theirs:
            return f"{name}: {_listed(ours)} against {_listed(theirs)}"
    ours, theirs = (sorted({result.size for result in run}) for run in (one, other))
    if ours != theirs:
        return f"size: {_listed(ours)} against {_listed(theirs)}"
    ours, theirs = (sorted({str(result.ranks) for result in run}) for run in (one, other))
    return "" if ours == theirs else f"ranks: {_listed(ours)} against {_listed(theirs)}"


def _values(run: Sequence[Result], name: str) -> list[str]:
    """What the machines of a run have; how many cores matters where they are what computes."""
    machines = [result.machine for result in run if result.machine.device]
    if name in ("cores", "threads"):
        machines = [machine for machine in machines if machine.device == "cpu"]
    return sorted({str(getattr(machine, name)) for machine in machines})


def _listed(values: Sequence[str]) -> str:
    return " and ".join(values) or "unknown"
