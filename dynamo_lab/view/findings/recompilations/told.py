"""What a rule tells of a story: what is wrong, what to do, and how it can be applied."""

from collections.abc import Callable
from typing import NamedTuple

from dynamo_lab.model.breaks import Break
from dynamo_lab.view.core.places import Line
from dynamo_lab.view.findings.changes import Change, Options
from dynamo_lab.view.findings.finding import Facts, Grade
from dynamo_lab.view.findings.recompilations.stories import Story

DYNAMIC = Options({"dynamic": True})
"""Opens every size and number that the code does not need itself."""


class Told(NamedTuple):
    """`what` says what changes, as a clause. `left` counts the recompilations that stay.

    It is None where that is not known. `line` is where it is best mended, if not where it shows.
    """

    rule: str
    what: str
    remedy: str = ""
    code: str = ""
    grade: Grade = "none"
    change: Change | None = None
    left: int | None = None
    line: Line | None = None
    is_expected: bool = False


Case = Callable[[Story, Facts], Told | None]
"""What is told of a story of the kind that this case is about; None of the others."""


def break_before(story: Story, facts: Facts) -> tuple[Break | None, str]:
    """The break after which the code of a story goes on, and the words for it."""
    breaks = (one for one in facts.recording.breaks if story.frames[0] in one.resume_frames)
    found = next(breaks, None)
    if found is None:
        return None, "a break"
    return found, f"the break at {facts.places.where(facts.places.line_of(found.span))}"
