"""An input or a result is of a class that PyTorch cannot take apart."""

import re
from collections.abc import Iterator

from dynamo_lab.view.findings.export.told import failures, found
from dynamo_lab.view.findings.finding import Facts, Found

_INPUT = re.compile(
    r"(?:It looks like one of the inputs with type `|Unsupported input type )<class '([\w.<>]+)'>"
)
_OUTPUT = re.compile(
    r"Found <class '([\w.<>]+)'> in output|"
    r"Encountered unrecognized type UserDefinedObjectVariable\((\w+)\) at output"
)


def find(facts: Facts) -> Iterator[Found]:
    """The class, and what to register."""
    for one in failures(facts):
        given, made = _INPUT.match(one.message), _OUTPUT.search(one.message)
        match = given or made
        if not match:
            continue
        name = next(filter(None, match.groups())).rpartition(".")[2]
        what = "An input is of" if given else "The result is of"
        yield found(
            facts,
            one,
            "unknown-type",
            f"{what} class `{name}`, and PyTorch does not know which tensors are in one.",
            f"If `{name}` is a dataclass, register it before the export. Of another class register "
            "how to take it apart (`torch.utils._pytree.register_pytree_node`), or pass tensors.",
            code=f"torch.export.register_dataclass({name})",
        )
