"""What a rule about a kind of break says."""

from textwrap import dedent
from typing import NamedTuple


class Example(NamedTuple):
    """A small program that breaks so, and the same program without the break.

    Both are whole source texts that define `f`; `inputs` are its arguments. They are tests as well:
    `tests/live/breaks/test_advice.py` compiles both, and compares their numbers where `same` says
    that they agree.
    """

    before: str
    after: str
    inputs: str
    same: bool


class Rule(NamedTuple):
    """A kind of break: `kind` is searched for in gb_type, `context` in context and reason."""

    kind: str
    title: str
    advice: tuple[str, ...] = ()
    context: str = ""
    example: Example | None = None


def example(
    before: str, after: str, inputs: str = "torch.arange(4.0)", *, same: bool = True
) -> Example:
    """An example from indented texts."""
    return Example(dedent(before).strip(), dedent(after).strip(), inputs, same)
