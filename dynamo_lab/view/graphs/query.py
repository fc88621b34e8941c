"""The query language for nodes: `op:mm dtype:f32 shape:*x128 -module:head "text"`.

The front-end implements it too: tests/cases/search.json checks both.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.errors import QueryError

FIELDS = {
    "op": "`op:mm`, `op:conv*` or `op:placeholder`",
    "dtype": "`dtype:f32`",
    "shape": "`shape:8x128` or `shape:*x128`",
    "module": "`module:encoder.0` or `module:LayerNorm`",
    "line": "`line:12`, `line:12-20` or `line:model.py:12`",
    "stage": "`stage:backward`",
    "name": "`name:add_3`",
    "bytes": "`bytes:>1MB`",
    "users": "`users:>3` or `users:0`",
}
"""The fields of a query, each with an example. A word without a field is searched for in the node's
name, operator, value, arguments and module."""

STAGES = (
    *("dynamo", "pre_grad", "joint", "forward", "backward", "post_grad", "lowered", "scheduled"),
    *("code", "restarted", "unknown"),
)
"""The stages that `stage:` accepts, those of a backward with the suffix `_backward`."""

WIDENED = ("op", "dtype", "shape", "module", "name")

_TERM = re.compile(r'(?:[^ \t\r\n"]|"[^"]*"?)+')
_FIELD = re.compile(r"([A-Za-z_]+):(?!:)(.*)", re.DOTALL)
_LINES = re.compile(r"(?:(.*):)?([0-9]{1,9})(?:-([0-9]{1,9}))?", re.DOTALL)
_BYTES = re.compile(r"(>=|<=|>|<|=)?([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([kmgt])?(i)?b?")
_COUNT = re.compile(r"(>=|<=|>|<|=)?([0-9]{1,9})")
_COMMA = re.compile(" *[,\N{MULTIPLICATION SIGN}] *")
_NEVER = float("inf")
_LONG_DTYPE = re.compile(r"(b?)(float|uint|int|complex)([0-9]+.*)")


class Term(Struct, frozen=True):
    """One condition: `value` is the field's wanted value in lower case; no field means any text.

    `low` and `high` are the range of a line, of bytes or of users; `file` belongs to a line.
    """

    field: str
    value: str
    is_negated: bool = False
    low: float = 0
    high: float = 0
    file: str = ""


def parse(text: str) -> tuple[Term, ...]:
    """The conditions of a query, joined with "and".

    Raises:
        QueryError: a field is unknown, or its value is not valid.
    """
    return tuple(_terms(text))


def widened(text: str) -> str:
    """The query with `*` around patterns that must match as a whole; empty if nothing changes."""
    made = [_widened(word) for word in _words(text)]
    return " ".join(made) if made != list(_words(text)) else ""


def normal_dtype(text: str) -> str:
    """'f32' for "float32", 'b8' for "bool", other names as they are."""
    if text == "bool":
        return "b8"
    if not (long := _LONG_DTYPE.fullmatch(text)):
        return text
    return f"{long[1]}{long[2][0]}{long[3]}"


def pattern(value: str, one: str = ".") -> re.Pattern[str]:
    """A regular expression for a text in which `*` is any text and `?` is `one`."""
    parts = (".*" if c == "*" else one if c == "?" else re.escape(c) for c in value)
    return re.compile("".join(parts), re.DOTALL)


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in _TERM.finditer(text))


def _terms(text: str) -> Iterator[Term]:
    for word in _words(text):
        is_negated = len(word) > 1 and word.startswith("-")
        field = _FIELD.fullmatch(word[is_negated:])
        if field is None:
            value = word[is_negated:].replace('"', "").lower()
            if not value:
                raise QueryError('Between quotes there is no text: write one, as in `"8, 64"`.')
            yield Term("", value, is_negated)
        else:
            yield _term(field[1].lower(), field[2].replace('"', "").lower(), is_negated)


def _term(field: str, value: str, is_negated: bool) -> Term:
    if field not in FIELDS:
        *names, last = FIELDS
        raise QueryError(
            f"There is no field `{field}`: pass {', '.join(names)} or {last}, "
            "or put the text in quotes."
        )
    low, high, file = 0.0, 0.0, ""
    if field in ("line", "bytes", "users"):
        wanted = {"line": _LINES, "bytes": _BYTES, "users": _COUNT}[field]
        if (match := wanted.fullmatch(value)) is None:
            raise _unfit(field)
        low, high, file = _line(match) if field == "line" else (*_range(match), "")
    elif not value:
        raise _unfit(field)
    elif field == "shape":
        value = _COMMA.sub("x", re.sub(r"[\[\]()]", "", value)).strip(" ")
    elif field == "dtype":
        value = normal_dtype(value)
    elif field == "stage":
        _refuse_unknown_stage(value)
    return Term(field, value, is_negated, low, high, file)


def _refuse_unknown_stage(value: str) -> None:
    fits = pattern(value)
    if not any(fits.fullmatch(word) for stage in STAGES for word in (stage, f"{stage}_backward")):
        *stages, last = STAGES
        raise QueryError(
            f"There is no stage `{value}`: pass {', '.join(stages)} or {last}, "
            "or one with `_backward` behind."
        )


def _unfit(field: str) -> QueryError:
    return QueryError(f"`{field}:` wants a value, as in {FIELDS[field]}.")


def _line(match: re.Match[str]) -> tuple[float, float, str]:
    return float(match[2]), float(match[3] or match[2]), match[1] or ""


def _range(match: re.Match[str]) -> tuple[float, float]:
    """The lowest and the highest integer that matches."""
    amount = float(match[2])
    if (match.lastindex or 0) > 2 and match[3]:
        amount *= (1024 if match[4] else 1000) ** ("kmgt".index(match[3]) + 1)
    whole = amount // 1
    at_least = whole if whole == amount else whole + 1
    return {
        ">": (whole + 1, _NEVER),
        ">=": (at_least, _NEVER),
        "<": (0.0, at_least - 1),
        "<=": (0.0, whole),
    }.get(match[1], (at_least, whole))


def _widened(word: str) -> str:
    is_negated = word.startswith("-")
    field = _FIELD.fullmatch(word[is_negated:])
    if is_negated or field is None or field[1].lower() not in WIDENED or "*" in field[2]:
        return word
    value = field[2].replace('"', "")
    return f'{field[1]}:"*{value}*"' if " " in value else f"{field[1]}:*{value}*"
