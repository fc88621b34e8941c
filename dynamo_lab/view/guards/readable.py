"""Dynamo's names of values, as the program writes them."""

import re

_KEPT = r"_(?:modules|parameters|buffers)"
_STORED = re.compile(rf"\.(?:__dict__\['{_KEPT}'\]|{_KEPT})\['(\w+)'\]")
_BY_NAME = re.compile(r"""\b[LG]\[\s*['"]([^'"]*)['"]\s*\]""")
_ON_STACK = re.compile(r"""\bL\[\s*['"]___stack(\d+)['"]\s*\]""")
_FROM_NUMPY = re.compile(r"___from_numpy\(([^()]*)\)")
_LEFT = "(left by the break"


def readable(source: str) -> str:
    """Dynamo's names of values as written in code: "L['x'].size()[0]" is "x.shape[0]".

    What a break left on Python's stack has no name in the program, and gets one that says so.
    """
    text = _FROM_NUMPY.sub(r"\1", _ON_STACK.sub(_left, source))
    text = _BY_NAME.sub(r"\1", _STORED.sub(r".\1", text))
    return text.replace(".size()[", ".shape[").replace(".size()", ".shape")


def _left(found: re.Match[str]) -> str:
    """Of several values on the stack, which one."""
    at = int(found[1])
    return f"{_LEFT}, value {at + 1})" if at else f"{_LEFT})"


def is_of_break(name: str) -> bool:
    """Whether a readable name is of what a break left, or of a part of it."""
    return name.startswith(_LEFT)
