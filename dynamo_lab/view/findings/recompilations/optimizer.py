"""The optimizer's numbers, which schedulers change, and the state that its first step makes."""

import re

from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.recompilations.stories import Story
from dynamo_lab.view.findings.recompilations.told import Told

_GROUP = re.compile(r"param_groups\[\d+\]\['(\w+)'\]")
_BOUND = re.compile(r"param_groups\[\d+\]\['max_momentum'\]")
_STATE = re.compile(r"L\['self'\]\.state\[list\(dict\.keys\(L\['self'\]\.state\)\)\[\d+\]\]")
_AS_TENSOR = 'for group in optimizer.param_groups:\n    group["lr"] = torch.tensor(group["lr"])'


def tell(story: Story, facts: Facts) -> Told | None:
    """A number of a parameter group that changes between steps, or what is kept from the first."""
    if story.cause.kind == "length" and story.cause.was == "0":
        return _first_step() if _STATE.fullmatch(story.failed.source) else None
    found = _GROUP.search(story.failed.source)
    if found is None or story.cause.kind not in ("value", "type", "other"):
        return None
    return _rate() if found[1] == "lr" else _option(found[1], is_cycled=_is_cycled(story, facts))


def _is_cycled(story: Story, facts: Facts) -> bool:
    """Whether a scheduler cycles momentum: it leaves the bounds in the group, which guards read."""
    return any(
        guard.frame in story.frames and _BOUND.search(guard.source)
        for guard in facts.recording.guards
    )


def _first_step() -> Told:
    """Dynamo makes the state of most optimizers before it captures a step, not SGD's momentum."""
    return Told(
        rule="optimizer-state",
        what="the optimizer keeps something from its first step on, as SGD its momentum, and the "
        "code of that step is for nothing kept",
        remedy="Expect one more compilation. A first step without `torch.compile` spares it.",
        grade="fill in",
        is_expected=True,
    )


def _rate() -> Told:
    return Told(
        rule="learning-rate",
        what="the learning rate is a Python number that changes between steps",
        remedy="Make it a tensor before the first step: schedulers then fill it in place. Adam and "
        "AdamW refuse one with `foreach=True`, unless they are `capturable`.",
        code=_AS_TENSOR,
        grade="fill in",
    )


def _option(name: str, *, is_cycled: bool) -> Told:
    what = f"the optimizer's option `{name}` is a Python number that changes between steps"
    if is_cycled and name in ("betas", "momentum"):
        return Told(
            rule="optimizer-option",
            what=what,
            remedy="`OneCycleLR` and `CyclicLR` cycle it, unless they are made with "
            "`cycle_momentum=False`: training then differs. Of anything else "
            "`rec.who_wrote(run)` finds the line that writes it.",
            code="torch.optim.lr_scheduler.OneCycleLR(optimizer, ..., cycle_momentum=False)",
            grade="fill in",
        )
    return Told(
        rule="optimizer-option",
        what=what,
        remedy="`rec.who_wrote(run)` finds the line that writes it: keep it fixed where training "
        "allows.",
        grade="fill in",
    )
