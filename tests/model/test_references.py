"""What numbers refer to is declared in their types, and each that points nowhere is refused."""

import base64
import importlib
import pkgutil
import random
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest

from dynamo_lab import model
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.core.references import Plain, Position, Ref
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.steps import pack, unpack
from dynamo_lab.model.validate import validate
from tests.view import samples

_FAR = 2**31 - 1  # past the end of any table, and a number of 32 bits


class Field(NamedTuple):
    """A field of a struct: its type, and the marks somewhere in it."""

    struct: type[msgspec.Struct]
    name: str
    hint: Any

    def __str__(self) -> str:
        return f"{self.struct.__module__.rpartition('.')[2]}.{self.struct.__name__}.{self.name}"

    @property
    def marks(self) -> list[Any]:
        return [mark for hint in parts(self.hint) for mark in getattr(hint, "__metadata__", ())]


def parts(hint: Any) -> Iterator[Any]:
    """A type, and the types that it is made of."""
    yield hint
    for inner in (hint.__origin__,) if get_origin(hint) is Annotated else get_args(hint):
        yield from parts(inner)


def structs() -> Iterator[type[msgspec.Struct]]:
    """Every kind of fact."""
    for module in pkgutil.walk_packages(model.__path__, "dynamo_lab.model."):
        for value in vars(importlib.import_module(module.name)).values():
            is_struct = isinstance(value, type) and issubclass(value, msgspec.Struct)
            if is_struct and value.__module__ == module.name:
                yield value


def fields() -> list[Field]:
    """Every field of every kind of fact."""
    found: list[Field] = []
    for struct in structs():
        hints = get_type_hints(struct, include_extras=True)
        found += [Field(struct, name, hints[name]) for name in struct.__struct_fields__]
    return found


def words() -> set[str]:
    """The names of tables, in the singular too, and what else sounds like a reference."""
    tables = {
        field.name
        for field in fields()
        if get_origin(field.hint) is tuple
        and isinstance(row := get_args(field.hint)[0], type)
        and issubclass(row, msgspec.Struct)
    }
    one = {re.sub("(?<=ss|ch)es$|s$", "", name) for name in tables}
    others = {"id", "parent", "stack", "stacks", "joint", "forward", "backward", "attempt"}
    return tables | one | others


def test_a_number_that_sounds_like_a_reference_says_whether_it_is_one() -> None:
    known = words()
    assert {"frame", "graph", "span", "kernel", "node", "buffer", "way", "pass", "match"} <= known
    silent = [
        str(field)
        for field in fields()
        if any(hint in (int, bytes) for hint in parts(field.hint))
        and known.intersection(field.name.split("_"))
        and not any(isinstance(mark, Ref | Position | Plain) for mark in field.marks)
    ]
    assert silent == []


def test_a_plain_number_has_a_reason() -> None:
    reasons = [mark.reason for field in fields() for mark in field.marks if isinstance(mark, Plain)]
    assert reasons
    assert all(reasons)


class Leaf(NamedTuple):
    """A number in the JSON of a recording that refers to something."""

    field: Field
    at: int
    ref: Ref
    number: int
    put: Callable[[int], None]


def leaves(tree: Any, hint: Any, field: Field, refs: tuple[Ref, ...], put: Any) -> Iterator[Leaf]:
    """The numbers in a tree that refer to something; `put` replaces the tree in its holder."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        own = tuple(mark for mark in hint.__metadata__ if isinstance(mark, Ref))
        yield from leaves(tree, hint.__origin__, field, own or refs, put)
    elif tree is None:
        return
    elif isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield from _in_struct(tree, hint)
    elif hint is int:
        yield from (Leaf(field, at, ref, tree, put) for at, ref in enumerate(refs))
    elif hint is bytes and refs:
        yield from _in_column(tree, field, refs, put)
    elif origin in (Union, UnionType):
        inner = next(inner for inner in arguments if inner is not NoneType)
        yield from leaves(tree, inner, field, refs, put)
    elif origin is tuple:
        for at, child in enumerate(tree):
            inner = arguments[0] if arguments[-1] is Ellipsis else arguments[at]
            yield from leaves(child, inner, field, refs, partial(tree.__setitem__, at))
    elif origin is dict:
        for key, child in tree.items():
            yield from leaves(child, arguments[1], field, refs, partial(tree.__setitem__, key))
            yield from _keys(tree, key, arguments[0], field)


def _in_struct(tree: Any, struct: type[msgspec.Struct]) -> Iterator[Leaf]:
    names = struct.__struct_fields__
    hints = get_type_hints(struct, include_extras=True)
    is_list = struct.__struct_config__.array_like
    for at, name in enumerate(names):
        if at < len(tree) if is_list else name in tree:
            key: Any = at if is_list else name
            field = Field(struct, name, hints[name])
            yield from leaves(tree[key], field.hint, field, (), partial(tree.__setitem__, key))


def _in_column(tree: str, field: Field, refs: tuple[Ref, ...], put: Any) -> Iterator[Leaf]:
    numbers = list(unpack(base64.b64decode(tree)))

    def replaced(at: int, number: int) -> None:
        put(base64.b64encode(pack([*numbers[:at], number, *numbers[at + 1 :]])).decode())

    for at, number in enumerate(numbers):
        column = at % len(refs)
        yield Leaf(field, column, refs[column], number, partial(replaced, at))


def _keys(tree: dict[Any, Any], key: Any, hint: Any, field: Field) -> Iterator[Leaf]:
    known = [key]

    def renamed(number: int) -> None:
        tree[number] = tree.pop(known[0])
        known[0] = number

    for ref in getattr(hint, "__metadata__", ()):
        yield Leaf(field, -1, ref, int(key), renamed)


class Found(NamedTuple):
    """A leaf in a sample."""

    tree: Any
    leaf: Leaf


@cache
def found() -> dict[str, Found]:
    """For each field with a reference, one of its numbers in one of the samples, drawn by lot."""
    rng = random.Random(0)
    made: dict[str, list[Found]] = {}
    for name in sorted(vars(samples)):
        make = getattr(samples, name)
        if name == "big" or not callable(make) or not isinstance(sample := make(), Recording):
            continue
        if sample.graphs:
            note = Note(level="info", about="", message="", graph=0, node=0)
            sample = msgspec.structs.replace(sample, notes=(*sample.notes, note))
        assert validate(sample) is None
        tree = msgspec.json.decode(msgspec.json.encode(sample))
        for leaf in _in_struct(tree, Recording):
            made.setdefault(f"{leaf.field}[{leaf.at}]", []).append(Found(tree, leaf))
    return {name: rng.choice(made[name]) for name in sorted(made)}


def damaged(tree: Any, leaf: Leaf, number: int) -> str:
    """What is wrong with the recording once the number is another."""
    leaf.put(number)
    try:
        return validate(msgspec.json.decode(msgspec.json.encode(tree), type=Recording)) or ""
    finally:
        leaf.put(leaf.number)


@pytest.mark.parametrize("name", sorted(found()))
def test_each_reference_that_points_nowhere_is_refused(name: str) -> None:
    tree, leaf = found()[name]
    far = damaged(tree, leaf, _FAR)
    told = re.fullmatch(rf"(\S*\b)(\w+)(\[\d+\])* is {_FAR}, but there are (\d+) (.+)", far)
    assert told, far
    own = leaf.field.name if leaf.field.struct is not Recording else name.partition("[")[0]
    assert own.rpartition(".")[2] in far.partition(" is ")[0].replace("]", "").split(".")[-1]
    end = int(told[4]) + (leaf.ref.or_end or leaf.ref.from_one)
    assert f" is {end}, but there are {told[4]} " in damaged(tree, leaf, end)
    below = -2 if leaf.ref.or_none else 0 if leaf.ref.from_one else -1
    assert f" is {below}, but there are {told[4]} " in damaged(tree, leaf, below)
    assert "but there are" not in damaged(tree, leaf, leaf.number)


def reached(hint: Any) -> Iterator[type[msgspec.Struct]]:
    """The structs that a type holds."""
    for part in parts(hint):
        if isinstance(part, type) and issubclass(part, msgspec.Struct):
            yield part
            for inner in get_type_hints(part, include_extras=True).values():
                yield from reached(inner)


def test_every_reference_of_a_recording_is_tried() -> None:
    held = set(reached(Recording))
    declared = {
        str(field)
        for field in fields()
        if field.struct in held and any(isinstance(mark, Ref) for mark in field.marks)
    }
    assert declared == {str(item.leaf.field) for item in found().values()}
    assert len(declared) > 90


def test_an_id_is_a_position() -> None:
    ids = [field for field in fields() if any(isinstance(mark, Position) for mark in field.marks)]
    assert len(ids) == 9
    tree = msgspec.json.decode(msgspec.json.encode(samples.branch_and_print()))
    tree["frames"][1]["id"] = 0
    assert validate(msgspec.convert(tree, Recording)) == "frames[1] has the id 0"


@pytest.mark.parametrize("column", ["op", "target", "arguments", "inputs", "value", "stack"])
def test_columns_are_as_long_as_each_other(column: str) -> None:
    tree = msgspec.json.decode(msgspec.json.encode(samples.branch_and_print()))
    nodes = tree["graphs"][0]["nodes"]
    count = len(nodes["name"])
    nodes[column].pop()
    problem = validate(msgspec.convert(tree, Recording))
    assert problem == f"graphs[0].nodes.{column} has {count - 1} rows for {count} nodes"
