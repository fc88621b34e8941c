"""A size that had to vary became a constant."""

from collections.abc import Iterator

from dynamo_lab.model.packages import DimFact, Export
from dynamo_lab.view.core.words import first_up
from dynamo_lab.view.findings.export.told import assumed, failures, found
from dynamo_lab.view.findings.finding import Facts, Found
from dynamo_lab.view.summary.exports import complained, named


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
    return found(
        facts,
        one,
        "became-constant",
        f"{first_up(named(fact))} cannot vary: {where} needs it to be {fact.value}.",
        f"If the line can do with any size, write it from `{fact.input}.shape[{fact.axis}]`, or "
        f"with -1 in a shape. {_else(one)}",
        span=fact.span,
        code=one.suggested or one.loosened,
        grade="may change meaning" if one.suggested or one.loosened else "fill in",
    )


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
