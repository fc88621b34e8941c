"""A rank that an exception ends: what is noted of it, and that noting it never hides it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import dynamo_lab as lab
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.ranks.ranks import handled_by
from dynamo_lab.model.core import codec
from dynamo_lab.record.ranks.folder import JobFolder

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import sys
from dynamo_lab.record.ranks.folder import JobFolder
from dynamo_lab.record.ranks.process import recorded

class Odd(Exception):
    def __len__(self):
        return 0

class Hostile(Exception):
    @property
    def real_stack(self):
        raise RuntimeError("there is no stack")

def program():
    try:
        raise Odd("no such batch")
    except Odd as odd:
        raise Hostile("mine") from odd

sys.exit(recorded(program, "step", JobFolder(sys.argv[1])))
"""


class Empty(Exception):
    """As a group of exceptions may have: a length, of 0."""

    def __len__(self) -> int:
        return 0


def test_what_was_handled_is_found_also_where_it_is_false() -> None:
    def ending(of: BaseException | None, *, is_cause: bool) -> BaseException:
        try:
            try:
                raise Empty("no such batch")
            except Empty as error:
                if is_cause:
                    raise KeyError("lr") from (of or error)
                raise KeyError("lr")  # noqa: B904
        except KeyError as error:
            return error

    texts = Recorder("step").texts
    for is_cause in (True, False):
        found = handled_by(ending(None, is_cause=is_cause), texts)
        assert found is not None
        assert found.message == "Empty: no such batch"
    assert handled_by(ending(ValueError(), is_cause=True), texts) is None  # raised on no line


@pytest.mark.live
def test_what_fails_in_noting_an_exception_leaves_it_to_the_user(tmp_path: Path) -> None:
    folder = JobFolder(tmp_path / "job")
    folder.seen(0).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "program.py").write_text(PROGRAM)
    alone = {
        name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")
    }
    ran = subprocess.run(
        [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "job")],
        capture_output=True, text=True, timeout=300, env=alone,
    )  # fmt: skip
    assert ran.returncode == 1
    assert "Hostile: mine" in ran.stderr
    own = codec.load(folder.recording(0)).rank
    assert own is not None
    assert own.ending.message == "Hostile: mine"
    assert own.handled is not None
    assert own.handled.message == "Odd: no such batch"


def fails_for_another() -> None:
    """It raises as it handles another exception."""
    try:
        raise Empty("no config")
    except Empty:
        raise RuntimeError("cannot start")  # noqa: B904


@pytest.mark.live
def test_of_a_plan_it_is_told_too() -> None:
    (told,) = lab.ranks(fails_for_another, 2, backend="fake").findings
    assert told.startswith("Rank 0 raised RuntimeError: cannot start at test_rank_raised.py")
    assert ", while rank 0 handled Empty: no config, raised at test_rank_raised.py" in told
