"""Where compile time went, as PyTorch's own timers measured it."""

from msgspec import Struct


class Timing(Struct, frozen=True, array_like=True):
    """A phase of compilation. `start` and `seconds` count from the recording's start.

    `parent` indexes `Recording.timings`, -1 for a root. `compile_id` is empty outside of one.
    """

    name: str
    start: float
    seconds: float
    parent: int = -1
    compile_id: str = ""
    thread: int = 0
