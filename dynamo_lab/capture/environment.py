"""The machine and the software, described once a process."""

import datetime
import functools
import importlib.metadata
import platform
from pathlib import Path

import msgspec
import torch

from dynamo_lab.model.environment import Environment


def describe_environment(options: dict[str, str]) -> Environment:
    """What a reader needs to know to compare two recordings, with the options of this one."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return msgspec.structs.replace(_machine(), created=now, options=dict(options))


@functools.cache
def _machine() -> Environment:
    return Environment(
        python=platform.python_version(),
        torch=str(torch.__version__),
        triton=_version("triton"),
        dynamo_lab=_version("dynamo-lab"),
        platform=f"{platform.system()} {platform.machine()}",
        processor=_processor(),
        threads=torch.get_num_threads(),
        accelerators=_accelerators(),
    )


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _accelerators() -> tuple[str, ...]:
    if torch.cuda.is_available():
        return tuple(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
    if torch.backends.mps.is_available():
        return ("Apple GPU (MPS)",)
    return ()
