"""C's words: types, constants, and how reductions begin and go on."""

from __future__ import annotations

import torch

from dynamo_lab.compiler.operators import FLOATS

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

JOIN = {
    "sum": "{a} += {x};",
    "prod": "{a} *= {x};",
    "max": "{a} = LARGER_{kind}({x}, {a});",
    "min": "{a} = SMALLER_{kind}({x}, {a});",
}
CLAUSE = {"sum": "+", "prod": "*", "max": "larger", "min": "smaller"}


def constant(written: str, dtype: torch.dtype) -> str:
    """A constant as C writes it."""
    if dtype is torch.bool:
        return "1" if written == "True" else "0"
    if dtype not in FLOATS:
        if int(written) == torch.iinfo(torch.int64).min:
            return "(-0x7fffffffffffffffL - 1)"
        return f"({written}{'L' if dtype is torch.int64 else ''})"
    suffix = "" if dtype is torch.float64 else "f"
    if written.endswith("inf"):
        return f"({'-' if written[0] == '-' else ''}__builtin_inf{suffix}())"
    if written == "nan":
        return f'__builtin_nan{suffix}("")'
    return f"({written}{suffix})"
