"""The machine as it was while something was measured."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, NamedTuple

from dynamo_lab.measure.caches import cached_bytes
from dynamo_lab.model.benchmarks import Machine
from dynamo_lab.model.core.host import CPUINFO, processor, system, text_of, version_of

_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def describe_machine(device: str) -> Machine:
    """What affects times on this device ("cpu", "cuda", "mps"), as far as known."""
    import torch

    name, driver = _accelerator(device)
    return Machine(
        device=name,
        processor=processor(),
        cores=os.cpu_count() or 0,
        threads=torch.get_num_threads(),
        clocks_mhz=clock(device),
        governor=text_of(_GOVERNOR).strip(),
        load=load(),
        driver=driver,
        torch=str(torch.__version__),
        triton=version_of("triton"),
        python=platform.python_version(),
        platform=system(),
        settings=_settings(device),
        caches=cached_bytes(device),
    )


def is_busy() -> bool:
    """Whether more processes wanted to run in the last minute than there are cores."""
    return Machine(cores=os.cpu_count() or 0, load=load()).is_busy


class Watched:
    """The cores from now on: whether others took them while something was timed."""

    def __init__(self) -> None:
        self._start = _taken()

    def was_busy(self) -> bool:
        """Whether this process waited for a core that others had, for more than a small share.

        The average over a minute comes too late for what started just now, and counts what this
        process compiled just before: it decides only where the system tells nothing better.
        """
        start, now = self._start, _taken()
        if start is None or now is None:
            return is_busy()
        taken = now.at - start.at
        return min(now.waited - start.waited, now.others - start.others) > _SMALL * taken


_SMALL = 0.05
_TASKS, _STAT = Path("/proc/self/task"), Path("/proc/stat")


class _Taken(NamedTuple):
    """Seconds so far: of the clock, waited for a core by this process, and used by others."""

    at: float
    waited: float
    others: float


def _taken() -> _Taken | None:
    """None where the system does not tell: only Linux does."""
    try:
        waits = [int(text_of(one / "schedstat").split()[1]) for one in _TASKS.iterdir()]
        user, nice, system_, _idle, _io, *kernel = map(int, text_of(_STAT).split()[1:8])
        ticks = os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None
    own = time.process_time()
    others = (user + nice + system_ + sum(kernel)) / ticks - own
    return _Taken(time.perf_counter(), sum(waits) / 1e9, others)


def load() -> float | None:
    """How many processes wanted to run in the last minute, on average."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def clock(device: str) -> tuple[float, ...]:
    """The clock of the device now in MHz, the fastest core's; empty where it is not reported."""
    if device == "cuda":
        found = _nvidia_smi("clocks.sm")
        return (float(found),) if found.replace(".", "").isdigit() else ()
    clocks = re.findall(r"^cpu MHz\s*:\s*([\d.]+)$", text_of(CPUINFO), re.MULTILINE)
    return (max(map(float, clocks)),) if clocks else ()


def _accelerator(device: str) -> tuple[str, str]:
    """The name of the device and its driver's version."""
    import torch

    if device == "cuda":
        return torch.cuda.get_device_name(), _nvidia_smi("driver_version")
    if device == "mps":
        return "Apple GPU (MPS)", platform.mac_ver()[0]
    return device, ""


def _nvidia_smi(what: str) -> str:
    if not shutil.which("nvidia-smi"):
        return ""
    command = ["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.partition("\n")[0].strip()


def _settings(device: str) -> dict[str, str]:
    """PyTorch's own that change speed or numbers, where they are not the default."""
    import torch

    backends: Any = torch.backends
    found = {
        "float32_matmul_precision": _matmul_precision(),
        "deterministic": str(torch.are_deterministic_algorithms_enabled()),
    }
    if device == "cuda":
        found["cudnn.benchmark"] = str(backends.cudnn.benchmark)
    return found


def _matmul_precision() -> str:
    """By either of the two ways to set it, which PyTorch does not let anyone mix."""
    import torch

    try:
        return torch.get_float32_matmul_precision()
    except RuntimeError:
        backends: Any = torch.backends
        return str(getattr(backends, "fp32_precision", ""))
