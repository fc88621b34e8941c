"""Unrolled loops and repeated blocks: neighbours that are equal but for their names."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from dynamo_lab.model.graphs import NodeTable
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.words import listed, plural
from dynamo_lab.view.graphs.boxes import ModuleView
from dynamo_lab.view.graphs.paths import Path, module_path
from dynamo_lab.view.graphs.repeats.alike import Alike
from dynamo_lab.view.graphs.repeats.stretches import Stretch, stretches

LEAST_HIDDEN = 8
"""A fold that hides fewer nodes than this costs more reading than it saves."""

INPUTS = "inputs"
"""What blocks hold that consist of inputs alone."""

_FEWEST = 3
_NAMED = 4


class RepeatView(Struct, frozen=True, kw_only=True):
    """`times` blocks of `size` neighbouring nodes, from node `first` on, equal but for names.

    Equal are the operators, what they produce (dtype, shape, strides and device), the lines that
    they came from, the modules but for numbers in their names, what they are passed, and from where
    each reads: from its own block, from the block before, from the same node before all blocks, or
    from one there that is made alike, such as a weight of its own. `differs` says which of these
    are not the same, and which numbers count. `parent` is the repeat in a block of which it lies,
    -1 for none. `name` names the blocks by their modules, empty where they have none of their own,
    and `holds` the operators of a block.
    """

    first: int
    size: int
    times: int
    parent: int = -1
    name: str = ""
    holds: str = ""
    differs: tuple[str, ...] = ()


class _Run(NamedTuple):
    first: int
    size: int
    times: int

    @property
    def end(self) -> int:
        return self.first + self.size * self.times

    def block(self, node: int) -> int:
        return (node - self.first) // self.size


def repeats(table: NodeTable, modules: Sequence[ModuleView]) -> tuple[RepeatView, ...]:
    """The repeats of a graph, outer before inner, in the order of their nodes."""
    if len(table) <= LEAST_HIDDEN:
        return ()
    paths, types = _homes(table, modules)
    alike = Alike(table, paths, types)
    runs = [
        run
        for stretch in stretches(alike.keys, alike.may_be)
        for run in _equal_runs(alike, stretch, _start(paths, stretch))
    ]
    nested = _nested(len(table), runs)
    return tuple(
        RepeatView(
            first=run.first,
            size=run.size,
            times=run.times,
            parent=parent,
            name=_name(paths, run),
            holds=_holds(table, run),
            differs=tuple(_differs(table, alike, run)),
        )
        for run, parent in nested
    )


def _homes(table: NodeTable, modules: Sequence[ModuleView]) -> tuple[list[Path], dict[Path, str]]:
    """The path of each node's box, and the class of each path."""
    paths: list[Path] = [()] * len(table)
    types: dict[Path, str] = {}
    for box in modules:
        path = module_path(box.path)
        types[path] = box.type
        for node in box.nodes:
            paths[node] = path
    return paths, types


def _start(paths: Sequence[Path], stretch: Stretch) -> int:
    """Where the first block begins: where a module of its own does, if no block is lost by it."""
    start, end, period = stretch
    for at in range(start, start + (end - start) % period + 1):
        depth = _differing(paths[at], paths[at + period])
        if depth is not None and (at == 0 or paths[at - 1][:depth] != paths[at][:depth]):
            return at
    return start


def _differing(one: Path, other: Path) -> int | None:
    """How many parts of the paths are needed to tell them apart."""
    pairs = enumerate(zip(one, other, strict=False), 1)
    return next((depth for depth, (a, b) in pairs if a != b), None)


def _equal_runs(alike: Alike, stretch: Stretch, start: int) -> Iterator[_Run]:
    """The stretch cut where a block is not equal to the one before it."""
    size, blocks = stretch.period, (stretch.end - start) // stretch.period
    first = 0
    while first < blocks:
        end, steps = first + 1, None
        while end < blocks:
            found = _steps(alike, start + (end - 1) * size, size, start + first * size)
            if found is None or steps not in (None, found):
                break
            end, steps = end + 1, found
        run = _Run(start + first * size, size, end - first)
        if run.times >= _FEWEST and size * (run.times - 1) >= LEAST_HIDDEN:
            yield run
        # of two whose numbers differ, the second may be equal to those that follow
        first = end - 1 if run.times == 2 else end


def _steps(alike: Alike, at: int, size: int, start: int) -> tuple[int, ...] | None:
    """By how much each whole number grows from a block to the next; None if they are not equal."""
    steps: list[int] = []
    for one in range(at, at + size):
        if not alike.read(one, one + size, start, is_first=at == start):
            return None
        numbers = zip(alike.numbers(one), alike.numbers(one + size), strict=True)
        steps += [b - a for a, b in numbers]
    return tuple(steps)


def _nested(nodes: int, runs: Sequence[_Run]) -> list[tuple[_Run, int]]:
    """Those that do not overlap, or lie within a block of another, with the number of that one."""
    inside = [-1] * nodes
    chosen: list[_Run] = []
    parents: list[int] = []
    for run in sorted(runs, key=lambda one: (one.first - one.end, one.size)):
        around = inside[run.first]
        if around != inside[run.end - 1]:
            continue
        if around >= 0 and chosen[around].block(run.first) != chosen[around].block(run.end - 1):
            continue
        inside[run.first : run.end] = [len(chosen)] * (run.end - run.first)
        chosen.append(run)
        parents.append(around)
    order = sorted(
        range(len(chosen)), key=lambda at: (chosen[at].first, chosen[at].first - chosen[at].end)
    )
    number = {at: place for place, at in enumerate(order)} | {-1: -1}
    return [(chosen[at], number[parents[at]]) for at in order]


def _name(paths: Sequence[Path], run: _Run) -> str:
    """'h.0 … h.23', by the outermost module that each block has of its own."""
    last = run.end - run.size
    depths = [_differing(paths[run.first + at], paths[last + at]) for at in range(run.size)]
    known = [(depth, at) for at, depth in enumerate(depths) if depth is not None]
    if not known:
        return ""
    depth, at = min(known)
    return " … ".join(".".join(paths[node][:depth]) for node in (run.first + at, last + at))


def _holds(table: NodeTable, run: _Run) -> str:
    """'layer_norm, linear, relu and 3 more': what a block does."""
    block = range(run.first, run.first + run.size)
    if {table.strings[table.op[node]] for node in block} == {"placeholder"}:
        return INPUTS
    names = dict.fromkeys(operator_name(table.strings[table.target[node]]) for node in block)
    return listed(list(names), _NAMED)


def _differs(table: NodeTable, alike: Alike, run: _Run) -> Iterator[str]:
    own, mixed = 0, 0
    named = ""
    for node in range(run.first, run.first + run.size):
        for slot in zip(*(table.inputs[at] for at in range(node, run.end, run.size)), strict=True):
            if max(slot) >= run.first or len(different := dict.fromkeys(slot)) == 1:
                continue
            own += len(different) == run.times
            mixed += len(different) < run.times
            named = named or " … ".join(f"`{table.name[at]}`" for at in _ends(list(different)))
    if own:
        yield f"each reads {plural(own, 'value')} of its own ({named})"
    if mixed:
        places = "" if own else f" ({named})"
        yield f"in {plural(mixed, 'place')} some read another value than others{places}"
    last = run.end - run.size
    for node in range(run.first, run.first + run.size):
        name = operator_name(table.strings[table.target[node]])
        numbers = zip(alike.numbers(node), alike.numbers(node + last - run.first), strict=True)
        for a, b in numbers:
            if a != b:
                step = (b - a) // (run.times - 1)
                steps = "" if abs(step) == 1 else f" in steps of {abs(step)}"
                yield f"a number passed to `{name}` counts from {a} to {b}{steps}"


def _ends(values: Sequence[int]) -> tuple[int, int]:
    return values[0], values[-1]
