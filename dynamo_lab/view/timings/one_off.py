"""Work that is done once for a machine or a process, by whichever compilation comes first."""

from collections.abc import Iterator

from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import Timing

_HASHED = ("CacheBase.get_system.triton_key", "inductor_codecache_torch_key")


def one_off(recording: Recording) -> Iterator[Timing]:
    """The phases that a second compilation does not pay: hashes of sources, and C++ headers."""
    for timing in recording.timings:
        if timing.name in _HASHED or _builds_headers(timing, recording):
            yield timing


def _builds_headers(timing: Timing, recording: Recording) -> bool:
    """Whether the compiler runs before it is asked for a kernel: it precompiles headers then."""
    if timing.name != "compile_file" or timing.parent < 0:
        return False
    return recording.timings[timing.parent].name == "PyCodeCache.load_by_key_path"
