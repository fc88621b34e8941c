"""The marks of `core/references.py`, found in the types of structs and checked on the facts.

Facts are read one column at a time, as iterators that run in C; only if one is out of range
is its place searched for. The paths to all marks are computed once per type.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import chain
from operator import attrgetter, is_not, itemgetter
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from dynamo_lab.model.core.references import Parallel, Position, Ref
from dynamo_lab.model.steps import unpack

Mark = Ref | Parallel | Position


class Hop(NamedTuple):
    """A path from values to what is in them; a label "[]" stands for the position among them."""

    label: str
    opened: Callable[[Iterable[Any]], Iterable[Any]]


class Marked(NamedTuple):
    """A mark, the path to what it marks, and how far along it each enclosing struct is, by name."""

    mark: Mark
    hops: tuple[Hop, ...]
    owners: dict[str, int]


class Check(NamedTuple):
    """A mark that is ready to be checked.

    `scope` leads from the root to the structs that fix the table's size, `hops` from there to the
    numbers. `shared` says of such a struct what those that name the same table have in common.
    """

    mark: Mark
    scope: tuple[Hop, ...]
    hops: tuple[Hop, ...]
    size: Callable[[Any, Any], int]
    shared: Callable[[Any], Any]
    noun: str


_ROWS = Hop("[]", chain.from_iterable)
_NUMBERS = Hop("", chain.from_iterable)
_SOME = Hop("", partial(filter, partial(is_not, None)))


def _values(dicts: Iterable[dict[Any, Any]]) -> Iterable[Any]:
    return chain.from_iterable(one.values() for one in dicts)


_VALUES = Hop("", _values)


def _field(name: str) -> Hop:
    return Hop(f".{name}", partial(map, attrgetter(name)))


def _item(at: int) -> Hop:
    return Hop("", partial(map, itemgetter(at)))


def _column(at: int, of: int) -> Hop:
    def opened(columns: Iterable[bytes]) -> Iterable[int]:
        found = [unpack(column)[at::of] for column in columns]
        return found[0] if len(found) == 1 else chain.from_iterable(found)

    return Hop("", opened)


def marked(type: type[Struct]) -> Iterator[Marked]:
    """Every mark in a struct and in what it holds, in the order of the fields."""
    return _in_struct(type, (), {})


def _in_struct(
    type: type[Struct], hops: tuple[Hop, ...], owners: dict[str, int]
) -> Iterator[Marked]:
    hints = get_type_hints(type, include_extras=True)
    owners = {**owners, type.__name__: len(hops)}
    for name in type.__struct_fields__:
        yield from _in(hints[name], (*hops, _field(name)), owners, ())


def _in(
    hint: Any, hops: tuple[Hop, ...], owners: dict[str, int], refs: tuple[Ref, ...]
) -> Iterator[Marked]:
    """The marks in a type; `refs` are those around it, which apply to the numbers in it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        marks = hint.__metadata__
        for mark in marks:
            if isinstance(mark, Parallel | Position):
                yield Marked(mark, hops, owners)
        own = tuple(mark for mark in marks if isinstance(mark, Ref))
        yield from _in(hint.__origin__, hops, owners, own or refs)
    elif isinstance(hint, type) and issubclass(hint, Struct):
        yield from _in_struct(hint, hops, owners)
    elif hint is int:
        yield from (Marked(ref, hops, owners) for ref in refs)
    elif hint is bytes:
        for at, ref in enumerate(refs):
            yield Marked(ref, (*hops, _column(at, len(refs))), owners)
    else:
        for hop, inner in _parts(origin, arguments):
            yield from _in(inner, (*hops, hop), owners, refs)


def _parts(origin: Any, arguments: tuple[Any, ...]) -> Iterator[tuple[Hop, Any]]:
    """The parts of a generic type, with the paths to them."""
    if origin in (Union, UnionType):
        yield from ((_SOME, inner) for inner in arguments if inner is not NoneType)
    elif origin is tuple and arguments[-1] is Ellipsis:
        yield (_NUMBERS if _bare(arguments[0]) is int else _ROWS), arguments[0]
    elif origin is tuple:
        yield from ((_item(at), inner) for at, inner in enumerate(arguments))
    elif origin is dict:
        yield from zip((_NUMBERS, _VALUES), arguments, strict=True)


def _bare(hint: Any) -> Any:
    return hint.__origin__ if get_origin(hint) is Annotated else hint


_IN_A_ROW = re.compile(r"(\w+)\[(?:(\w+)\.)?(\w+)\]\.(\w+)")


@cache
def checks(type: type[Struct]) -> tuple[Check, ...]:
    """The checks of a struct of this type, with the marks of lengths and ids first."""
    found = [_check(*item) for item in marked(type)]
    return tuple(sorted(found, key=lambda check: isinstance(check.mark, Ref)))


def _check(mark: Mark, hops: tuple[Hop, ...], owners: dict[str, int]) -> Check:
    if isinstance(mark, Position):
        return Check(mark, (), hops, _no_table, id, "")
    noun = mark.noun if isinstance(mark, Ref) else ""
    row = _IN_A_ROW.fullmatch(mark.table)
    if row is None:
        owner, _, table = mark.table.rpartition(".")
        depth = owners[owner] if owner else 0
        size = partial(_size, attrgetter(table))
        return Check(mark, hops[:depth], hops[depth:], size, id, noun or table)
    table, owner, field, column = row.groups()
    depth = owners[owner] if owner else max(owners.values())
    index = attrgetter(field)
    size = partial(_size_in_row, attrgetter(table), index, attrgetter(column))
    noun = noun or f"{column} of {table.removesuffix('s')} {{0.{field}}}"
    return Check(mark, hops[:depth], hops[depth:], size, index, noun)


def _no_table(root: Any, owner: Any) -> int:
    return 0


def _size(table: Callable[[Any], Any], root: Any, owner: Any) -> int:
    return _length(table(owner))


def _size_in_row(
    table: Callable[[Any], Any],
    index: Callable[[Any], Any],
    column: Callable[[Any], Any],
    root: Any,
    owner: Any,
) -> int:
    at, rows = index(owner), table(root)
    return _length(column(rows[at])) if at is not None and 0 <= at < len(rows) else 0


def _length(table: Any) -> int:
    """The rows of a table, the numbers of a column, the lines of a text."""
    if isinstance(table, str):
        return table.count("\n") + 1
    return len(table) // 4 if isinstance(table, bytes) else len(table)


def problems(root: Struct, type: type[Struct]) -> Iterator[str]:
    """A sentence for each violated mark, with its place."""
    for check in checks(type):
        match check.mark:
            case Ref():
                yield from _dangling(root, check, check.mark)
            case Parallel():
                yield from _uneven(root, check)
            case Position():
                yield from _misnumbered(root, check)


def _dangling(root: Any, check: Check, ref: Ref) -> Iterator[str]:
    """Check the extremes of whole columns, and search for places only if one is outside."""
    lowest = 1 if ref.from_one else -1 if ref.or_none else 0
    beyond = ref.from_one or ref.or_end
    for owners in _sharing(list(_flat((root,), check.scope)), check):
        found = _flat(owners, check.hops)
        numbers = found if isinstance(found, array) else list(found)  # a long column as it is
        if numbers and min(numbers) < lowest:
            break
        if numbers and max(numbers) >= check.size(root, owners[0]) + beyond:
            break
    else:
        return
    for place, owner in _places(root, check.scope, ""):
        size = check.size(root, owner)
        for inside, number in _places(owner, check.hops, place):
            if not lowest <= number < size + beyond:
                noun = check.noun.format(owner)
                yield f"{inside.lstrip('.')} is {number}, but there are {size} {noun}"


def _sharing(owners: list[Any], check: Check) -> Iterable[list[Any]]:
    """The structs that fix the table's size, those together that name the same one."""
    keys = list(map(check.shared, owners))
    if len(set(keys)) == 1:
        return (owners,)
    groups: dict[Any, list[Any]] = {}
    for key, owner in zip(keys, owners, strict=True):
        groups.setdefault(key, []).append(owner)
    return groups.values()


def _uneven(root: Any, check: Check) -> Iterator[str]:
    for start, owner in _places(root, check.scope, ""):
        size = check.size(root, owner)
        for place, column in _places(owner, check.hops, start):
            if len(column) != size:
                yield f"{place.lstrip('.')} has {len(column)} rows for {size} {check.noun}"


def _misnumbered(root: Any, check: Check) -> Iterator[str]:
    ids = list(_flat((root,), check.hops))
    if ids == list(range(len(ids))):
        return
    for at, (place, row) in enumerate(_places(root, check.hops[:-1], "")):
        if row.id != at:
            yield f"{place.lstrip('.')} has the id {row.id}"


def _flat(values: Iterable[Any], hops: tuple[Hop, ...]) -> Iterable[Any]:
    """Everything that the hops lead to."""
    for hop in hops:
        values = hop.opened(values)
    return values


def _places(value: Any, hops: tuple[Hop, ...], place: str) -> Iterator[tuple[str, Any]]:
    """Everything that the hops lead to, each with its place."""
    if not hops:
        yield place, value
        return
    hop, *rest = hops
    for at, child in enumerate(hop.opened((value,))):
        label = hop.label.replace("[]", f"[{at}]")
        yield from _places(child, tuple(rest), place + label)
