"""Which ranks of a planned job are of one kind, from as few of them as that takes.

Rank 0 is planned first: its mesh says where each rank is, and its DTensors what each holds. Ranks
that hold shards of other sizes, or are in more, fewer or larger of the groups that a line makes,
are of other kinds. Then a rank inside the mesh and the last one are planned: where both compile
what rank 0 does, a place in the mesh is taken to make no difference. Where only some collectives
differ in what is brought to them, as to a scatter by its source, the dimensions of their groups are
those that matter, if two more ranks agree. Else each dimension is tried alone, its first, an inner
and its last place. The places at the edges of a dimension that matters are kinds of their own.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.model.ranks.meshes import Mesh, shard_of
from dynamo_lab.model.ranks.plans import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dynamo_lab.model.recording import Recording

    Of = Callable[[int], Recording | None]

_MOST = 16
"""The most kinds that are planned, those of most ranks."""
_OUTSIDE = ("outside",)


class _Job(NamedTuple):
    """A job as rank 0 sees it: the place of each rank in its largest mesh, and what it holds.

    `shapes` are those of its shards, and with them in how many groups of each making a rank is.
    """

    mesh: Mesh
    places: Mapping[int, tuple[int, ...]]
    shapes: Mapping[int, tuple[Any, ...]]
    shards: Mapping[int, tuple[Any, ...]]


def kinds_of(of: Of, n: int) -> tuple[list[Kind], list[str]]:
    """The kinds of n ranks, by their representatives, and what was left out in a sentence each.

    `of` plans a rank, each once; it gives None when the time is over.
    """
    first = of(0)
    assert first is not None
    rank = first.rank
    if rank is None or rank.ending.kind != "finished":
        return [Kind(representative=0, ranks=tuple(range(n)), planned=(0,))], []
    job = _job(first, n)
    tried, dimensions = _that_matter(of, job)
    members: dict[Any, list[int]] = {}
    for number in range(n):
        key = job.shapes[number], _edges(job, number, dimensions)
        members.setdefault(key, []).append(number)
    made, left = _represented(of, list(members.values()), tried, job)
    return sorted(made, key=lambda kind: kind.representative), left


def _job(first: Recording, n: int) -> _Job:
    rank = first.rank
    assert rank is not None
    mesh = max(rank.meshes, key=lambda one: (len(one.ranks), len(one.shape)), default=None)
    if mesh is None:
        mesh = Mesh(shape=(n,), ranks=tuple(range(n)))
    cuts = {
        (one.placements, one.shape, one.mesh.shape, dimensions)
        for one in rank.dtensors
        if (dimensions := _dimensions(one.mesh, mesh)) is not None
    }
    places = dict(mesh.coordinates())

    def held(number: int) -> Iterator[Any]:
        place = places.get(number)
        for placements, shape, sizes, dimensions in cuts if place else ():
            own = [place[dimension] for dimension in dimensions] if place else []
            shard = shard_of(shape, sizes, placements, own)
            yield shard and shard.sizes

    groups = {number: Counter[tuple[int | None, int]]() for number in range(n)}
    for one in rank.made:
        for number in groups.keys() & one.ranks:  # others are refused
            groups[number][one.stack, len(one.ranks)] += 1
    shards = {number: tuple(held(number)) for number in range(n)}
    shapes = {number: (*shards[number], frozenset(groups[number].items())) for number in range(n)}
    return _Job(mesh, places, shapes, shards)


def _dimensions(mesh: Mesh, whole: Mesh) -> tuple[int, ...] | None:
    """Which dimensions of the whole mesh another one has: by their names, for it may be a row."""
    if mesh == whole:
        return tuple(range(len(whole.shape)))
    known = {name: at for at, name in enumerate(whole.names)}
    found = tuple(known.get(name, -1) for name in mesh.names)
    is_part = found and all(
        at >= 0 and whole.shape[at] == size for at, size in zip(found, mesh.shape, strict=True)
    )
    return found if is_part else None


def _that_matter(of: Of, job: _Job) -> tuple[list[int], list[int]]:
    """The ranks that were tried, and the dimensions along which ranks compile other things."""
    tried = [0, *dict.fromkeys(_extremes(job))]
    if not any(_differs(of, job, number) for number in tried[1:]):
        return tried, []
    guessed = _dimensions_of_calls(of, job, tried[1:])
    if guessed:
        agreeing = _agreeing(of, job, guessed, inside=tried[1])
        if agreeing:
            return [*tried, *agreeing], guessed
    found: list[int] = []
    for dimension, size in enumerate(job.mesh.shape):
        places = {size // 2, size - 1} - {0}
        along = [number for number, place in job.places.items()
                 if place[dimension] in places and not any(_without(place, dimension))]  # fmt: skip
        tried += along
        if any(_differs(of, job, number) for number in along):
            found.append(dimension)
    return list(dict.fromkeys(tried)), found or list(range(len(job.mesh.shape)))


def _dimensions_of_calls(of: Of, job: _Job, others: Sequence[int]) -> list[int]:
    """The dimensions along which calls differ from rank 0's in sizes, if nothing else does."""
    found: set[int] = set()
    first = of(0)
    for number in others:
        other = of(number)
        if first is None or other is None or job.shapes[number] != job.shapes[0]:
            return []
        (mine, calls, *rest), (own, other_calls, *others_rest) = (
            looks(one, sizes=True) for one in (first, other)
        )
        if (mine, rest) != (own, others_rest) or len(calls) != len(other_calls):
            return []
        for at, (a, b) in enumerate(zip(calls, other_calls, strict=True)):
            if a != b:
                dimension = _dimension_of(job, first, 0, at)
                if a[:-1] != b[:-1] or dimension is None:
                    return []
                if dimension != _dimension_of(job, other, number, at):
                    return []
                found.add(dimension)
    return sorted(found)


def _dimension_of(job: _Job, recording: Recording, number: int, at: int) -> int | None:
    """The dimension of the mesh along which the group of a rank's call lies."""
    rank = recording.rank
    assert rank is not None
    group = (rank.calls or ())[at].group
    ranks = next((set(one.ranks) for one in rank.groups if one.name == group), set[int]())
    for dimension in range(len(job.mesh.shape)):
        apart = _without(job.places[number], dimension)
        row = {n for n, place in job.places.items() if _without(place, dimension) == apart}
        if row == ranks:
            return dimension
    return None


def _agreeing(of: Of, job: _Job, dimensions: Sequence[int], inside: int) -> list[int]:
    """Two ranks that show that these dimensions matter, and no other; none if they do not."""
    numbers = {place: number for number, place in job.places.items()}

    def at(is_inner: Callable[[int], bool]) -> int | None:
        sizes = enumerate(job.mesh.shape)
        return numbers.get(tuple(size // 2 if is_inner(d) else 0 for d, size in sizes))

    as_first, as_inside = at(lambda d: d not in dimensions), at(lambda d: d in dimensions)
    if as_first is None or as_inside is None:
        return []
    pairs = ((as_first, 0), (as_inside, inside))
    is_so = all(_look_alike(of, job, *pair) for pair in pairs)
    return [as_first, as_inside] if is_so else []


def _without(place: Sequence[int], dimension: int) -> tuple[int, ...]:
    return (*place[:dimension], *place[dimension + 1 :])


def _extremes(job: _Job) -> Iterator[int]:
    """Of the ranks that hold what rank 0 does, one inside the mesh and the last."""
    alike = [number for number in job.places if job.shapes[number] == job.shapes[0] and number]
    sizes = job.mesh.shape
    inside = [number for number in alike
              if all(0 < at < size - 1 for at, size in zip(job.places[number], sizes, strict=True)
                     if size > 2)]  # fmt: skip
    if alike:
        yield (inside or alike)[len(inside or alike) // 2]
        yield alike[-1]


def _edges(job: _Job, number: int, dimensions: Sequence[int]) -> tuple[str, ...]:
    """'first', 'inner' or 'last' in each of these dimensions of the mesh."""
    place = job.places.get(number)
    if place is None:
        return _OUTSIDE
    return tuple(
        "first" if place[d] == 0 else "last" if place[d] == job.mesh.shape[d] - 1 else "inner"
        for d in dimensions
    )


def _represented(
    of: Of, members: list[list[int]], tried: Sequence[int], job: _Job
) -> tuple[list[Kind], list[str]]:
    """The kinds with a rank of each planned; those that compile and hold the same are one."""
    members.sort(key=lambda own: (0 not in own, -len(own)))
    found: dict[Any, Kind] = {}
    left: list[int] = []
    for at, own in enumerate(members):
        seen = [number for number in tried if number in own] or own[:1]
        recording = of(seen[0]) if at < _MOST else None
        if recording is None:
            left += own
            continue
        key = job.shards[own[0]], looks(recording, sizes=True)
        planned = tuple(number for number in seen if of(number) is not None)
        before = found.get(key)
        found[key] = Kind(
            representative=before.representative if before else seen[0],
            ranks=tuple(sorted((*(before.ranks if before else ()), *own))),
            planned=(*(before.planned if before else ()), *planned),
        )
    told = f"{len(left):,} ranks of other kinds are not planned: the time was over, or there are "
    return list(found.values()), [f"{told}more than {_MOST} kinds."] if left else []


def _differs(of: Of, job: _Job, number: int) -> bool:
    """Whether a rank compiles other things than rank 0, as far as there is time to plan it."""
    return of(number) is not None and not _look_alike(of, job, 0, number)


def _look_alike(of: Of, job: _Job, number: int, than: int) -> bool:
    one, other = of(number), of(than)
    if one is None or other is None:
        return False
    sizes = job.shapes[number] == job.shapes[than]
    return looks(one, sizes=sizes) == looks(other, sizes=sizes)


def looks(recording: Recording, *, sizes: bool) -> tuple[Any, ...]:
    """What a rank compiles and calls, without what names the rank; with the sizes or without."""
    rank = recording.rank
    graphs = tuple(
        (one.stage, one.is_backward, tuple(
            (node.op, node.target, node.value.shape if sizes else None) for node in one.nodes))
        for one in recording.graphs
    )  # fmt: skip
    width = {one.name: len(one.ranks) for one in rank.groups} if rank else {}
    calls = tuple(
        (one.name, width.get(one.group), one.is_compiled, one.sizes if sizes else None)
        for one in (rank.calls if rank else None) or ()
    )
    ending = rank.ending if rank else None
    breaks = tuple((one.reason, _place(recording, one.span)) for one in recording.breaks)
    outside = tuple((one.name, one.times) for one in (rank.outside if rank else ()))
    return graphs, calls, breaks, outside, ending and ending.kind, len(recording.kernels)


def _place(recording: Recording, span: int) -> tuple[str, int]:
    """The file and the line: each recording numbers its places by itself."""
    found = recording.spans[span]
    return recording.sources[found.source].path, found.line
