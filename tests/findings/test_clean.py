"""A clean program gets no finding above a note, in all but one of twenty."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.findings.clean import CLEAN
from tests.findings.faults import findings_of, recorded

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

KNOWN: frozenset[str] = frozenset()
"""Clean programs in which something is found nevertheless: at most one."""


def test_there_are_twenty() -> None:
    assert len(CLEAN) == 20
    assert len(KNOWN) <= 1


@pytest.mark.parametrize("name", [name for name in CLEAN if name not in KNOWN])
def test_nothing_above_a_note_is_found(name: str, tmp_path: Path) -> None:
    recording = recorded(CLEAN[name], tmp_path, f"clean_{name}")
    assert recording.failure is None
    assert recording.captured_graphs(), "nothing was compiled"
    found = findings_of(recording)
    assert [(one.rule, one.sentence) for one in found if one.level != "note"] == []
