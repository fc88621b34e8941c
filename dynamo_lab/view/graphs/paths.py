"""The paths of modules, as parts."""

import re

Path = tuple[str, ...]

_STORED = re.compile(r"\._(?:modules|parameters|buffers)\[['\"]([^'\"]+)['\"]\]")
_ROOT = re.compile(r"^[LG]\[['\"]([^'\"]*)['\"]\]")
_NUMBER = re.compile(r"\[(\d+)\]")
_STEP = re.compile(r"(?:[^.\[\]]|\[(?:'[^']*'|\"[^\"]*\"|[^\]'\"]*)\])+")
_DEEPEST = 100
"""Boxes are drawn one within the other: what lies deeper than any model is one box."""


def module_path(text: str) -> Path:
    """The parts of a module path: ('layers', '0') for "L['self'].layers.0" and "layers.0" alike.

    What is in brackets belongs to what it is of, ('parts[0]', 'linear'); of Dynamo's own names in a
    log, nobody knows whether that is a module.
    """
    if found := _ROOT.match(text):
        rest = _NUMBER.sub(r".\1", _STORED.sub(r".\1", text[found.end() :]))
        text = ("" if found[1] == "self" else found[1]) + rest
    path = tuple(_STEP.findall(text))
    return (
        path if len(path) <= _DEEPEST else (*path[: _DEEPEST - 1], ".".join(path[_DEEPEST - 1 :]))
    )
