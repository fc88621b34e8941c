"""Whether generated Triton kernels are correct: checked on the CPU, in Triton's interpreter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from dynamo_lab.errors import LoweringError
from dynamo_lab.render.tables import table
from dynamo_lab.render.text import as_line

if TYPE_CHECKING:
    from dynamo_lab.capture.kernels.interpreted import WrittenModule
    from dynamo_lab.live.session import Session
    from dynamo_lab.model.recording import Recording

Verdict = Literal["agrees", "differs", "not run", "not compared"]

_WHY_NOT = {False: "its results are no operator's", True: "the graph makes random numbers"}


class KernelCheck(Struct, frozen=True, kw_only=True):
    """One kernel: `error` is its largest difference, relative to the largest expected value.

    `buffers` counts the results that were compared, over all its calls; a result that is
    no operator's, such as half of a split reduction, is judged by what is computed from it.
    """

    kernel: str
    wrapper: int
    verdict: Verdict
    calls: int
    buffers: int
    error: float = 0.0
    message: str = ""


class KernelChecks(Struct, frozen=True, kw_only=True):
    """All Triton kernels of a recording."""

    checks: tuple[KernelCheck, ...]

    def __str__(self) -> str:
        if not self.checks:
            return "No Triton kernel was generated."
        head = ("kernel", "verdict", "calls", "results", "error", "")
        rows = [
            (
                as_line(one.kernel, 60),
                one.verdict,
                f"{one.calls:,}",
                f"{one.buffers:,}",
                f"{one.error:.1e}" if one.buffers else "",
                as_line(one.message),
            )
            for one in self.checks
        ]
        return "\n".join(table([head, *rows], right=(2, 3, 4)))

    __repr__ = __str__


def ask(recording: Recording, session: Session) -> KernelChecks:
    """Check every Triton kernel: see `dynamo_lab.Recording.check_kernels`."""
    written = session.written
    if not written and recording.wrappers:
        raise LoweringError(
            "The graphs are not available: only the process that lowered a program with "
            "dynamo_lab.lower(..., target=...) can check its kernels."
        )
    from dynamo_lab.capture.kernels.interpreted import check

    found = zip(written, check(list(written.values())), strict=True)
    return KernelChecks(
        checks=tuple(_check(wrapper, row) for wrapper, rows in found for row in rows)
    )


def check_edit(written: WrittenModule, module: str, kernel: str, patience: float) -> KernelCheck:
    """Check one kernel in a module that calls it with another text, within this many seconds."""
    from dynamo_lab.capture.kernels.interpreted import check

    (rows,) = check([replace(written, code=module)], patience)
    return next(_check(0, row) for row in rows if row["name"] == kernel)


def _check(wrapper: int, row: dict[str, Any]) -> KernelCheck:
    verdict: Verdict = "agrees" if row["compared"] else "not compared"
    message = "" if row["compared"] else _WHY_NOT[row["random"]]
    if row["differs"]:
        verdict, message = "differs", f"{row['differs']} of {row['compared']} results differ"
    if row["problem"]:
        verdict, message = "not run", row["problem"]
    return KernelCheck(
        kernel=row["name"],
        wrapper=wrapper,
        verdict=verdict,
        calls=row["calls"],
        buffers=row["compared"],
        error=row["error"],
        message=message,
    )
