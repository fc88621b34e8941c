"""Metal's words: types, constants, the helpers before the kernels, and how one is launched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.operators import FLOATS
from dynamo_lab.compiler.work import Unsupported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynamo_lab.compiler.index import Size

MEMORY = {
    torch.float32: "float",
    torch.float16: "half",
    torch.bfloat16: "bfloat",
    torch.int64: "long",
    torch.int32: "int",
    torch.int16: "short",
    torch.int8: "char",
    torch.uint8: "uchar",
    torch.bool: "bool",
}
"""The type of an element in memory."""
REGISTER = {**MEMORY, **dict.fromkeys([torch.float16, torch.bfloat16, torch.float64], "float")}
"""The type of a value; a number of the run time comes as a float."""

JOIN = {
    "sum": "{a} += {x};",
    "prod": "{a} *= {x};",
    "max": "{a} = larger({a}, {x});",
    "min": "{a} = smaller({a}, {x});",
}
LANES = 32
"""Threads of a simdgroup, on every GPU of Apple's."""
GROUP = 256
"""Threads of a threadgroup: whole simdgroups, so that none is shared by two."""
MOST_THREADS = 1 << 32


def constant(written: str, dtype: torch.dtype) -> str:
    """A constant with its own type, so that functions of two operands find one."""
    kind = REGISTER[dtype]
    if dtype is torch.bool:
        return written.lower()
    if dtype not in FLOATS:
        least = int(written) == torch.iinfo(torch.int64).min
        number = "(-0x7fffffffffffffffL - 1)" if least else f"{written}L"
        return f"{kind}({number})"
    if written.endswith("inf"):
        return "(-INFINITY)" if written[0] == "-" else "INFINITY"
    return "NAN" if written == "nan" else f"({written}f)"


PRELUDE = Path(__file__).with_name("prelude.metal").read_text(encoding="utf-8")
"""What stands before the kernels of a library: the helpers that they call."""


@dataclass(frozen=True)
class Launch:
    """How a kernel is started: so many threads, in groups of `group`."""

    positions: Size
    """How many outer positions there are."""
    lanes: int
    """Threads of each position: a simdgroup if the kernel reduces."""
    group: int = GROUP

    def threads(self, sizes: Mapping[str, int]) -> int:
        """The number of threads, for these sizes of the run time; 0 needs no launch."""
        found = ix.evaluated(self.positions, sizes) * self.lanes
        if found >= MOST_THREADS:
            raise Unsupported("more threads than Metal counts")
        return found
