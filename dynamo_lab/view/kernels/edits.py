"""An edited kernel: what the compiler said about it, whether it is correct, and what it gains."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.measure.statistics import ratio, spread
from dynamo_lab.model.benchmarks import Comparison
from dynamo_lab.model.kernels import Diagnostic, Edit, EditTiming, EditVerdict
from dynamo_lab.view.core.words import BUSY, listed, plural, unique, unit
from dynamo_lab.view.kernels.code_diff import Edit as Run
from dynamo_lab.view.kernels.code_diff import edits
from dynamo_lab.view.timings.durations import interval_text, median_text


class TimingView(Struct, frozen=True, kw_only=True):
    """The original's time beside the edit's; `tone` is "good" where the edit is faster."""

    what: str
    original: str
    edited: str
    ratio: str
    tone: str


class EditView(Struct, frozen=True, kw_only=True):
    """One edit. `edits` are the lines of `before` and `after` that differ.

    `worst` names the element with the largest error, where it computes something else.
    """

    kernel: int
    name: str
    verdict: EditVerdict
    sentence: str
    before: str
    after: str
    edits: tuple[Run, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    worst: str = ""
    compared: str = ""
    timings: tuple[TimingView, ...] = ()


def build(edit: Edit) -> EditView:
    """What is shown of an edit."""
    return EditView(
        kernel=edit.kernel,
        name=edit.name,
        verdict=edit.verdict,
        sentence=_sentence(edit),
        before=edit.before,
        after=edit.after,
        edits=edits(edit.before.split("\n"), edit.after.split("\n")),
        diagnostics=edit.diagnostics,
        worst=_worst(edit),
        compared=_compared(edit),
        timings=tuple(_timing(timing, edit) for timing in edit.timings),
    )


def _sentence(edit: Edit) -> str:
    reason = f": {edit.reason}" if edit.reason else ""
    match edit.verdict:
        case "not built":
            errors = [one for one in edit.diagnostics if one.severity == "error"]
            lines = unique(str(line) for one in errors if (line := one.line) is not None)
            where = f" ({unit(len(lines), 'line')} {listed(lines)})" if lines else ""
            return f"It does not compile{where}."
        case "failed":
            return f"It fails{reason}."
        case "wrong":
            return f"It is wrong{reason}, so it is not timed."
        case "unknown":
            return f"It was built{reason}."
        case "right":
            same = " Its text equals the original's." if edit.before == edit.after else ""
            busy = f" {BUSY}" if any(_is_busy(timing, edit) for timing in edit.timings) else ""
            return f"It is right{_within(edit)}{reason}.{same}{busy}"


def _within(edit: Edit) -> str:
    """What was taken for rounding, where values that the kernel writes differ at all."""
    own = [one for one in edit.comparisons if not one.value.startswith(_OUTER)]
    close = unique(one.tolerance for one in own or edit.comparisons if one.verdict == "close")
    return f" within a tolerance of {' and of '.join(close)}" if close else ""


_OUTER = ("output ", "gradient ")
"""What the program gives, and not the kernel."""


def _worst(edit: Edit) -> str:
    worst = edit.worst
    if worst is None:
        return ""
    index = ", ".join(map(str, worst.index))
    return f"{worst.value}[{index}] should be {worst.expected}, but is {worst.got}."


def _compared(edit: Edit) -> str:
    """How far the edit's values are from the original's, and the program's from eager's."""
    parts = list(_groups(edit))
    calls = f" in {plural(edit.calls, 'call')}" if edit.calls else ""
    return f"Compared{calls}: {'; '.join(parts)}." if parts else ""


def _groups(edit: Edit) -> Iterator[str]:
    compared = [one for one in edit.comparisons if one.verdict != "not compared"]
    own = [one for one in compared if not one.value.startswith(_OUTER)]
    whole = [one for one in compared if one.value.startswith(_OUTER)]
    if own:
        yield f"{plural(len(own), 'argument')} with the original's, {_apart(own)}"
    if whole:
        yield f"{plural(len(whole), 'result')} of the program with {_than(edit)}, {_apart(whole)}"


def _than(edit: Edit) -> str:
    """What the program's results were compared with: a reason is given where it was not eager."""
    return "the original's" if edit.verdict == "right" and edit.reason else "eager's"


def _apart(found: list[Comparison]) -> str:
    if all(one.verdict == "equal" for one in found):
        return "equal bit for bit"
    units = max((one.ulp or 0.0 for one in found), default=0.0)
    relative = max((one.relative or 0.0 for one in found), default=0.0)
    told = f"{units:,.0f}" if units < _MANY else f"{units:.1e}"
    return f"up to {told} ULP apart ({relative:.1e} relative)"


_MANY = 1e9
"""ULP: more are told as a power of ten."""


_WHATS = {"kernel": "the kernel alone", "program": "the program"}


_SAME = "the same text: what differs is noise"
_UNTOLD = "not told apart: the machine was busy"


def _is_busy(timing: EditTiming, edit: Edit) -> bool:
    return timing.is_busy or edit.machine.is_busy


def _timing(timing: EditTiming, edit: Edit) -> TimingView:
    told, tone = _told(timing, edit)
    return TimingView(
        what=f"{_WHATS[timing.what]}, {timing.cache} caches",
        original=median_text(spread(timing.original)),
        edited=median_text(spread(timing.edited)),
        ratio=told,
        tone=tone,
    )


def _told(timing: EditTiming, edit: Edit) -> tuple[str, str]:
    """What is said of the two times, and its tone: a ratio is read as a verdict on the text."""
    if edit.before == edit.after:
        return _SAME, ""
    if _is_busy(timing, edit):
        return _UNTOLD, ""
    found = ratio(timing.original, timing.edited)
    if not found.differs:
        return found.sentence, ""
    sentence = f"{found.sentence} ({interval_text(found.above_one)})"
    return sentence, "good" if found.value > 1 else "bad"
