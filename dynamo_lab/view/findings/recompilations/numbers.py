"""A Python number that changes: an argument, a global, an attribute, one read from a tensor."""

import re

from dynamo_lab.view.breaks.around import decides
from dynamo_lab.view.findings.changes import Setting
from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.recompilations.stories import Story
from dynamo_lab.view.findings.recompilations.told import DYNAMIC, Told, break_before
from dynamo_lab.view.findings.recompilations.writers import written_at
from dynamo_lab.view.guards.advice import advice_on
from dynamo_lab.view.guards.failing import number_kind
from dynamo_lab.view.guards.numbers import GLOBAL_MODULE, kept_a_number
from dynamo_lab.view.guards.readable import is_of_break

_INTEGERS = Setting("allow_unspec_int_on_nn_module")
_ITEM = "GB0124"
"""PyTorch's number for a break at `.item()`, `int(tensor)` or `float(tensor)`."""
_ATTRIBUTE = re.compile(r"^((?:type\()?[LG]\[.+?\].*)\.(\w+)$")
_GLOBAL = re.compile(r"^G\['\w+'\]$")


def tell(story: Story, facts: Facts) -> Told | None:
    """A number compiled in as a constant, by where it comes from."""
    found = story.cause
    if found.kind != "value" or not number_kind(found.was):
        return None
    if is_of_break(found.subject):
        return _from_break(story, facts)
    if story.is_pinned:
        return _needed(story, facts)
    if _ATTRIBUTE.match(story.failed.source):
        return _attribute(story, facts)
    return _other(story, facts)


def _from_break(story: Story, facts: Facts) -> Told:
    """What a break left: a number read from a tensor, or one that Python made there."""
    left_by, which = break_before(story, facts)
    what = f"a Python number that {which} left changes"
    if left_by and left_by.registry_id == _ITEM:
        what = "a Python number read from a tensor at a break changes"
    return Told(
        rule="number-from-break",
        what=what,
        remedy=advice_on(story.cause, story.new)[0].text,
        grade="fill in",
    )


def _needed(story: Story, facts: Facts) -> Told:
    text = facts.places.text(story.line).strip()
    return Told(
        rule="number-needed",
        what=f"`{story.cause.subject}` changes, and `{text}` needs the number itself",
        remedy="Compute with tensors instead of looping or deciding by this number, or move that "
        "part out of the compiled code: only then can it be dynamic.",
        grade="fill in",
    )


def _attribute(story: Story, facts: Facts) -> Told:
    """An attribute of an object: of a module, integers can be dynamic by a setting."""
    name = story.cause.subject
    line = written_at(name, facts)
    where = f", which {facts.places.where(line)} assigns," if line else ""
    is_whole = all(number_kind(value) == "int" for value in story.values)
    is_written = line is not None or _is_of_module(story, facts)
    ends_some = story.times > 1  # the second value makes it dynamic
    what = f"`{name}`{where} is a Python number that changes"
    if is_whole and ends_some and _is_of_module(story, facts) and not story.is_open:
        if story.failed.source.startswith("G["):
            return Told(
                rule="attribute-changes",
                what=what,
                remedy=f"{GLOBAL_MODULE} Or keep the number in a tensor, if the code only computes "
                "with it: `register_buffer`, changed in place.",
                grade="fill in",
                line=line,
            )
        return Told(
            rule="attribute-changes",
            what=what,
            remedy="Let Dynamo treat integers of modules as dynamic from their second value on, or "
            "keep the number in a tensor: `register_buffer`, changed in place.",
            code=_INTEGERS.code,
            grade="safe",
            change=_INTEGERS,
            left=1,
            line=line,
        )
    if kept := kept_a_number(story.cause, story.new):
        return Told(
            rule="attribute-changes",
            what=what,
            remedy=kept.text,
            code=kept.code,
            grade="fill in",
            line=line,
        )
    return Told(
        rule="attribute-changes",
        what=what,
        remedy="Keep the number in a tensor where it is set, and change that in place.",
        # what no line assigns may be frozen, as a dataclass can be, or of a closure
        code=f"{name} = torch.tensor({story.values[0]})" if is_written else "",
        grade="fill in",
        line=line,
    )


def _is_of_module(story: Story, facts: Facts) -> bool:
    """Whether the attribute's owner is a module: it then has guards on what modules have."""
    found = _ATTRIBUTE.match(story.failed.source)
    owner = found[1] if found else ""
    kept = ("_modules", "_parameters", "_buffers", "training")
    starts = tuple(
        made for name in kept for made in (f"{owner}.{name}", f"{owner}.__dict__['{name}']")
    )
    return any(
        guard.frame in story.frames
        and (
            guard.source.startswith(starts) or (guard.source == owner and guard.kind == "NN_MODULE")
        )
        for guard in facts.recording.guards
    )


_DECIDES = (
    "Pass it as an argument, and as a number: a branch or a loop reads it, where a tensor would "
    "break the graph. A global integer is always compiled in; as an argument it is dynamic from "
    "its second value on, so that each way of a branch is compiled, and not each value. A loop "
    "that it counts is compiled for each number all the same."
)


def _other(story: Story, facts: Facts) -> Told:
    """An argument, a global, or what a closure or a container holds."""
    name = story.cause.subject
    is_global = bool(_GLOBAL.match(story.failed.source))
    line = written_at(name, facts) if is_global else None
    what = f"the global `{name}` is" if is_global else f"`{name}` is"
    where = f" ({facts.places.where(line)} assigns it)" if line else ""
    advice = advice_on(story.cause, story.new)
    is_passed = is_global and not story.is_open  # a global float is dynamic from its second value
    is_fixed = name in story.new.pinned
    if is_passed and decides(facts.places.whole(story.line[0]), story.line[1], name):
        return Told(
            rule="number-changes",
            what=f"{what} a Python number that changes{where}",
            remedy=_DECIDES,
            code=f"fn(x, {name})",
            grade="fill in",
            line=line,
        )
    can_open = story.failed.source.startswith("L[") and not story.is_open and not is_fixed
    return Told(
        rule="number-changes",
        what=f"{what} a Python number that changes{where}",
        remedy="Pass it as an argument, as a tensor if the code only computes with it: a global "
        "integer is always compiled in."
        if is_passed
        else advice[0].text,
        code=f"fn(x, torch.tensor({name}))" if is_passed else advice[0].code,
        grade="fill in",
        change=DYNAMIC if can_open else None,
        left=None,
        line=line,
    )
