"""Which line writes the value that keeps changing: the answer in words."""

import re
from collections.abc import Sequence

from msgspec import Struct

_CYCLED = re.compile(r"\['(?:betas|momentum)'\]")
_CYCLERS = ("OneCycleLR", "CyclicLR")


class Writer(Struct, frozen=True, kw_only=True):
    """A line that wrote a value, the reader's line that led to it, and what it wrote.

    `owner` is the class of which the function is a method. `is_passed`: the line passes another
    value or object to the compiled function, and writes none.
    """

    where: str
    function: str
    text: str
    times: int
    was: str
    now: str
    called_from: str = ""
    owner: str = ""
    is_passed: bool = False

    @property
    def sentence(self) -> str:
        """What the line does, in a sentence. Only changes seen after a first call count."""
        does = "passes another" if self.is_passed else "changes it"
        name = f"{self.owner}.{self.function}" if self.owner else self.function
        by = f", called from {self.called_from}" if self.called_from else ""
        often = "once" if self.times == 1 else f"{self.times} times"
        return (
            f"{self.where} (`{self.text}`), in `{name}`{by}, {does} {often}: "
            f"first from {self.was} to {self.now}."
        )


class WhoWrote(Struct, frozen=True, kw_only=True):
    """The answer to "who wrote this value?": the lines, the most frequent first, and advice."""

    subject: str
    calls: int
    writers: tuple[Writer, ...] = ()
    advice: str = ""

    def __str__(self) -> str:
        if not self.writers:
            return f"`{self.subject}` did not change in {self.calls} calls: run more of them."
        rows = (writer.sentence for writer in self.writers)
        return "\n".join(filter(None, (f"`{self.subject}`:", *rows, self.advice)))

    __repr__ = __str__


def advice_for(source: str, owners: Sequence[str]) -> str:
    """What to do where the writer is known; empty where the recompilation's own advice is all."""
    found = next((name for name in _CYCLERS if name in owners), "")
    if found and _CYCLED.search(source):
        return (
            f"{found} cycles it. With `cycle_momentum=False` it stays fixed and needs no more "
            "code; training then differs."
        )
    return ""
