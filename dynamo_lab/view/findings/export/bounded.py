"""A size that had to vary freely may only take some values."""

from collections.abc import Iterator

from dynamo_lab.model.core.conditions import telling
from dynamo_lab.model.packages import DimFact, Export
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.findings.export.told import assumed, failures, found
from dynamo_lab.view.findings.finding import Facts, Found
from dynamo_lab.view.summary.exports import named

_BOUNDED = "Not all values of"


def find(facts: Facts) -> Iterator[Found]:
    """The line that asks for the size, with what it assumed."""
    for one in failures(facts):
        fact = assumed(one, "guard") if _BOUNDED in one.message else None
        if fact is None:
            continue
        yield found(
            facts,
            one,
            "bounded",
            f"Only some values of {named(fact)} pass here: the graph holds where "
            f"{_conditions(one, fact)}.",
            "Ask for the sizes that take this path, as below. For the others export once more, or "
            "choose with `torch.cond`.",
            span=fact.span,
            code=one.suggested or one.loosened,
            grade="may change meaning",
        )


def _conditions(one: Export, about: DimFact) -> str:
    """What that line assumes of this size alone, without what follows from the rest."""
    same = (fact for fact in one.facts if _key(fact) == _key(about) and fact.event == "guard")
    return listed([f"`{told}`" for told in telling(fact.value for fact in same)])


def _key(fact: DimFact) -> tuple[str, int, int | None, bool]:
    return fact.input, fact.axis, fact.span, fact.value.count(".shape[") == 1
