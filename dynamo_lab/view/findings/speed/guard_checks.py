"""Checking the guards takes a noticeable share of each call."""

from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.model.guards.costs import GuardFilter, GuardTime
from dynamo_lab.view.core.places import entity_if_known
from dynamo_lab.view.core.words import percent, seconds
from dynamo_lab.view.findings import changes
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.speed.call_overhead import root_line
from dynamo_lab.view.findings.speed.measured import Timed, compiled_ways
from dynamo_lab.view.guards.costs import dropping

_NOTICEABLE = 0.2
_ON = {
    "skip_guard_on_inbuilt_nn_modules_unsafe": "on modules of PyTorch, which hardly ever change",
    "skip_guard_on_all_nn_modules_unsafe": "on modules and their attributes",
    "keep_tensor_guards_unsafe": "on other things than tensors that are passed",
}


class _Share(NamedTuple):
    """A check of guards, what drops most of it, and the variant whose calls it is part of."""

    time: GuardTime
    drops: GuardFilter
    way: Timed

    @property
    def of_call(self) -> float:
        """What of a call the guards take."""
        return self.time.seconds / self.way.compiled.median


def find(facts: Facts) -> Iterator[Found]:
    """Only where a call checks one compilation's guards once: no break, no second compilation."""
    recording = facts.recording
    if recording.benchmark is None or recording.breaks or len(recording.guard_times) != 1:
        return
    [time], drops = recording.guard_times, dropping(recording.guard_times[0])
    way = next((one for one in compiled_ways(recording.benchmark) if one.phase == "forward"), None)
    if way is not None and drops is not None:
        share = _Share(time, drops, way)
        if _NOTICEABLE <= share.of_call < 1:
            yield _found(share, facts)


def _found(share: _Share, facts: Facts) -> Found:
    time, drops, way = share.time, share.drops, share.way
    left = drops.seconds or 0.0
    line = root_line(facts)
    change = changes.GuardFilter(drops.name)
    finding = Finding(
        rule="guard-checks",
        question="speed",
        sentence=(
            f"Checking the guards ({time.guards:,} as Dynamo counts them) takes "
            f"{seconds(time.seconds)} of a call of {seconds(way.compiled.median)}; "
            f"{time.guards - drops.kept:,} of them are "
            f"{_ON.get(drops.name, 'dropped by a filter')}."
        ),
        where=facts.places.where(line) if line else "",
        entity=entity_if_known(line),
        evidence=(
            Evidence(text=f"{percent(share.of_call)} of a call, each measured apart", tab="guards"),
        ),
        grade="may change meaning",
        remedy=(
            "Drop these guards, if nothing that they check ever changes: if it does, the old code "
            "runs, and nobody is told."
        ),
        code=change.code,
        gain=Gain(
            metric="seconds a call",
            before=way.compiled.median,
            after=way.compiled.median - (time.seconds - left),
            how="measured: the guards that are left, alone",
        ),
        cost=share.of_call,
    )
    is_most = way.overhead is not None and time.seconds >= way.overhead.median / 2
    explains = frozenset({f"overhead:{way.way}"}) if is_most else frozenset[str]()
    return Found(finding, change=change, line=line, explains=explains)
