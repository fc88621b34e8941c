"""A separate process, in which an edited kernel is built and called for the first time.

    python -m dynamo_lab.live.edit_process FOLDER

A kernel that crashes, never ends or writes out of bounds does so here, and not in the
user's notebook. FOLDER holds `work.pt` from `edit_trial.py`; `answer.json` in it is the
answer.
"""

import faulthandler
import os
import re
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import torch

from dynamo_lab.capture.core.apart import MEMORY_BYTES, limit_here
from dynamo_lab.capture.kernels import diagnostics
from dynamo_lab.capture.kernels.edited import OFFSET, Definition, build
from dynamo_lab.capture.kernels.recorded_calls import (
    GUARD,
    Call,
    launcher,
    options_here,
    was_overrun,
)
from dynamo_lab.measure.checks import compare, is_wrong
from dynamo_lab.measure.devices import device_of
from dynamo_lab.model.benchmarks import Comparison
from dynamo_lab.model.kernels import Diagnostic, EditVerdict, Worst

TOO_MUCH = f"it took more than {MEMORY_BYTES >> 30} GB of memory beyond its arguments"

STARTS = "it starts other processes, which would stay behind after each call: leave that out"

BUILT = "built"
"""The file that exists once the kernel is built."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an edited kernel's first calls."""

    verdict: EditVerdict
    reason: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    worst: Worst | None = None


def try_out(folder: Path) -> Answer:
    """Build the kernel, and call it as the program called the original."""
    work = torch.load(folder / "work.pt", weights_only=False)  # written by our own parent
    torch.set_num_threads(work["threads"])
    defined: Definition = work["definition"]
    try:
        kernel = build(defined, work["settings"])
    except Exception as error:
        said = _said(error, defined.text)
        return Answer(verdict="not built", reason=said[0].message, diagnostics=said)
    (folder / BUILT).touch()
    limit_here(MEMORY_BYTES if is_on_cpu(work["calls"]) else None)
    if hasattr(signal, "SIGXFSZ"):  # Python ignores it, and a kernel may ignore what is not written
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    # a kernel may never return to Python: a thread that does not need Python ends the process
    faulthandler.dump_traceback_later(work["seconds"], exit=True)
    names = names_of(defined.text, defined.name)
    compared: tuple[Comparison, ...] = ()
    own, was_alone = os.getpid(), not _has_children()
    for number, call in enumerate(work["calls"]):
        try:
            answer = _called(kernel, call, names, number)
        except Exception as error:
            return Answer(verdict="failed", reason=_raised(error))
        if os.getpid() != own:
            os._exit(0)  # the kernel copied this process: the copy has nothing to answer
        if was_alone and _has_children():
            return Answer(verdict="failed", reason=STARTS)
        if answer.verdict != "right":
            return answer
        compared = _joined(compared, answer.comparisons)
    return Answer(verdict="right", comparisons=compared)


def _has_children() -> bool:
    """Whether this process has started others that it has not waited for; False if unknown."""
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _raised(error: Exception) -> str:
    said = f"{type(error).__name__}: {error}"
    is_memory = any(word in said for word in ("bad_alloc", "MemoryError", "allocate memory"))
    return TOO_MUCH if is_memory else f"it raised {said}"


def is_on_cpu(calls: list[Call]) -> bool:
    """Whether no call has a tensor on a GPU."""
    return all(device_of(call.before.laid_out()[0]).name == "cpu" for call in calls[:1])


def _said(error: Exception, text: str) -> tuple[Diagnostic, ...]:
    """The compiler's messages, from the first error if there is one."""
    output = getattr(error, "output", None)  # of a C++ compiler, on this error or on its cause
    if output is None:
        return diagnostics.of_python(error, text, offset=OFFSET)
    found = diagnostics.of_cpp(str(output), ".main.cpp", OFFSET, text.count("\n") + 1)
    told = sorted(found, key=lambda one: one.severity != "error")
    return tuple(told) or (Diagnostic(severity="error", message=str(output).strip()[-300:]),)


_PARAMETERS = r"(?:void\s+kernel|generated_kernel|def\s+{name})\s*\((?P<list>[^)]*)\)"
_NAME = re.compile(r"(\w+)\s*(?:\[\[.*\]\])?(?::.*)?$")


def names_of(text: str, name: str) -> list[str]:
    """The names of a kernel's parameters, in order."""
    found = re.search(_PARAMETERS.format(name=re.escape(name)), text, re.DOTALL)
    parts = found["list"].split(",") if found else []
    return [match[1] for part in parts if (match := _NAME.search(part.strip()))]


def _called(kernel: Any, call: Call, names: list[str], number: int) -> Answer:
    args, buffers = call.before.laid_out(GUARD)
    expected, _ = call.after.laid_out()
    device = device_of(args)
    with device.current():
        launcher(kernel)(*args, **options_here(call.options, args))
    device.wait()
    if any(map(was_overrun, buffers)):
        reason = "it wrote out of bounds of its arguments: check its indices"
        return Answer(verdict="failed", reason=reason)
    return _judged(dict(_tensors(expected, names)), dict(_tensors(args, names)), number)


def _tensors(args: list[Any], names: list[str]) -> Iterator[tuple[str, torch.Tensor]]:
    for i, arg in enumerate(args):
        if isinstance(arg, torch.Tensor):
            yield (names[i] if i < len(names) else f"argument {i}"), arg


def _judged(expected: dict[str, torch.Tensor], got: dict[str, torch.Tensor], number: int) -> Answer:
    found = compare(expected, got, way=1, phase="forward")
    if not is_wrong(found):
        return Answer(verdict="right", comparisons=found)
    wrong = max(
        (one for one in found if one.verdict == "wrong"), key=lambda one: one.absolute or 0.0
    )
    worst = worst_of(wrong.value, expected[wrong.value], got[wrong.value])
    where = f"call {number + 1} gives other values than the original's" if number else ""
    return Answer(verdict="wrong", reason=where, comparisons=found, worst=worst)


def worst_of(value: str, expected: torch.Tensor, got: torch.Tensor) -> Worst:
    """The element where two tensors are furthest apart; a NaN against a number is."""
    a, b = (_real(one) for one in (expected, got))
    same = (a == b) | (a.isnan() & b.isnan())
    apart = (a - b).abs().nan_to_num(nan=torch.inf).masked_fill(same, 0.0)
    flat = int(apart.argmax()) if apart.numel() else 0
    index = tuple(int(i) for i in torch.unravel_index(torch.tensor(flat), expected.shape))
    told = (f"{one[index].item():.9g}" for one in (expected, got))
    return Worst(value=value, index=index, expected=next(told), got=next(told))


def _real(value: torch.Tensor) -> torch.Tensor:
    value = value.detach().cpu()
    return (value.abs() if value.is_complex() else value).to(torch.float64)


_ORDER = ("equal", "close", "not compared", "wrong")


def _joined(before: tuple[Comparison, ...], now: tuple[Comparison, ...]) -> tuple[Comparison, ...]:
    """For each value, the comparison of the call with the largest difference."""
    if not before:
        return now
    return tuple(
        max(pair, key=lambda one: (_ORDER.index(one.verdict), one.absolute or 0.0))
        for pair in zip(before, now, strict=True)
    )


def main() -> None:
    """Try the kernel in this folder, and write the answer."""
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[1])
    answer = try_out(folder)
    faulthandler.cancel_dump_traceback_later()
    (folder / "answer.json").write_bytes(msgspec.json.encode(answer))


if __name__ == "__main__":
    main()
