"""Passes as a list to step through, each with its diff, its matches and its purpose."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from dynamo_lab.model.passes import (
    Pass,
    Pattern,
    Pipeline,
    State,
    apply,
    begun,
)
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Places, entity
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.passes.costs import PassCost, costs
from dynamo_lab.view.passes.descriptions import (
    PHASES,
    is_users,
    pass_sentence,
    pattern_sentence,
    phase_title,
)
from dynamo_lab.view.passes.diffs import Hunk, MatchView, Names, hunks, match_view


class PatternView(Struct, frozen=True, kw_only=True):
    """The pattern searched for. `entity` is the user's line, if the pattern is their own."""

    name: str
    kind: str
    sentence: str
    place: str = ""
    entity: str = ""
    source: str = ""
    replacement: str = ""
    expression: str = ""


class PassView(Struct, frozen=True, kw_only=True):
    """A pass. `did` says whether it changed anything; counts are nodes.

    `state` is "did", "idle", "off" if it is disabled, or "failed". `alone` says in
    sentences what was matched but left unchanged. `depth` counts the passes it ran inside. `costs`
    are what it won, where that is known.
    """

    id: int
    title: str
    name: str
    kind: str
    sentence: str
    state: str
    summary: str
    seconds: float
    pipeline: int
    depth: int = 0
    body: str = ""
    own: bool = False
    place: str = ""
    entity: str = ""
    error: str = ""
    removed: int = 0
    added: int = 0
    changed: int = 0
    moved: int = 0
    hunks: tuple[Hunk, ...] = ()
    matches: tuple[MatchView, ...] = ()
    alone: tuple[str, ...] = ()
    costs: tuple[PassCost, ...] = ()

    @property
    def did(self) -> bool:
        """Whether it changed the graph."""
        return self.state in ("did", "failed")


class PipelineView(Struct, frozen=True, kw_only=True):
    """The passes over one graph in one phase: `passes` from `first` up to `end`.

    `graph` and `became` are the recorded graphs before and after, None if there is none. A change
    is a rewrite, which is a pass that changed the graph (`did`), or one `between` passes; a pass
    that `failed` is none.
    """

    id: int
    title: str
    sentence: str
    summary: str
    seconds: float
    first: int
    end: int
    ran: int
    did: int
    between: int = 0
    failed: int = 0
    before: str = ""
    after: str = ""
    graph: int | None = None
    became: int | None = None
    error: str = ""


class PassesView(Struct, frozen=True, kw_only=True):
    """Every pass, in order."""

    pipelines: tuple[PipelineView, ...] = ()
    passes: tuple[PassView, ...] = ()
    patterns: tuple[PatternView, ...] = ()


def build(recording: Recording, places: Places) -> PassesView:
    """The passes, their diffs computed by applying one after the other."""
    titles = GraphTitles(recording)
    describer = _Describer(recording, places)
    return PassesView(
        pipelines=tuple(_pipeline(p, recording, titles) for p in recording.pipelines),
        passes=tuple(view for p in recording.pipelines for view in describer.passes(p)),
        patterns=tuple(_pattern(pattern, places) for pattern in recording.patterns),
    )


def did_something(item: Pass) -> bool:
    """Whether a pass changed the graph, or a match in it did."""
    return bool(item.changes or item.matches)


def changes_text(rewrites: int, between: int, failed: int) -> str:
    """'4 rewrites, 1 change between passes': what the list of changes has, kind by kind."""
    aside = f", {plural(between, 'change')} between passes" if between else ""
    broken = f", {failed:,} failed" if failed else ""
    return f"{plural(rewrites, 'rewrite')}{aside}{broken}"


def _pipeline(item: Pipeline, recording: Recording, titles: GraphTitles) -> PipelineView:
    graph = _origin(item, recording)
    number = titles.numbers[graph] if graph is not None else 0
    ran = [p for p in recording.passes[item.first : item.end] if p.kind != "between"]
    failed = sum(bool(p.error) for p in ran)
    did = sum(did_something(p) and not p.error for p in ran)
    between = item.end - item.first - len(ran)
    return PipelineView(
        id=item.id,
        title=_title(item, number),
        sentence=PHASES[item.phase][1],
        summary=f"{plural(len(ran), 'pass', 'passes')}, {changes_text(did, between, failed)}",
        seconds=sum(p.seconds for p in ran if p.parent is None),
        first=item.first,
        end=item.end,
        ran=len(ran),
        did=did,
        between=between,
        failed=failed,
        before=_before(item, recording, titles),
        after=titles.titles[item.became[""]] if "" in item.became else "",
        graph=graph,
        became=item.became.get(""),
        error=item.error,
    )


def _title(item: Pipeline, number: int) -> str:
    side = " (backward)" if item.is_backward else ""
    return f"{f'graph {number} ' if number else ''}{phase_title(item.phase)}{side}"


def _before(item: Pipeline, recording: Recording, titles: GraphTitles) -> str:
    if item.follows is not None:
        earlier = phase_title(recording.pipelines[item.follows].phase)
        return f"the result of the {earlier} passes"
    return titles.titles[item.graphs[""]] if "" in item.graphs else ""


def _origin(item: Pipeline, recording: Recording) -> int | None:
    """The recorded graph that a pipeline starts from."""
    while item.follows is not None:
        item = recording.pipelines[item.follows]
    return item.graphs.get("")


def _pattern(item: Pattern, places: Places) -> PatternView:
    return PatternView(
        name=item.name,
        kind=item.kind,
        sentence=pattern_sentence(item),
        place=item.place,
        entity=entity(places.line_of(item.span)) if item.span is not None else "",
        source=item.source,
        replacement=item.replacement,
        expression=item.expression,
    )


class _Describer:
    """Walks the pipelines of a recording, and describes each pass by the graph it received."""

    def __init__(self, recording: Recording, places: Places) -> None:
        self._recording = recording
        self._places = places
        self._costs = costs(recording)

    def passes(self, pipeline: Pipeline) -> Iterator[PassView]:
        """The passes of a pipeline."""
        state: State = begun(self._recording, pipeline)
        names = Names(self._recording, pipeline)
        for item in self._recording.passes[pipeline.first : pipeline.end]:
            after = apply(state, item.changes)
            names.advance(item)
            yield self._pass(item, pipeline, names, state, after)
            state = after

    def _pass(
        self, item: Pass, pipeline: Pipeline, names: Names, before: State, after: State
    ) -> PassView:
        matches = tuple(match_view(match, names) for match in item.matches)
        counts = {
            field: sum(len(getattr(change, field)) for change in item.changes)
            for field in ("removed", "added", "changed", "moved")
        }
        changes = [(c, before.get(c.body, ()), after.get(c.body, ())) for c in item.changes]
        return PassView(
            id=item.id,
            title=item.function if is_users(item) and item.function else _pass_title(item),
            name=item.name,
            kind=item.kind,
            sentence=pass_sentence(item, pipeline.phase),
            state=_state(item),
            summary=_summary(item, counts),
            seconds=item.seconds,
            pipeline=item.pipeline,
            depth=self._depth(item),
            body=item.body,
            own=is_users(item),
            place=item.place,
            entity=entity(self._places.line_of(item.span)) if item.span is not None else "",
            error=item.error,
            **counts,
            hunks=tuple(h for c, old, new in changes for h in hunks(c, old, new, names, item)),
            matches=matches,
            alone=tuple(self._left_alone(item)),
            costs=self._costs.get(item.id, ()),
        )

    def _depth(self, item: Pass) -> int:
        depth = 0
        while item.parent is not None:
            item, depth = self._recording.passes[item.parent], depth + 1
        return depth

    def _left_alone(self, item: Pass) -> Iterator[str]:
        for pattern, times in item.left_alone.items():
            found = plural(times, "place")
            yield f"`{self._recording.patterns[pattern].name}` was found in {found} and left as is."


def _pass_title(item: Pass) -> str:
    """The name of a pass: for batch fusions PyTorch records a hook's name, which is meaningless."""
    if item.name.endswith("_custom_pre_pass") and item.function not in ("", "<lambda>"):
        return item.function
    return item.name


def _state(item: Pass) -> str:
    if item.error:
        return "failed"
    if item.disabled:
        return "off"
    return "did" if did_something(item) else "idle"


def _summary(item: Pass, counts: Mapping[str, int]) -> str:
    if item.error:
        return item.error
    if item.disabled:
        return "disabled"
    words = [f"{count:,} {field}" for field, count in counts.items() if count]
    if item.matches:
        words.append(plural(len(item.matches), "match", "matches"))
    return ", ".join(words) or "nothing"
