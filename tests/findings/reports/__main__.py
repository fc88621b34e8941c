"""What this package answers to programs that people reported, and what PyTorch's own tools print.

For each program of `tests/findings/reports`: the first sentence here; the lines of
TORCH_LOGS=recompiles,graph_breaks,perf_hints; what tlparse makes of TORCH_TRACE, where it is
installed; and of wrong results what CompilerBisector finds, in how many compilations and seconds.
Each of PyTorch's tools runs in a process of its own. Numbers on the command line choose reports.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from dynamo_lab.view import build
from tests.benchmarks.core.ratio import machine
from tests.findings.reports.asked import asked
from tests.findings.reports.programs import REPORTS, UNREAD

if TYPE_CHECKING:
    from tests.findings.reports.programs import Report

_RUN = """

import torch
torch.manual_seed(0)
run(torch.compile(fn, **{options!r}))
"""

_BISECT = """

import copy, time, torch
from torch._inductor.compiler_bisector import CompilerBisector

calls = 0

def is_right():
    global calls
    calls += 1
    torch._dynamo.reset()
    torch.manual_seed(0)
    given = arguments()
    mine, other = (copy.deepcopy(given) for _ in range(2))
    expected, found = fn(*mine), torch.compile(fn, **{options!r})(*other)
    try:
        torch.testing.assert_close([found, *other], [expected, *mine])
    except AssertionError:
        return False
    return True

started = time.perf_counter()
found = CompilerBisector.do_bisect(is_right)
print(f"ANSWER {{found}} | {{calls}} compilations | {{time.perf_counter() - started:.1f}} s")
"""

_LIMIT = 300.0


def main() -> None:
    """Print what each tool says of each report."""
    chosen = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for report in REPORTS:
            if not chosen or report.number in chosen:
                _print(report, Path(folder))
    print(machine())
    print(f"Not read, so not tried: {', '.join(UNREAD)}.")


def _print(report: Report, folder: Path) -> None:
    print(f"{report.number}: {report.about}")
    print(f"  here        {_here(report, folder)}")
    print(f"  TORCH_LOGS  {_logs(report, folder)}")
    print(f"  tlparse     {_tlparse(report, folder)}")
    if report.verdict:
        print(f"  bisector    {_bisector(report, folder)}")
    sys.stdout.flush()


def _here(report: Report, folder: Path) -> str:
    started = time.perf_counter()
    recording = asked(report, folder)
    took = time.perf_counter() - started
    view = build(recording)
    if view.bisection is not None:
        said = f"{view.bisection.title}. {view.bisection.sentence}"
        return f"{said} [{len(recording.bisection.trials)} compilations, {took:.1f} s]"
    first = next(iter(view.findings.found), None)
    return f"{first.sentence if first else view.findings.clean} [{took:.1f} s]"


def _apart(report: Report, folder: Path, end: str, **environment: str) -> str:
    """What a process of its own prints that runs the program so."""
    path = folder / f"apart_{report.number}.py"
    path.write_text(report.source + end.format(options=dict(report.options)), encoding="utf-8")
    fresh = {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", **environment}
    try:
        done = subprocess.run(
            [sys.executable, str(path)],
            env={**os.environ, **fresh},
            capture_output=True,
            text=True,
            timeout=_LIMIT,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {_LIMIT:.0f} s"
    return done.stdout + done.stderr


_LOG = re.compile(r"\[__(\w+)\] (.*)")


def _logs(report: Report, folder: Path) -> str:
    printed = _apart(report, folder, _RUN, TORCH_LOGS="recompiles,graph_breaks,perf_hints")
    lines = [found.groups() for row in printed.splitlines() if (found := _LOG.search(row))]
    if not lines:
        return "prints nothing"
    counts = ", ".join(f"{kind} {count}" for kind, count in Counter(k for k, _ in lines).items())
    again = [text.strip() for kind, text in lines if kind == "recompiles"]
    last = next((text for text in reversed(again) if text.startswith("-")), lines[-1][1].strip())
    return f"{len(lines)} lines ({counts}); the last reason: {last}"


def _tlparse(report: Report, folder: Path) -> str:
    command = shutil.which("tlparse")
    if command is None:
        return "not installed"
    trace, out = folder / f"trace_{report.number}", folder / f"out_{report.number}"
    _apart(report, folder, _RUN, TORCH_TRACE=str(trace))
    logs = sorted(trace.glob("*.log"))
    if not logs:
        return "no log was written"
    told = subprocess.run(
        [command, str(logs[0]), "-o", str(out), "--no-browser"], capture_output=True, text=True
    )
    pages = [path for path in out.rglob("*") if path.is_file()]
    if told.returncode:
        return f"fails: {told.stderr.strip().splitlines()[-1]}"
    ids = {path.parent.name for path in pages if re.fullmatch(r"-_.*|\d.*", path.parent.name)}
    return f"{len(pages)} files of {len(ids)} compilations, to be read"


def _bisector(report: Report, folder: Path) -> str:
    printed = _apart(report, folder, _BISECT)
    answers = [row for row in printed.splitlines() if row.startswith("ANSWER")]
    return answers[-1].removeprefix("ANSWER ") if answers else f"fails: {printed.strip()[-200:]}"


if __name__ == "__main__":
    main()
