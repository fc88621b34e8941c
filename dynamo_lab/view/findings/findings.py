"""The findings of a recording: at most ten, causes before consequences, the costliest first."""

from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec import Struct, structs

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.code import code
from dynamo_lab.view.core import links
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.regions import Regions
from dynamo_lab.view.core.words import begun
from dynamo_lab.view.findings import (
    breaks,
    compile_time,
    export,
    memory,
    numbers,
    recompilations,
    speed,
)
from dynamo_lab.view.findings.edits import edit_of, place_of
from dynamo_lab.view.findings.finding import Facts, Finding, Found, Question, Rule
from dynamo_lab.view.findings.words import gain_in_words, grade_in_words

MOST = 10
"""The most findings that are shown."""

RULES: tuple[Rule, ...] = (
    *breaks.RULES,
    *compile_time.RULES,
    *export.RULES,
    *memory.RULES,
    *numbers.RULES,
    *recompilations.RULES,
    *speed.RULES,
)

CLEAN = "Nothing to mend was found."
_UNKNOWN = "Nothing is concluded: no graph was captured, or the program did not come to its end."


class FindingsView(Struct, frozen=True, kw_only=True):
    """The findings, the costliest first. `more` counts those beyond the most that are shown.

    `clean` is the one line to show instead where there is none.
    """

    found: tuple[Finding, ...] = ()
    more: int = 0
    clean: str = ""


def build(facts: Facts) -> FindingsView:
    """What the rules conclude from a recording; nothing of one that is not complete."""
    found = found_in(facts)
    shown = tuple(one.finding for one in found[:MOST])
    clean = CLEAN if not shown and _is_whole(facts.recording) else ""
    return FindingsView(found=shown, more=max(0, len(found) - MOST), clean=clean)


def silence(recording: Recording) -> str:
    """What it says that nothing was found."""
    return CLEAN if _is_whole(recording) else _UNKNOWN


def _is_whole(recording: Recording) -> bool:
    """Whether it compiled: of what failed or was not compiled, silence would say too much."""
    is_done = recording.state == "done" and recording.failure is None
    return is_done and bool(recording.captured_graphs())


def found_of(recording: Recording) -> list[Found]:
    """The findings that a view of the recording shows, each with how to apply its remedy."""
    places = Places(recording)
    ancestry, regions = Ancestry(links.build(recording)), Regions(recording, places)
    _, _, places = code.seen(recording, places, ancestry, regions)
    return found_in(Facts(recording, places, regions, ancestry))[:MOST]


def found_in(facts: Facts) -> list[Found]:
    """All that the rules find, in order and numbered, each with how to apply its remedy."""
    if facts.recording.state == "recording":
        return []
    found = list(_without_consequences(chain.from_iterable(rule(facts) for rule in RULES)))
    found.sort(key=_rank)
    return [_numbered(index, one, facts) for index, one in enumerate(found)]


_URGENCY: dict[Question, int] = {
    "numbers": 0,  # what is wrong or fails
    "export": 0,
    "breaks": 1,  # what costs in each call
    "recompilations": 1,
    "speed": 1,
    "memory": 1,
    "compile_time": 2,  # what costs once a process
}


def _rank(one: Found) -> tuple[bool, int, float]:
    found = one.finding
    return found.level == "note", _URGENCY[found.question], -found.cost


def _numbered(index: int, one: Found, facts: Facts) -> Found:
    can_apply = one.change is not None
    finding = one.finding
    told = {"grade_text": grade_in_words(finding), "sentence": begun(finding.sentence)}
    told["code_place"] = place_of(one.change, one.line, facts.recording)
    if finding.gain is not None:
        told["gain_text"] = gain_in_words(finding.gain)
    edit = edit_of(one.change, one.line, facts.recording, facts.places)
    changed = structs.replace(finding, id=index, can_apply=can_apply, edit=edit, **told)
    return one._replace(finding=changed)


def _without_consequences(found: Iterable[Found]) -> Iterator[Found]:
    """Without those about nothing but what another one explains."""
    every = list(found)
    explained = frozenset[str]().union(*(one.explains for one in every))
    return (one for one in every if not one.about or not one.about <= explained)
