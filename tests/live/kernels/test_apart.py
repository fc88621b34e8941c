"""A process of our own: bounded, ended as a whole, and stopped when asked."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.capture.core import apart
from dynamo_lab.capture.core.apart import crash_of, run_apart

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = [sys.executable, "-c"]


def is_running(number: int) -> bool:
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_messages_are_kept_in_part_and_end_what_writes_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "OUTPUT_BYTES", 1 << 20)
    program = "import os\nwhile True: os.write(2, b'x' * 65536); os.write(1, b'y' * 65536)"
    ended = run_apart([*PYTHON, program], tmp_path, 60.0)
    assert ended.by == "messages"
    assert len(ended.said) == 64 << 10


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("is_endless", [True, False])
def test_what_it_started_ends_with_it(tmp_path: Path, is_endless: bool) -> None:
    program = (
        "import os, sys, time\n"
        "child = os.fork()\n"
        "if child == 0: time.sleep(600)\n"
        "print(child, file=sys.stderr, flush=True)\n"
        f"time.sleep(600 if {is_endless} else 0)\n"
    )
    ended = run_apart([*PYTHON, program], tmp_path, 6.0 if is_endless else 60.0)
    assert ended.by == ("time" if is_endless else "itself")
    child = int(ended.said)
    while is_running(child):  # it is being ended
        time.sleep(0.01)
    assert child != os.getpid()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_left_its_group_ends_with_it_too(tmp_path: Path) -> None:
    program = (
        "import os, sys, time\n"
        "left, right = os.pipe()\n"
        "child = os.fork()\n"
        "if child == 0: os.setsid(); os.write(right, b'1'); time.sleep(600)\n"
        "os.read(left, 1)\n"
        "print(child, file=sys.stderr, flush=True)\n"
    )
    ended = run_apart([*PYTHON, program], tmp_path, 60.0)
    assert ended.by == "itself"
    for _ in range(3000):  # it is being ended
        if not is_running(int(ended.said)):
            break
        time.sleep(0.01)
    assert not is_running(int(ended.said))


def test_it_ends_when_it_is_stopped(tmp_path: Path) -> None:
    looks = iter([False, False, True])
    program = "import time; time.sleep(600)"
    ended = run_apart([*PYTHON, program], tmp_path, 600.0, is_stopped=lambda: next(looks))
    assert (ended.by, ended.code) == ("stopped", -9)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces it")
def test_memory_is_limited(tmp_path: Path) -> None:
    program = (
        "from dynamo_lab.capture.core.apart import limit_here\n"
        "limit_here(64 << 20)\n"
        "try: bytearray(256 << 20)\n"
        "except MemoryError: raise SystemExit(7)\n"
    )
    assert run_apart([*PYTHON, program], tmp_path, 60.0).code == 7


def test_a_signal_has_words() -> None:
    assert crash_of(11) == "segmentation fault, SIGSEGV"
    assert crash_of(15) == "SIGTERM"
    assert crash_of(99) == "signal 99"
