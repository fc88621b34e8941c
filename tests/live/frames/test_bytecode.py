"""Instructions as they are recorded: a jump goes to an offset, by which its target is found."""

import dis
from collections.abc import Iterator
from typing import Any

import pytest

from dynamo_lab.capture.core.sources import Texts
from dynamo_lab.capture.frames.bytecode import bytecode, instructions


def chooses(x: int) -> int:
    if x:
        return 1
    return 2


def test_jumps_go_to_offsets_also_where_python_names_labels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As `dis` does since Python 3.13."""
    plain = dis.get_instructions

    def labelled(code: Any) -> Iterator[Any]:
        for one in plain(code):
            yield one._replace(argrepr="to L1") if "JUMP" in one.opname else one

    monkeypatch.setattr(dis, "get_instructions", labelled)
    code = chooses.__code__
    for found in (bytecode(code, Texts()), instructions(code, labelled(code), Texts())):
        (jump,) = (one for one in found if "JUMP" in one.opname)
        assert jump.argument.startswith("to ")
        (target,) = (one for one in found if jump.argument == f"to {one.offset}")
        assert target.is_jump_target
