"""The memory limit: read from text, and what to say where it cannot be met."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dynamo_lab.errors import OptionError, TinyError
from dynamo_lab.view.core.words import listed, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.model.tiny import TinyPlan
    from dynamo_lab.tiny.work import Storage

_UNITS = {"b": 1, "kb": 1000, "kib": 1024, "mb": 1000**2, "mib": 1024**2}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmKM]?i?[bB])\s*$")


def limit_of(asked: str | int | None) -> int | None:
    """Bytes of "256 kB" (256,000), "256 KiB" (262,144) or a number; None for no limit.

    Raises:
        OptionError: it is no size.
    """
    if asked is None:
        return None
    if isinstance(asked, int) and not isinstance(asked, bool) and asked > 0:
        return asked
    found = _SIZE.match(asked) if isinstance(asked, str) else None
    if found is None:
        raise OptionError(
            f'memory={asked!r} is no size: give "256 kB", "256 KiB", a number of bytes, or None '
            "for no limit."
        )
    return int(float(found[1]) * _UNITS[found[2].lower()])


def hold(plan: TinyPlan, largest: Sequence[Storage]) -> None:
    """Refuse a plan that is above its limit.

    Args:
        plan: What was planned.
        largest: What lies in the arena at the worst moment, the largest first.

    Raises:
        TinyError: with the least that is possible, and what takes it.
    """
    if plan.limit is None or plan.bytes <= plan.limit:
        return
    least = plan.order_bound + plan.resident
    bound = (
        "no order of its operations needs less"
        if least >= plan.alive + plan.resident
        else f"no order needs less than {size(least)}"
    )
    parts = [f"{size(one.bytes)} of {one.name} ({one.kind})" for one in largest[:3]]
    raise TinyError(
        f"The step needs {size(plan.bytes)} and the limit is {size(plan.limit)}; {bound}. "
        f"{size(plan.resident)} are the parameters that are updated and their state; at the worst "
        f"moment, {plan.peak_at}, the arena holds {listed(parts)}. Update fewer parameters or "
        "fewer of their channels, take a smaller sample, or pass memory=None to see the plan."
    )
