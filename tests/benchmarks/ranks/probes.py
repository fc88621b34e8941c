"""A rank as `-m dynamo_lab.record` runs it, with the processor seconds of each probe counted.

    torchrun --nproc-per-node 2 -m tests.benchmarks.ranks.probes --folder FOLDER SCRIPT

`PROBES` names the file, to which the rank's number is added. A probe that runs inside another's
call is counted in both; what the counting takes, two looks at a clock, is the program's.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.ranks.flight import Flight
from dynamo_lab.capture.ranks.ranks import OwnRank
from dynamo_lab.model.core import codec
from dynamo_lab.record.__main__ import main
from dynamo_lab.record.ranks.diary import Diary
from dynamo_lab.record.ranks.folder import SeenFile

if TYPE_CHECKING:
    from collections.abc import Callable

PROBES = "DYNAMO_LAB_BENCH_PROBES"
_Counts = dict[str, list[float]]


DIARY = (
    (OwnRank, "sample"), (SeenFile, "write"), (Diary, "_look"), (Diary, "write"),
    (Flight, "count"), (Recorder, "freeze"), (codec, "save"),
)  # fmt: skip
"""What the thread beside the program does; the later ones are in `_look`, and in `Diary.write`."""


def counted(spent: _Counts, function: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """A function whose seconds are counted, under a name or that of the probe it is given."""
    is_call = function.__name__ not in ("_finish", "_fail")

    def count(*args: Any, **kwargs: Any) -> Any:
        began = time.thread_time()
        try:
            return function(*args, **kwargs)
        finally:
            row = spent[name or args[1].__qualname__]
            row[0] += time.thread_time() - began
            row[1] += is_call

    return count


def heard(spent: _Counts, wrap: Callable[..., Any]) -> Callable[..., Any]:
    """`Patches.heard`, whose listeners are counted."""

    def counting(self: Patches, function: Any, listener: Callable[..., None]) -> Any:
        def listen(*args: Any, **kwargs: Any) -> None:
            began = time.thread_time()
            try:
                listener(*args, **kwargs)
            finally:
                row = spent[listener.__qualname__]
                row[0] += time.thread_time() - began
                row[1] += 1

        listen.__name__ = listener.__name__
        return wrap(self, function, listen)

    return counting


def count_probes() -> _Counts:
    """From now on each probe's seconds and calls are in what is returned."""
    spent: _Counts = defaultdict(lambda: [0.0, 0])
    for name in ("_start", "_finish", "_fail"):
        setattr(Patches, name, counted(spent, getattr(Patches, name)))
    for owner, name in DIARY:
        function = getattr(owner, name)
        setattr(owner, name, counted(spent, function, f"(diary) {function.__qualname__}"))
    Patches.heard = heard(spent, Patches.heard)
    return spent


if __name__ == "__main__":
    known = count_probes()
    code = main()
    Path(f"{os.environ[PROBES]}.{os.environ['RANK']}").write_text(json.dumps(known))
    sys.exit(code)
