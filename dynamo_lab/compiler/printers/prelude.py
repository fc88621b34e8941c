"""What stands before the kernels of a C file: `prelude.h`, and functions of floats.

These are the C library's, declared, or those of `functions.h`.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
from pathlib import Path
from typing import Literal

from dynamo_lab.compiler.operators import OPERATORS
from dynamo_lab.errors import OptionError


def prelude() -> str:
    """Helpers, and the mathematical functions: those of `mathematics`."""
    return _prelude(mathematics())


def mathematics() -> Literal["library", "own"]:
    """Whose functions of floats: the C library's where it has them for vectors, else our own.

    `DYNAMO_LAB_MATH` chooses: "library" or "own".

    Raises:
        OptionError: it names neither.
    """
    asked = os.environ.get("DYNAMO_LAB_MATH", "")
    match asked:
        case "library" | "own":
            return asked
        case "":
            return "library" if has_vector_functions() else "own"
        case _:
            raise OptionError(f'DYNAMO_LAB_MATH={asked!r} is neither "library" nor "own".')


@functools.cache
def _prelude(mathematics: Literal["library", "own"]) -> str:
    lines = [_text("prelude.h")]
    for row in OPERATORS.values():
        if str(row.c).startswith(f"{row.name}{{f}}"):
            lines += _declared(row.name, row.operands)
    if mathematics == "own":
        lines.append(_text("functions.h"))
    return "\n".join(lines) + "\n"


def _text(file: str) -> str:
    return Path(__file__).with_name(file).read_text(encoding="utf-8")


def _declared(name: str, operands: int) -> list[str]:
    simd = '__attribute__((simd("notinbranch"), const)) '
    found: list[str] = []
    for kind, suffix, lanes in (("float", "f", 8), ("double", "", 4)):
        parameters = ", ".join([kind] * operands)
        vector = f"_ZGVdN{lanes}{'v' * operands}_{name}{suffix}"
        attribute = simd if has_vector(vector) else "__attribute__((const)) "
        found.append(f"{attribute}{kind} {name}{suffix}({parameters});")
    return found


def has_vector(name: str) -> bool:
    """Does the C library have this function for vectors?"""
    library = _libmvec()
    return library is not None and hasattr(library, name)


@functools.cache
def _libmvec() -> ctypes.CDLL | None:
    """Glibc's vector functions, which x86-64 has since 2.22 and most of them since 2.35."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return None
    try:
        return ctypes.CDLL("libmvec.so.1")
    except OSError:
        return None


def has_vector_functions() -> bool:
    """Does the C library have functions for vectors at all?"""
    return _libmvec() is not None
