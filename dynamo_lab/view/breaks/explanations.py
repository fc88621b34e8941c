"""PyTorch's explanation of a break, without what is shown beside it anyway."""

import re

from dynamo_lab.model.breaks import Break

_SAYS_NOTHING = re.compile(
    r"(?:Dynamo does not support this|(?:This is )?(?:currently )?not (?:currently )?supported"
    r"|`torch\.compile` currently can't trace this)\.?\s*$",
    re.IGNORECASE,
)


def reason_of(item: Break) -> str:
    """Why it broke, in PyTorch's words: the name of the break, where they say only that it did."""
    is_told = item.reason and not _SAYS_NOTHING.match(item.reason)
    return item.reason if is_told else item.gb_type or item.reason


_ORIGIN = re.compile(r'^\s*# File "([^"]*)", line (\d+), in .*?, code: (.*)$')


def explanation_of(item: Break) -> str:
    """PyTorch's explanation, empty where it says only that it broke."""
    return "" if _SAYS_NOTHING.match(item.explanation) else item.explanation


def tidy(explanation: str, line: int, text: str) -> str:
    """The explanation of a break on the line with this number and text.

    Graph code in it names the line of each node: the break's own line is omitted, others are
    shortened. Blank lines within the code are removed.
    """
    rows: list[str] = []
    for row in explanation.split("\n"):
        origin = _ORIGIN.match(row)
        if origin is None:
            rows.append(row.rstrip())
        elif origin[2] != str(line) or origin[3].strip() not in text:
            name = re.split(r"[/\\]", origin[1])[-1]
            rows.append(f"    # {name}:{origin[2]}  {origin[3].strip()}")
    return _closed_up(rows)


def _closed_up(rows: list[str]) -> str:
    """Paragraphs separated by one blank line, code without any."""
    made: list[str] = []
    for row in rows:
        is_code = row.startswith("    ")
        if row and made and is_code and not made[-1].startswith("    ") and made[-1]:
            made.append("")  # prose, then code: a paragraph of its own
        if is_code and len(made) > 1 and not made[-1] and made[-2].startswith("    "):
            made.pop()
        if row or (made and made[-1]):
            made.append(row if is_code else row.strip())
    return "\n".join(made).strip("\n")
