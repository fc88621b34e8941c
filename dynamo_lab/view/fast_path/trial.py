"""A program that was tried with and without the fast path, as rows."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.measure.statistics import ratio, spread
from dynamo_lab.model.fast_path.trial import Trial, Way, WayTimes
from dynamo_lab.view.core import words
from dynamo_lab.view.fast_path.fast_path import FastPathView, compiled_rows, eager_rows

_MEANING: dict[Way, str] = {
    "eager": "eager, without the fast path",
    "compiled": "compiled, without the fast path",
    "fast path": "eager, with the fast path",
    "both": "compiled, with the fast path allowed",
}


NO_CALL = "There is no call of a module that has a fast path."


class WayView(Struct, frozen=True, kw_only=True):
    """The time of a call, how it compares with eager, and how far its results are from eager's."""

    way: Way
    meaning: str
    time: str
    told: str
    difference: str


class TrialView(Struct, frozen=True, kw_only=True):
    """What is shown of a program that was tried."""

    device: str
    eager: tuple[FastPathView, ...]
    compiled: tuple[FastPathView, ...]
    uncompiled: str
    times: tuple[WayView, ...]


def trial_view(trial: Trial) -> TrialView:
    """What each call took, eagerly and compiled, and the times."""
    return TrialView(
        device=trial.device,
        eager=tuple(eager_rows(trial.eager)),
        compiled=tuple(compiled_rows(trial.compiled)),
        uncompiled=_uncompiled(trial),
        times=tuple(_times(trial)),
    )


def _uncompiled(trial: Trial) -> str:
    """Why there are no compiled calls."""
    if trial.compiled:
        return ""
    if trial.uncompiled:
        return f"Dynamo compiles nothing of it, so it runs eagerly: {trial.uncompiled}"
    return "Dynamo met no call of it." if trial.eager else NO_CALL


def _times(trial: Trial) -> Iterator[WayView]:
    base = next((one for one in trial.measured if one.way == "eager"), None)
    for one in trial.measured:
        yield WayView(
            way=one.way,
            meaning=_MEANING[one.way],
            time=words.seconds(spread(one.seconds).median) if one.seconds else "not timed",
            told=_told(one, base),
            difference="" if one.difference is None else f"{one.difference:.1g}",
        )


def _told(one: WayTimes, base: WayTimes | None) -> str:
    if one.error:
        return f"it raised an error: {one.error}"
    if base is None or one is base or not base.seconds or not one.seconds:
        return ""
    compared = ratio(base.seconds, one.seconds)
    return f"{compared.sentence}{' than the first' if compared.differs else ''}"
