"""What is updated: parameters by name or pattern, biases, the last layers, some input channels.

The result is a `Selection`: the model's parameter names, each with its input channels, or None
for all of them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    import torch
    from torch import nn

Channels = tuple[int, ...] | None
Selection = Mapping[str, Channels]

_LAST = re.compile(r"last (\d+)$")
_ASKED = (
    '"all", "bias", "last 2" (layers), a list of names or patterns such as ["head.*"], or a '
    'mapping of them to the input channels: a share as 0.25, a number, a list, or "all"'
)


def selection(model: nn.Module, update: Any, choose: str = "first") -> Selection:
    """The parameters that are updated, in the model's order, with their channels.

    Args:
        model: Whose parameters. Those with `requires_grad=False` are never updated.
        update: What to update: see `lab.tiny`.
        choose: Which input channels, where fewer than all are asked: the "first", or those with
            the "largest" weights (by their norm).

    Raises:
        OptionError: nothing has that name, is trainable, or has such channels.
    """
    if choose not in ("first", "largest"):
        raise OptionError(f'choose={choose!r} is neither "first" nor "largest".')
    trainable = {name: p for name, p in model.named_parameters() if p.requires_grad}
    if not trainable:
        raise OptionError("No parameter of the model has requires_grad=True: nothing to train.")
    asked = _asked(model, trainable, update)
    found = {
        name: _channels(name, trainable[name], asked[name], choose)
        for name in trainable
        if name in asked
    }
    if not found:
        raise OptionError(f"update={update!r} selects no parameter: give {_ASKED}.")
    return found


def scaled(model: nn.Module, scaling: Any) -> frozenset[str]:
    """The parameters whose updates are scaled in int8: all, none, or those of some names.

    Raises:
        OptionError: nothing that is trainable has that name.
    """
    if isinstance(scaling, bool):
        return frozenset(name for name, _ in model.named_parameters()) if scaling else frozenset()
    return frozenset(selection(model, scaling))


def _asked(model: nn.Module, trainable: Mapping[str, Any], update: Any) -> dict[str, Any]:
    """By parameter the channels as they were asked for."""
    if isinstance(update, Mapping):
        found: dict[str, Any] = {}
        for pattern, channels in update.items():
            found |= dict.fromkeys(_matching(model, trainable, pattern), channels)
        return found
    if isinstance(update, str):
        if update == "all":
            return dict.fromkeys(trainable, "all")
        if update == "bias":
            return {name: "all" for name in trainable if name.rpartition(".")[2] == "bias"}
        if last := _LAST.match(update):
            return dict.fromkeys(_last(trainable, int(last[1])), "all")
        return dict.fromkeys(_matching(model, trainable, update), "all")
    if isinstance(update, Sequence):
        return {name: "all" for pattern in update for name in _matching(model, trainable, pattern)}
    raise OptionError(f"update={update!r} is not understood: give {_ASKED}.")


def _last(trainable: Mapping[str, Any], count: int) -> list[str]:
    """The parameters of the last layers, a layer being a module with parameters of its own."""
    layers = list(dict.fromkeys(name.rpartition(".")[0] for name in trainable))
    kept = layers[max(len(layers) - count, 0) :]
    return [name for name in trainable if name.rpartition(".")[0] in kept]


def _matching(model: nn.Module, trainable: Mapping[str, Any], pattern: Any) -> list[str]:
    if not isinstance(pattern, str):
        raise OptionError(f"{pattern!r} is no name of a parameter: give {_ASKED}.")
    found = [name for name in trainable if name == pattern or fnmatchcase(name, pattern)]
    if found:
        return found
    every = dict(model.named_parameters())
    if frozen := [name for name in every if fnmatchcase(name, pattern)]:
        raise OptionError(
            f"{frozen[0]!r} has requires_grad=False: call requires_grad_(True) on it to update it."
        )
    shared = dict(model.named_parameters(remove_duplicate=False)).get(pattern)
    if own := [name for name, parameter in every.items() if parameter is shared]:
        raise OptionError(f"{pattern!r} is the parameter {own[0]!r}, by which it is updated.")
    near = difflib.get_close_matches(pattern, every, 1, 0) or list(every)[:1]
    raise OptionError(f"No parameter is called {pattern!r}; the nearest name is {near[0]!r}.")


def _channels(name: str, parameter: torch.Tensor, asked: Any, choose: str) -> Channels:
    """The input channels of a weight: of a depthwise convolution those are its channels."""
    if asked == "all" or asked is True:
        return None
    if parameter.dim() < 2:
        raise OptionError(f"{name!r} has no input channels to choose from: update all of it.")
    dim = channel_dim(parameter)
    most = parameter.shape[dim]
    if isinstance(asked, Sequence) and not isinstance(asked, str):
        return _listed(name, asked, most)
    count = _count(name, asked, most)
    if count == most:
        return None
    if choose == "first":
        return tuple(range(count))
    others = [other for other in range(parameter.dim()) if other != dim]
    norms = parameter.detach().float().pow(2).sum(others)
    return tuple(sorted(norms.topk(count).indices.tolist()))


def _count(name: str, asked: Any, most: int) -> int:
    if isinstance(asked, float) and 0 < asked <= 1:
        return max(1, round(asked * most))
    if isinstance(asked, int) and not isinstance(asked, bool) and 0 < asked <= most:
        return asked
    raise OptionError(
        f"{name!r} has {most} input channels, and {asked!r} is neither a share of them as 0.25 nor "
        f"a number of 1 to {most}."
    )


def _listed(name: str, asked: Sequence[Any], most: int) -> Channels:
    whole = sorted(set(asked))
    if not whole or not all(isinstance(k, int) and 0 <= k < most for k in whole):
        raise OptionError(f"The input channels of {name!r} are numbers of 0 to {most - 1}.")
    return None if len(whole) == most else tuple(whole)


def channel_dim(weight: torch.Tensor) -> int:
    """The dimension of a weight that its input channels are on; depthwise filters have but one."""
    return 0 if weight.dim() > 2 and weight.shape[1] == 1 else 1
