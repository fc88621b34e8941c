"""A rule: a kind of break, its title, and the advice on it."""

from textwrap import dedent
from typing import NamedTuple


class Example(NamedTuple):
    """A small program with this kind of break, and the same program without it.

    Both are whole source texts that define `f`; `inputs` are its arguments. They are also tests:
    `tests/live/breaks/test_advice.py` compiles both, and compares their numbers where `same` says
    that they agree. `mended_in` is the oldest release that is known to compile the first of them
    without this break, as "2.15".
    """

    before: str
    after: str
    inputs: str
    same: bool
    mended_in: str = ""


class Rule(NamedTuple):
    """A kind of break: `kind` is searched for in gb_type, `context` in context and reason."""

    kind: str
    title: str
    advice: tuple[str, ...] = ()
    context: str = ""
    example: Example | None = None


def example(
    before: str,
    after: str,
    inputs: str = "torch.arange(4.0)",
    *,
    same: bool = True,
    mended_in: str = "",
) -> Example:
    """An example made from indented texts."""
    return Example(dedent(before).strip(), dedent(after).strip(), inputs, same, mended_in)
