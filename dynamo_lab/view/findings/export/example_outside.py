"""An example's size that the range of its own `Dim` leaves out."""

import re
from collections.abc import Iterator

from dynamo_lab.view.findings.export.told import failures, found
from dynamo_lab.view.findings.finding import Facts, Found

_OUTSIDE = re.compile(r"^(\d+) not in range \[(\d+), (\d+|int_oo)\]")
"""PyTorch's words, torch/fx/experimental/symbolic_shapes.py, `create_symbol`."""


def find(facts: Facts) -> Iterator[Found]:
    """Before anything is traced: `draft_export` refuses it as well."""
    for one in failures(facts):
        outside = _OUTSIDE.match(one.message)
        if outside is None:
            continue
        size, least, most = outside.groups()
        allowed = f"{least} or more" if most == "int_oo" else f"{least} to {most}"
        yield found(
            facts,
            one,
            "example-outside",
            f"`{one.model}` was not exported: an example has a size of {size}, where its `Dim` "
            f"allows {allowed}.",
            "Pass an example whose size its `Dim` allows, or give that a range that has this size.",
        )
