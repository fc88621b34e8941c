"""How much of the reader's own code is compiled."""

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.regions import LineState, Regions
from dynamo_lab.view.core.words import plural


def share(recording: Recording, places: Places, regions: Regions) -> str:
    """How many of the reader's lines are compiled; empty where all are, or none is known.

    Of a compilation that failed, the line that failed it is said elsewhere.
    """
    if any(attempt.outcome == "failed" for f in recording.frames for attempt in f.attempts):
        return ""
    states = _own_states(regions, places)
    compiled = sum(state == "compiled" for state in states)
    if not states or compiled == len(states):
        return ""
    if compiled:
        is_or_are = "is" if compiled == 1 else "are"
        return (
            f"Of your {plural(len(states), 'line')} in these frames, "
            f"{compiled:,} {is_or_are} compiled."
        )
    lines = "Your line" if len(states) == 1 else f"None of your {len(states):,} lines"
    is_not = "is not" if len(states) == 1 else "is"
    return f"{lines} in these frames {is_not} compiled: the graphs are of library code."


def _own_states(regions: Regions, places: Places) -> list[LineState]:
    lines = regions.states.items()
    return [state for line, state in lines if state and not places.is_library(line)]
