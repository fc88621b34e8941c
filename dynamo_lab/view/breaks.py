"""Breaks, each with its place, its reason, what to do, and the graphs on both sides."""

from msgspec import Struct


class StackLine(Struct, frozen=True, kw_only=True):
    """A line of the user's stack, outermost first. `entity` is "line:<source>:<number>"."""

    label: str
    function: str
    text: str
    entity: str


class BreakView(Struct, frozen=True, kw_only=True):
    """One break, ready to be read. Texts are plain, never markup."""

    id: int
    title: str
    where: str
    text: str
    column: int
    end_column: int
    effect: str
    frame: str
    reason: str
    explanation: str
    advice: tuple[str, ...]
    context: str
    registry_id: str
    link: str
    stack: tuple[StackLine, ...]
    before: int | None = None
    after: tuple[int, ...] = ()
