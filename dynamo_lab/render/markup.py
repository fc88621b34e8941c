"""HTML from parts. A plain string is always text: only what `tag` made is markup."""

from collections.abc import Callable, Iterable
from html import escape

from dynamo_lab.render.text import visible


class Markup(str):
    """HTML that this module made."""

    __slots__ = ()


Block = Markup | Callable[[], Markup]
"""HTML, or how to make it: where there are many, most are cut and need not be made."""


def made(block: Block) -> Markup:
    """The HTML of a block."""
    return block if isinstance(block, Markup) else block()


VOID = frozenset({"meta", "br", "hr"})


def tag(name: str, *children: str, **attributes: str) -> Markup:
    """An element. An underscore in an attribute's name stands for a hyphen."""
    shown = "".join(
        f' {key.strip("_").replace("_", "-")}="{escape(visible(value))}"'
        for key, value in attributes.items()
        if value
    )
    if name in VOID:
        return Markup(f"<{name}{shown}>")
    return Markup(f"<{name}{shown}>{join(*children)}</{name}>")


def join(*children: str) -> Markup:
    """The children concatenated, text escaped."""
    return Markup("".join(c if isinstance(c, Markup) else escape(visible(c)) for c in children))


def prose(text: str) -> Markup:
    """Text in which anything in backquotes is code."""
    parts = text.split("`")
    return join(*(tag("code", part) if at % 2 else part for at, part in enumerate(parts)))


def pre(*content: str) -> Markup:
    """Preformatted text, which scrolls if it is too wide."""
    return tag("pre", *content, style="overflow-x:auto")


def details(summary: str, *content: str, is_open: bool = False) -> Markup:
    """Content that opens on a click, or is open until one."""
    attributes = {"open": "open"} if is_open else {}
    return tag("details", tag("summary", summary), *content, **attributes)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Markup:
    """A table of texts, with a row of titles."""
    return tag(
        "table",
        tag("tr", *(tag("th", cell) for cell in head)),
        *(tag("tr", *(tag("td", cell) for cell in row)) for row in rows),
    )
