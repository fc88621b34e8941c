"""Products that a device would pad, if its clock says so: what it would time is told, not timed.

Inductor pads a matrix product to sizes that tensor cores like where that is faster on the device.
Whether it may, and whether it is worth a measurement, follows from sizes and the datasheet; the
last word has a clock.
"""

from collections.abc import Callable
from typing import Any

from dynamo_lab.capture.core.undo import Changes, Undo
from dynamo_lab.capture.targets import hooks

Padded = Callable[[str, str], None]
"""Called where a clock would decide: the product in words, and the name of its node."""


def unpadded(told: Padded) -> Changes[None]:
    """For the block, no product is timed, and `told` hears of each that would be."""
    pads = hooks.PADDING.get()
    decide, undecided = pads._should_pad, list[str]()

    def decided(match: Any, first: Any, second: Any, operator: Any, *rest: Any) -> Any:
        undecided.clear()
        answer = decide(match, first, second, operator, *rest)
        if undecided:
            sizes = " by ".join("x".join(map(str, one.shape)) for one in (first, second))
            told(f"{operator} of {sizes}", _node(match))
        return answer

    def remembered(key: str) -> bool:  # asked last, before it is timed
        undecided.append(key)
        return False

    def make(undo: Undo) -> None:
        undo.replace(pads, "_should_pad", decided)
        undo.replace(pads, "get_cached_should_pad", remembered)

    return Changes(make)


def _node(match: Any) -> str:
    return getattr(match.output_node(), "name", "")
