"""A call of `torch.export.export` that failed, kept to be made again with other arguments."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch

from dynamo_lab.capture.packages import dims, hooks

_MORE = 3
"""How much larger than the example's a size is tried."""


class Arguments(NamedTuple):
    """What a model is called with, and the sizes in it that are not the example's."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    sizes: str = ""


class ExportCall(NamedTuple):
    """What was exported, with which arguments; `specs` are the `dynamic_shapes` to try instead."""

    module: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    shapes: Any
    strict: bool
    others: dict[str, Any]
    specs: dict[str, Any]

    def again(self, shapes: str, strict: bool | None) -> Any:
        """The program that comes of it with these shapes, and strict or not."""
        return torch.export.export(
            self.module,
            self.args,
            self.kwargs,
            dynamic_shapes=self.specs[shapes] if shapes else self.shapes,
            strict=self.strict if strict is None else strict,
            **self.others,
        )

    def example(self) -> Arguments:
        """A copy of the arguments that it was to be exported with."""
        args, kwargs = copy.deepcopy((self.args, self.kwargs))
        return Arguments(args, kwargs)

    def resized(self, program: Any) -> Iterator[Arguments]:
        """The example with the smallest sizes that vary in this program, and with larger ones."""
        found, tree = hooks.FLATTEN.get()((self.args, self.kwargs))
        leaves = [leaf for _, leaf in found]
        shapes = _shapes(program)
        if len(shapes) != len(leaves):
            return
        names = dims.leaf_names(dims.arguments(self.module, self.args, self.kwargs))
        hints = _hints(leaves, shapes)
        seen = [hints]
        for values in (_smallest(hints, program), _larger(hints, program)):
            if values in seen or not values:
                continue
            seen.append(values)
            made = [_resized(*pair, values) for pair in zip(leaves, shapes, strict=True)]
            args, kwargs = hooks.UNFLATTEN.get()(made, tree)
            yield Arguments(args, kwargs, _told(names, leaves, made))


def _shapes(program: Any) -> list[tuple[Any, ...]]:
    """The sizes of each input of the user's, numbers or expressions; none of what is no tensor."""
    inputs = program.graph_signature.user_inputs
    values = {
        node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"
    }
    return [
        tuple(size.node.expr if isinstance(size, torch.SymInt) else size for size in value.shape)
        if isinstance(value := values.get(name), torch.Tensor)
        else ()
        for name in inputs
    ]


def _hints(leaves: list[Any], shapes: list[tuple[Any, ...]]) -> dict[Any, int]:
    """What each symbol is in the example: of a size 2*s the number of which it is the double."""
    found: dict[Any, int] = {}
    for leaf, shape in zip(leaves, shapes, strict=True):
        for size, is_size in zip(shape, getattr(leaf, "shape", ()), strict=False):
            symbols = list(getattr(size, "free_symbols", ()))
            if len(symbols) == 1 and symbols[0] not in found:
                for value in range(is_size + 1):
                    if size.subs(symbols[0], value) == is_size:
                        found[symbols[0]] = value
    return found


def _smallest(hints: Mapping[Any, int], program: Any) -> dict[Any, int]:
    """The least that is allowed; not 0 or 1, which PyTorch takes for special."""
    ranges = program.range_constraints
    least = {symbol: int(ranges[symbol].lower) for symbol in hints if symbol in ranges}
    return {symbol: max(value, 2) for symbol, value in least.items()}


def _larger(hints: Mapping[Any, int], program: Any) -> dict[Any, int]:
    ranges = program.range_constraints
    return {
        symbol: hint + _MORE
        if ranges[symbol].upper >= hint + _MORE
        else max(hint, int(ranges[symbol].upper))
        for symbol, hint in hints.items()
        if symbol in ranges
    }


def _resized(leaf: Any, shape: tuple[Any, ...], values: Mapping[Any, int]) -> Any:
    """A tensor of other sizes, with the values that are in it over again."""
    if not isinstance(leaf, torch.Tensor):
        return copy.deepcopy(leaf)
    made = leaf.detach().clone()
    for axis, size in enumerate(shape):
        wanted = int(size.subs(values)) if hasattr(size, "subs") else size
        if wanted != made.shape[axis] and made.shape[axis]:
            made = made.index_select(axis, torch.arange(wanted) % made.shape[axis])
    return made.requires_grad_(leaf.requires_grad)


def _told(names: list[str], leaves: list[Any], made: list[Any]) -> str:
    """'x.shape[0] is 2' of what differs from the example."""
    pairs = zip(names, leaves, made, strict=False)
    return ", ".join(
        f"`{name}.shape[{axis}]` is {new}"
        for name, leaf, one in pairs
        if isinstance(leaf, torch.Tensor)
        for axis, (old, new) in enumerate(zip(leaf.shape, one.shape, strict=True))
        if old != new
    )
