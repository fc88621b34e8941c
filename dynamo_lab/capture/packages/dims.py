"""The sizes that an export was asked to keep open, and `dynamic_shapes` written as code."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.export import Dim

from dynamo_lab.capture.packages import hooks
from dynamo_lab.model.packages import AskedDim

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
    if isinstance(spec, Mapping):
        for name in inputs:
            yield from _asked(spec.get(name), inputs[name], name)
    elif isinstance(spec, tuple | list):
        for one, name in zip(spec, inputs, strict=False):
            yield from _asked(one, inputs[name], name)


def _asked(spec: Any, value: Any, name: str) -> Iterator[AskedDim]:
    if isinstance(value, torch.Tensor):
        axes = spec.items() if isinstance(spec, Mapping) else enumerate(spec or ())
        for axis, dim in axes:
            if _name(dim) not in ("", "STATIC"):
                yield AskedDim(input=name, axis=axis, dim=_name(dim), size=int(value.shape[axis]))
    elif isinstance(value, Mapping) and isinstance(spec, Mapping):
        for key in value:
            yield from _asked(spec.get(key), value[key], f"{name}[{key!r}]")
    elif isinstance(value, tuple | list) and isinstance(spec, tuple | list):
        for at, (one, inner) in enumerate(zip(spec, value, strict=False)):
            yield from _asked(one, inner, f"{name}[{at}]")


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
