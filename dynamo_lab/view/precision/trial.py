"""A program that was tried in several precisions, as rows."""

import math
from collections.abc import Iterator, Mapping
from pathlib import PurePath

from msgspec import Struct

from dynamo_lab.measure.statistics import ratio, spread
from dynamo_lab.model.precision.trial import Trial, Way
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core import words
from dynamo_lab.view.precision.kernels import KernelsView, fallbacks, kernels_changed

SAME = "Nothing changes here: its results are those of highest, bit by bit."


REUSED = "Nothing was compiled for it: Dynamo's guards accept what was compiled before."

_BITS = 24
"""Of float32's fraction."""


class PrecisionView(Struct, frozen=True, kw_only=True):
    """A row: `changed` are its operators whose results have another type than with highest.

    `lines` are the places where its kernels are not those of highest, `alone` the operators for
    which the compiler calls PyTorch's own kernel; those of highest are in its row alone. `lost` is
    the share of float32's bits that are wrong by the median error, `slow` its time as a share of
    the slowest; None where not known.
    """

    name: str
    dtype: str
    error: str
    largest: str
    eager: str
    compiled: str
    written: str
    told: str
    kernels: str = ""
    peak: str = ""
    lost: float | None = None
    slow: float | None = None
    changed: tuple[str, ...] = ()
    lines: tuple[KernelsView, ...] = ()
    alone: tuple[str, ...] = ()


class ErrorView(Struct, frozen=True, kw_only=True):
    """The median errors of one module, in the order of the precisions."""

    module: str
    errors: tuple[str, ...]


class TrialView(Struct, frozen=True, kw_only=True):
    """What is shown of a program in several precisions."""

    device: str
    ways: tuple[PrecisionView, ...]
    modules: tuple[ErrorView, ...]
    unlike: str = ""


def trial_view(trial: Trial, recordings: Mapping[str, Recording]) -> TrialView:
    """Each precision, then the errors of each module."""
    slowest = max((spread(t).median for way in trial.ways if (t := _seconds(way))), default=0.0)
    return TrialView(
        device=trial.device,
        ways=tuple(_row(way, trial.ways[0], slowest, recordings) for way in trial.ways),
        modules=tuple(_modules(trial)),
        unlike=trial.unlike,
    )


def _row(
    way: Way, first: Way, slowest: float, recordings: Mapping[str, Recording]
) -> PrecisionView:
    whole = next((error for error in way.errors if not error.module), None)
    recording, base = recordings.get(way.name), recordings.get(first.name)
    known = fallbacks(base) if base else ()
    seconds = _seconds(way)
    return PrecisionView(
        name=way.name,
        dtype=way.dtype,
        error="" if whole is None else units(whole.median),
        largest="" if whole is None else units(whole.largest),
        eager=_time(way.eager_seconds),
        compiled=_time(way.seconds),
        written="" if way.error else words.size(sum(one.bytes for one in way.operators)),
        told=_told(way, first),
        kernels="" if recording is None else f"{len(way.kernels)}",
        peak="" if way.peak is None else words.size(way.peak),
        lost=None if whole is None else bits_lost(whole.median),
        slow=spread(seconds).median / slowest if seconds and slowest else None,
        changed=tuple(_changed(way, first)),
        lines=kernels_changed(base, recording) if base and recording and way is not first else (),
        alone=tuple(one for one in fallbacks(recording) if way is first or one not in known)
        if recording
        else (),
    )


def _seconds(way: Way) -> tuple[float, ...]:
    """Of the compiled program, where it was timed, else of the eager one."""
    return way.seconds or way.eager_seconds


def bits_lost(units: float) -> float:
    """The share of the bits of float32's fraction that an error of so many units makes wrong."""
    return min(max(math.log2(2 * units), 0.0), _BITS) / _BITS if units > 0 else 0.0


def units(value: float) -> str:
    """A number of units in the last place: '0.5', '38', '12,400'."""
    return f"{value:.1f}" if value < 9.95 else f"{float(f'{value:.2g}'):,.0f}"


def _time(seconds: tuple[float, ...]) -> str:
    return words.seconds(spread(seconds).median) if seconds else ""


def _told(way: Way, first: Way) -> str:
    if way.error:
        return f"It raised an error: {way.error}"
    if way is first:
        return ""
    compared = ratio(first.seconds, way.seconds).sentence if first.seconds and way.seconds else ""
    told = f"Compiled: {compared}." if compared else ""
    refused = f"It cannot be compiled: {way.refused}" if way.refused else ""
    reused = REUSED if way.reused else ""
    return " ".join(filter(None, (SAME if way.same else "", refused, reused, told)))


def _changed(way: Way, first: Way) -> Iterator[str]:
    """Lines whose operators give another type, and operators that only this precision calls."""
    before = {(one.name, one.dtype, one.file, one.line) for one in first.operators}
    types = {(one.name, one.file, one.line): one.dtype for one in first.operators}
    for one in way.operators:
        if (one.name, one.dtype, one.file, one.line) in before:
            continue
        old = types.get((one.name, one.file, one.line))
        change = f"{old} -> {one.dtype}" if old else f"only here, {one.dtype}"
        times = f" x {one.times}" if one.times > 1 else ""
        where = f"{PurePath(one.file).name}, line {one.line}: " if one.line else ""
        yield f"{where}{one.name}{times}: {change}"


def _modules(trial: Trial) -> Iterator[ErrorView]:
    by_way = [{error.module: units(error.median) for error in way.errors} for way in trial.ways]
    paths = dict.fromkeys(path for errors in by_way for path in errors)
    for path in paths:
        found = tuple(errors.get(path, "") for errors in by_way)
        yield ErrorView(module=path or "the whole program", errors=found)
