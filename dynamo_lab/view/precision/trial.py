"""A program that was tried in several precisions, as rows."""

from collections.abc import Iterator
from pathlib import PurePath

from msgspec import Struct

from dynamo_lab.measure.statistics import ratio, spread
from dynamo_lab.model.precision.trial import Trial, Way
from dynamo_lab.view.core import words

SAME = "Nothing changes here: its results are those of highest, bit by bit."


class PrecisionView(Struct, frozen=True, kw_only=True):
    """A row: `changed` are its operators whose results have another type than with highest."""

    name: str
    dtype: str
    error: str
    largest: str
    eager: str
    compiled: str
    written: str
    told: str
    changed: tuple[str, ...] = ()


class ErrorView(Struct, frozen=True, kw_only=True):
    """The median errors of one module, in the order of the precisions."""

    module: str
    errors: tuple[str, ...]


class TrialView(Struct, frozen=True, kw_only=True):
    """What is shown of a program in several precisions."""

    device: str
    ways: tuple[PrecisionView, ...]
    modules: tuple[ErrorView, ...]


def trial_view(trial: Trial) -> TrialView:
    """Each precision, then the errors of each module."""
    return TrialView(
        device=trial.device,
        ways=tuple(_row(way, trial.ways[0]) for way in trial.ways),
        modules=tuple(_modules(trial)),
    )


def _row(way: Way, first: Way) -> PrecisionView:
    whole = next((error for error in way.errors if not error.module), None)
    return PrecisionView(
        name=way.name,
        dtype=way.dtype,
        error="" if whole is None else units(whole.median),
        largest="" if whole is None else units(whole.largest),
        eager=_time(way.eager_seconds),
        compiled=_time(way.seconds),
        written="" if way.error else words.size(sum(one.bytes for one in way.operators)),
        told=_told(way, first),
        changed=tuple(_changed(way, first)),
    )


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
    return " ".join(filter(None, (SAME if way.same else "", told)))


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
