"""A break in the reader's code that no other break causes."""

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from dynamo_lab.model.breaks import Break
from dynamo_lab.view.breaks.breaks import BreakView
from dynamo_lab.view.breaks.explanations import reason_of
from dynamo_lab.view.breaks.libraries import cause_of, library_of
from dynamo_lab.view.breaks.makers import within
from dynamo_lab.view.breaks.stories import StoryView
from dynamo_lab.view.core.places import Line, Places, entity
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.findings.breaks.calls import call_left_at, called_at, calls_to
from dynamo_lab.view.findings.breaks.remedy import Mending, mending
from dynamo_lab.view.findings.changes import Setting
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain

_SHOWN = 6


class _One(NamedTuple):
    item: Break
    view: BreakView
    story: StoryView
    line: Line
    mended: Mending


def find(facts: Facts) -> Iterator[Found]:
    """Each cause of breaks, once, with the breaks that only follow from it."""
    groups: dict[Hashable, list[_One]] = {}
    for one in _causes(facts):
        change = one.mended.change
        # an option ends all the breaks that it is about
        key = change if isinstance(change, Setting) else one.line
        groups.setdefault((key, one.view.title, one.item.effect), []).append(one)
    for group in groups.values():
        yield _found(group, facts)


def _causes(facts: Facts) -> Iterator[_One]:
    recording, places = facts.recording, facts.places
    for item, view, story in zip(recording.breaks, facts.breaks, facts.stories, strict=True):
        if story.cause is None and not within(item, places):
            yield _One(item, view, story, _line(item, places), mending(item, view, facts))


def _line(item: Break, places: Places) -> Line:
    """The reader's innermost line: where a library breaks, the one that calls it."""
    return places.own_line(item.stack) or places.line_of(item.span)


def _found(group: list[_One], facts: Facts) -> Found:
    places = facts.places
    first, ended = group[0], _ended(group)
    mended = first.mended
    about = frozenset(f"break:{one.item.id}" for one in group)
    finding = Finding(
        rule="graph-break",
        question="breaks",
        sentence=_sentence(group, len(ended), places),
        where=places.where(first.line),
        entity=entity(first.line),
        evidence=tuple(_evidence(group, places)),
        grade=mended.grade,
        remedy=mended.text,
        code=mended.code,
        gain=_gain(group, ended, facts),
        cost=1.0 if first.item.effect == "failed" else len(ended) / len(facts.recording.breaks),
    )
    explains = frozenset(f"break:{index}" for index in ended) - about
    return Found(finding, change=mended.change, line=first.line, about=about, explains=explains)


def _evidence(group: list[_One], places: Places) -> Iterator[Evidence]:
    """What Dynamo says of each place, with its line where there are several breaks."""
    told = set[str]()
    for one in group:
        said = reason_of(one.item)
        text = f"{places.where(one.line)}: {said}" if len(group) > 1 else said
        if text in told:  # as of a loop, whose condition breaks each frame that goes on with it
            continue
        if len(told) == _SHOWN:
            return
        told.add(text)
        yield Evidence(text=text, tab="breaks", entity=f"break:{one.item.id}")


def _ended(group: list[_One]) -> set[int]:
    """The breaks that end with this one: it, its repetitions, and those that follow from it."""
    return {index for one in group for index in (one.item.id, *one.story.consequences)}


def _gain(group: list[_One], ended: set[int], facts: Facts) -> Gain | None:
    """The breaks before and after: a caller goes on breaking where it calls another that does."""
    if not all(one.mended.ends for one in group):
        return None
    breaks, frames = facts.recording.breaks, facts.recording.frames
    others = [item for item in breaks if item.id not in ended]
    gone = called_at(
        {call_left_at(one.item, facts.places) for one in group if one.mended.drops}, frames
    )
    dropped = {item.id for item in others if item.frame in gone}
    causes = [item for item in others if facts.stories[item.id].cause is None]
    calls = calls_to((item.frame for item in causes if item.id not in dropped), frames)
    stay = {
        index
        for one in group
        for index in one.story.consequences
        if call_left_at(breaks[index], facts.places) in calls
    }
    after = len(breaks) - len((ended | dropped) - stay)
    return Gain(metric="breaks", before=len(breaks), after=after, how="counted")


def _sentence(group: list[_One], ended: int, places: Places) -> str:
    """What breaks, in which call, how often, and what it costs."""
    item, view, story, line, _ = group[0]
    inner = cause_of(item, places)
    lines = list(dict.fromkeys(one.line for one in group))
    where = places.where_all(lines)
    breaks_it = "breaks" if len(lines) == 1 else "break"
    library = library_of(item, places)
    of = f" of {library}" if library else ""
    within = "" if inner == line else f" in {places.where(inner)}{of}, which it calls"
    where = f"{where}{of}" if inner == line else where
    parts = [f"{where} {breaks_it} the graph{within}: {view.title}."]
    parts += story.cost if item.effect == "resumed" else (story.then,)
    if ended > 1:
        parts.append(f"It is behind {plural(ended, 'break')}.")
    return " ".join(parts)
