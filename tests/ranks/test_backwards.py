"""A collective that autograd's thread calls has the line of the backward that it belongs to."""

import math

from dynamo_lab.capture.ranks.backwards import Backwards
from dynamo_lab.model.ranks.ranks import Call


def _stack_of(backwards: Backwards, *, at: float, is_backward: bool = True) -> int | None:
    call = Call(name="reduce_scatter", group="0", number=1, started=at, is_backward=is_backward)
    return backwards.placed([call])[0].stack


def test_a_call_is_of_the_one_backward_that_ran() -> None:
    backwards = Backwards()
    for stack, start, end in ((3, 10.0, 20.0), (4, 30.0, math.inf)):
        one = backwards.begun(stack)
        one.start, one.end = start, end
    assert [_stack_of(backwards, at=at) for at in (5, 15, 25, 1000)] == [None, 3, None, 4]
    assert _stack_of(backwards, at=15, is_backward=False) is None


def test_of_two_at_once_neither_is_said() -> None:
    backwards = Backwards()
    for stack in (3, 4):
        one = backwards.begun(stack)
        one.start, one.end = 10.0, 20.0
    assert _stack_of(backwards, at=15) is None


def test_a_line_that_is_known_stays() -> None:
    backwards = Backwards()
    backwards.begun(3).start = 0.0
    call = Call(name="all_reduce", group="0", number=1, started=5.0, is_backward=True, stack=9)
    assert backwards.placed([call]) == (call,)
