"""The findings of a recording: each with its facts, to print and to apply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from msgspec import Struct, structs

from dynamo_lab.api.diff import Diff, diff
from dynamo_lab.api.trial import message_of
from dynamo_lab.errors import FixError
from dynamo_lab.record.replay import Numbers
from dynamo_lab.render.tables import terminal_width
from dynamo_lab.render.text import as_line
from dynamo_lab.view.core.words import BUSY, seconds
from dynamo_lab.view.findings.finding import Finding as FindingFact
from dynamo_lab.view.findings.findings import CLEAN, found_of, silence
from dynamo_lab.view.findings.words import amount
from dynamo_lab.view.guards.compilations import recompilations
from dynamo_lab.view.timings.timings import compile_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.live.findings import Application, Timing
    from dynamo_lab.live.repeats import Repeats
    from dynamo_lab.model.recording import Recording as Facts
    from dynamo_lab.view.findings.finding import Metric
    from dynamo_lab.view.messages import AppliedOutcome

    Apply = Callable[[tuple[int, ...] | None], "Applied[Any]"]

Verdict = Literal["helped", "hurt", "no difference", "not known"]
R = TypeVar("R", bound="Facts")


class Applied(Struct, Generic[R], frozen=True, kw_only=True):
    """What applying findings did: what changed, whether the numbers hold, and the times.

    `rows` are the metrics that are known, each before and after in words; `seconds` are those of a
    call, `peak_bytes` the most that one holds, measured where a gain in bytes is foretold. A
    verdict on one finding is about its gain; several are judged by the time of a call.
    """

    findings: tuple[FindingFact, ...]
    recording: R
    diff: Diff
    numbers: Numbers
    verdict: Verdict
    sentence: str
    rows: tuple[tuple[str, str, str], ...]
    seconds: tuple[float, float] | None = None
    peak_bytes: tuple[int, int] | None = None

    def __str__(self) -> str:
        heads = [f"Tried: {as_line(one.remedy or one.sentence)}" for one in self.findings]
        if failure := self.recording.failure:
            return "\n".join([*heads, "", self.sentence, message_of(failure)])
        rows = [
            f"{name}: {a}" + (f" -> {b}" if a != b else ", as before") for name, a, b in self.rows
        ]
        parts = [*heads, "", self.sentence, self.numbers.sentence, *([""] if rows else []), *rows]
        if self.verdict in ("helped", "not known"):  # or else nothing of it is to be written
            code = [as_line(row) for one in self.findings for row in one.code.split("\n")]
            parts += ["", "Write:", *(f"    {row}" for row in code)]
        for fact in self.diff.breaks_b:
            parts += ["", f"New break: {as_line(fact.where)}, {as_line(fact.gb_type)}"]
        return "\n".join(parts)

    __repr__ = __str__


class Finding(FindingFact, frozen=True, kw_only=True, dict=True):
    """A finding with its recording, so that its remedy can be applied."""

    applies: ClassVar[Apply]
    can_try: ClassVar[bool]

    def apply(self) -> Applied[Any]:
        """Run the program without and with the remedy: numbers, breaks, and times in turns."""
        return self.applies((self.id,))

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.core.parts import Page, plain
        from dynamo_lab.render.terminal.findings import finding

        width = terminal_width() or 100
        page = Page(width=width, everything=True, can_try=self.can_try, can_export=self.can_try)
        return plain(finding(self, page), width)

    __repr__ = __str__


class Findings(tuple[Finding, ...]):
    """The findings, the costliest first: print them, or apply all that are safe together.

    `silence` says what it means that there are none.
    """

    silence: str = CLEAN

    def apply(self) -> Applied[Any]:
        """Run the program with all remedies that are safe, together, and compare."""
        if not self:
            raise FixError(self.silence)
        return self[0].applies(None)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self)) or self.silence

    __repr__ = __str__


def findings_of(
    recording: Facts, applies: Apply, can_try: bool, can_export: bool = False
) -> Findings:
    """The findings of a recording, each with what applies those of these ids, if it can be run.

    `can_export`: the exports that failed can be made again, where a program need not be at hand.
    """
    made = [Finding(**structs.asdict(one.finding)) for one in found_of(recording)]
    for one in made:
        structs.force_setattr(one, "applies", applies)
        is_export = one.question == "export"
        structs.force_setattr(one, "can_try", can_export if is_export else can_try)
    found = Findings(made)
    found.silence = silence(recording)
    return found


def answered(done: Application, after: R) -> Applied[R]:
    """The answer, with the recording of the changed program."""
    facts = tuple(one.finding for one in done.findings)
    before = done.before.facts
    verdict, sentence = _judged(facts, done)
    return Applied(
        findings=facts,
        recording=after,
        diff=diff(before, done.after.facts),
        numbers=done.numbers,
        verdict=verdict,
        sentence=sentence,
        rows=tuple(_rows(done)),
        seconds=(done.timing.before, done.timing.after) if done.timing else None,
        peak_bytes=(done.memory.before, done.memory.after) if done.memory else None,
    )


_METRICS: tuple[Metric, ...] = (
    "breaks",
    "graphs",
    "recompilations",
    "seconds of compiling",
    "seconds a call",
    "bytes",
)
_NAMES: dict[Metric, str] = {
    "bytes": "held at the peak of a call",
    "seconds a call": "time of a call",
    "seconds of compiling": "time of compiling, once",
}
"""What is measured of a metric, where its own name does not say it."""


def _rows(done: Application) -> list[tuple[str, str, str]]:
    """Each metric that is known, before and after in words."""
    found: list[tuple[str, str, str]] = []
    if done.is_export:
        return found  # nothing was called before: there is nothing to compare it with
    for metric in _METRICS:
        pair = _measured(metric, done)
        if pair is not None:
            name = _NAMES.get(metric, metric)
            found.append((name, amount(metric, pair[0]), amount(metric, pair[1])))
    if done.repeats and any(map(any, (one.graphs for one in done.repeats))):
        before, after = map(str, done.repeats)
        found.append(("graphs that later calls compile", before, after))
    return found


def _measured(metric: Metric, done: Application) -> tuple[float, float] | None:
    before, after = done.before.facts, done.after.facts
    match metric:
        case "breaks":
            return len(before.breaks), len(after.breaks)
        case "graphs":
            return len(before.captured_graphs()), len(after.captured_graphs())
        case "recompilations":
            return recompilations(before), recompilations(after)
        case "seconds of compiling":
            return compile_seconds(before), compile_seconds(after)
        case "seconds a call":
            return (done.timing.before, done.timing.after) if done.timing else None
        case "bytes":
            return done.memory
        case "kernel calls":
            return None


_EXPORTED = "With the change it exports."
_EXPORTED_WRONG = "With the change it exports, and the exported program does something else."


def _judged(findings: tuple[FindingFact, ...], done: Application) -> tuple[Verdict, str]:
    """Whether it helped, and no more than is known."""
    failure = done.after.facts.failure
    if failure is not None and done.is_export:
        return (
            "no difference",
            f"With the change the export fails too: {as_line(failure.type)}.",
        )
    if failure is not None:
        return "hurt", f"With the change the program fails with {as_line(failure.type)}."
    if done.is_export:
        is_wrong = done.numbers.same is False
        return ("hurt", _EXPORTED_WRONG) if is_wrong else ("helped", _EXPORTED)
    if done.numbers.same is False:
        return "hurt", "With the change the program does something else."
    if done.repeats and done.repeats[1].goes_on:
        return _endless(done.repeats)
    gain = findings[0].gain if len(findings) == 1 else None
    if gain is not None and gain.metric in ("breaks", "graphs", "recompilations"):
        return _counted(gain.metric, f", foretold {gain.after:g}", done)
    if [one.question for one in findings] == ["breaks"]:
        return _counted("breaks", "", done)
    if gain is not None and gain.metric == "seconds of compiling":
        return "not known", _once(done)
    if gain is not None and gain.metric == "bytes":
        return _weighed(done)
    return _timed(done.timing)


def _endless(repeats: tuple[Repeats, Repeats]) -> tuple[Verdict, str]:
    """Of a program that compiles at each call, with the change: what one call shows is not all."""
    without, with_ = repeats
    said = (
        f"With the change each call compiles again ({with_.told} after the first), until PyTorch's "
        "limit of recompilations, past which it runs eagerly"
    )
    if not without.goes_on:
        return "hurt", f"{said}. Without it, none does."
    return "not known", f"{said}. So it does without it: mend that first."


def _counted(metric: Metric, foretold: str, done: Application) -> tuple[Verdict, str]:
    pair = _measured(metric, done)
    assert pair is not None
    before, after = pair
    change = f"{metric}: {before:g} to {after:g}{foretold}."
    verdict: Verdict = "helped" if after < before else "hurt" if after > before else "no difference"
    words = {
        "helped": "It helped",
        "hurt": "It made it worse",
        "no difference": "It does not end what it should",
    }
    speed = _speed(done.timing)
    if verdict == "helped" and _is_slower(done.timing):
        return "hurt", f"It ends what it should, and yet a call takes longer: {change}{speed}"
    return verdict, f"{words[verdict]}: {change}{speed}{_ended(done)}"


def _is_slower(timing: Timing | None) -> bool:
    """Whether a call is known to take longer: on a busy machine it is not."""
    if timing is None or timing.is_busy:
        return False
    return timing.ratio.differs and timing.ratio.value < 1


def _speed(timing: Timing | None) -> str:
    if timing is None:
        return ""
    if timing.is_busy:  # a ratio would be read as the verdict that there is none of
        return f" Whether a call takes longer is not known. {BUSY}"
    return f" A call: {timing.ratio.sentence}.{_doubts(timing)}"


def _doubts(timing: Timing) -> str:
    """What makes the times less certain: how far they spread."""
    if timing.spreads and any(one.is_shaky for one in timing.spreads):
        without, with_ = (f"{seconds(one.low)} to {seconds(one.high)}" for one in timing.spreads)
        return f" Half of the rounds took {without}, with the change {with_}."
    return ""


def _ended(done: Application) -> str:
    """That calls no longer compile, where they did without the change."""
    is_over = done.repeats and done.repeats[0].goes_on
    return " Later calls compile nothing any more." if is_over else ""


def _once(done: Application) -> str:
    pair = _measured("seconds of compiling", done)
    assert pair is not None
    before, after = (amount("seconds of compiling", one) for one in pair)
    return f"Compiling took {before}, with the change {after}: each once, which decides nothing."


_NO_PEAK = (
    "The memory that it takes was not measured: another profiler ran, the device counts no peak, "
    "or it was stopped before."
)
_LEAST = 0.01
"""The share of a peak below which a difference says nothing: threads free in another order."""


def _weighed(done: Application) -> tuple[Verdict, str]:
    """By the peak of a call, which may lie elsewhere than where bytes are spared."""
    if done.memory is None:
        return "not known", _NO_PEAK
    before, after = done.memory
    sizes = f"{amount('bytes', before)} at its peak, with the change {amount('bytes', after)}"
    if abs(after - before) < _LEAST * before or before == after:
        return "no difference", f"A call holds as much as before at its peak: {sizes}."
    speed = _speed(done.timing)
    return ("helped" if after < before else "hurt"), f"A call holds {sizes}.{speed}"


def _timed(timing: Timing | None) -> tuple[Verdict, str]:
    if timing is None:
        return "not known", "It was not timed."
    told = timing.ratio
    if timing.is_busy:
        return "not known", _speed(timing).strip()
    if not told.differs:
        return "no difference" if told.enough else "not known", _speed(timing).strip()
    verdict: Verdict = "helped" if told.value > 1 else "hurt"
    return verdict, f"A call is {told.sentence}.{_doubts(timing)}"


def applied_outcome(applied: Applied[R]) -> AppliedOutcome:
    """What a view shows of it, as JSON."""
    failure = applied.recording.failure
    return {
        "verdict": applied.verdict,
        "sentence": applied.sentence,
        "rows": () if failure else applied.rows,
        "numbers": applied.numbers.sentence,
        "same": applied.numbers.same,
        "failure": f"{failure.type}: {failure.message.strip()}" if failure else "",
        "new_breaks": [f"{fact.where}: {fact.gb_type}" for fact in applied.diff.breaks_b],
    }
