"""Two sizes that had to vary on their own are one size."""

from collections.abc import Iterator

from dynamo_lab.view.core.words import first_up
from dynamo_lab.view.findings.export.conditions import as_python
from dynamo_lab.view.findings.export.told import failures, found
from dynamo_lab.view.findings.finding import Facts, Found
from dynamo_lab.view.summary.exports import blamed, complained, named

_EQUAL = "must always be equal"


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
            f"{first_up(named(first))} cannot vary on its own: "
            f"`{as_python(fact.value)}` has to hold.",
            "Ask for sizes that fit it, as below: the exported program refuses others.",
            span=fact.span,
            code=one.suggested or one.loosened,
            grade="may change meaning",
        )
