"""A network that was compiled in several ways, which differ in where values lie in memory."""

from typing import Literal

from msgspec import Struct

WayName = Literal[
    "eager",
    "compiled",
    "layout kept",
    "channels last",
    "concat as loop",
    "one thread",
    "frozen",
    "frozen, unpacked",
    "oneDNN Graph",
]
"""In the order in which they are shown; each but the first two differs from "compiled" in what it
is named after. "oneDNN Graph" is TorchScript, frozen, without `torch.compile`."""


class WayTrial(Struct, frozen=True, kw_only=True):
    """One way. `problem` says why it could not be had; nothing else is set then.

    `difference` is the root mean square of the distance from the eager result, relative to that.
    `groups` are the operators that oneDNN Graph joined to one kernel each; None where it was not
    used. `seconds` are of a call, one for each round.
    """

    name: WayName
    problem: str = ""
    threads: int = 1
    groups: tuple[tuple[str, ...], ...] | None = None
    difference: float | None = None
    seconds: tuple[float, ...] = ()


class Trial(Struct, frozen=True, kw_only=True):
    """A network on this machine, in each way."""

    title: str
    machine: str
    device: str
    ways: tuple[WayTrial, ...] = ()
