"""A program that was tried with and without the fast path: what it took, and its time."""

from typing import Literal

from msgspec import Struct

from dynamo_lab.model.fast_path.calls import FastPath, FastPathCall

Way = Literal["eager", "compiled", "fast path", "both"]
"""Eager and compiled without the fast path; eager with it; and compiled where it is allowed."""

WAYS: tuple[Way, ...] = ("eager", "compiled", "fast path", "both")


class WayTimes(Struct, frozen=True, kw_only=True):
    """The seconds of a call, one for each round; `error` if it could not run.

    `difference` is the largest between an element of what it gives and what eager gives, where no
    `src_key_padding_mask` hides it; None where they cannot be compared.
    """

    way: Way
    seconds: tuple[float, ...] = ()
    difference: float | None = None
    error: str = ""


class Trial(Struct, frozen=True, kw_only=True):
    """A program on this machine. `eager` and `compiled` are its calls, in their order.

    `uncompiled` says why Dynamo compiled nothing of it, in its words.
    """

    device: str
    eager: tuple[FastPathCall, ...] = ()
    compiled: tuple[FastPath, ...] = ()
    uncompiled: str = ""
    measured: tuple[WayTimes, ...] = ()
