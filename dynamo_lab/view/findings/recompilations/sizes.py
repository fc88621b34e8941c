"""Sizes that change: what was not made dynamic, and code that needs the number itself."""

from dynamo_lab.view.core.words import listed
from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.recompilations.stories import Story
from dynamo_lab.view.findings.recompilations.told import DYNAMIC, Told
from dynamo_lab.view.guards.advice import advice_on


def tell(story: Story, facts: Facts) -> Told | None:
    """The sizes 0 and 1 are compiled apart; others can be dynamic unless the code needs them."""
    told = _tell(story, facts)
    owner = story.cause.owner
    if told is None or not facts.places.is_library(story.line):
        return told
    if f"({owner}, " not in f"{told.remedy}{told.code}":
        return told
    file = facts.places.file(story.line[0])
    note = f"`{owner}` is its name in {file}: mark the tensor that you pass. "
    return told._replace(remedy=note + told.remedy)


def _tell(story: Story, facts: Facts) -> Told | None:
    match story.cause.kind:
        case "size" if story.cause.is_parameter and not story.is_open:
            return _as_advised(story)
        case "size" if story.cause.subject in story.new.by_parameter:
            return _as_advised(story)
        case "size" if story.is_pinned:
            return _needed(story, facts)
        case "size":
            return _open(story)
        case "zero_one" | "branch" | "sizes" | "rank" | "marking":
            return _by_advice(story, story.cause.kind)
        case _:
            return None


def _needed(story: Story, facts: Facts) -> Told:
    text = facts.places.text(story.line).strip()
    return Told(
        rule="size-needed",
        what=f"`{story.cause.subject}` changes, and `{text}` needs the number itself",
        remedy="Compute on whole tensors instead of looping over a size or making a Python number "
        "of it, or move that part out of the compiled code: only then can the size be dynamic.",
        grade="fill in",
    )


def _open(story: Story) -> Told:
    if {"0", "1"} & set(story.values):
        return _by_advice(story, "zero_one")
    told = story.cause.subject, story.cause.was
    if story.new.tells_apart(*told) or story.new.leaves_out(*told):
        return _by_advice(story, "branch")  # which sizes that are dynamic do not change
    if not story.new.has_code:  # which would tell whether the size can be open
        return _as_advised(story)
    mark, *_ = advice_on(story.cause, story.new)
    lines = [f"`{line}`" for line in mark.code.split("\n") if line.startswith("torch._dynamo")]
    which = "that size alone" if len(lines) == 1 else "what is tied to each other"
    if story.equal:
        return _equal(story, mark.code if lines else "")
    marked = f", or mark {which}: {listed(lines)}" if lines and len(story.subjects) == 1 else ""
    return Told(
        rule="size-changes",
        what=f"{listed([f'`{name}`' for name in story.subjects])} "
        f"{'changes' if len(story.subjects) == 1 else 'change'}",
        remedy=f"Make sizes dynamic before the first call{marked}.",
        code=DYNAMIC.code,
        grade="safe",
        change=DYNAMIC,
        left=0 if story.is_open else None,
    )


def _as_advised(story: Story) -> Told:
    """What is advised on the guard, of a size that nothing says can be open."""
    found, *_ = advice_on(story.cause, story.new)
    return Told(
        rule="size-changes",
        what=f"`{story.cause.subject}` changes",
        remedy=found.text,
        code=found.code,
        grade="fill in",
    )


def _equal(story: Story, code: str) -> Told:
    """With dynamic sizes, those that are equal in the first call stay tied to each other."""
    name, others = story.cause.subject, listed([f"`{name}`" for name in story.equal], 3)
    was = f"{story.cause.was}, as was {others}" if story.cause.was else f"the same as {others}"
    return Told(
        rule="size-changes",
        what=f"`{name}` changes",
        remedy=f"`{name}` was {was}: PyTorch takes equal sizes for one, so `dynamic=True` would "
        "compile again where they differ. A size that is marked before the first call that "
        "has it is apart" + (":" if code else "."),
        code=code,
        grade="fill in",
    )


_WHAT = {
    "zero_one": "`{0}` is 0 or 1 in some calls, sizes that are compiled apart",
    "branch": "the code is for some values of `{0}` only",
    "sizes": "two sizes were equal, and are not any more: `{0}`",
    "rank": "the number of dimensions, `{0}`, changes",
    "marking": "a size is marked dynamic after the first call",
}


def _by_advice(story: Story, kind: str) -> Told:
    found = advice_on(story.cause, story.new)
    return Told(
        rule=f"size-{kind.replace('_', '-')}",
        what=_WHAT[kind].format(story.cause.subject),
        remedy=found[0].text if found else "",
        code=found[0].code if found else "",
        grade="fill in" if found else "none",
        is_expected=kind == "zero_one",
    )
