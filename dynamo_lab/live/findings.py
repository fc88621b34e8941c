"""The remedies of findings, applied to the living program: checked, and measured both ways."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING, NamedTuple

from dynamo_lab.capture.core.compat import empty_compile_caches
from dynamo_lab.capture.core.undo import whole
from dynamo_lab.errors import FixError
from dynamo_lab.live.changes import Part, prepared
from dynamo_lab.live.exports import reexported
from dynamo_lab.live.fixes import program_of
from dynamo_lab.live.observed import Observed, attempt, compared, heard, observed
from dynamo_lab.live.repeats import call_of, without_and_with
from dynamo_lab.measure.machine import Watched
from dynamo_lab.measure.memory import peak_of
from dynamo_lab.measure.rounds import Plan, Watch, take_turns
from dynamo_lab.measure.statistics import Ratio, Spread, ratio, spread
from dynamo_lab.record.reach import reachable
from dynamo_lab.record.replay import Numbers, without_trace
from dynamo_lab.view.findings.changes import Reexport, Rewrite, drops
from dynamo_lab.view.findings.findings import found_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from dynamo_lab.live.changes import Ready
    from dynamo_lab.live.repeats import Repeats
    from dynamo_lab.live.session import Session
    from dynamo_lab.measure.devices import Device
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Program, Run
    from dynamo_lab.view.findings.finding import Found

WITHOUT, WITH = "without the change", "with the change"
PLAN = Plan(seconds=4.0)
"""How long calls are timed in all, about."""


class Timing(NamedTuple):
    """Median seconds a call without and with the change, and what can be said of them.

    `spreads` are the seconds of their rounds; `is_busy`: other processes wanted the machine too.
    """

    before: float
    after: float
    ratio: Ratio
    spreads: tuple[Spread, Spread] | None = None
    is_busy: bool = False


class Memory(NamedTuple):
    """The most bytes that a call holds without and with the change."""

    before: int
    after: int


class Application(NamedTuple):
    """A program run without and with the remedies of findings.

    `repeats` are the calls after the first, without and with them; where such calls go on to
    compile, nothing is timed: they take other times at each call, and past PyTorch's limit eager's.
    Of an export (`is_export`), which is no call, there are numbers alone.
    """

    findings: tuple[Found, ...]
    before: Run
    after: Run
    numbers: Numbers
    timing: Timing | None
    memory: Memory | None = None
    repeats: tuple[Repeats, Repeats] | None = None
    is_export: bool = False


class _Calls(NamedTuple):
    """The program to call without and with the changes, each compiled apart."""

    ready: Ready
    device: Device
    works: dict[str, Callable[[], object]]

    @whole
    def on(self, name: str) -> Generator[None, None, None]:
        """What the calls of this name run under."""
        with self.ready.on() if name == WITH else nullcontext():
            yield


def apply(
    recording: Recording, session: Session, ids: Sequence[int], watch: Watch | None = None
) -> Application:
    """Run the program without and with the remedies of these findings together, and compare.

    Raises:
        FixError: there is no program to run, or a finding cannot be applied.
    """
    found = _asked(recording, ids)
    if len(found) == 1 and isinstance(change := found[0].change, Reexport):
        done = reexported(recording, session, change, found[0].line)
        return Application(found, done.before, done.after, done.numbers, None, is_export=True)
    return _Trial(program_of(session), watch or Watch()).made(recording, found)


def applicable(recording: Recording) -> tuple[int, ...]:
    """The findings whose remedies are safe and can be applied together, the costliest first."""
    taken: list[int] = []
    rewritten: set[int] = set()
    for one in found_of(recording):
        source = one.line[0] if one.line and isinstance(one.change, Rewrite) else None
        if one.change is None or one.finding.grade != "safe" or source in rewritten:
            continue
        taken.append(one.finding.id)
        rewritten |= set() if source is None else {source}
    return tuple(taken)


def _asked(recording: Recording, ids: Sequence[int]) -> tuple[Found, ...]:
    found = found_of(recording)
    for at in ids:
        if not 0 <= at < len(found):
            raise FixError(f"There is no finding {at}: ids are from 0, and there are {len(found)}.")
        if found[at].change is None:
            raise FixError(
                f"`rec.findings[{at}]` cannot be applied by itself: change the code by hand."
            )
    if not ids:
        raise FixError("No finding can be applied safely: `rec.findings` says what to do by hand.")
    return tuple(found[at] for at in ids)


class _Trial:
    """One program, run eagerly, without the changes, and with them."""

    def __init__(self, program: Program, watch: Watch) -> None:
        self._program, self._watch = program, watch
        self._roots = program.roots()

    def made(self, recording: Recording, found: tuple[Found, ...]) -> Application:
        """What came of it."""
        parts = [_part(one) for one in found]
        eager, problem = self._eager()
        self._watch.tell("without the change", 0, 3)
        before, plain = self._compiled(self._program)
        with prepared(parts, recording, self._program) as ready:
            self._watch.tell("with the change", 1, 3)
            with ready.on():
                after, changed = self._compiled(ready.program)
            if after.facts.failure is not None:
                sentence = "Not compared: with the change, the program fails."
                return Application(
                    found, before, after, Numbers(same=None, sentence=sentence), None
                )
            is_dropped = any(drops(part.change) for part in parts)
            numbers = compared(eager, lambda: plain, changed, problem, drops=is_dropped)
            can_call = numbers.same is not False and before.facts.failure is None
            repeats = without_and_with(self._program, ready) if can_call else None
            can_time = can_call and not (repeats and any(one.goes_on for one in repeats))
            timing, memory = self._measured(ready, found) if can_time else (None, None)
        return Application(found, before, after, numbers, timing, memory, repeats)

    def _eager(self) -> tuple[Observed | None, str | None]:
        with without_trace(self._roots):
            with heard() as told:
                result, problem = attempt(self._program.eager)
            left = None if problem else observed(self._roots, self._program, result, told.lines)
            return left, problem

    def _compiled(self, program: Program) -> tuple[Run, Observed]:
        """A run that finds nothing compiled."""
        with without_trace(self._roots), empty_compile_caches():
            with heard() as told:
                run, result = program.compiled()
            return run, observed(self._roots, program, result, told.lines)

    def _measured(
        self, ready: Ready, found: tuple[Found, ...]
    ) -> tuple[Timing | None, Memory | None]:
        """The times of a call, and its memory where a gain in bytes is foretold."""
        from dynamo_lab.measure.devices import device_of

        if self._watch.stopped:
            return None, None
        works = {WITHOUT: call_of(self._program), WITH: call_of(ready.program)}
        calls = _Calls(ready, device_of(reachable(self._roots)), works)
        with without_trace(self._roots), calls.device.current():
            timing = self._timed(calls)
            is_asked = any(one.finding.gain and one.finding.gain.metric == "bytes" for one in found)
            memory = self._weighed(calls) if is_asked and not self._watch.stopped else None
        return timing, memory

    def _timed(self, calls: _Calls) -> Timing | None:
        """Calls without and with the changes in turns."""
        cores = Watched()
        with ExitStack() as applied:

            def turn(name: str) -> None:
                applied.close()
                applied.enter_context(calls.on(name))

            times = take_turns(calls.works, calls.device, PLAN, watch=self._watch, before=turn)
        busy = cores.was_busy()
        plain, changed = times[WITHOUT].seconds, times[WITH].seconds
        if not plain:
            return None
        a, b = spread(plain), spread(changed)
        return Timing(a.median, b.median, ratio(plain, changed), (a, b), busy)

    def _weighed(self, calls: _Calls) -> Memory | None:
        """The peaks of one call each, which were called before: nothing is compiled in them."""
        self._watch.tell("memory", 2, 3)
        peaks = list[int]()
        for name in (WITHOUT, WITH):
            with calls.on(name):
                peak = peak_of(calls.works[name], calls.device)
            if peak is None:
                return None
            peaks.append(peak)
        return Memory(*peaks)


def _part(one: Found) -> Part:
    assert one.change is not None
    return Part(one.change, one.line or (0, 0), one.finding.rule)
