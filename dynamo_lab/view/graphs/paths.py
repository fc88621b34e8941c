"""The paths of modules, as parts."""

import re

Path = tuple[str, ...]

_STEP = re.compile(r"\[['\"]([^'\"]+)['\"]\]|\[(\d+)\]|([^.\[\]]+)")
_PLUMBING = {"_modules", "_parameters", "_buffers"}
_DEEPEST = 100
"""Boxes are drawn one within the other: what lies deeper than any model is one box."""


def module_path(text: str) -> Path:
    """The parts of a module path: ('layers', '0') for "L['self'].layers.0" and "layers.0" alike."""
    steps = [a or b or c for a, b, c in _STEP.findall(text)]
    if steps[:1] in (["L"], ["G"]) and text[1:2] == "[":
        steps = steps[2:]
    path = tuple(step for step in steps if step not in _PLUMBING)
    return (
        path if len(path) <= _DEEPEST else (*path[: _DEEPEST - 1], ".".join(path[_DEEPEST - 1 :]))
    )
