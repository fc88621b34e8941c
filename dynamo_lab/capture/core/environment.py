"""The machine and the software, described once per process."""

import datetime
import functools
import platform

import msgspec
import torch

from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.core.host import cores, processor, system, version_of


def describe_environment(options: dict[str, str]) -> Environment:
    """What a reader needs to know to compare two recordings, with the options of this one."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return msgspec.structs.replace(_machine(), created=now, options=dict(options))


@functools.cache
def _machine() -> Environment:
    return Environment(
        python=platform.python_version(),
        torch=str(torch.__version__),
        triton=version_of("triton"),
        dynamo_lab=version_of("dynamo-lab"),
        platform=system(),
        processor=processor(),
        threads=torch.get_num_threads(),
        cores=cores(),
        accelerators=_accelerators(),
    )


def _accelerators() -> tuple[str, ...]:
    if torch.cuda.is_available():
        return tuple(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
    if torch.backends.mps.is_available():
        return ("Apple GPU (MPS)",)
    return ()
