"""One finding for each story of recompilations."""

from collections.abc import Iterator, Sequence

from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.places import entity
from dynamo_lab.view.core.words import first_up, listed, percent, plural, seconds, times
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Gain
from dynamo_lab.view.findings.recompilations import (
    functions,
    growth,
    loops,
    numbers,
    optimizer,
    sizes,
    state,
)
from dynamo_lab.view.findings.recompilations.stories import Story, stories
from dynamo_lab.view.findings.recompilations.told import DYNAMIC, Case, Told
from dynamo_lab.view.guards.compilations import recompilations
from dynamo_lab.view.guards.failing import cause

_CASES: tuple[Case, ...] = (
    sizes.tell,
    optimizer.tell,
    loops.tell,
    numbers.tell,
    growth.tell,
    functions.tell,
    state.tell,
)
"""The first that tells something counts; the last one always does."""


def find(facts: Facts) -> Iterator[Found]:
    """A storm is a problem; a single compilation more, as at warm-up, is a note."""
    names = frame_names(facts.recording)
    every = list(stories(facts))
    opens = [story for story in every if story.is_open]
    can_tell = _only_opens(facts) and _is_apart(opens, facts)
    opened = sum(story.times for story in opens) if can_tell else 0
    for story in every:
        if story.cause.kind == "grad_mode" and _measured_both(facts):
            continue
        told = next(told for case in _CASES if (told := case(story, facts)))
        if told.change == DYNAMIC and not opened:
            told = told._replace(left=None)
        ended = opened if told.change == DYNAMIC else story.times - (told.left or 0)
        owners = [names[frame] for frame in story.frames]
        yield _found(story, told, owners, facts, _gain(told, ended, facts))


def _measured_both(facts: Facts) -> bool:
    """Whether a benchmark called it without gradients and in a step: it is compiled for each."""
    found = facts.recording.benchmark
    return found is not None and len({one.phase for one in found.series}) > 1


_STAY = frozenset({"zero_one", "branch", "sizes", "rank", "marking"})


def _only_opens(facts: Facts) -> bool:
    """Whether no guard failed that stays with dynamic sizes: with one, none knows what comes of it.

    Code that is dynamic is guarded by other things than code that is not, and fails elsewhere.
    """
    told = [cause(one) for item in facts.recording.recompiles for one in item.failed]
    return not any(one.kind in _STAY or {one.was, one.now} & {"0", "1"} for one in told)


def _is_apart(opens: Sequence[Story], facts: Facts) -> bool:
    """Whether nothing else changed together with what would be open, and nothing equals it."""
    about = {index for story in opens for index in story.ids}
    subjects = {name for story in opens for name in story.subjects}
    others = (r for at, r in enumerate(facts.recording.recompiles) if at not in about)
    mixed = any(cause(one).subject in subjects for item in others for one in item.failed)
    return not mixed and not any(story.equal for story in opens)


def _found(story: Story, told: Told, names: list[str], facts: Facts, gain: Gain | None) -> Found:
    line = told.line or story.line
    is_storm = (story.times > 1 or story.at_limit != "") and not told.is_expected
    finding = Finding(
        rule=told.rule,
        question="recompilations",
        level="problem" if is_storm else "note",
        sentence=_sentence(story, told, names),
        where=facts.places.where(line),
        entity=entity(line),
        evidence=tuple(_evidence(story, facts)),
        grade=told.grade,
        remedy=_remedy(story, told),
        code=told.code,
        gain=gain,
        cost=_share(story),
    )
    about = frozenset(f"recompile:{index}" for index in story.ids)
    return Found(finding, change=told.change, line=line, about=about)


def _sentence(story: Story, told: Told, names: list[str]) -> str:
    what = first_up(told.what)
    functions = listed([f"`{name}`" for name in names])
    again = f"compiled again {times(story.times)}{_cost(story)}"
    parts = [f"{what}: {functions} {again if story.times else 'could not be compiled again'}."]
    if story.vain:
        parts.append(_in_vain(story))
    if story.once > _NOTICED * story.seconds:
        parts.append(
            f"Not counted are {seconds(story.once)} of work that is done once, by whichever "
            "compilation needs it first: headers precompiled, sources hashed."
        )
    has_values = story.cause.kind != "type" and not loops.is_of_iterator(story)
    if len(story.values) > 1 and has_values:
        parts.append(f"Values seen: {listed(story.values, limit=5)}.")
    if story.at_limit:
        reached = "Then the limit was" if story.times else "The limit of recompilations is"
        parts.append(f"{reached} reached: {story.at_limit}.")
    elif story.times == 1 and story.is_open and story.cause.kind in _OPENED:
        parts.append(
            "From then on it is dynamic: only 0, 1 and values that the code, an operator or the "
            "backend tells apart can recompile."
        )
    return " ".join(parts)


def _in_vain(story: Story) -> str:
    if story.times == 1:
        return "No code came of it."
    which = "any" if story.vain == story.times else story.vain
    return f"No code came of {which} of these."


_OPENED = ("size", "value")
"""Changes that make a value dynamic: where a limit of it fails, it was dynamic before."""

_NOTICED = 0.1
"""The part of a story's own seconds from which those done once would be missed."""

_WRITTEN = ("attribute-changes", "learning-rate", "growing-container", "number-changes")


_STANCE = (
    'make the calls that matter first, then `torch.compiler.set_stance("eager_on_recompile")`: '
    "what matches none of their code runs eagerly instead of being compiled. "
    '`"fail_on_recompile"` raises there, and so finds it.'
)


def _remedy(story: Story, told: Told) -> str:
    """What to do; how to find the line that writes the value; how to stop where nothing is sure."""
    can_ask = story.times > 1 and told.rule in _WRITTEN and told.line is None
    can_stop = (story.times > 1 or story.at_limit != "") and told.change is None
    ask = "`rec.who_wrote(run)` finds the line that writes the value."
    stop = f"Or {_STANCE}" if told.remedy else first_up(_STANCE)
    more = [ask] * (can_ask and bool(told.remedy)) + [stop] * (can_stop and not told.is_expected)
    if not more:
        return told.remedy
    begin = told.remedy.rstrip()
    if begin.endswith(":"):  # then comes the code
        begin = f"{begin[:-1]}, as below."
    return " ".join((begin, *more)).strip()


def _share(story: Story) -> float:
    """Of all compiling; of the functions' compilations where each new value brings another."""
    if story.at_limit:
        return 1.0
    goes_on = story.times > 2 and not story.is_open
    return max(story.share, story.times / (story.times + len(story.frames)) if goes_on else 0.0)


def _cost(story: Story) -> str:
    if not story.seconds:
        return ""
    return f", {seconds(story.seconds)} or {percent(story.share)} of the time of compiling"


def _evidence(story: Story, facts: Facts) -> Iterator[Evidence]:
    yield Evidence(text=story.failed.text, tab="guards", entity=f"frame:{story.frames[0]}")
    if story.compile_ids:
        more = f"compiled again as {listed(story.compile_ids, limit=6)}"
        yield Evidence(text=f"{plural(story.times, 'recompilation')}: {more}", tab="guards")


_AT_BEST = "at best: what the code tests of the value, and equal sizes, are compiled apart"
"""Of values that become dynamic: their guards are other ones, which did not fail here."""


def _gain(told: Told, ended: int, facts: Facts) -> Gain | None:
    """What is left of all recompilations: `dynamic=True` opens every size and number."""
    if told.left is None:
        return None
    before = recompilations(facts.recording)
    how = _AT_BEST if told.change else "counted"
    return Gain(metric="recompilations", before=before, after=before - ended, how=how)
