"""The benchmark in the script-free HTML: verdicts, then tables of times."""

from collections.abc import Iterator

from dynamo_lab.render.colours import coloured
from dynamo_lab.render.fallback.benchmarks import roofline
from dynamo_lab.render.markup import Markup, details, join, table, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view import View
from dynamo_lab.view.benchmarks.benchmarks import BenchView, SectionView
from dynamo_lab.view.benchmarks.kernel_groups import KernelGroupView
from dynamo_lab.view.benchmarks.kernel_times import ProgramView
from dynamo_lab.view.benchmarks.memory_courses import MemoryCoursesView
from dynamo_lab.view.core.words import plural

_GROUPS = 60
_OUTCOMES = {"faster": "good", "slower": "bad"}


def verdicts(view: View) -> Iterator[Markup]:
    """What the measurement says, in sentences."""
    if view.bench is not None:
        yield _verdicts(view.bench)


def blocks(view: View) -> Iterator[Markup]:
    """A table for each phase and cache, and one for each program's kernels."""
    bench = view.bench
    if bench is None:
        return
    for section in bench.sections:
        yield _times(section)
    if bench.agreements:
        items = (
            tag("li", tag("b", shortened(f"{one.name} ({one.phase})", 120)), f": {one.sentence}")
            for one in bench.agreements
        )
        yield details("correctness", tag("ul", *items))
    for program in bench.kernels.programs:
        yield _program(program)
    if bench.roofline:
        yield details("compared with the machine's limits", *roofline.blocks(bench.roofline))
    if bench.memory:
        yield details("memory over one call", *_memory(bench.memory))
    if bench.machine:
        facts = " · ".join(f"{shortened(a, 60)} {shortened(b, 80)}" for a, b in bench.machine)
        yield tag("p", tag("small", f"measured on: {facts}"))


def _memory(found: MemoryCoursesView) -> Iterator[Markup]:
    """Each variant's peak and what holds it."""
    yield tag("p", shortened(found.sentence, 300))
    for course in found.courses:
        rows = [
            (one.size, one.share, shortened(one.operator, 80), shortened(one.where, 120))
            for one in course.holders
        ]
        yield tag("p", tag("b", shortened(course.name, 80)), f": {course.peak} at its peak")
        yield table(("bytes", "of the peak", "made by", "called at"), rows)


def _verdicts(bench: BenchView) -> Markup:
    rows = [
        tag("li", tag("b", shortened(one.sentence, 400), **coloured(one.tone)))
        for one in bench.verdicts
    ]
    doubts = [tag("p", shortened(text, 400)) for text in (bench.state, *bench.doubts) if text]
    doubts += [tag("p", shortened(bench.changes, 400))] if bench.changes else []
    return join(*doubts, tag("ul", *rows))


def _times(section: SectionView) -> Markup:
    head = ("", "time", "quartiles", "times faster", "compile", "pays off", "memory", "rounds")
    rows = (
        (
            tag("b", shortened(row.name, 80)),
            row.time,
            row.quartiles,
            _factor(row.factor, row.interval, row.tone),
            row.compile,
            row.pays_off.partition(":")[0].removeprefix("pays off "),
            row.memory,
            "; ".join((row.rounds, *row.doubts)),
        )
        for row in section.rows
    )
    return join(tag("p", tag("b", section.title)), table(head, rows))


def _factor(factor: str, interval: str, tone: str) -> Markup:
    within = f" ({interval})" if interval else ""
    return join(tag("b", factor, **coloured(tone)), within) if factor else Markup("")


def _program(program: ProgramView) -> Markup:
    parts = " + ".join(f"{part.name} {part.text} ({part.share})" for part in program.parts)
    is_sum = "=" if program.adds_up else "but, measured separately,"
    whole = tag("p", f"{program.whole} {is_sum} {parts}. {program.remainder}") if parts else ""
    if program.slowest:
        of = (", ".join(filter(None, (one.title, one.where))) for one in program.slowest.kernels)
        named = tag("b", shortened("; ".join(of), 300))
        whole = join(whole, tag("p", f"{program.slowest.sentence}: ", named))
    whole = join(whole, *(tag("p", remark) for remark in program.remarks))
    problem = tag("p", shortened(program.problem, 400)) if program.problem else ""
    head = ("kernels", "eager operators", "kernels take", "eager takes", "times faster", "share",
            "where", "why")  # fmt: skip
    rows = (_group(group) for group in program.groups[:_GROUPS])
    left = len(program.groups) - _GROUPS
    rest = f"{plural(left, 'more group')}: run the cell to see all."
    more = tag("p", tag("i", rest)) if left > 0 else ""
    title = tag("p", tag("b", f"kernel by kernel: {shortened(program.title, 120)}"))
    return join(title, problem, whole, table(head, rows) if program.groups else "", more)


def _group(group: KernelGroupView) -> tuple[str, ...]:
    pair = group.cold if group.cold.kernels is not None else group.warm
    problems = (one.problem for one in (*group.kernels, *group.eager))
    why = [shortened(words, 300) for words in dict.fromkeys((group.why, *problems)) if words]
    return (
        tag("b", shortened(group.title, 120)),
        shortened(group.operators, 200),
        pair.kernels_text,
        pair.eager_text,
        _factor(pair.factor, pair.interval, _OUTCOMES.get(pair.outcome, "")),
        group.share,
        shortened(group.where, 120),
        " ".join(why),
    )
