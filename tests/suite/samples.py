"""Results as a run finds them, made by hand."""

from __future__ import annotations

from typing import Any

from dynamo_lab.model.benchmarks import Machine
from dynamo_lab.suite.results import Case, Result

MACHINE = Machine(
    device="NVIDIA H200", processor="Xeon", cores=16, threads=2, torch="2.11.0", python="3.12.3"
)
ROUNDS = 15


def result(model: str = "bert", speed: float | None = None, **more: Any) -> Result:
    """A result; with a speed it passed, and compiled calls took 1 ms, give or take."""
    case = Case(model, more.pop("task", "inference"), more.pop("precision", "float32"))
    times = tuple(1e-3 * (1 + at / 1e4) for at in range(ROUNDS))
    made: dict[str, Any] = {"verdict": "crashed", "machine": MACHINE, "family": "transformers"}
    if speed is not None:
        made |= {"verdict": "pass", "compiled": times, "eager": tuple(speed * t for t in times)}
        made |= {"compile_seconds": 12.0, "breaks": 0, "graphs": 1, "kernels": 9}
    return Result(case=case, **{**made, **more})
