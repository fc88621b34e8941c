"""Instructions as they are recorded: a jump goes to an offset, by which its target is found."""

import dis
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from dynamo_lab.capture.breaks.faults import at
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


@pytest.mark.parametrize(
    ("opname", "value", "argument"),
    [
        ("LOAD_CONST", None, "None"),
        ("RETURN_CONST", None, "None"),
        ("LOAD_SMALL_INT", 3, "3"),
        ("LOAD_FAST_BORROW", "x", "x"),
    ],
)
def test_what_dynamo_made_has_its_argument_in_each_python(
    opname: str, value: object, argument: str
) -> None:
    made = SimpleNamespace(
        opname=opname, argval=value, argrepr=None, offset=None, positions=None, is_jump_target=False
    )
    (found,) = instructions(chooses.__code__, [made], Texts())
    assert (found.opname, found.argument) == (opname, argument)


@pytest.mark.parametrize(
    ("opname", "arg", "kept"),
    [
        ("BINARY_SUBSCR", None, "BINARY_SUBSCR"),
        ("BINARY_OP", 26, "BINARY_OP []"),
        ("BINARY_OP", 0, "BINARY_OP"),
        ("CALL", 26, "CALL"),
    ],
)
def test_an_index_is_an_operator_from_python_3_14_on(
    opname: str, arg: int | None, kept: str
) -> None:
    instruction = SimpleNamespace(opname=opname, arg=arg, offset=4, exn_tab_entry=None)
    translator = SimpleNamespace(current_instruction=instruction, block_stack=[])
    translator.output = SimpleNamespace(root_tx=translator)
    fault = at(translator)
    assert (fault.offset, fault.opname) == (4, kept)
