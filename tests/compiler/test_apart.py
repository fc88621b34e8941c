"""A change in a copy of the process: whatever it does there, a sentence comes back."""

from __future__ import annotations

import os
import signal
import time

import pytest

from dynamo_lab.capture.core.apart import can_fork
from dynamo_lab.compiler.live.apart import try_apart
from dynamo_lab.errors import LoweringError, WrongProgramError

pytestmark = pytest.mark.skipif(not can_fork(), reason="a copy needs Linux without a GPU")


def wrong() -> None:
    raise WrongProgramError("off")


def endless() -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("work", "error", "sentence"),
    [
        (wrong, WrongProgramError, "^off$"),
        (lambda: 1 / 0, LoweringError, "raises ZeroDivisionError: division by zero"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), LoweringError, r"It crashed \(SIGSEGV\)"),
        (endless, LoweringError, "did not end within 0.3 s"),
    ],
)
def test_what_goes_wrong_is_told(work: object, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        try_apart(work, 0.3 if work is endless else 30)  # type: ignore[arg-type]


def test_it_is_stopped() -> None:
    with pytest.raises(LoweringError, match="It was stopped"):
        try_apart(lambda: time.sleep(60), 60, lambda: True)


def test_nothing_of_it_is_here() -> None:
    kept: list[int] = []
    try_apart(lambda: kept.append(1), 30)
    assert kept == []
