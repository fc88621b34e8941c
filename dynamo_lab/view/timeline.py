"""Where compile time went: phases as nested bars, and the totals of the largest."""

from msgspec import Struct


class PhaseView(Struct, frozen=True, array_like=True):
    """A bar: seconds from the recording's start, how deep it nests, which compilation it is of."""

    name: str
    start: float
    seconds: float
    depth: int
    compile_id: str
    explanation: str = ""


class TimelineView(Struct, frozen=True, kw_only=True):
    """`totals` are (phase, seconds of its own without nested phases, share of all), largest first."""

    seconds: float
    phases: tuple[PhaseView, ...]
    totals: tuple[tuple[str, float, float], ...]
