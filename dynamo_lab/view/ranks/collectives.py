"""The collectives of a job, each once for all ranks that met in it: what, how much, who asked, why.

Times are seconds from the start of the job; of several hosts, see `clocks.py`.
"""

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct

from dynamo_lab.model.ranks.intervals import length, without
from dynamo_lab.model.ranks.names import kind_of
from dynamo_lab.model.ranks.ranks import Call
from dynamo_lab.view.core.places import Line, Places, entity_if_known
from dynamo_lab.view.core.words import first_up, percent, plural, seconds, size
from dynamo_lab.view.ranks.clocks import of_hosts
from dynamo_lab.view.ranks.known import Known, names_of
from dynamo_lab.view.ranks.lanes import Bar, bars_of
from dynamo_lab.view.ranks.meetings import Meeting, meetings
from dynamo_lab.view.ranks.mesh.groups import group_words
from dynamo_lab.view.ranks.nodes import GraphCall
from dynamo_lab.view.ranks.reasons import has_ddp, is_compilers, operator_of, why
from dynamo_lab.view.ranks.sizes import bytes_of

HEAD = (
    "times", "collective", "bytes", "open for", "ran", "not hidden", "group", "line", "asked by",
)  # fmt: skip
"""What is told of collectives that are alike. They are open from the first rank that comes to the
last. Hidden is what runs while the rank computes."""
_MOST_TOLD = 4
"""Of so many ranks each has a sentence; of more, the one that most lies bare of."""


class MeetingView(Struct, frozen=True, kw_only=True):
    """A collective, and the ranks that came to it.

    `operator` is what was called, `ran_as` the backend's own call where it is another one. `shape`
    and `bytes` are of what a rank brings, `result_bytes` of what it gets: the most of any rank
    where not all bring (`brings_vary`), or get (`results_vary`), as much, and None where they are
    not known. `node` is the node of a graph, empty where none is known. `ranks` are places in
    `CollectivesView.labels`; `came` is when each handed it over, and `ran` from when to when it
    ran, where that was measured. `lines` and `nodes` are the entities of the user's line and of the
    node in each rank's own recording, one alone where all are the same; what is told in words is of
    the rank `told`. `waited` is the time between the first that came and the last, which is `late`;
    None where one rank came alone, or where the clocks of its hosts may differ: then `late` says
    nothing. `bare` are the most seconds that a rank computed nothing while it ran, None where that
    was not measured. `absent` never came. `settings` are names of `DdpView.settings`, of a bucket
    that they would change.
    """

    operator: str
    ran_as: str
    number: int
    group: str
    shape: str
    bytes: int | None
    result_bytes: int | None
    why: str
    node: str
    where: str
    text: str
    ranks: tuple[int, ...]
    came: tuple[float, ...]
    ran: tuple[tuple[float, float] | None, ...]
    lines: tuple[str, ...]
    nodes: tuple[str, ...]
    waited: float | None
    bare: float | None
    late: int
    absent: tuple[int, ...]
    is_done: bool
    told: int = 0
    settings: tuple[str, ...] = ()
    brings_vary: bool = False
    results_vary: bool = False


class AlikeView(Struct, frozen=True, kw_only=True):
    """Collectives that are the same but for when they ran, as those of each step of a training.

    `meetings` are places in `CollectivesView.meetings`. `cells` are in the columns of `HEAD`: how
    long they ran is the sum of the longest run on any rank of each.
    """

    meetings: tuple[int, ...]
    cells: tuple[str, ...]


class TotalView(Struct, frozen=True, kw_only=True):
    """A rank's numbers; times in seconds, None where nobody measured them.

    `waited` is how long its collectives stood open until the last rank came, as far as one clock
    tells. `communicating` is how long any of them ran since `CollectivesView.steady`; of that,
    `exposed` is when the rank did not compute. `tied` is how many have a line of the user's.
    """

    label: str
    collectives: int
    bytes: int | None
    waited: float
    communicating: float | None
    exposed: float | None
    tied: int


class CollectivesView(Struct, frozen=True, kw_only=True):
    """`bars` are, for each rank, when it compiled, and when it computed where that was measured.

    `steady` is when no rank compiled any more, 0 where collectives ran only before that.
    """

    labels: tuple[str, ...]
    head: tuple[str, ...]
    seconds: float
    steady: float
    meetings: tuple[MeetingView, ...]
    alike: tuple[AlikeView, ...]
    totals: tuple[TotalView, ...]
    bars: tuple[tuple[Bar, ...], ...]
    sentences: tuple[str, ...]


def build(ranks: Sequence[Known]) -> CollectivesView | None:
    """The collectives of a job; None if no rank is known to have called any."""
    met = meetings(ranks)
    if not met:
        return None
    start = min(_begin(one, met) for one in ranks)
    places = {one.rank.number: at for at, one in enumerate(ranks)}
    by_number = {one.rank.number: one for one in ranks}
    shown = tuple(_meeting(one, by_number, places, start) for one in met)
    bars = tuple(tuple(bars_of(one, start)) for one in ranks)
    compiled = max((b.end for own in bars for b in own if b.kind == "compiling"), default=0.0)
    steady = compiled if any(min(one.came) >= compiled for one in shown) else 0.0
    totals = tuple(_total(one, met, start + steady) for one in ranks)
    ends = [bar.end for own in bars for bar in own]
    ends += [end for one in shown for end in one.came]
    ends += [ran[1] for one in shown for ran in one.ran if ran]
    return CollectivesView(
        labels=tuple(one.label for one in ranks),
        head=HEAD,
        seconds=max(ends),
        steady=steady,
        meetings=shown,
        alike=tuple(_alike(shown, ranks)),
        totals=totals,
        bars=bars,
        sentences=tuple(_sentences(ranks, totals, steady > 0)),
    )


def _begin(one: Known, met: Sequence[Meeting]) -> float:
    number, known = one.rank.number, one.rank.started
    times = [each.calls[number].started for each in met if number in each.calls]
    return min([*times, known] if known else [*times, met[0].start])


def _meeting(
    meeting: Meeting, ranks: Mapping[int, Known], places: Mapping[int, int], start: float
) -> MeetingView:
    came = sorted(meeting.calls, key=lambda number: meeting.calls[number].started)
    calls = dict(sorted(meeting.calls.items()))  # of ranks that bring as much, the first is told
    most = max(calls, key=lambda n: bytes_of(calls[n].sizes, calls[n].dtypes) or 0)
    one, call = ranks[most], calls[most]
    node = one.nodes.node_of(call)
    line = one.line_behind(call)
    brought = {bytes_of(each.sizes, each.dtypes) for each in calls.values()}
    got = {bytes_of(each.results, each.result_dtypes) for each in calls.values()}
    put_together = node.lines if node is not None and len(node.lines) > 1 else ()
    reasons = (
        one.buckets.why(call) or why(call, has_ddp(one.rank)),
        one.placements.why(call, node),
        "Inductor put the collectives of these lines together" if put_together else "",
        *_others(calls, ranks, operator_of(call)),
    )
    return MeetingView(
        operator=operator_of(call),
        ran_as="" if kind_of(operator_of(call)) == kind_of(call.name) else call.name,
        number=meeting.number,
        group=group_words(meeting.group, one.rank),
        shape=_shape(call),
        bytes=_most(brought),
        result_bytes=_most(got) if any(each.results for each in calls.values()) else None,
        brings_vary=len(brought) > 1,
        results_vary=len(got) > 1,
        why="; ".join(filter(None, reasons)),
        node=one.nodes.title_of(node) if node else "",
        where=_where(one.places, line, put_together),
        text="" if line is None else one.places.text(line).strip(),
        ranks=tuple(places[number] for number in came),
        came=tuple(round(meeting.calls[number].started - start, 6) for number in came),
        ran=tuple(_ran(meeting.calls[number], start) for number in came),
        lines=_same([entity_if_known(ranks[n].line_behind(meeting.calls[n])) for n in came]),
        nodes=_same([_node_entity(ranks[n].nodes.node_of(meeting.calls[n])) for n in came]),
        waited=meeting.lateness if len(came) > 1 and meeting.is_by_one_clock else None,
        bare=max(
            (ranks[n].bare(*ran) for n in came if (ran := meeting.calls[n].ran)), default=None
        ),
        late=places[came[-1]],
        absent=tuple(places[number] for number in meeting.absent),
        is_done=all(each.is_done for each in meeting.calls.values()),
        told=places[most],
        settings=one.buckets.settings(call),
    )


def _most(sizes: Set[int | None]) -> int | None:
    return None if None in sizes else max(filter(None, sizes), default=0)


def _others(calls: Mapping[int, Call], ranks: Mapping[int, Known], usual: str) -> Iterator[str]:
    """'rank 1 calls `barrier` there', of ranks that came to it with another call."""
    by_name: dict[str, list[Known]] = {}
    for number, call in calls.items():
        by_name.setdefault(operator_of(call), []).append(ranks[number])
    for name, those in by_name.items():
        if name == usual:
            continue
        yield f"{names_of(those)} {'calls' if len(those) == 1 else 'call'} `{name}` there"


def _where(places: Places, line: Line | None, lines: Sequence[Line]) -> str:
    if lines:
        return places.where_all(lines)
    return "" if line is None else places.where_named(line)


def _ran(call: Call, start: float) -> tuple[float, float] | None:
    return call.ran and (round(call.ran[0] - start, 6), round(call.ran[1] - start, 6))


def _node_entity(found: GraphCall | None) -> str:
    return "" if found is None else f"node:{found.graph.id}:{found.node.index}"


def _same(entities: Sequence[str]) -> tuple[str, ...]:
    """One alone where they are all the same."""
    return tuple(entities[:1] if len(set(entities)) == 1 else entities)


def _shape(call: Call) -> str:
    """'float[8, 64]', with how many more there are."""
    shapes = [f"[{', '.join(map(str, sizes))}]" for sizes in call.sizes]
    if not shapes:
        return ""
    kind = call.dtypes[0].lower() if call.dtypes else ""
    return f"{kind}{shapes[0]}" + (f" and {len(shapes) - 1} more" if len(shapes) > 1 else "")


def _alike(met: Sequence[MeetingView], ranks: Sequence[Known]) -> Iterator[AlikeView]:
    """Those that are the same together, in the order of the first of each."""
    found: dict[tuple[object, ...], list[int]] = {}
    for at, one in enumerate(met):
        key = (one.operator, one.group, one.shape, one.bytes, one.result_bytes, one.brings_vary,
               one.results_vary, one.why, one.node, one.where, one.absent)  # fmt: skip
        found.setdefault(key, []).append(at)
    for places in found.values():
        absent = names_of([ranks[at] for at in met[places[0]].absent])
        cells = _cells([met[at] for at in places], f"{absent} never came" if absent else "")
        yield AlikeView(meetings=tuple(places), cells=cells)


def _cells(same: Sequence[MeetingView], absent: str) -> tuple[str, ...]:
    one = same[0]
    waited = _sum([each.waited for each in same])
    ran = _sum([max((b - a for a, b in filter(None, e.ran)), default=None) for e in same])
    bare = _sum([each.bare for each in same])
    name = f"{one.operator} (run as {one.ran_as})" if one.ran_as else one.operator
    reason = "; ".join(part for part in (absent, one.why, one.node) if part)
    return (
        f"{len(same):,}", name, amount(one), *map(time_text, (waited, ran, bare)), one.group,
        one.where, reason,
    )  # fmt: skip


def time_text(known: float | None) -> str:
    """A duration, '?' where it is not known."""
    return "?" if known is None else seconds(known)


def _sum(values: Sequence[float | None]) -> float | None:
    return None if None in values else sum(filter(None, values))


def _total(one: Known, met: Sequence[Meeting], since: float) -> TotalView:
    number = one.rank.number
    own = [each for each in met if number in each.calls]
    calls = [each.calls[number] for each in own]
    sizes = [bytes_of(call.sizes, call.dtypes) for call in calls]
    ends = [
        max(c.started for c in each.calls.values()) if each.is_by_one_clock else call.started
        for each, call in zip(own, calls, strict=True)
    ]
    timeline = one.rank.timeline
    talks = None if timeline is None else without(timeline.communicating, [(0.0, since)])
    return TotalView(
        label=one.label,
        collectives=len(calls),
        bytes=None if None in sizes else sum(known or 0 for known in sizes),
        waited=sum(end - call.started for end, call in zip(ends, calls, strict=True)),
        communicating=None if talks is None else length(talks),
        exposed=None if talks is None else length(without(talks, one.computing)),
        tied=sum(one.line_behind(call) is not None for call in calls),
    )


def _sentences(
    ranks: Sequence[Known], totals: Sequence[TotalView], is_steady: bool
) -> Iterator[str]:
    """What the numbers say, and what they leave out."""
    since = "Once nobody compiled any more, " if is_steady else ""
    told = totals if len(totals) <= _MOST_TOLD else [max(totals, key=lambda t: t.exposed or 0.0)]
    for one in told:
        if one.communicating and one.exposed is not None:
            yield (
                f"{since}{one.label if since else first_up(one.label)} communicated for "
                f"{seconds(one.communicating)}, of which {seconds(one.exposed)} "
                f"({percent(one.exposed / one.communicating)}) while it computed nothing."
            )
    if all(one.rank.timeline is None for one in ranks):
        are_ours = all(one.recording.environment.dynamo_lab for one in ranks)
        how = ": `profile=True` (`--profile`) does" if are_ours else ""
        yield f"When a rank computed, and how long a collective ran, was not measured{how}."
    first = ranks[0]
    own = sum(is_compilers(call) for call in first.rank.calls or ())
    if own:
        yield (
            f"{plural(own, 'collective')} of {first.label} {'is' if own == 1 else 'are'} the "
            "compiler's own, while it compiled: none of the program's steps has them."
        )
    yield from of_hosts(ranks)
    lost = [one for one in ranks if one.rank.forgotten]
    if lost:
        yield f"Earlier collectives of {', '.join(one.label for one in lost[:5])} are forgotten."


def amount(view: MeetingView) -> str:
    """'66 kB', 'up to 66 kB' where not all bring as much; then what they get, if it is other."""
    if view.bytes is None:
        return ""
    brings = _up_to(view.bytes, view.brings_vary)
    if view.result_bytes is None:
        return brings
    gets = _up_to(view.result_bytes, view.results_vary)
    return brings if gets == brings else f"{brings} \N{RIGHTWARDS ARROW} {gets}"


def _up_to(count: int, varies: bool) -> str:
    return f"{'up to ' if varies else ''}{size(count)}"
