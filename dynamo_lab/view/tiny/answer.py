"""What a reader wants to know of a planned step first, each fact with where it is shown."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model.tiny import TinyPass, TinyPlan
from dynamo_lab.view.core.words import percent, size
from dynamo_lab.view.findings.finding import Evidence

_MOST = 3


class TrainingAnswer(Struct, frozen=True, kw_only=True):
    """What is told of, in a word, and the facts."""

    name: str
    facts: tuple[Evidence, ...]


class Held(Struct, frozen=True, kw_only=True):
    """What lies in memory at the worst moment: its name, kind, bytes, place and entity."""

    name: str
    kind: str
    bytes: int
    place: str
    entity: str


def answers(plan: TinyPlan, at_peak: Sequence[Held]) -> Iterator[TrainingAnswer]:
    """Whether the limit is met, what is largest at the worst moment, what the passes won."""
    yield TrainingAnswer(name="limit", facts=(Evidence(text=_limit(plan), tab="memory"),))
    if at_peak:
        yield TrainingAnswer(name="largest at the peak", facts=tuple(_largest(at_peak)))
    if plan.passes:
        yield TrainingAnswer(name="won by passes", facts=tuple(_won(plan.passes)))


def _limit(plan: TinyPlan) -> str:
    if plan.limit is None:
        return f'None was given for the {size(plan.bytes)}: `memory="256 kB"` holds a plan to one.'
    if plan.bytes <= plan.limit:
        left = plan.limit - plan.bytes
        return f"Met: {size(plan.bytes)} of {size(plan.limit)}, {size(left)} are left."
    over = plan.bytes - plan.limit
    return f"Not met: {size(plan.bytes)} of {size(plan.limit)}, {size(over)} too many."


def _largest(at_peak: Sequence[Held]) -> Iterator[Evidence]:
    """The values that take most then; their shares are of all that lies in memory then."""
    whole = sum(one.bytes for one in at_peak)
    for one in sorted(at_peak, key=lambda one: -one.bytes)[:_MOST]:
        share = percent(one.bytes / max(1, whole))
        place = f", {one.place}" if one.place else ""
        text = f"`{one.name}`: {one.kind} of {size(one.bytes)}, {share} of all{place}"
        yield Evidence(text=text, tab="memory", entity=one.entity)


def _won(passes: Sequence[TinyPass]) -> Iterator[Evidence]:
    """From the graph as it was captured to the last pass, and those that took most from it."""
    first, last = passes[0].before.bytes, passes[-1].after.bytes
    times = f", {first / last:.1f} times less" if 0 < 1.05 * last <= first else ""
    yield Evidence(text=f"All: {size(first)} to {size(last)}{times}", tab="passes")
    won = [one for one in passes if one.after.bytes < one.before.bytes]
    for one in sorted(won, key=lambda one: one.after.bytes - one.before.bytes)[:_MOST]:
        text = f"{one.name}: {size(one.before.bytes)} to {size(one.after.bytes)}"
        yield Evidence(text=text, tab="passes")
