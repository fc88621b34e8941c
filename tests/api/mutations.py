"""Files of recordings in which a few fields have extreme values, every field as often."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any, cast

from dynamo_lab.model.core import codec
from tests.model.files import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.model.recording import Recording

Place = tuple[Any, Any]
"""A list or a dict, and the position or key in it."""

_NUMBERS = (-(2**70), -(2**31), -2, -1, 0, 1, 2, 3, 7, 99, 2**31, 2**53 + 1, 2**62, 2**63, 2**70)
_FLOATS = (-1e308, -1.0, 0.0, 1e-320, 0.5, 1e12, 1e300, 1.7e308)
_STRINGS = (
    "", " ", "\n", "a\nb\r\n", "\0", "\x1b[31m", "</script><b>", "\u2028", "\u202eabc", "\ud800",
    "\U0001f600" * 9, "-1", "0", "7", "9" * 5000, "9" * 19, "-" + "9" * 30, "1.5", "nan", "s0",
    "s0 + 1", "²", "٣", "(" * 3000, "a." * 3000, "[0]" * 3000, "L['self']", "x" * 100_000,
    "%s{0}{}%", "`", "0/0", "9/9", "//", "/", "\\", "aten.mm.default", "torch.add",
    "placeholder", "output", "call_function", "get_attr", "dynamo", "post_grad", "backward",
    "compiled", "failed", "2026-01-01T00:00:00", "f32[8, 8]",
)  # fmt: skip


def mutated(recording: Recording, seed: int) -> bytes:
    """The file with one to three of its fields replaced; the same for the same seed."""
    chance = random.Random(seed)
    tree = json.loads(codec.encode(recording))["recording"]
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        fields: dict[str, list[Place]] = {}
        for name, place in _places(tree, ""):
            fields.setdefault(name, []).append(place)
        at, key = chance.choice(fields[chance.choice(sorted(fields))])
        _replace(at, key, tree, chance)
    return wrapped(tree)


def _places(tree: Any, name: str) -> Iterator[tuple[str, Place]]:
    """Each value in a tree, with the name of its field; positions in a list are one field."""
    if isinstance(tree, dict):
        for key, value in cast("dict[str, Any]", tree).items():
            inner = f"{name}.{key}" if re.fullmatch(r"[a-z_]+", key) else f"{name}.*"
            yield inner, (tree, key)
            yield from _places(value, inner)
    elif isinstance(tree, list):
        rows = cast("list[Any]", tree)
        # a short list may be a struct, whose positions are fields
        is_struct = len(rows) <= 8 and len(set(map(_kind, rows))) > 1
        for at, value in enumerate(rows):
            inner = f"{name}[{at}]" if is_struct else f"{name}[]"
            yield inner, (tree, at)
            yield from _places(value, inner)


def _kind(value: object) -> str:
    return type(value).__name__


def _replace(at: Any, key: Any, tree: Any, chance: random.Random) -> None:
    old: Any = at[key]
    emptied: tuple[Any, ...] = (None, [], {}, "", 0, True, [[]])
    if chance.random() < 0.05:
        del at[key]
    elif chance.random() < 0.05:
        at[key] = chance.choice(emptied)
    elif old is None:
        at[key] = chance.choice((0, 1, 2, 7, "", "x", 0.5, []))
    elif isinstance(old, bool):
        at[key] = not old
    elif isinstance(old, int):
        at[key] = chance.choice((*_NUMBERS, old + 1, old - 1, chance.randrange(12)))
    elif isinstance(old, float):
        at[key] = chance.choice(_FLOATS)
    elif isinstance(old, str):
        inside = [re.sub(r"[0-9]+", digits, old) for digits in ("9" * 5000, "0", "-1", "²")]
        whole = [old + old, old[:1], _another(tree, chance), re.sub(r"([(\[{])", r"\1" * 999, old)]
        at[key] = chance.choice((*_STRINGS, *inside * 3, *whole))
    elif isinstance(old, list):
        rows = cast("list[Any]", old)
        at[key] = chance.choice(([], rows + rows, rows[::-1], rows[1:], rows[:1], rows * 50))
    else:
        at[key] = {} if chance.random() < 0.5 else {**old, "x" * 300: next(iter(old.values()), 0)}


def _another(tree: Any, chance: random.Random) -> str:
    """A text from elsewhere in the recording."""
    texts = [at[key] for _, (at, key) in _places(tree, "") if isinstance(at[key], str)]
    return chance.choice(texts)
