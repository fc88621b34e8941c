"""How long a check of the guards takes, by the values that they are on, and with a filter."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.model.guards.costs import GuardFilter, GuardTime
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.words import percent, seconds
from dynamo_lab.view.guards.readable import readable

_FITS = 0.2
"""How far the parts may be from the whole without a remark."""


class GuardCostRow(Struct, frozen=True, array_like=True):
    """A value with all that is reached through it: what its guards take, and of the whole."""

    name: str
    seconds: float
    share: float
    values: int = 0


class GuardCostView(Struct, frozen=True, kw_only=True):
    """One check of a compilation's guards, which precedes each of its calls.

    `rows` are there where it was measured by value, the costliest first; `filters` are sentences on
    what PyTorch's own filters would leave.
    """

    compile_id: str
    title: str
    sentence: str
    seconds: float
    rows: tuple[GuardCostRow, ...] = ()
    sum: str = ""
    filters: tuple[str, ...] = ()


def build(recording: Recording) -> tuple[GuardCostView, ...]:
    """A check of each compilation, the longest first."""
    names = frame_names(recording)
    frames = {guard.compile_id: guard.frame for guard in recording.guards}
    times = sorted(recording.guard_times, key=lambda one: -one.seconds)
    return tuple(
        _view(one, names[frames[one.compile_id]] if one.compile_id in frames else "")
        for one in times
    )


def _view(one: GuardTime, name: str) -> GuardCostView:
    rows = tuple(_rows(one))
    return GuardCostView(
        compile_id=one.compile_id,
        title=name,
        sentence=(
            f"Checking the guards ({one.guards:,} as Dynamo counts them) takes "
            f"{seconds(one.seconds)}, measured apart from a call."
        ),
        seconds=one.seconds,
        rows=rows,
        sum=_sum(one, rows),
        filters=tuple(_filter(found, one) for found in one.filters),
    )


def _rows(one: GuardTime) -> Iterator[GuardCostRow]:
    whole = one.seconds or 1.0
    if one.state is not None:
        yield GuardCostRow("the state of PyTorch", one.state, one.state / whole)
    for branch in one.branches:
        name = "globals" if branch.source == "G" else readable(branch.source)
        yield GuardCostRow(name, branch.seconds, branch.seconds / whole, branch.values)


def _sum(one: GuardTime, rows: tuple[GuardCostRow, ...]) -> str:
    if not rows:
        return ""
    told = sum(row.seconds for row in rows)
    share = told / one.seconds if one.seconds else 0.0
    text = f"Each part was measured apart; together they are {percent(share)} of the whole"
    if abs(share - 1) <= _FITS:
        return f"{text}."
    return f"{text}, so what each takes is known roughly."


def _filter(found: GuardFilter, one: GuardTime) -> str:
    left = one.guards - found.kept
    text = f"`torch.compiler.{found.name}` drops {left:,} of them"
    if not left or found.seconds is None:
        return f"{text}."
    return f"{text}, which leaves at most {seconds(found.seconds)}."


def dropping(one: GuardTime) -> GuardFilter | None:
    """The filter that drops least of those that halve the time, None if none of them does.

    That which drops all guards is none: it leaves nothing that would notice another shape.
    """
    halving = (
        found
        for found in one.filters
        if found.kept and found.seconds is not None and found.seconds <= one.seconds / 2
    )
    return next(halving, None)
