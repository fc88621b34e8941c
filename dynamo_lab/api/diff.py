"""Two recordings side by side: what changed in numbers, and what only one of them has."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from dynamo_lab.api.check import refuse_others
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.tables import table
from dynamo_lab.render.text import as_line
from dynamo_lab.view.breaks.stories import causes, in_order_of_causes
from dynamo_lab.view.compare.compilers import CompilersView, compilers
from dynamo_lab.view.compare.conditions import conditions
from dynamo_lab.view.compare.counts import COUNTS, SECONDS
from dynamo_lab.view.core.names import kernel_base
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.timings.caches import why_another_key

if TYPE_CHECKING:
    from dynamo_lab.view.benchmarks.benchmark_diff import BenchmarkDiff

T = TypeVar("T")


class Change(Struct, frozen=True):
    """A number in both recordings; None in one that does not know it, such as a log's."""

    name: str
    a: float | None
    b: float | None


class BreakFact(Struct, frozen=True, kw_only=True):
    """A graph break that only one recording has; `text` is its source line."""

    where: str
    text: str
    gb_type: str
    registry_id: str = ""


class KernelFact(Struct, frozen=True, kw_only=True):
    """A kernel that only one recording has, with the operators it fused."""

    name: str
    language: str
    operators: tuple[str, ...] = ()


class KernelChange(Struct, frozen=True, kw_only=True):
    """Kernels of `a` that became kernels of `b`, by name; what they compute, and for which line.

    `code` is the diff of their code, if both are in one language: its beginning, if it is long.
    """

    title: str
    where: str
    sentence: str
    a: tuple[str, ...] = ()
    b: tuple[str, ...] = ()
    code: tuple[str, ...] = ()


class Diff(Struct, frozen=True, kw_only=True):
    """What changed from recording `a` to recording `b`.

    Breaks are the same if their source line and their kind are the same, so a line that moved
    is not a change. Kernels are the same if their names without the counter and their language
    are, and their code or their operators; of extern kernels each call counts, by name;
    `became` lists those that do the same work differently.
    `operators` counts the targets of all graphs at `stage`, the latest that both have.
    `benchmarks` is set if both were measured. `conditions` are what differs in versions, machine,
    options and dtypes. `caches` says why code of `a` would not be found for `b` in a compile cache,
    empty if it would, or if that is not known. Breaks that follow from another come after it.
    `compilers` is set if two compilers lowered them: what each did that the other did not.
    """

    a: str
    b: str
    counts: tuple[Change, ...]
    breaks_a: tuple[BreakFact, ...] = ()
    breaks_b: tuple[BreakFact, ...] = ()
    kernels_a: tuple[KernelFact, ...] = ()
    kernels_b: tuple[KernelFact, ...] = ()
    became: tuple[KernelChange, ...] = ()
    operators: tuple[Change, ...] = ()
    stage: str = ""
    benchmarks: "BenchmarkDiff | None" = None
    conditions: tuple[str, ...] = ()
    caches: str = ""
    compilers: CompilersView | None = None

    def __str__(self) -> str:
        names = ("a", "b")
        parts = [f"a: {as_line(self.a)}", f"b: {as_line(self.b)}", ""]
        parts += _section("made under other conditions", [[as_line(c)] for c in self.conditions])
        parts += [""] if self.conditions else []
        parts += _change_table(("", *names, "change"), self.counts)
        parts += ["Compile seconds are of one run each: they are not compared."]
        parts += [as_line(self.caches)] if self.caches else []
        for name, breaks in zip(names, (self.breaks_a, self.breaks_b), strict=True):
            parts += _section(f"breaks only in {name}", [_break_row(b) for b in breaks])
        for name, kernels in zip(names, (self.kernels_a, self.kernels_b), strict=True):
            parts += _section(f"kernels only in {name}", [_kernel_row(k) for k in kernels])
        if self.became:
            parts += ["", "what became of the kernels of a:"]
            parts += [line for change in self.became for line in _change_lines(change)]
        if self.operators:
            parts += ["", *_change_table((f"operators ({self.stage})", *names, ""), self.operators)]
        if self.compilers:
            of = self.compilers
            head = ("what they did differently", "", as_line(of.a), as_line(of.b))
            cells = [[as_line(text) for text in (d.topic, d.what, d.a, d.b)] for d in of.deeds]
            parts += ["", *table([head, *cells])]
        if self.benchmarks:
            parts += ["", *_measured(self.benchmarks)]
        parts += [] if self.differs else ["", "Nothing differs."]
        return "\n".join(parts)

    __repr__ = __str__

    @property
    def differs(self) -> bool:
        """Whether anything but the seconds is another in `b`."""
        counted = any(change.a != change.b for change in self.counts if change.name != SECONDS)
        lists = (self.breaks_a, self.breaks_b, self.kernels_a, self.kernels_b, self.became)
        return counted or any(lists) or bool(self.operators or self.conditions or self.benchmarks)


def diff(a: Recording, b: Recording) -> Diff:
    """What changed from recording `a` to recording `b`; of benchmarks, their recordings count."""
    a, b = _recording_of(a), _recording_of(b)
    refuse_others("diff", a, b)
    stage = _common_stage(a, b)
    breaks_a, breaks_b = _unmatched(_break_facts(a), _break_facts(b), _break_key)
    kernels_a, kernels_b = _other_kernels(a, b)
    return Diff(
        a=a.title,
        b=b.title,
        counts=tuple(Change(name, read(a), read(b)) for name, read in COUNTS.items()),
        breaks_a=breaks_a,
        breaks_b=breaks_b,
        kernels_a=kernels_a,
        kernels_b=kernels_b,
        became=tuple(_became(a, b)),
        operators=_operator_changes(_operators(a, stage), _operators(b, stage)),
        stage=stage,
        benchmarks=_benchmarks(a, b),
        conditions=tuple(conditions(a, b)),
        caches=why_another_key(a, b),
        compilers=compilers(a, b),
    )


def _recording_of(thing: Any) -> Recording:
    return thing if isinstance(thing, Recording) else getattr(thing, "recording", thing)


def _benchmarks(a: Recording, b: Recording) -> "BenchmarkDiff | None":
    if a.benchmark is None or b.benchmark is None:
        return None
    from dynamo_lab.view.benchmarks.benchmark_diff import benchmark_diff

    return benchmark_diff(a.benchmark, b.benchmark)


_CODE_LINES = 24


def _became(a: Recording, b: Recording) -> Iterator[KernelChange]:
    from dynamo_lab.view.compare.side_by_side import code_diff, pair, shown

    sides = shown("a", a), shown("b", b)
    for work in pair(*sides).works:
        if not work.same:
            yield KernelChange(
                title=work.title,
                where=work.where,
                sentence=work.sentence,
                a=tuple(a.kernels[k].name for k in work.a),
                b=tuple(b.kernels[k].name for k in work.b),
                code=tuple(code_diff(work, sides[0].kernels, sides[1].kernels, _CODE_LINES)),
            )


def _common_stage(a: Recording, b: Recording) -> str:
    stages = [{graph.stage for graph in recording.graphs} for recording in (a, b)]
    both = stages[0] & stages[1]
    return next((stage for stage in ("post_grad", "forward", "dynamo") if stage in both), "")


def _operators(recording: Recording, stage: str) -> Counter[str]:
    counts = Counter[str]()
    for graph in recording.graphs:
        if graph.stage == stage:
            strings = graph.nodes.strings
            counts.update(
                strings[target]
                for op, target in zip(graph.nodes.op, graph.nodes.target, strict=True)
                if strings[op].startswith("call_")
            )
    return counts


def _operator_changes(a: Counter[str], b: Counter[str]) -> tuple[Change, ...]:
    """Targets whose counts differ, the largest change first."""
    changed = [name for name in {**a, **b} if a[name] != b[name]]
    changed.sort(key=lambda name: (-abs(a[name] - b[name]), name))
    return tuple(Change(name, a[name], b[name]) for name in changed)


def _break_facts(recording: Recording) -> list[BreakFact]:
    places = Places(recording)
    ordered = in_order_of_causes(causes(recording, places))
    lines = [(b, places.line_of(b.span)) for b in (recording.breaks[at] for at in ordered)]
    return [
        BreakFact(
            where=places.where(line),
            text=places.text(line).strip(),
            gb_type=b.gb_type or b.reason,
            registry_id=b.registry_id,
        )
        for b, line in lines
    ]


def _other_kernels(
    a: Recording, b: Recording
) -> tuple[tuple[KernelFact, ...], tuple[KernelFact, ...]]:
    """Those with the same code are the same, and of the rest those with the same operators."""
    rest_a, rest_b = _unmatched(_kernel_facts(a), _kernel_facts(b), lambda found: found[1])
    return _unmatched([fact for fact, _ in rest_a], [fact for fact, _ in rest_b], _kernel_key)


def _kernel_facts(recording: Recording) -> list[tuple[KernelFact, Hashable]]:
    """Each kernel, and what tells its code, if that is known."""
    return [
        (
            KernelFact(name=k.name, language=k.language, operators=_kernel_operators(recording, k)),
            (kernel_base(k.name), k.code) if k.code else object(),
        )
        for k in recording.kernels
        for _ in range(k.calls if k.language == "extern" else 1)
    ]


def _kernel_operators(recording: Recording, kernel: Kernel) -> tuple[str, ...]:
    if kernel.graph is None:
        return ()
    nodes = recording.graphs[kernel.graph].nodes
    return tuple(nodes.strings[nodes.target[index]] for index in kernel.nodes)


def _break_key(fact: BreakFact) -> Hashable:
    return (fact.text or fact.where, fact.gb_type)


def _kernel_key(fact: KernelFact) -> Hashable:
    if fact.language == "extern":  # the same code whatever it is called for
        return (fact.name, fact.language)
    return (kernel_base(fact.name), fact.language, tuple(sorted(fact.operators)))


def _unmatched(
    a: Sequence[T], b: Sequence[T], key: Callable[[T], Hashable]
) -> tuple[tuple[T, ...], tuple[T, ...]]:
    """Facts of `a` without a match in `b` and the reverse: each matches at most one other."""
    return _without_partner(a, b, key), _without_partner(b, a, key)


def _without_partner(
    facts: Sequence[T], others: Sequence[T], key: Callable[[T], Hashable]
) -> tuple[T, ...]:
    partners = Counter(map(key, others))
    alone: list[T] = []
    for fact in facts:
        if partners[key(fact)]:
            partners[key(fact)] -= 1
        else:
            alone.append(fact)
    return tuple(alone)


def _change_table(head: Sequence[str], changes: Sequence[Change]) -> list[str]:
    rows = [
        [as_line(change.name), _number(change.a), _number(change.b), _difference(change)]
        for change in changes
    ]
    return table([head, *rows], right=(1, 2, 3))


def _number(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"


def _difference(change: Change) -> str:
    if change.name == SECONDS or change.a is None or change.b is None:
        return ""  # seconds are of one run each, which says nothing
    difference = change.b - change.a
    if not difference:
        return "="
    return ("+" if difference > 0 else "-") + _number(abs(difference))


def _section(title: str, rows: list[list[str]]) -> list[str]:
    return ["", f"{title}:", *(f"  {line}" for line in table(rows))] if rows else []


def _break_row(fact: BreakFact) -> list[str]:
    kind = f"{fact.gb_type} ({fact.registry_id})" if fact.registry_id else fact.gb_type
    return [as_line(fact.where), as_line(fact.text), as_line(kind)]


def _change_lines(change: KernelChange) -> Iterator[str]:
    where = f" ({as_line(change.where)})" if change.where else ""
    yield f"  {as_line(change.title)}{where}: {change.sentence}"
    if change.a or change.b:
        names = (", ".join(change.a) or "nothing", ", ".join(change.b) or "nothing")
        yield f"    {as_line(names[0])} -> {as_line(names[1])}"
    yield from (f"      {as_line(line)}" for line in change.code)


def _kernel_row(fact: KernelFact) -> list[str]:
    return [
        as_line(fact.name),
        as_line(fact.language),
        as_line(", ".join(fact.operators)),
    ]


def _measured(found: "BenchmarkDiff") -> Iterator[str]:
    if found.reasons:
        yield "times are not compared:"
        yield from (f"  {as_line(reason)}" for reason in found.reasons)
        return
    rows = [
        [as_line(one.way), one.title, one.a, one.b, f"b is {one.sentence}"] for one in found.changes
    ]
    yield from table([["measured", "", "a", "b", ""], *rows], right=(2, 3))
    if found.doubt:
        yield f"  {as_line(found.doubt)}"
