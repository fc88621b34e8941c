"""A break in what a higher-order operator runs, as `torch.cond`: that has to be captured whole."""

from typing import NamedTuple

from dynamo_lab.view.breaks.exceptions import uncaptured
from dynamo_lab.view.breaks.rewrites import Refusal, with_where
from dynamo_lab.view.core.places import Line, Places


class Uncaptured(NamedTuple):
    """What to do about it, and what to write."""

    remedy: str
    code: str


_BRANCH = (
    "It is no place where Python can decide. Choose with tensors there: `torch.where(condition, a, "
    "b)` computes both sides, another `torch.cond` within captures both. Or decide before `{}` is "
    "called."
)
_OTHER = (
    "Python cannot run a part of what `{}` runs. Leave this line out there: do it before the call "
    "or after it, on what goes in or comes out."
)


def remedy_of(message: str, line: Line, places: Places) -> Uncaptured | None:
    """The remedy, where a message says so; the line is that of the break within, where known."""
    found = uncaptured(message)
    if found is None:
        return None
    operator, kind = found
    if not kind.startswith("Data-dependent branching"):
        return Uncaptured(_OTHER.format(operator), "")
    source, number = line
    try:
        code = with_where(places.whole(source), number).diff
    except Refusal:
        code = ""
    return Uncaptured(_BRANCH.format(operator), code)
