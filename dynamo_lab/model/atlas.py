"""The atlas: how many operators the installed PyTorch has at each level, and each of them."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Plain
from dynamo_lab.model.decompositions import End, Rule, Target

Lowering = Literal["code", "extern", "none"]
"""Inductor writes code for an operator, calls a kernel that exists, or has no lowering of it."""


class Level(Struct, frozen=True, kw_only=True):
    """How many operators, and overloads of them, there are at a level.

    `seed` is what PyTorch 2.0's announcement said of it, empty where it said nothing.
    """

    title: str
    operators: int
    overloads: int
    text: str
    seed: str = ""


class Entry(Struct, frozen=True, kw_only=True):
    """An ATen operator: how many of its overloads are what, and how Inductor lowers the best."""

    name: str
    overloads: int
    core: int
    composite: int
    rules: Annotated[int, Plain("how many of its overloads have one")]
    inductor: Lowering


class Overload(Struct, frozen=True, kw_only=True):
    """One overload: its schema and tags, the rule that fires towards each set, its lowering.

    Where no rule fires, `ends` says why it stays.
    """

    name: str
    schema: str
    tags: tuple[str, ...]
    rules: dict[Target, Rule | None]
    ends: dict[Target, End]
    lowering: Lowering
