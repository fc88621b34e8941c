"""A custom operator does not say what its result looks like."""

import re
from collections.abc import Iterator

from dynamo_lab.model.packages import Export
from dynamo_lab.view.findings.export.told import failures, found
from dynamo_lab.view.findings.finding import Facts, Found

_STRICT = re.compile(r"Developer debug context: unsupported operator: ([\w.]+)")
_CODE = """@torch.library.register_fake("{}")
def _(x, *others, **named):  # its arguments: others may follow the tensor
    return torch.empty_like(x)"""
_NAME = re.compile(r"([A-Za-z_]\w*)\.(\w+)\.\w+$")


def find(facts: Facts) -> Iterator[Found]:
    """The line that calls it, and what to register."""
    for one in failures(facts):
        name = _operator(one)
        if not name:
            continue
        yield found(
            facts,
            one,
            "unsupported-operator",
            f"The operator `{name}` has no fake implementation: an export has to know its result's "
            "shape and dtype without running it.",
            "Register a function that returns an empty tensor of that shape.",
            code=register_fake(name),
        )


def register_fake(operator: str) -> str:
    """What to write for an operator, as an example."""
    return _CODE.format(operator)


def _operator(one: Export) -> str:
    """'mylib::foo', if that is what stopped it."""
    strict = _STRICT.search(one.message)
    known = strict[1] if strict else one.message.strip().split("\n")[0]
    if not strict and one.error != "UnsupportedOperatorException":
        return ""
    found = _NAME.match(known)
    return f"{found[1]}::{found[2]}" if found else ""
