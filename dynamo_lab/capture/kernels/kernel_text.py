"""Generated code as text: the kernels in a wrapper, and the language that each is in."""

import re

from dynamo_lab.model.kernels import Language

QUOTED = re.compile(r"r?('''|\"\"\")(.*)\1", re.DOTALL)
"""A kernel's code in the text that defines it."""

_LANGUAGES: tuple[tuple[str, Language], ...] = (
    ("async_compile.triton", "triton"),
    ("@triton", "triton"),
    ("async_compile.cpp", "cpp"),
    ("#include", "cpp"),
    ("compile_mps_shader", "metal"),
    ("async_compile.metal", "metal"),
)
_DEFINITION = re.compile(r"^(\w+) = (?:async_compile|compile_mps_shader)", re.MULTILINE)


def language_of(body: str) -> Language:
    """The language of a kernel, from the text that defines it."""
    for sign, language in _LANGUAGES:
        if sign in body:
            return language
    return "other"


def definitions(code: str) -> dict[str, tuple[int, str]]:
    """The kernels that a wrapper defines: the line, from 1, and the text up to the next one."""
    found = list(_DEFINITION.finditer(code))
    starts = [match.start() for match in found]
    made: dict[str, tuple[int, str]] = {}
    line, before = 1, 0
    for match, start, end in zip(found, starts, [*starts[1:], len(code)], strict=False):
        line += code.count("\n", before, start)
        before = start
        made[match[1]] = line, code[start:end]
    return made
