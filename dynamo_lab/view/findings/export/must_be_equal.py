"""Two sizes that had to vary on their own are one size."""

from collections.abc import Iterator

from dynamo_lab.model.core.conditions import as_python
from dynamo_lab.model.packages import DimFact
from dynamo_lab.view.core.words import first_up
from dynamo_lab.view.findings.export.told import failures, found
from dynamo_lab.view.findings.finding import Facts, Found
from dynamo_lab.view.summary.exports import blamed, complained, named

_EQUAL = "must always be equal"


def _condition(fact: DimFact) -> str:
    """What was assumed: of a size that became another one, that they are the same."""
    if fact.event == "equal":
        return f"{fact.input}.shape[{fact.axis}] == {fact.value}"
    return as_python(fact.value)


def find(facts: Facts) -> Iterator[Found]:
    """The line that needs them to be equal."""
    for one in failures(facts):
        fact, dims = blamed(one), complained(one)
        if _EQUAL not in one.message or fact is None or not dims:
            continue
        first = dims[0]
        yield found(
            facts,
            one,
            "must-be-equal",
            f"{first_up(named(first))} cannot vary on its own: `{_condition(fact)}` has to hold.",
            "Ask for sizes that fit it, as below: the exported program refuses others.",
            span=fact.span,
            code=one.suggested or one.loosened,
            grade="may change meaning",
        )
