"""A compiled call that is no faster because guards, allocation and Python take most of it."""

from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Line, entity
from dynamo_lab.view.core.words import percent, plural, seconds
from dynamo_lab.view.findings.changes import Options
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.speed.measured import Timed, compiled_ways, is_gpu

_MOST = 0.5
_FITS = 0.1
"""How far the parts may be from the whole, as in the benchmark's own sums."""


class _Parts(NamedTuple):
    """The seconds of a call: guards, allocation and Python; its kernels; and as a whole."""

    overhead: float
    kernels: float
    whole: float

    @property
    def together(self) -> str:
        """What the two parts are of the whole."""
        return percent((self.overhead + self.kernels) / self.whole)


def find(facts: Facts) -> Iterator[Found]:
    """The first compiled variant that is not faster, if its overhead is the reason."""
    found, line = facts.recording.benchmark, root_line(facts)
    if found is None or line is None:
        return
    for one in compiled_ways(found):
        parts = _parts(one)
        if parts and _is_cause(one, parts, is_gpu=is_gpu(found)):
            yield _found(facts, one, parts, line, is_gpu=is_gpu(found))
            return


def root_line(facts: Facts) -> Line | None:
    """Where the first function that was compiled begins, None if that is a library."""
    lines = (
        facts.places.line_of(frame.span)
        for frame in facts.recording.frames
        if frame.outcome == "compiled"
    )
    return next((line for line in lines if not facts.places.is_library(line)), None)


def _parts(one: Timed) -> _Parts | None:
    if one.overhead is None or one.kernels is None or one.whole is None:
        return None
    return _Parts(one.overhead.median, one.kernels.median, one.whole.median)


def _is_cause(one: Timed, parts: _Parts, *, is_gpu: bool) -> bool:
    """Whether the call would be faster than eager but for the overhead, as measured."""
    known = max(parts[:2]) if is_gpu else sum(parts[:2])
    fits = abs(known - parts.whole) <= _FITS * parts.whole
    is_no_faster = one.ratio.enough and (not one.ratio.differs or one.ratio.value < 1)
    is_most = parts.overhead >= _MOST * parts.whole
    return fits and is_no_faster and is_most and parts.kernels < one.eager.median


def _found(facts: Facts, one: Timed, parts: _Parts, line: Line, *, is_gpu: bool) -> Found:
    remedy, code, change = _remedy(facts.recording, is_gpu=is_gpu)
    than = "slower than" if one.ratio.differs else "no faster than"
    finding = Finding(
        rule="call-overhead",
        question="speed",
        sentence=(
            f"A compiled call is {than} eager's: {seconds(one.compiled.median)} instead of "
            f"{seconds(one.eager.median)}. Kernels take {seconds(parts.kernels)}; guards, "
            f"allocation and Python {seconds(parts.overhead)}, "
            f"{percent(parts.overhead / parts.whole)} of the call{_broken(facts.recording)}."
        ),
        where=facts.places.where(line),
        entity=entity(line),
        evidence=(
            Evidence(text=f"kernels and overhead are {parts.together} of the whole", tab="bench"),
        ),
        grade="may change meaning" if change else "fill in",
        remedy=remedy,
        code=code,
        gain=_gain(one, parts, is_gpu=is_gpu),
        cost=min(1.0, parts.overhead / parts.whole),
    )
    return Found(finding, change=change, line=line, about=frozenset({f"overhead:{one.way}"}))


def _broken(recording: Recording) -> str:
    """Breaks make several compiled calls of one: each has guards of its own."""
    breaks = len(recording.breaks)
    if not breaks:
        return ""
    makes = "makes" if breaks == 1 else "make"
    return f"; {plural(breaks, 'break')} {makes} several compiled calls of it, each with its guards"


def _remedy(recording: Recording, *, is_gpu: bool) -> tuple[str, str, Options | None]:
    if is_gpu:
        change = Options({"mode": "reduce-overhead"})
        text = (
            "Use CUDA graphs, which replay all kernels with one call. Results are then overwritten "
            "by the next call: `.clone()` what you keep."
        )
        return text, change.code, change
    if recording.breaks:
        return "Mend the breaks: one compiled call has its guards checked once.", "", None
    text = (
        "Give a call more to do: compile the function that calls this one in its loop, or pass "
        "more data at once. Or leave this function to eager PyTorch."
    )
    return text, "@torch.compile\ndef all_steps(...):  # the loop that calls this function", None


def _gain(one: Timed, parts: _Parts, *, is_gpu: bool) -> Gain | None:
    """What is left without overhead: on a GPU by CUDA graphs, else by leaving it to eager."""
    if is_gpu:
        how = "measured: the kernels alone, one after the other"
        return Gain(metric="seconds a call", before=parts.whole, after=parts.kernels, how=how)
    if not one.ratio.differs:
        return None
    return Gain(
        metric="seconds a call",
        before=one.compiled.median,
        after=one.eager.median,
        how="measured: the same call left to eager PyTorch",
    )
