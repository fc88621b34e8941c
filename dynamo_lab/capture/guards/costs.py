"""How long guards take to check: all of a compilation, by value, and with PyTorch's filters.

A single guard is too quick for a clock, and no leaf of Dynamo's tree can be checked by itself. So
the tree is copied with one branch only, and checked in turns with a copy that ends where the branch
begins: it takes what is more. Branches share no value, so they can be held against the whole.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import torch

from dynamo_lab.capture.core import compat
from dynamo_lab.model.guards.costs import GuardBranch, GuardFilter, GuardTime

_BATCH, _BATCHES = 5, 3
"""For the whole, unasked: a few checks as Dynamo makes them, by itself, after building a tree."""
_ROUNDS, _LEAST_ROUNDS, _SECONDS = 60, 5, 0.5
_MOST, _ENOUGH = 32, 16
_SHARE, _LITTLE = 8, 100
FILTERS = (
    "skip_guard_on_inbuilt_nn_modules_unsafe",
    "skip_guard_on_all_nn_modules_unsafe",
    "keep_tensor_guards_unsafe",
    "skip_all_guards_unsafe",
)
"""PyTorch's own, of `torch.compiler`, from that which drops the least."""


class Kept(NamedTuple):
    """What a filter keeps of a compilation's guards: how many, and on which values."""

    guards: int
    sources: frozenset[str]


class _Entry(NamedTuple):
    """What the filters read of a guard."""

    orig_guard: Any
    guard_type: str
    value: Any


def kept_by_filters(guards: Sequence[Any], scopes: dict[str, Any]) -> dict[str, Kept]:
    """What each filter would keep, as PyTorch's own function decides.

    `scopes` are the variables that Dynamo's names of values begin with: "L" and "G".
    """
    entries = [_Entry(one, one.create_fn_name(), _value(one, scopes)) for one in guards]
    found: dict[str, Kept] = {}
    for name in FILTERS:
        if decide := getattr(torch.compiler, name, None):
            flags = decide(entries)
            kept = [one for one, keeps in zip(guards, flags, strict=True) if keeps]
            found[name] = Kept(len(kept), frozenset(map(compat.name_of, kept)))
    return found


def _value(guard: Any, scopes: dict[str, Any]) -> Any:
    """What a guard is about; of tensors, whose values filters read, 2.11 keeps the names alone."""
    reference = getattr(guard, "obj_weakref", None)
    if reference is not None:
        return reference()
    if guard.create_fn_name() != "TENSOR_MATCH":
        return None
    try:
        return eval(compat.name_of(guard), {}, scopes)  # a name of Dynamo's, as it evaluates it
    except Exception:  # one of its own helpers is in it
        return None


def whole(compile_id: str, root: Any, values: Mapping[str, Any], guards: int) -> GuardTime:
    """One check of a tree that has just been built."""
    [seconds] = _in_turns([root], values, _BATCHES)
    return GuardTime(compile_id=compile_id, seconds=seconds, guards=guards)


def by_value(
    known: GuardTime, root: Any, values: Mapping[str, Any], filters: Mapping[str, Kept]
) -> GuardTime:
    """One check of a tree whose guards all hold, and which of its values take how long."""
    branches = _branches(root)
    start = root.get_source()
    ways = list(dict.fromkeys((start, *(branch.way for branch in branches))))
    copies = [root, *(_copy(root, (way,)) for way in ways)]
    copies += [_copy(root, (one.node.get_source(),), within=True) for one in branches]
    copies += [_copy(root, kept.sources) for kept in filters.values()]
    own, *others = _in_turns(copies, values, _ROUNDS)
    to, others = dict(zip(ways, others, strict=False)), others[len(ways) :]
    told = (
        GuardBranch(one.node.get_source(), max(0.0, seconds - to[one.way]), one.size)
        for one, seconds in zip(branches, others, strict=False)
    )
    left = zip(filters.items(), others[len(branches) :], strict=True)
    return GuardTime(
        compile_id=known.compile_id,
        seconds=own,
        guards=known.guards,
        state=to[start],
        branches=tuple(sorted(told, key=lambda one: -one.seconds)),
        filters=tuple(GuardFilter(name, kept.guards, one) for (name, kept), one in left),
    )


def _in_turns(trees: Sequence[Any], values: Mapping[str, Any], rounds: int) -> list[float]:
    """The least seconds of a check of each, as nothing makes one quicker than it is."""
    best = [float("inf")] * len(trees)
    begun = perf_counter()
    for done in range(rounds):
        if done >= _LEAST_ROUNDS and perf_counter() - begun > _SECONDS:
            break
        for at, tree in enumerate(trees):
            check = tree.check
            start = perf_counter()
            for _ in range(_BATCH):
                check(values)
            best[at] = min(best[at], (perf_counter() - start) / _BATCH)
    return best


def _copy(root: Any, sources: Collection[str], *, within: bool = False) -> Any:
    """The tree with these values and the way to them, and `within` with what they hold."""
    ways = {root.get_source()}

    def visit(node: Any, inside: bool) -> bool:
        source = node.get_source()
        inside = inside or (within and source in sources)
        found = any([visit(child, inside) for child in _children(node)])
        if found or inside or source in sources:
            ways.add(source)
            return True
        return False

    visit(root, inside=False)
    return root.clone_manager(lambda node: node.get_source() in ways)


class _Branch(NamedTuple):
    """A part of a tree: its node, how many values it has, and the value that it is reached by."""

    node: Any
    size: int
    way: str


def _branches(root: Any) -> list[_Branch]:
    """Parts of the tree that do not overlap, none much larger than the others."""
    found = _below(root)
    whole = sum(one.size for one in found)
    while len(found) < _ENOUGH:
        largest = max(found, key=lambda one: one.size, default=None)
        if largest is None or largest.size * _SHARE <= whole:
            break
        children = [one for one in _below(largest.node) if one.size * _LITTLE > whole]
        if not children or len(found) + len(children) > _MOST:
            break
        found.remove(largest)
        found += children
    return found


def _below(node: Any) -> list[_Branch]:
    return [_Branch(child, _size(child), node.get_source()) for child in _children(node)]


def _size(node: Any) -> int:
    return 1 + sum(_size(child) for child in _children(node))


def _children(node: Any) -> Iterator[Any]:
    pairs: Iterable[tuple[Any, Any]] = ()
    if hasattr(node, "get_key_value_managers"):  # of a dict
        pairs = node.get_key_value_managers().values()
    yield from (one for pair in pairs for one in pair if one is not None)
    yield from node.get_child_managers()
