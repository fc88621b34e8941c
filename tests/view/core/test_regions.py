"""Which instructions of a frame can run, where it begins in the middle of a function."""

from dynamo_lab.model.frames import Instruction
from dynamo_lab.view.core.regions import reached


def offsets(*code: tuple[int, str, str]) -> list[int]:
    return [one.offset for one in reached([Instruction(*row) for row in code])]


def test_what_follows_a_return_is_not_reached() -> None:
    resumed = (
        (0, "JUMP_FORWARD", "to 8"),
        (2, "LOAD_FAST", "t"),
        (4, "POP_JUMP_IF_FALSE", "to 12"),
        (8, "LOAD_FAST", "t"),
        (10, "RETURN_VALUE", ""),
        (12, "LOAD_FAST", "t"),
        (14, "RETURN_VALUE", ""),
    )
    assert offsets(*resumed) == [0, 8, 10]


def test_both_ways_of_a_branch_are_reached_and_loops_end() -> None:
    loop = (
        (0, "LOAD_FAST", "n"),
        (2, "POP_JUMP_IF_FALSE", "to 8"),
        (4, "LOAD_FAST", "n"),
        (6, "JUMP_BACKWARD", "to 0"),
        (8, "RETURN_CONST", "None"),
    )
    assert offsets(*loop) == [0, 2, 4, 6, 8]


def test_what_catches_an_exception_counts_as_reached() -> None:
    caught = (
        (0, "RETURN_CONST", "to be or not"),
        (2, "PUSH_EXC_INFO", ""),
        (4, "POP_EXCEPT", ""),
        (6, "RERAISE", "0"),
        (8, "NOP", ""),
    )
    assert offsets(*caught) == [0, 2, 4, 6]
    assert offsets() == []
