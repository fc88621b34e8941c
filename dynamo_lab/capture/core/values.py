"""Short descriptions of values of the user's program, made without running any of its code."""

import ast
import enum
import functools
import inspect
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

import torch

_LONGEST = 80
PLAIN = (bool, int, float, complex, str, bytes, type(None))
_CONTAINERS = (list, tuple, dict, set, frozenset, OrderedDict)
_TENSORS = (torch.Tensor, torch.nn.Parameter)
_OF_TENSOR = ("shape", "dtype", "device", "requires_grad", "grad", "ndim")
_CALLED = ("size", "stride", "storage_offset")
_BUILT_IN = {
    FunctionType: ("__closure__", "__code__", "__defaults__", "__kwdefaults__"),
    MethodType: ("__func__", "__self__"),
    CellType: ("cell_contents",),
    functools.partial: ("func", "args", "keywords"),
}
"""Attributes that Python itself answers, of types that are these and no subclass."""

_HEAD = re.compile(r"[LG]\[(?:'[^']*'|\"[^\"]*\")\]")
_STEP = re.compile(r"(?:\.\w+(?:\(\))?|\[[^\[\]]*\])+")


def describe(value: Any) -> str:
    """What a value is: a tensor's metadata, a number or a string itself, of all else the type."""
    kind: Any = type(value)
    if kind in _TENSORS:
        grad = ", requires grad" if value.requires_grad else ""
        name = str(value.dtype).removeprefix("torch.")
        strides = tuple(value.stride()) if value.layout is torch.strided else value.layout
        return f"{name} tensor {list(value.shape)}, stride {strides}, {value.device}{grad}"
    if kind is int and value.bit_length() > 256:
        return "a large int"
    if kind in PLAIN:
        text = repr(value[:_LONGEST] if kind in (str, bytes) else value)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    if kind in _CONTAINERS:
        return f"{kind.__name__} of {len(value)}"
    if kind in (FunctionType, BuiltinFunctionType, MethodType, ModuleType):
        return f"{'module' if kind is ModuleType else 'function'} {value.__name__}"
    if kind in (torch.dtype, torch.device, torch.Size):
        return str(value)
    if member := _member(value):
        return member
    return f"class {type.__getattribute__(value, '__name__')}" if kind is type else type_name(value)


def _member(value: Any) -> str:
    """The name of an enumeration's member: "Act.RELU"; empty for all else."""
    kind: Any = type(value)
    if type(kind) is not enum.EnumType:
        return ""
    name = object.__getattribute__(value, "__dict__").get("_name_")  # none of a mix of flags
    return f"{type.__getattribute__(kind, '__name__')}.{name}" if type(name) is str else ""


def member_by_id(kind: Any, number: int) -> str:
    """The name of the member of an enumeration that has this id; empty where it is none."""
    if type(kind) is not enum.EnumType:
        return ""
    members = type.__getattribute__(kind, "_member_map_").values()
    return next((_member(one) for one in members if id(one) == number), "")


def type_name(value: Any) -> str:
    """The name of a value's type, without asking the value."""
    return f"object of class {type.__getattribute__(type(value), '__name__')}"


def sources_in(text: str) -> list[str]:
    """Dynamo's names of values in the text of a check: "L['x'].size()[0]"."""
    found: list[str] = []
    at = 0
    while head := _HEAD.search(text, at):
        at = _end(text, head.end())
        found.append(text[head.start() : at])
    return list(dict.fromkeys(found))


def _end(text: str, at: int) -> int:
    """Where a source ends: a key may be a source itself, "[list(dict.keys(L['d']))[0]]"."""
    while at < len(text):
        if step := _STEP.match(text, at):
            at = step.end()
        elif text[at] == "[" and (end := _closing(text, at)):
            at = end
        else:
            break
    return at


def _closing(text: str, at: int) -> int:
    """Where the bracket that opens here is closed again; 0 if it is not."""
    depth = 0
    for end in range(at, len(text)):
        depth += {"[": 1, "]": -1}.get(text[end], 0)
        if not depth:
            return end + 1
    return 0


def read(source: str, scope: Mapping[str, Any]) -> Any:
    """The value that Dynamo names so, from "L" and "G" in `scope`.

    Raises:
        LookupError: there is none, or finding it would run code of the user's.
    """
    return reader(source)(scope)


def reader(source: str) -> Callable[[Mapping[str, Any]], Any]:
    """What reads the value that Dynamo names so, as `read` does, parsed once.

    Raises:
        LookupError: this is no such name.
    """
    try:
        body = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        raise LookupError(source) from error

    def value(scope: Mapping[str, Any]) -> Any:
        try:
            return _read(body, scope)
        except (TypeError, AttributeError) as error:
            raise LookupError(source) from error

    return value


def _read(node: ast.expr, scope: Mapping[str, Any]) -> Any:
    match node:
        case ast.Name(id=name):
            return scope[name]
        case ast.Call(func=ast.Name(id="type"), args=[of]):
            return type(_read(of, scope))
        case ast.Subscript(slice=ast.Constant(value=int() as at)) if (
            of := _with_keys(node.value)
        ) is not None:
            return list(dict.keys(_read(of, scope)))[at]
        case ast.Subscript(value=of, slice=ast.Constant(value=key)):
            return _item(_read(of, scope), key)
        case ast.Subscript(value=of, slice=key) if (at := _position_of_key(key, of)) is not None:
            held = _read(of, scope)
            if issubclass(type(held), dict):
                return list(dict.values(held))[at]
        case ast.Call(func=ast.Attribute(value=of, attr=name), args=[]) if name in _CALLED:
            tensor = _read(of, scope)
            if type(tensor) in _TENSORS:
                return getattr(tensor, name)()
        case ast.Attribute(value=of, attr=name):
            return _attribute(_read(of, scope), name)
        case _:
            pass
    raise LookupError(ast.dump(node))


def _with_keys(node: ast.expr) -> ast.expr | None:
    """The dict in "list(dict.keys(d))"; None for all else."""
    match node:
        case ast.Call(
            func=ast.Name(id="list"),
            args=[
                ast.Call(func=ast.Attribute(value=ast.Name(id="dict"), attr="keys"), args=[held])
            ],
        ):
            return held
        case _:
            return None


def _position_of_key(key: ast.expr, of: ast.expr) -> int | None:
    """The position that "list(dict.keys(d))[0]" names as a key of the same d; else None."""
    match key:
        case ast.Subscript(value=keys, slice=ast.Constant(value=int() as at)):
            held = _with_keys(keys)
            return at if held is not None and ast.dump(held) == ast.dump(of) else None
        case _:
            return None


def _item(container: Any, key: Any) -> Any:
    # the locals of a frame come as a mapping of Dynamo's own
    is_known = type(container) in _CONTAINERS or type(container).__module__.startswith("torch")
    if not is_known or issubclass(type(container), torch.Tensor | torch.nn.Module):
        raise LookupError(key)
    return container[key]


def _attribute(owner: Any, name: str) -> Any:
    is_tensors = type(owner) in _TENSORS and name in _OF_TENSOR
    if is_tensors or name in _BUILT_IN.get(type(owner), ()):
        return getattr(owner, name)
    if issubclass(type(owner), torch.nn.Module):
        held = object.__getattribute__(owner, "__dict__")
        for table in (held, *(held.get(t, {}) for t in ("_parameters", "_buffers", "_modules"))):
            if name in table:
                return table[name]
    found = inspect.getattr_static(owner, name)
    if isinstance(found, property) or inspect.isdatadescriptor(found):
        raise LookupError(name)  # asking for it would run code
    return found
