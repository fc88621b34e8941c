"""Two runs of the suite: which models changed their verdict or their speed."""

from collections.abc import Sequence

from msgspec import Struct

from dynamo_lab.errors import SuiteError
from dynamo_lab.measure.statistics import Ratio, digits
from dynamo_lab.suite.results import Result, incomparable
from dynamo_lab.suite.table import Cell, build

ALIKE = 0.03
"""Speed-ups that differ by less count as equal: two processes differ as much anyway."""


class Comparison(Struct, frozen=True, kw_only=True):
    """What changed: titled lists of (case, how). `before` and `after` say where each ran."""

    cases: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    sections: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def compare(before: Sequence[Result], after: Sequence[Result]) -> Comparison:
    """What changed, for the cases that both have.

    What is compared is how many times faster than eager each run found a model to be, which a
    busier machine changes less than times.

    Raises:
        SuiteError: the runs have no case in common, or their environments may not be compared.
    """
    if reason := incomparable(before, after):
        raise SuiteError(
            f"The runs cannot be compared, they differ in {reason}. Run both alike, on one machine."
        )
    old, new = ({one.case: one for one in run} for run in (before, after))
    cases = [case for case in old if case in new]
    if not cases:
        raise SuiteError("The runs have no case in common: run the same models in both.")
    lists: dict[str, list[tuple[str, str]]] = {
        "verdict changed": [],
        "faster": [],
        "slower": [],
        "breaks changed": [],
        "no significant change": [],
    }
    for case in cases:
        for title, description in _changes(old[case], new[case]):
            lists[title].append((str(case), description))
    return Comparison(
        cases=len(cases),
        before=build(before).machines,
        after=build(after).machines,
        sections=tuple((title, tuple(rows)) for title, rows in lists.items() if rows),
    )


def _changes(old: Result, new: Result) -> list[tuple[str, str]]:
    if old.verdict != new.verdict:
        reason = f": {new.reason}" if new.reason else ""
        return [("verdict changed", f"{old.verdict} before, {new.verdict} now{reason}")]
    found: list[tuple[str, str]] = []
    if old.breaks != new.breaks:
        found.append(("breaks changed", f"{old.breaks} before, {new.breaks} now"))
    before, now = Cell.of(old).speed, Cell.of(new).speed
    if before is None or now is None:
        return found or [("no significant change", f"{new.verdict} in both")]
    change = change_of(before, now)
    title = "no significant change"
    if change.differs:
        title = "faster" if change.value > 1 else "slower"
    description = (
        f"{digits(before.value, before)}x before, {digits(now.value, now)}x now: "
        f"{digits(change.value, change)} times ({digits(change.low, change)} to "
        f"{digits(change.high, change)})"
    )
    return [*found, (title, description)]


def change_of(old: Ratio, new: Ratio) -> Ratio:
    """How many times as large a speed-up became, and the widest that their intervals allow."""
    low, high = new.low / old.high, new.high / old.low
    apart = low > 1 + ALIKE or high < 1 / (1 + ALIKE)
    return Ratio(value=new.value / old.value, low=low, high=high, differs=apart)
