"""What a program raised at the line of a break, which Python ran: the trace is no guess then."""

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.advice import rule_of
from dynamo_lab.view.breaks.exceptions import COMPILERS, cause
from dynamo_lab.view.core.places import Places

_FORESEEN = (
    "error in an operator",
    "exception raised",
    "call that does not fit the function",
)


def raised_at(item: Break, recording: Recording, places: Places) -> str:
    """'TypeError: no', where Python ran this line and the program ended with it; else empty."""
    failure = recording.failure
    if failure is None or failure.span is None or failure.caught:
        return ""
    if failure.type in COMPILERS:  # of another function, say, that this line was captured for too
        return ""
    went_past = item.resume_frames or item.joins
    if item.effect not in ("resumed", "skipped") or went_past:
        return ""
    lines = places.lines_of(item.stack) or (places.line_of(item.span),)
    is_there = places.line_of(failure.span) in (lines[-1], places.own_line(item.stack))
    return cause(failure.type, failure.message) if is_there else ""


def advice_on(
    item: Break, recording: Recording, places: Places, advice: tuple[str, ...]
) -> tuple[str, ...]:
    """The advice; where Dynamo foresaw what Python then raised, nothing is left to find out."""
    raised = raised_at(item, recording, places)
    if not raised or rule_of(item).title not in _FORESEEN:
        return advice
    return (
        f"Python ran the line as well, and it raised there too: {raised.rstrip('.')}. Mend the "
        "call or what it is given; if it is meant to raise, nothing is to be compiled here.",
    )
