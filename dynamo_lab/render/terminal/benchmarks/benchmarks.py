"""The benchmark: verdicts, times of the variants, and kernels against what they replaced."""

from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.benchmarks import memory, roofline
from dynamo_lab.render.terminal.core.parts import (
    TONES,
    Page,
    grid,
    heading,
    indented,
    line,
    listing,
    text,
)
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.benchmarks.agreements import AgreementView
from dynamo_lab.view.benchmarks.benchmarks import BenchView, SectionView, TimeView
from dynamo_lab.view.benchmarks.kernel_groups import KernelGroupView
from dynamo_lab.view.benchmarks.kernel_times import ProgramView
from dynamo_lab.view.core.words import listed

_BRIEF = 8
_WIDE = 100
_OUTCOMES = {"slower": "bold red", "faster": "green"}
_VERDICTS = {"wrong": "bold red", "not compared": "yellow"}
HOW_TO_READ = (
    "A time is the median of its rounds; half of the rounds lie within the quartiles. Variants "
    "take turns, and what counts is the ratio of each round: the interval holds the true ratio "
    "with 95 % confidence, or 99.9 % where two are not distinguishable. Cold caches: data comes "
    "from memory, as it does in a large program.",
    "A group is the smallest set of kernels that fully replaces a set of eager operators. Each "
    "side was timed separately, on the same inputs. Groups that are surely slower come first.",
)


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The verdicts, then the times; in full, each comparison, each group, the machine."""
    bench = view.bench
    if bench is None:
        if page.everything:
            yield heading("Bench", "none")
            yield text("Nothing was measured: use lab.bench(fn, *args), or dynamo-lab bench.")
        return
    yield heading("Bench", one_line(bench.title))
    yield from _verdicts(bench)
    for one in bench.sections:
        yield Text()
        yield from _times(one, page)
    if page.everything:
        yield from _agreements(bench.agreements)
    for program in bench.kernels.programs:
        yield Text()
        yield from _program(program, page)
    if bench.roofline:
        yield Text()
        yield text("compared with the machine's limits", "bold")
        yield from roofline.rows(bench.roofline, page)
    if bench.memory:
        yield Text()
        yield from memory.rows(bench.memory, page)
    if bench.changes:
        yield Text()
        yield text(one_line(bench.changes), "dim")
    if page.everything:
        yield from _machine(bench)
        yield Text()
        yield from (text(words, "dim") for words in HOW_TO_READ)


def _verdicts(bench: BenchView) -> Iterator[RenderableType]:
    if bench.state:
        yield text(bench.state, "yellow")
    for verdict in bench.verdicts:
        yield text(one_line(verdict.sentence), TONES[verdict.tone])
    for doubt in bench.doubts:
        yield text(one_line(doubt), "yellow")


def _times(one: SectionView, page: Page) -> Iterator[RenderableType]:
    yield text(one.title, "bold")
    head = ("", "time", "quartiles", "times faster", "compile", "memory")
    kinds = ("left", "right", "right", "left", "right", "right")
    if page.width < _WIDE:
        head, kinds = head[:4] + head[5:], kinds[:5]
    rows = [tuple(text(word, "dim") for word in head)]
    rows += [_row(row, page.width >= _WIDE) for row in one.rows]
    yield indented(grid(kinds, rows))
    for row in one.rows:
        if row.pays_off:
            yield indented(text(f"{one_line(row.name)}: {row.pays_off}", "dim"))
    doubted: dict[str, list[str]] = {}
    for row in one.rows:
        for doubt in row.doubts:
            doubted.setdefault(doubt, []).append(one_line(row.name))
    for doubt, names in doubted.items():
        yield indented(text(f"{listed(names)}: {doubt}", "yellow"))


def _row(row: TimeView, is_wide: bool) -> tuple[Text, ...]:
    factor = text(row.factor, TONES[row.tone])
    if row.interval:
        factor.append(f" ({row.interval})", style="not bold dim")
    cells = (
        text(one_line(row.name), "bold"),
        text(row.time),
        text(row.quartiles, "dim"),
        factor,
        text(row.compile),
        text(row.memory),
    )
    return cells if is_wide else (*cells[:4], cells[5])


def _agreements(found: Iterable[AgreementView]) -> Iterator[RenderableType]:
    found = tuple(found)
    if found:
        yield Text()
        yield text("correctness", "bold")
    for one in found:
        style = _VERDICTS.get(one.verdict, "")
        head = (f"{one_line(one.name)} ({one.phase}): ", "bold")
        yield indented(line(head, (one_line(one.sentence), style), wrap=True))


def _program(program: ProgramView, page: Page) -> Iterator[RenderableType]:
    yield text(f"kernel by kernel: {one_line(program.title)}", "bold")
    if program.problem:
        yield indented(text(one_line(program.problem), "yellow"))
    if program.parts:
        parts = " + ".join(f"{part.name} {part.text} ({part.share})" for part in program.parts)
        is_sum = "=" if program.adds_up else "but, measured separately,"
        yield indented(text(f"as it runs, warm: {program.whole} {is_sum} {parts}"))
        yield indented(text(program.remainder, "dim"))
    if program.slowest:
        of = (", ".join(filter(None, (one.title, one.where))) for one in program.slowest.kernels)
        yield indented(text(f"{program.slowest.sentence}: {one_line('; '.join(of))}", "bold"))
    for remark in program.remarks:
        yield indented(text(one_line(remark), "yellow"))
    groups = program.groups if page.everything else program.groups[:_BRIEF]
    if groups:
        cache = "cold" if any(one.cold.kernels is not None for one in groups) else "warm"
        head = (f"kernels, {cache}", f"eager, {cache}", "faster", "of a warm call", "", "")
        rows = [tuple(text(word, "dim") for word in head), *map(_group, groups)]
        kinds = ("right", "right", "right", "right", "left", "wrap")
        yield from map(indented, listing(kinds, rows, page.width - 2))
    if left := len(program.groups) - len(groups):
        yield indented(text(f"… {left:,} more; --section bench prints all", "dim"))


def _group(group: KernelGroupView) -> tuple[Text, ...]:
    pair = group.cold if group.cold.kernels is not None else group.warm
    origins = [f"for {group.operators}" if group.operators else "", group.where]
    prose = text(", ".join(one_line(part) for part in origins if part), "dim")
    problems = (one.problem for one in (*group.kernels, *group.eager))
    for words in dict.fromkeys((group.why, *problems)):
        if words:
            prose.append(f"{'. ' if prose.plain else ''}{one_line(words)}", style="not dim yellow")
    return (
        text(pair.kernels_text or "-"),
        text(pair.eager_text or "-"),
        text(pair.factor or "-", _OUTCOMES.get(pair.outcome, "")),
        text(group.share, "dim"),
        text(one_line(group.title), "bold"),
        prose,
    )


def _machine(bench: BenchView) -> Iterator[RenderableType]:
    if bench.machine:
        yield Text()
        yield text("where it was measured", "bold")
        rows = [(text(one_line(a), "dim"), text(one_line(b))) for a, b in bench.machine]
        yield indented(grid(("left", "wrap"), rows))
