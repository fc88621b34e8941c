"""The effect of a fix of a break, as an answer to print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct

from dynamo_lab.api.diff import Diff, diff
from dynamo_lab.api.handle import Handle
from dynamo_lab.record.replay import Numbers
from dynamo_lab.render.text import as_line
from dynamo_lab.view.breaks.fixes import Fix

if TYPE_CHECKING:
    from dynamo_lab.live.fixes import Tried
    from dynamo_lab.model.recording import Failure
    from dynamo_lab.view.messages import TrialOutcome

R = TypeVar("R", bound=Handle)
Counts = tuple[tuple[str, int, int], ...]


_MESSAGE = 300
"""The most characters of an error's message that are printed."""


def message_of(failure: Failure) -> str:
    """What an error says, on one line."""
    return as_line(failure.message)[:_MESSAGE]


class Trial(Struct, Generic[R], frozen=True, kw_only=True):
    """The effect of a fix: the new recording, what changed, and whether the numbers agree.

    `later` says what calls after the first compile, if they do.
    """

    break_id: int
    fix: Fix
    recording: R
    diff: Diff
    numbers: Numbers
    later: str = ""

    def counts(self) -> Counts:
        """Breaks, graphs, kernels and operators, before and after."""
        return _counts(self.diff)

    def __str__(self) -> str:
        head = f"break {self.break_id + 1}, tried {self.fix.name}: {self.fix.sentence}"
        changed = [f"{name} {a}" + (f" -> {b}" if a != b else "") for name, a, b in self.counts()]
        code = [f"    {as_line(line)}" for line in self.fix.code.split("\n")]
        if failure := self.recording.failure:  # nothing of it is to be written
            told = f"{as_line(failure.type)}: {message_of(failure)}"
            return f"{head}\n\nIt does not help: with it, the program fails with {told}"
        parts = [head, "", ", ".join(changed), self.numbers.sentence]
        parts += [*filter(None, [self.later]), "", "Write:", *code]
        for fact in self.diff.breaks_b:
            parts += ["", f"New break: {as_line(fact.where)}, {as_line(fact.gb_type)}"]
        return "\n".join(parts)

    __repr__ = __str__

    def _ipython_display_(self) -> None:
        print(self)
        self.recording.show()


def trial(before: R, break_id: int, tried: Tried, after: R) -> Trial[R]:
    """The fix that was tried on one recording, and gave the other."""
    return Trial(
        break_id=break_id,
        fix=tried.fix,
        recording=after,
        diff=diff(before, after),
        numbers=tried.numbers,
        later=_later(tried),
    )


def _later(tried: Tried) -> str:
    """What calls after the first compile, where the last of them still does."""
    if tried.repeats is None or not tried.repeats[1].goes_on:
        return ""
    without, with_ = tried.repeats
    return f"Later calls compile again: {with_.told}, without the fix {sum(without.graphs)}."


def outcome(tried: Tried, diff: Diff) -> TrialOutcome:
    """What a view shows of a fix that was tried, and of what it changed, as JSON."""
    failure = tried.run.facts.failure
    return {
        "fix": tried.fix.name,
        "counts": _counts(diff),
        "numbers": f"{tried.numbers.sentence} {_later(tried)}".strip(),
        "same": tried.numbers.same,
        "failure": f"{failure.type}: {failure.message.strip()}" if failure else "",
        "new_breaks": [f"{fact.where}: {fact.gb_type}" for fact in diff.breaks_b],
    }


def _counts(diff: Diff) -> Counts:
    found = {change.name: change for change in diff.counts}
    names = ("breaks", "graphs", "kernels", "operators")
    return tuple((name, int(found[name].a or 0), int(found[name].b or 0)) for name in names)
