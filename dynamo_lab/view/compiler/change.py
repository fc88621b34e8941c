"""What came of a change of the compiler: whether it counts, what differs, and how fast it is."""

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from dynamo_lab.measure.statistics import Ratio, ratio, spread
from dynamo_lab.view.compiler.compiler import StageGraph
from dynamo_lab.view.fusion.fusion import ScheduleView
from dynamo_lab.view.kernels.code_diff import Edit, edits
from dynamo_lab.view.timings.durations import interval_text, median_text

ChangeVerdict = Literal["right", "refused", "undone"]
"""It gives what eager gives and counts from now on; it does not; the last one is taken back."""


class ChangedText(Struct, frozen=True, kw_only=True):
    """A kernel's text before and after; empty where there is none. `edits` are what differs."""

    kernel: str
    before: str
    after: str
    edits: tuple[Edit, ...]


class ChangeView(Struct, frozen=True, kw_only=True):
    """One change. `changes` are those that count now, the first one first.

    `counts` are a name, how many before, and how many after; `fusion` are the groups that came or
    went, with a sign before each. `graph` are the stages and `schedule` the verdicts of fusion as
    they are now; None where nothing changed. `tone` is "good" where a call became faster.
    """

    verdict: ChangeVerdict
    sentence: str
    changes: tuple[str, ...] = ()
    graph: StageGraph | None = None
    schedule: ScheduleView | None = None
    counts: tuple[tuple[str, int, int], ...] = ()
    fusion: tuple[str, ...] = ()
    texts: tuple[ChangedText, ...] = ()
    time: str = ""
    tone: str = ""


def changed_texts(texts: Mapping[str, tuple[str, str]]) -> tuple[ChangedText, ...]:
    """The texts of kernels that differ, before and after."""
    return tuple(
        ChangedText(
            kernel=name,
            before=before,
            after=after,
            edits=edits(before.split("\n"), after.split("\n")),
        )
        for name, (before, after) in texts.items()
    )


def timed(before: Sequence[float], after: Sequence[float]) -> tuple[str, str]:
    """A call's time before and after in words, and the tone of the difference."""
    if not before:
        return "not timed: it was stopped", ""
    found: Ratio = ratio(before, after)
    tone = ("good" if found.value > 1 else "bad") if found.differs else ""
    said = f"{found.sentence} ({interval_text(found.above_one)})" if tone else found.sentence
    medians = f"{median_text(spread(before))} before, {median_text(spread(after))} now"
    return f"A call: {medians}: {said}.", tone
