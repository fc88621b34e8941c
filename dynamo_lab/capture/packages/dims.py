"""The sizes that an export was asked to keep open, and `dynamic_shapes` written as code."""

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch.export import Dim

from dynamo_lab.capture.packages import hooks
from dynamo_lab.model.core.conditions import let_pass
from dynamo_lab.model.packages import AskedDim, DimFact

_HINTS = ("AUTO", "DYNAMIC", "STATIC")


def arguments(module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `forward` by their names; none where it cannot be called with them."""
    try:
        return dict(inspect.signature(module.forward).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        return {}


def leaf_names(inputs: Mapping[str, Any]) -> list[str]:
    """Each leaf of the inputs as the program names it: "x", "d['a']"."""
    leaves, _ = hooks.FLATTEN.get()(dict(inputs))
    return [program_name(hooks.PATH.get()(path)) for path, _ in leaves]


def program_name(path: str) -> str:
    """What the program writes for a path in its inputs: d['a'] for ['d']['a']."""
    first, _, rest = path.removeprefix("['").partition("']")
    return first + rest


def asked(spec: Any, inputs: Mapping[str, Any]) -> Iterator[AskedDim]:
    """The sizes that were to vary, in the order of the inputs."""
    for dim, name, axis, size in _dims(spec, inputs):
        yield AskedDim(input=name, axis=axis, dim=_name(dim), size=size)


class _Asked(NamedTuple):
    """A Dim, or a hint, with the size it is for: what the tensor is called, and which axis."""

    dim: Any
    name: str
    axis: int
    size: int


def _dims(spec: Any, inputs: Mapping[str, Any]) -> Iterator[_Asked]:
    if isinstance(spec, Mapping):
        for name in inputs:
            yield from _below(spec.get(name), inputs[name], name)
    elif isinstance(spec, tuple | list):
        for one, name in zip(spec, inputs, strict=False):
            yield from _below(one, inputs[name], name)


def _below(spec: Any, value: Any, name: str) -> Iterator[_Asked]:
    if isinstance(value, torch.Tensor):
        axes = spec.items() if isinstance(spec, Mapping) else enumerate(spec or ())
        for axis, dim in axes:
            if _name(dim) not in ("", "STATIC"):
                yield _Asked(dim, name, axis, int(value.shape[axis]))
    elif isinstance(value, Mapping) and isinstance(spec, Mapping):
        for key in value:
            yield from _below(spec.get(key), value[key], f"{name}[{key!r}]")
    elif isinstance(value, tuple | list) and isinstance(spec, tuple | list):
        for at, (one, inner) in enumerate(zip(spec, value, strict=False)):
            yield from _below(one, inner, f"{name}[{at}]")


_FAR = 64
"""How far above the suggested bound a size is looked for that passes every condition."""


def fitted(spec: Any, inputs: Mapping[str, Any], facts: Iterable[DimFact]) -> Any:
    """The suggested spec with bounds that begin at a size which the recorded conditions let pass.

    PyTorch suggests bounds from ranges alone, and not from conditions such as `n // 3 != 1`.
    """
    conditions = defaultdict[tuple[str, int], list[str]](list)
    for fact in facts:
        if fact.event == "guard":
            conditions[fact.input, fact.axis].append(fact.value)
    of_root = defaultdict[str, list[_Asked]](list)
    for one in _dims(spec, inputs):
        if _name(one.dim) not in _HINTS:
            of_root[_name(_root(one.dim))].append(one)
    roots = {name: _raised(of, conditions) for name, of in of_root.items()}

    def change(dim: Any) -> Any:
        new = roots.get(_name(_root(dim)))
        if new is None:
            return dim
        return new if _root(dim) is dim else type(dim)(_name(dim), new, dim.fn)

    return changed(spec, change) if any(roots.values()) else spec


def _root(dim: Any) -> Any:
    return getattr(dim, "root", dim)


def _raised(
    asked: Sequence[_Asked], conditions: Mapping[tuple[str, int], Sequence[str]]
) -> Any | None:
    """The root of these dims from the first size on that passes, if it is not the bound it has."""
    root = _root(asked[0].dim)
    least = max(root.min, 2 if any(one.dim is root for one in asked) else root.min)
    for value in range(least, least + _FAR):
        sizes = ((one, value if one.dim is root else int(one.dim.fn(value))) for one in asked)
        if all(let_pass(conditions.get((o.name, o.axis), ()), size) for o, size in sizes):
            largest = root.max if isinstance(root.max, int) else None
            return Dim(_name(root), min=value, max=largest) if value > least else None
    return None


def _name(dim: Any) -> str:
    """A Dim's name, the kind of a hint, or nothing for a size that is a number."""
    hint = getattr(getattr(dim, "type", None), "name", "")
    return hint if hint in _HINTS else str(getattr(dim, "__name__", ""))


def changed(spec: Any, change: Callable[[Any], Any]) -> Any:
    """A spec with each of its dims changed."""
    if isinstance(spec, Mapping):
        return {key: changed(one, change) for key, one in spec.items()}
    if isinstance(spec, tuple | list):
        return type(spec)(changed(one, change) for one in spec)
    return change(spec)


def loosened(spec: Any) -> Any:
    """A spec in which each size that was to vary may, and need not."""
    return changed(spec, lambda dim: Dim.AUTO if _name(dim) not in ("", "STATIC") else dim)


def as_code(spec: Any) -> str:
    """The spec as a user writes it, with a line for each Dim; empty if it is no plain one."""
    if not spec or not isinstance(spec, Mapping | tuple | list):
        return ""
    made: dict[str, str] = {}
    try:
        text = _text(spec, made)
    except TypeError:
        return ""
    return "\n".join([*made.values(), f"dynamic_shapes = {text}"])


def _text(spec: Any, made: dict[str, str]) -> str:
    if isinstance(spec, Mapping):
        items = ", ".join(f"{key!r}: {_text(one, made)}" for key, one in spec.items())
        return f"{{{items}}}"
    if isinstance(spec, list):
        return f"[{', '.join(_text(one, made) for one in spec)}]"
    if isinstance(spec, tuple):
        items = "".join(f"{_text(one, made)}, " for one in spec)
        return f"({items.rstrip(' ') if len(spec) == 1 else items.removesuffix(', ')})"
    return repr(spec) if spec is None or isinstance(spec, int) else _dim(spec, made)


def _dim(dim: Any, made: dict[str, str]) -> str:
    name = _name(dim)
    if not name:
        raise TypeError(dim)
    if name in _HINTS:
        return f"Dim.{name}{_bounds(dim, '(')}"
    root = getattr(dim, "root", dim)
    made[_name(root)] = f"{_name(root)} = Dim({_name(root)!r}{_bounds(root, ', ')})"
    return name


def _bounds(dim: Any, before: str) -> str:
    bounds = {"min": getattr(dim, "min", None), "max": getattr(dim, "max", None)}
    known = {key: value for key, value in bounds.items() if isinstance(value, int) and value != 0}
    told = ", ".join(f"{key}={value}" for key, value in known.items())
    return f"{before}{told}{')' if before == '(' else ''}" if told else ""
