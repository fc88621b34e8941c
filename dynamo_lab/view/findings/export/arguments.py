"""`torch.export.export` was called with what it does not take."""

from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.view.findings.export.told import failures, found
from dynamo_lab.view.findings.finding import Facts, Found, Grade


class _Known(NamedTuple):
    message: str
    sentence: str
    remedy: str
    code: str = ""
    grade: Grade = "fill in"


_KNOWN = (
    _Known(
        "Expecting `args` to be a tuple",
        "The example arguments are not in a tuple.",
        "Pass a tuple, with a comma also where there is one alone.",
        "torch.export.export(model, (x,))",
    ),
    _Known(
        "When `dynamic_shapes` is specified as a dict, its top-level keys must be",
        "`dynamic_shapes` names an argument that `forward` does not have, or leaves one out.",
        "Its keys are the names of all arguments of `forward`, with None for those that are fixed; "
        "a tuple in their order also does.",
    ),
    _Known(
        "Unable to specify input integers as dynamic through named Dims",
        "A number among the arguments has a Dim: those are for sizes of tensors.",
        "Give the number `Dim.DYNAMIC`, or `Dim.AUTO` if it may also be fixed.",
    ),
    _Known(
        "missing a required argument",
        "An argument that `forward` needs is missing from the example.",
        "Pass an example of each argument: in the tuple, or by name in `kwargs`.",
    ),
)


def find(facts: Facts) -> Iterator[Found]:
    """The call, with what to pass instead."""
    for one in failures(facts):
        known = next((k for k in _KNOWN if one.message.startswith(k.message)), None)
        if known is None or one.at is not None:
            continue
        spec = one.loosened if "Dim.AUTO" in known.remedy else ""
        yield found(
            facts,
            one,
            "arguments",
            known.sentence,
            known.remedy,
            span=one.span,
            code=known.code or spec,
            grade="may change meaning" if spec else known.grade,
        )
