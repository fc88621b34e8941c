"""A recording many times over in one: as many of every noun, and each reference within its copy."""

import re
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin, get_type_hints

from msgspec import Struct, structs

from dynamo_lab.model.core.references import Position, Ref
from dynamo_lab.model.decompositions import Decompositions
from dynamo_lab.model.passes import Pipeline
from dynamo_lab.model.recording import Recording

_Offsets = dict[str, int]
"""How many rows of a table come before a copy's, by the name that references use."""

_COMPILE_ID = re.compile(r"(\d+)(/.+)")


def copies(recording: Recording, times: int) -> Recording:
    """`times` copies in a row; what a recording has once (film, benchmark) is the first's."""
    sizes = {name: len(rows) for name, rows in _tables(recording).items()}
    made = [recording]
    for number in range(1, times):
        offsets = {name: size * number for name, size in sizes.items()} | {"": number}
        made.append(_moved(recording, Recording, offsets))
    calls = [one.decompositions for one in made]
    whole = _joined(calls, Decompositions.__struct_fields__)
    return structs.replace(
        recording,
        **_joined(made, recording.__struct_fields__),
        decompositions=structs.replace(recording.decompositions, **whole),
    )


def _tables(recording: Recording) -> dict[str, Any]:
    tables = structs.asdict(recording)
    inner = structs.asdict(recording.decompositions)
    tables |= {f"Decompositions.{name}": rows for name, rows in inner.items()}
    return {name: rows for name, rows in tables.items() if isinstance(rows, tuple)}


def _joined(parts: list[Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The tables of all copies, one after the other."""
    tables = [name for name in names if isinstance(getattr(parts[0], name), tuple)]
    return {name: tuple(row for part in parts for row in getattr(part, name)) for name in tables}


@cache
def _hints(type: type[Struct]) -> dict[str, Any]:
    return get_type_hints(type, include_extras=True)


def _moved(value: Any, hint: Any, offsets: _Offsets, table: str = "") -> Any:
    """A copy's value: its references name the rows of that copy."""
    origin, arguments = get_origin(hint), get_args(hint)
    if value is None:
        return None
    if origin is Annotated:
        shift = _shift(hint.__metadata__, offsets, table)
        return _plus(value, shift) if shift is not None else _moved(value, arguments[0], offsets)
    if origin in (Union, UnionType):
        [inner] = [one for one in arguments if one is not NoneType]
        return _moved(value, inner, offsets)
    if origin is tuple:
        inner = arguments[:1] * len(value) if arguments[-1] is Ellipsis else arguments
        return tuple(_moved(v, h, offsets, table) for v, h in zip(value, inner, strict=True))
    if origin is dict:
        return {key: _moved(one, arguments[1], offsets) for key, one in value.items()}
    return _moved_struct(value, offsets, table) if isinstance(value, Struct) else value


def _moved_struct(value: Struct, offsets: _Offsets, table: str) -> Struct:
    hints = _hints(type(value))
    changes: dict[str, Any] = {}
    for name in value.__struct_fields__:
        old = getattr(value, name)
        within = name if isinstance(value, Recording) else table
        new = _renumbered(old, offsets) if name == "compile_id" else old
        changes[name] = _moved(new, hints[name], offsets, within)
    if isinstance(value, Pipeline):  # a range of passes, which no mark describes
        before = offsets["passes"]
        changes |= {"first": value.first + before, "end": value.end + before}
    return structs.replace(value, **changes)


def _shift(marks: tuple[Any, ...], offsets: _Offsets, table: str) -> int | None:
    """How far the numbers move; None for those that have no table of the recording."""
    for mark in marks:
        if isinstance(mark, Position):
            return offsets[table]
        if isinstance(mark, Ref) and mark.table in offsets:
            return offsets[mark.table]
    return None


def _plus(value: Any, shift: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_plus(one, shift) for one in cast("tuple[Any, ...]", value))
    return value if value is None or value < 0 else value + shift


def _renumbered(compile_id: str, offsets: _Offsets) -> str:
    found = _COMPILE_ID.fullmatch(compile_id)
    return f"{int(found[1]) + 1000 * offsets['']}{found[2]}" if found else compile_id
