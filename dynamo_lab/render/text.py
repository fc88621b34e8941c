r"""Other people's text, made visible: what would act on a reader's screen is shown as an escape.

Source code may hold terminal sequences, marks that reorder what follows them, and line separators
that are not line breaks to Python. Shown raw they could hide code or forge output, so every
renderer passes text through here.
"""

import re

_ACTIVE = re.compile(
    "["
    "\x00-\x09\x0b-\x1f\x7f-\x9f"  # control characters but the line feed
    "\xad\u061c\u180e\u200b\u200e\u200f\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible or reordering
    "\u2028-\u202e"  # line and paragraph separators, embeddings and overrides
    "\ud800-\udfff"  # half of a character, which no encoding can write
    "\U000e0000-\U000e007f"  # tags, invisible
    "]"
)
# Not `\s`: other separators are no line breaks to Python, and are to be seen.
_SPACE = re.compile(r"[ \t\r\n]+")
_TAB = "    "


def visible(text: str) -> str:
    r"""The text with each active character written out, as in `\x1b`. Line feeds stay."""
    return _ACTIVE.sub(_escape, text)


def as_line(text: str, limit: int = 200) -> str:
    r"""The visible text on one line, indented as it is, with line breaks written out as `\n`."""
    return clipped(visible(text[: limit + 1]).replace("\n", "\\n"), limit)


def one_line(text: str) -> str:
    """The visible text with runs of white space and line breaks as one space."""
    return visible(_SPACE.sub(" ", text).strip(" "))


def shortened(text: str, limit: int) -> str:
    """One visible line of at most `limit` characters."""
    return clipped(one_line(clipped(text, 4 * limit)), limit)


def clipped(text: str, limit: int) -> str:
    """The text as it stands, its end cut where it is longer than `limit` characters."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\t":
        return _TAB
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
