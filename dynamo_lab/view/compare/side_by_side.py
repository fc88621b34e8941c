"""Several recordings of one program: their views, and which kernels of each pair do the same."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from dynamo_lab.view.compare.alignment import Work, align
from dynamo_lab.view.compare.compilers import CompilersView, compilers
from dynamo_lab.view.core import links
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import plural, unit
from dynamo_lab.view.kernels import kernels
from dynamo_lab.view.kernels.code_diff import Edit, edits, unnumbered
from dynamo_lab.view.kernels.kernels import ancestors_of, stacks_of
from dynamo_lab.view.ranks.ranks import RanksView
from dynamo_lab.view.timings.caches import why_another_key
from dynamo_lab.view.view import View, build

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.kernels.kernels import KernelsView, KernelView


class WorkView(Struct, frozen=True, kw_only=True):
    """Kernels of two recordings that do the same work: see `alignment.Work`.

    `edits` is the diff of their code, where both have code in one language: of the lines of all
    kernels of a side, concatenated.
    """

    a: tuple[int, ...]
    b: tuple[int, ...]
    inside: tuple[int, ...]
    title: str
    where: str
    sentence: str
    same: bool = False
    edits: tuple[Edit, ...] = ()


class PairView(Struct, frozen=True, kw_only=True):
    """Two recordings, by their labels; `facts` are what changed from `a` to `b`, in words.

    `compilers` is set where two compilers made them.
    """

    a: str
    b: str
    facts: tuple[str, ...]
    works: tuple[WorkView, ...]
    compilers: CompilersView | None = None


class LineRow(Struct, frozen=True, kw_only=True):
    """A line of the user's, and for each recording the titles of the kernels it led to."""

    where: str
    text: str
    kernels: tuple[tuple[str, ...], ...]


class SideBySideView(Struct, frozen=True, kw_only=True):
    """The views under their labels, and what each pair has in common.

    `ranks` is set where they are ranks of one job.
    """

    labels: tuple[str, ...]
    views: tuple[View, ...]
    pairs: tuple[PairView, ...]
    lines: tuple[LineRow, ...] = ()
    ranks: RanksView | None = None


def together(recordings: Mapping[str, Recording], ranks: RanksView | None = None) -> SideBySideView:
    """Everything to show of several recordings of one program; `ranks` if of one job."""
    of, views = tuple(recordings.values()), tuple(map(build, recordings.values()))
    compared = [Shown(*one) for one in zip(recordings, of, (v.kernels for v in views), strict=True)]
    return SideBySideView(
        labels=tuple(recordings),
        views=views,
        pairs=tuple(pair(a, b) for a, b in combinations(compared, 2)),
        lines=tuple(_line_rows(of, views)),
        ranks=ranks,
    )


class Shown(NamedTuple):
    """A recording under its label, and how its kernels are shown."""

    label: str
    recording: Recording
    kernels: KernelsView


def shown(label: str, recording: Recording) -> Shown:
    """A recording prepared for comparing, where its view is not needed otherwise."""
    ancestry = Ancestry(links.build(recording))
    return Shown(label, recording, kernels.build(recording, Places(recording), ancestry))


def pair(a: Shown, b: Shown) -> PairView:
    """What the kernels of the first recording became in the second."""
    recordings = a.recording, b.recording
    works = tuple(_work(work, a.kernels, b.kernels) for work in align(*recordings))
    return PairView(
        a=a.label,
        b=b.label,
        works=works,
        facts=tuple(_facts(works, recordings)),
        compilers=compilers(*recordings),
    )


def sizes(view: View) -> tuple[tuple[str, int], ...]:
    """Counts of the things in which two recordings of one program may differ."""
    all_of_it = view.kernels.kernels
    own = sum(kernel.language != "extern" for kernel in all_of_it)
    fused = sum(
        len(one.groups[place.group].operations) > 1
        for one in view.fusions.schedules
        for place in one.final
    )
    return (
        ("fused groups", fused),
        ("kernels", own),
        ("library calls", len(all_of_it) - own),
        ("lines of code", len(code_lines(all_of_it))),
        ("breaks", len(view.breaks)),
    )


def code_lines(of: Iterable[KernelView]) -> list[str]:
    """The code of kernels, concatenated."""
    return [line for kernel in of if kernel.code for line in _lines(kernel.code)]


def code_diff(work: WorkView, a: KernelsView, b: KernelsView, limit: int) -> Iterator[str]:
    """The lines of code that differ, each with its sign; if too many, the number of the rest."""
    old = code_lines(a.kernels[k] for k in work.a)
    new = code_lines(b.kernels[k] for k in work.b)
    rows: list[str] = []
    for edit in work.edits:
        if edit.sign != "=":
            rows += [f"- {line.rstrip()}" for line in old[edit.a : edit.a_end]]
            rows += [f"+ {line.rstrip()}" for line in new[edit.b : edit.b_end]]
    yield from rows[:limit]
    if len(rows) > limit:
        yield f"… {plural(len(rows) - limit, 'more line')}"


def _lines(code: str) -> list[str]:
    return code.strip("\n").split("\n")


def _work(work: Work, all_a: KernelsView, all_b: KernelsView) -> WorkView:
    a = [all_a.kernels[k] for k in work.a]
    b = [all_b.kernels[k] for k in work.b]
    found = _edits(a, b)
    same = all(edit.sign == "=" for edit in found) if found else _are_calls(a, b)
    first = (a or b)[0]
    return WorkView(
        a=work.a,
        b=work.b,
        inside=work.inside,
        title=first.title,
        where=first.where,
        sentence=_sentence(work, a, b, same),
        same=same,
        edits=() if same else found,
    )


def _edits(a: Sequence[KernelView], b: Sequence[KernelView]) -> tuple[Edit, ...]:
    with_code = [[k for k in side if k.code] for side in (a, b)]
    if not all(with_code) or len({k.language for side in with_code for k in side}) > 1:
        return ()
    return edits(*([unnumbered(line) for line in code_lines(side)] for side in with_code))


def _are_calls(a: Sequence[KernelView], b: Sequence[KernelView]) -> bool:
    """Whether both sides are the same library calls."""
    if not a or any(kernel.language != "extern" for kernel in (*a, *b)):
        return False
    return Counter(k.name for k in a) == Counter(k.name for k in b)


def _sentence(work: Work, a: Sequence[KernelView], b: Sequence[KernelView], same: bool) -> str:
    if not a or not b:
        many = plural(len(work.inside), "kernel")
        if b:
            return f"new: {many} computed this on the way" if work.inside else "new"
        return f"gone: {many} compute this on the way" if work.inside else "gone"
    if same:
        return "the same"
    if (len(a), len(b)) != (1, 1):
        return f"{plural(len(a), 'kernel')} became {len(b)}"
    languages = a[0].language, b[0].language
    return "different code" if languages[0] == languages[1] else " became ".join(languages)


def _facts(works: Sequence[WorkView], recordings: tuple[Recording, Recording]) -> Iterator[str]:
    counts = Counter(_kind(work) for work in works)
    many = Counter(
        f"{plural(len(work.a), 'kernel')} became {len(work.b)}"
        for work in works
        if _kind(work) == "many"
    )
    for text, times in many.items():
        yield text if times == 1 else f"{times} times {text}"
    for kind, words in (("other", "with different code"), ("gone", "gone"), ("new", "new")):
        if counts[kind]:
            yield f"{plural(counts[kind], 'kernel')} {words}"
    if counts["same"]:
        yield f"{plural(counts['same'], 'kernel')} unchanged"
    sizes = [_size(recording) for recording in recordings]
    if sizes[0] != sizes[1]:
        lines = unit(sizes[1], "line")
        yield f"{sizes[0]:,} \N{RIGHTWARDS ARROW} {sizes[1]:,} {lines} of code"
    if why := why_another_key(*recordings):
        yield why


def _kind(work: WorkView) -> str:
    if not work.a or not work.b:
        return "new" if work.b else "gone"
    if work.same:
        return "same"
    return "other" if len(work.a) == len(work.b) == 1 else "many"


def _size(recording: Recording) -> int:
    return sum(len(_lines(kernel.code)) for kernel in recording.kernels if kernel.code)


def _line_rows(recordings: Sequence[Recording], views: Sequence[View]) -> Iterator[LineRow]:
    """The user's lines that led to a kernel anywhere, in text order."""
    found: dict[tuple[str, int], list[list[str]]] = {}
    described: dict[tuple[str, int], tuple[str, str]] = {}
    for at, (recording, view) in enumerate(zip(recordings, views, strict=True)):
        places = Places(recording)
        if view.sources:
            places = places.seen_from(view.sources[view.main_source].id)
        ancestry = Ancestry(view.links)
        for kernel in recording.kernels:
            stacks = stacks_of(ancestors_of(kernel, ancestry), recording)
            for line in dict.fromkeys(filter(None, map(places.own_line, stacks))):
                key = (recording.sources[line[0]].path, line[1])
                described.setdefault(key, (places.where(line), places.text(line).strip()))
                row = found.setdefault(key, [[] for _ in recordings])
                row[at].append(view.kernels.kernels[kernel.id].title)
    for key in sorted(found):
        where, text = described[key]
        yield LineRow(where=where, text=text, kernels=tuple(map(tuple, found[key])))
