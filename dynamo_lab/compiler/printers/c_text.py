"""C's words: types, constants, and how reductions begin and go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from dynamo_lab.compiler.operators import FLOATS

if TYPE_CHECKING:
    from dynamo_lab.compiler.body import Value

MEMORY = {
    torch.float64: "double",
    torch.float32: "float",
    torch.float16: "_Float16",
    torch.bfloat16: "bf16",
    torch.int64: "long",
    torch.int32: "int",
    torch.int16: "short",
    torch.int8: "signed char",
    torch.uint8: "unsigned char",
    torch.bool: "unsigned char",
}
"""The type of an element in memory."""
REGISTER = {**MEMORY, torch.float16: "float", torch.bfloat16: "float"}
"""The type of a value."""

FIRST = {"sum": "0", "prod": "1", "max": "LEAST({t})", "min": "MOST({t})"}
JOIN = {
    "sum": "{a} += {x};",
    "prod": "{a} *= {x};",
    "max": "{a} = LARGER_{kind}({x}, {a});",
    "min": "{a} = SMALLER_{kind}({x}, {a});",
}
CLAUSE = {"sum": "+", "prod": "*", "max": "larger", "min": "smaller"}


def constant(value: Value) -> str:
    """A constant as C writes it."""
    written = value.args[0]
    if value.dtype is torch.bool:
        return "1" if written == "True" else "0"
    if value.dtype not in FLOATS:
        if int(written) == torch.iinfo(torch.int64).min:
            return "(-0x7fffffffffffffffL - 1)"
        return f"({written}{'L' if value.dtype is torch.int64 else ''})"
    suffix = "" if value.dtype is torch.float64 else "f"
    if written.endswith("inf"):
        return f"({'-' if written[0] == '-' else ''}__builtin_inf{suffix}())"
    if written == "nan":
        return f'__builtin_nan{suffix}("")'
    return f"({written}{suffix})"
