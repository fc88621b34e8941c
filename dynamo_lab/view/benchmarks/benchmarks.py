"""The benchmark: what can be said of the variants of a program, and whether each is correct."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct, structs

from dynamo_lab.measure.statistics import Ratio, digits, rounds_needed, spread
from dynamo_lab.model.benchmarks import Benchmark, Cache, Phase, Series, Way
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks import launches, memory_courses, roofline
from dynamo_lab.view.benchmarks.agreements import AgreementView, agreements
from dynamo_lab.view.benchmarks.break_even import BreakEven, break_even
from dynamo_lab.view.benchmarks.circumstances import (
    between_calls,
    machine_doubts,
    machine_rows,
    other_options,
)
from dynamo_lab.view.benchmarks.comparing import compare
from dynamo_lab.view.benchmarks.kernel_times import PHASES, KernelTimesView
from dynamo_lab.view.benchmarks.memory_courses import MemoryCoursesView
from dynamo_lab.view.benchmarks.roofline import RooflineView
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import plural, seconds, size
from dynamo_lab.view.timings.durations import interval_text, median_text, range_text, rounded

Tone = Literal["good", "bad", "warning", "plain"]


class VerdictView(Struct, frozen=True, kw_only=True):
    """What can be said of a variant in one sentence; `way` is its position, -1 for all of them."""

    way: int
    sentence: str
    tone: Tone


class TimeView(Struct, frozen=True, kw_only=True):
    """The times of a variant: raw (`seconds`, a call each round), and in words.

    `factor` is how many times faster than the first variant, empty for that itself; `interval`
    bounds it, with a confidence of 95 %, or 99.9 % where two are indistinguishable. `low`,
    `median` and `high` are the quartiles. `pays_off` says after how many calls compiling has paid
    off.
    """

    way: int
    name: str
    seconds: tuple[float, ...]
    warmup: tuple[float, ...]
    low: float
    median: float
    high: float
    time: str
    quartiles: str
    rounds: str
    factor: str = ""
    interval: str = ""
    tone: Tone = "plain"
    compile: str = ""
    pays_off: str = ""
    memory: str = ""
    doubts: tuple[str, ...] = ()


class SectionView(Struct, frozen=True, kw_only=True):
    """Variants that were timed in turns: a phase, with warm or cold caches."""

    phase: Phase
    cache: Cache
    title: str
    rows: tuple[TimeView, ...]


class WayView(Struct, frozen=True, kw_only=True):
    """A variant of the program, and its settings; `code` is set for a hand-written one."""

    name: str
    kind: str
    options: str
    code: str = ""
    language: str = ""


class BenchView(Struct, frozen=True, kw_only=True):
    """A benchmark. `doubts` concern the whole: what makes all of its times less certain.

    `changes` says what differs between the calls that were timed.
    """

    title: str
    state: str
    created: str
    verdicts: tuple[VerdictView, ...]
    ways: tuple[WayView, ...]
    sections: tuple[SectionView, ...]
    agreements: tuple[AgreementView, ...]
    kernels: KernelTimesView
    roofline: RooflineView | None = None
    memory: MemoryCoursesView | None = None
    doubts: tuple[str, ...] = ()
    machine: tuple[tuple[str, str], ...] = ()
    changes: str = ""


def build(recording: Recording, places: Places, kernels: KernelTimesView) -> BenchView | None:
    """What to show of a recording's benchmark, None where there is none."""
    found = recording.benchmark
    if found is None:
        return None
    checked = agreements(found)
    sections = tuple(_sections(found, wrong_ones(checked)))
    return BenchView(
        title=found.title,
        state=_state(found),
        created=found.created,
        verdicts=(*_verdicts(found, sections, checked), *_launches(recording, found)),
        ways=tuple(map(_way, found.ways)),
        sections=sections,
        agreements=checked,
        kernels=kernels,
        roofline=roofline.build(recording),
        memory=memory_courses.build(recording, found, places),
        doubts=(*other_options(found), *machine_doubts(found.machine)),
        machine=tuple(machine_rows(found.machine)),
        changes=between_calls(found),
    )


_STATES: dict[str, str] = {
    "done": "",
    "stopped": "It was stopped before its end: what was measured until then is shown.",
    "refused": "It was refused: nothing was timed. Each variant says why.",
}

_ONLY_KERNELS = (
    "Only the kernels were timed: whole calls were not compared, and neither were results."
)
_NOT_EAGERS = "Only the kernels were timed, with warm caches: nothing was compared with eager."


def _state(found: Benchmark) -> str:
    """How far it went; variants without any series were compiled for their kernels alone."""
    if found.state == "done" and found.kernels and not found.series:
        return _ONLY_KERNELS if found.eager_calls else _NOT_EAGERS
    return _STATES[found.state]


def _way(way: Way) -> WayView:
    return WayView(
        name=way.name,
        kind=way.kind,
        options=_options(way),
        code=way.code,
        language=way.language,
    )


def _options(way: Way) -> str:
    return ", ".join(f"{name}={value}" for name, value in way.options.items())


def _sections(found: Benchmark, wrong: set[tuple[int, Phase]]) -> Iterator[SectionView]:
    kinds: set[tuple[Phase, Cache]] = {(one.phase, one.cache) for one in found.series}
    for phase, cache in sorted(kinds, key=lambda kind: (kind[0], kind[1] == "cold")):
        timed = {
            one.way: one
            for one in found.series
            if (one.phase, one.cache) == (phase, cache)
            and one.seconds
            and not is_wrong(one.way, phase, wrong)
        }
        rows = tuple(_row(found, one, timed.get(0)) for _, one in sorted(timed.items()))
        if rows:
            title = f"{PHASES[phase]}, {cache} caches"
            yield SectionView(phase=phase, cache=cache, title=title, rows=rows)


def wrong_ones(checked: Iterable[AgreementView]) -> set[tuple[int, Phase]]:
    """The variants and phases that compute something other than eager."""
    return {(one.way, one.phase) for one in checked if one.verdict == "wrong"}


def is_wrong(way: int, phase: Phase, wrong: set[tuple[int, Phase]]) -> bool:
    """Whether a variant's times are withheld: if its forward is wrong, so is its step."""
    return (way, phase) in wrong or (way, "forward") in wrong


def _row(found: Benchmark, one: Series, base: Series | None) -> TimeView:
    way = found.ways[one.way]
    times = spread(one.seconds)
    compared = compare(base, one)
    held = way.peak_bytes
    earns = break_even(found, one.way, one.phase) if one.cache == "warm" else None
    compiling = way.compile_by_phase.get(one.phase, way.compile_seconds)
    return TimeView(
        way=one.way,
        name=way.name,
        seconds=tuple(map(rounded, one.seconds)),
        warmup=tuple(map(rounded, one.warmup)),
        low=rounded(times.low),
        median=rounded(times.median),
        high=rounded(times.high),
        time=median_text(times),
        quartiles=range_text(times),
        rounds=_rounds(one),
        factor=digits(compared.value, compared) if compared else "",
        interval=interval_text(compared) if compared else "",
        tone=tone_of(compared),
        compile=seconds(compiling) if compiling else "",
        pays_off=_pays_off(earns),
        memory="" if held is None else size(held),
        doubts=tuple(_doubts_of(one)),
    )


def _pays_off(earns: BreakEven | None) -> str:
    """The sentence; empty where it cannot be determined, which the ratio says already."""
    if earns is None or earns.verdict == "unknown":
        return ""
    return "never pays off: it is slower" if earns.verdict == "never" else earns.sentence


def tone_of(compared: Ratio | None) -> Tone:
    """Good where faster, bad where slower, plain where the difference is not significant."""
    if compared is None or not compared.differs:
        return "plain"
    return "good" if compared.value > 1 else "bad"


def _rounds(one: Series) -> str:
    of = f" of {plural(one.loops, 'call')}" if one.loops > 1 else ""
    return f"{plural(len(one.seconds), 'round')}{of}"


def _doubts_of(one: Series) -> Iterator[str]:
    if spread(one.seconds).is_shaky:
        yield "noisy: its quartiles are more than 10 % apart"
    if len(one.seconds) < rounds_needed():
        yield f"{plural(len(one.seconds), 'round')}: a difference needs {rounds_needed()} to show"


def _verdicts(
    found: Benchmark, sections: Iterable[SectionView], checked: Sequence[AgreementView]
) -> Iterator[VerdictView]:
    """For each variant and phase: that it computes something wrong, or how fast it is."""
    wrong = wrong_ones(checked)
    for at, way in enumerate(found.ways):
        if way.problem and not any(one == at for one, _ in wrong):  # which is reported with numbers
            sentence = f"{_named(way.name)} was not timed: {way.problem}"
            yield VerdictView(way=at, sentence=sentence, tone="bad")
    for one in checked:
        if one.verdict == "wrong" and not is_wrong(
            one.way, "forward", wrong - {(one.way, one.phase)}
        ):
            during = "" if one.phase == "forward" else f", in {PHASES[one.phase]},"
            sentence = f"{_named(one.name)}{during} {one.sentence}"
            yield VerdictView(way=one.way, sentence=sentence, tone="bad")
    reported: set[tuple[int, str]] = set()
    for section in sections:
        for row in section.rows:
            if row.way and (row.way, section.phase) not in reported:
                reported.add((row.way, section.phase))
                yield _doubted(_speed(found, section, row), found, section.phase)


def _launches(recording: Recording, found: Benchmark) -> Iterator[VerdictView]:
    tone = "warning" if found.machine.is_busy else "plain"
    for at, sentence in launches.saved(recording, found):
        yield VerdictView(way=at, sentence=sentence, tone=tone)


def _doubted(verdict: VerdictView, found: Benchmark, phase: Phase) -> VerdictView:
    """A verdict with what of it was not checked; that the machine was busy is said of all."""
    unchecked = any(
        (one.way, one.phase, one.verdict) == (verdict.way, phase, "not compared")
        for one in found.comparisons
    )
    said = " Whether it computes the same was not checked." if unchecked else ""
    tone = "warning" if found.machine.is_busy else verdict.tone
    return structs.replace(verdict, sentence=verdict.sentence + said, tone=tone)


def _speed(found: Benchmark, section: SectionView, row: TimeView) -> VerdictView:
    series = {
        one.way: one
        for one in found.series
        if (one.phase, one.cache) == (section.phase, section.cache)
    }
    compared = compare(series.get(0) if section.rows[0].way == 0 else None, series[row.way])
    name, base, where = _named(row.name), found.ways[0].name, section.title
    if compared is None:
        sentence = f"{name} takes {row.time}, {where}; {base} has no times to compare it with."
    elif compared.differs:
        above = compared.above_one
        word = "faster" if compared.value > 1 else "slower"
        times = f"{digits(above.value, above)} times {word} than {base} ({interval_text(above)})"
        sentence = f"{name} is {times}, {where}."
    elif len(row.seconds) < rounds_needed():
        few = f"{plural(len(row.seconds), 'round')} are too few, {rounds_needed()} are needed"
        sentence = f"{name} cannot be distinguished from {base}: {few} ({where})."
    else:
        span = f"{interval_text(compared)} times as fast"
        sentence = f"{name} is not distinguishable from {base} ({span}), {where}."
    return VerdictView(way=row.way, sentence=sentence, tone=tone_of(compared))


def _named(name: str) -> str:
    """A variant at the start of a sentence."""
    return name.capitalize() if name.isalpha() and name.islower() else name
