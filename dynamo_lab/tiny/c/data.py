"""Parameters and constants as C data: hexadecimal floats, so that no bit is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from dynamo_lab.tiny.c.values import C_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.tiny.parts import Part


def array(symbol: str, value: torch.Tensor, *, is_constant: bool) -> str:
    """A tensor as a definition; one without elements has one, as C has no empty array."""
    const = "const " if is_constant else ""
    text, size = ", ".join(_literals(value)), max(value.numel(), 1)
    return f"static {const}{C_TYPES[value.dtype]} {symbol}[{size}] = {{{text or 0}}};"


def arrays_of_part(symbol: str, value: torch.Tensor, part: Part) -> Iterator[str]:
    """A weight of which some channels are trained: those, the others, and where each of all is."""
    chosen, others = (
        value.index_select(part.dim, torch.tensor(channels, dtype=torch.long))
        for channels in (part.channels, part.others)
    )
    yield array(symbol, chosen, is_constant=False)
    yield array(rest(symbol), others, is_constant=True)
    yield array(slots(symbol), torch.tensor(part.slots, dtype=torch.int16), is_constant=True)


def rest(symbol: str) -> str:
    """The C name of the channels that are not trained."""
    return f"{symbol}_rest"


def slots(symbol: str) -> str:
    """The C name of the channels' slots."""
    return f"{symbol}_slots"


def _literals(value: torch.Tensor) -> Iterator[str]:
    numbers = value.contiguous().flatten().tolist()
    return (f"{n.hex()}f" if isinstance(n, float) else str(n) for n in numbers)
