"""The programs of `programs.py`, each explored once a run, and what PyTorch logged meanwhile."""

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from filelock import FileLock

import dynamo_lab as lab
from dynamo_lab.model.core import codec
from tests.live.programs import LARGE, PROGRAMS

_REFUSED = re.compile(r"cannot fuse (\S+) with (\S+): (.*)", re.DOTALL)
_FUSED = re.compile(r"fusing (\S+) with (\S+)$")


Told = tuple[int, int, frozenset[str], str]
"""What is said of a pair: in which schedule and round, the two names, a reason or "fused"."""


class _Log(logging.Handler):
    """The fusion log, parsed. A round may ask twice of a pair that came to stand in for others."""

    def __init__(self) -> None:
        super().__init__()
        self.told: set[Told] = set()
        self._schedule = -1
        self._round = 0

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text.startswith("===== attempting fusion (1/"):
            self._schedule, self._round = self._schedule + 1, 0
        elif text.startswith("fuse_nodes_once"):
            self._round += 1
        elif found := _REFUSED.match(text):
            pair = frozenset(found.groups()[:2])
            self.told.add((self._schedule, self._round, pair, found[3]))
        elif found := _FUSED.match(text):
            pair = frozenset(found.groups())
            self.told.add((self._schedule, self._round, pair, "fused"))


class Explored(msgspec.Struct):
    """A recording beside what PyTorch itself said of the same run."""

    recording: lab.Recording
    fusions: set[Told]
    timers: set[str]
    """The passes that PyTorch timed."""


def each(names: Iterable[str] = PROGRAMS) -> list[Any]:
    """The names as parameters of a test: the large programs are `long`."""
    large = pytest.mark.long
    return [pytest.param(name, marks=large if name in LARGE else ()) for name in names]


class Explorations:
    """The programs by name, explored by whichever worker comes first and read by the others.

    The facts come from a file in either case: there is no program in such a recording to run again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, name: str) -> Explored:
        path = self._folder / f"explored-{name}.json"
        with FileLock(f"{path}.lock"):
            if not path.exists():
                torch.manual_seed(0)
                fn, args, options = PROGRAMS[name]()
                path.write_bytes(_encode(watched(fn, args, options)))
            return _decode(path.read_bytes())


def watched(fn: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Explored:
    """The program explored, with PyTorch's logs of the same run."""
    timed: dict[str, Any] = torch._dynamo.utils.compilation_time_metrics
    timed.clear()
    with _fusion_log() as log:
        recording = lab.explore(fn, *args, **options)
    return Explored(recording, log.told, {name for name in timed if name.startswith("pass.")})


@contextmanager
def _fusion_log() -> Iterator[_Log]:
    """What TORCH_LOGS=fusion prints."""
    from torch._inductor.scheduler import fusion_log

    handler = _Log()
    before = fusion_log.level, fusion_log.propagate
    fusion_log.addHandler(handler)
    fusion_log.setLevel(logging.DEBUG)
    fusion_log.propagate = False
    try:
        yield handler
    finally:
        fusion_log.removeHandler(handler)
        fusion_log.setLevel(before[0])
        fusion_log.propagate = before[1]


class _File(msgspec.Struct):
    recording: msgspec.Raw
    fusions: set[Told]
    timers: set[str]


def _encode(explored: Explored) -> bytes:
    data = codec.encode(explored.recording)
    assert codec.decode(data, type=lab.Recording) == explored.recording, "facts are lost in a file"
    return msgspec.json.encode(_File(msgspec.Raw(data), explored.fusions, explored.timers))


def _decode(data: bytes) -> Explored:
    kept = msgspec.json.decode(data, type=_File)
    recording = codec.decode(bytes(kept.recording), type=lab.Recording)
    return Explored(recording, kept.fusions, kept.timers)
