"""A size that had to vary became a constant."""

import re
from collections.abc import Iterator

from dynamo_lab.model.packages import DimFact, Export
from dynamo_lab.view.core.words import first_up
from dynamo_lab.view.findings.export.told import assumed, failures, found
from dynamo_lab.view.findings.finding import Facts, Found
from dynamo_lab.view.summary.exports import complained, named

_SMALL = re.compile(r"Eq\((?P<sum>.*\D.*), [01]\)|(?P<below>.*\D.*) < 2")
"""A guard on a size that is 0 or 1, which PyTorch takes for a constant; not on a size as given."""


def find(facts: Facts) -> Iterator[Found]:
    """The line that needs one size, or the example's size of 0 or 1."""
    for one in failures(facts):
        fact = assumed(one, "constant")
        if fact is not None:
            yield _needed(facts, one, fact)
        elif any(dim.size in (0, 1) for dim in complained(one)) and "specialized" in one.message:
            yield _small(facts, one)


def _needed(facts: Facts, one: Export, fact: DimFact) -> Found:
    where = "the program" if fact.span is None else facts.places.where_span(fact.span)
    became = f"{first_up(named(fact))} cannot vary: {where}"
    computed = _computed_small(one, fact)
    if computed:
        sentence = (
            f"{became} takes it for {fact.value}, as in the example, where `{computed}` is below "
            "2: PyTorch takes computed sizes of 0 and 1 for constants."
        )
        remedy = "Unless your code tests that size, export with an example in which it is 2 or more"
    else:
        sentence = f"{became} needs it to be {fact.value}."
        remedy = (
            "If the line can do with any size, write it from "
            f"`{fact.input}.shape[{fact.axis}]`, or with -1 in a shape"
        )
    return found(
        facts,
        one,
        "became-constant",
        sentence,
        f"{remedy}. {_else(one)}",
        span=fact.span,
        code=one.suggested or one.loosened,
        grade="may change meaning" if one.suggested or one.loosened else "fill in",
    )


def _computed_small(one: Export, fact: DimFact) -> str:
    """What is computed of the size and is 0 or 1 in the example, so that the size was fixed."""
    guards = (
        _SMALL.fullmatch(other.value)
        for other in one.facts
        if other.event == "guard" and (other.input, other.axis) == (fact.input, fact.axis)
    )
    known = [match["sum"] or match["below"] for match in guards if match]
    return next((text for text in known if text != f"{fact.input}.shape[{fact.axis}]"), "")


def _small(facts: Facts, one: Export) -> Found:
    dim = next(dim for dim in complained(one) if dim.size in (0, 1))
    return found(
        facts,
        one,
        "became-constant",
        f"{first_up(named(dim))} cannot vary: it is {dim.size} in the example, and PyTorch takes a "
        "size of 0 or 1 for a constant.",
        f"Export with an example in which it is 2 or more. {_else(one)}",
        span=one.span,
        code=one.suggested or one.loosened,
        grade="may change meaning",
    )


def _else(one: Export) -> str:
    """What the shapes do that are suggested."""
    if one.suggested:
        return "Or export for that size alone, with the shapes below."
    is_known = bool(one.loosened)
    return "Or export with the shapes below, which leave open what can vary." if is_known else ""
