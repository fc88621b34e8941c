"""Repeated blocks: neighbours that are equal in what was captured, and what differs in the rest."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from dynamo_lab.model.graphs import Value
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.words import listed, plural, unit
from dynamo_lab.view.modules.tree import Module, ModuleTree, Path

_NUMBERED = re.compile(r"(.*?)(\d+)\]?")
_SHOWN = 3


class Shapes:
    """A number for each module, the same for those that are equal in all that was captured."""

    def __init__(self, recording: Recording, tree: ModuleTree) -> None:
        self._graphs = recording.graphs
        self._tree, self._modules = tree, tree.modules
        self._numbers: dict[object, int] = {}
        self.of = [-1] * len(tree.modules)
        for root in tree.roots:
            for module in reversed(list(tree.within(root))):
                self.of[module] = self._shape(tree.modules[module])

    def _shape(self, module: Module) -> int:
        made = ((self.target(key), self.value(key)) for key in self._tree.compared(module))
        calls = tuple((target, value.dtype, value.shape) for target, value in made)
        inner = tuple((self._modules[at].name, self.of[at]) for at in module.children)
        shape = (module.type, module.broke, calls, inner)
        return self._numbers.setdefault(shape, len(self._numbers))

    def target(self, key: NodeKey) -> str:
        """The operator that a node calls."""
        table = self._graphs[key[0]].nodes
        return operator_name(table.strings[table.target[key[1]]])

    def value(self, key: NodeKey) -> Value:
        """What a node produces."""
        table = self._graphs[key[0]].nodes
        return table.values[table.value[key[1]]]


def fold(tree: ModuleTree, shapes: Shapes) -> None:
    """Puts repeated blocks below one row of their own, which stands for all of them."""
    for module in range(len(tree.modules)):
        children = tree.modules[module].children
        tree.modules[module].children = list(_folded(tree, shapes, children))
    tree.roots = [
        _group(tree, run) if len(run) > 1 else run[0]
        for run in _runs_of_roots(tree)
    ]  # fmt: skip


def _runs_of_roots(tree: ModuleTree) -> Iterator[list[int]]:
    """The compilations of one function beside each other."""
    by_frame: dict[int | None, list[int]] = {}
    for root in tree.roots:
        by_frame.setdefault(tree.modules[root].frame, []).append(root)
    yield from by_frame.values()


def _folded(tree: ModuleTree, shapes: Shapes, children: Sequence[int]) -> Iterator[int]:
    for stem, run in groupby(children, key=lambda at: _stem(tree.modules[at].name)):
        alike = list(run)
        if stem is None:
            yield from alike
        elif _is_repeated(shapes, alike):
            yield _group(tree, alike)
        else:
            for _, same in groupby(alike, key=lambda at: tree.modules[at].type):
                block = list(same)
                yield from [_group(tree, block)] if _is_repeated(shapes, block) else block


def _stem(name: str) -> str | None:
    """What numbered names have in common: 'layer' of "layer3", '' of "3", None of "norm"."""
    found = _NUMBERED.fullmatch(name)
    return found[1] if found else None


def _is_repeated(shapes: Shapes, modules: Sequence[int]) -> bool:
    """Whether more than half of them are equal."""
    [(_, most)] = Counter(shapes.of[at] for at in modules).most_common(1)
    return most > 1 and most * 2 > len(modules)


def _group(tree: ModuleTree, members: Sequence[int]) -> int:
    first, last = tree.modules[members[0]], tree.modules[members[-1]]
    number = len(tree.modules)
    is_root = first.parent < 0
    tree.modules.append(
        Module(
            name=first.name if is_root else _names(first, last),
            path=first.path,
            root=first.root,
            parent=first.parent,
            type=first.type,
            children=list(members),
            members=list(members),
            frame=first.frame,
        )
    )
    for member in members:
        tree.modules[member].parent = number
    return number


def _names(first: Module, last: Module) -> str:
    """'layers.0 … layers.23'; numbers alone would not say of what."""
    return " … ".join(_from_a_name(one.path) for one in (first, last))


def _from_a_name(path: Path) -> str:
    """'stages.0.2': the end of a path, from the last part on that is no number."""
    named = [at for at, part in enumerate(path) if not part.isdecimal()]
    return ".".join(path[named[-1] :] if named else path)


def most_like(shapes: Shapes, members: Sequence[int]) -> int:
    """The first of the members that most are equal to."""
    [(shape, _)] = Counter(shapes.of[at] for at in members).most_common(1)
    return next(at for at in members if shapes.of[at] == shape)


def differences(tree: ModuleTree, shapes: Shapes, norm: int, other: int) -> list[str]:
    """What the other module has that the usual one has not, and the other way round."""
    if shapes.of[norm] == shapes.of[other]:
        return []
    one, two = tree.modules[norm], tree.modules[other]
    found: list[str] = []
    if one.type != two.type:
        found.append(f"it is a {two.type}" if two.type else "its class is not known")
    breaks = [sum(tree.modules[at].broke for at in tree.within(m)) for m in (norm, other)]
    if breaks[0] != breaks[1]:
        is_more = breaks[1] > breaks[0]
        found.append(f"it breaks ({plural(breaks[1], 'break')})" if is_more else "it breaks less")
    paths = [_inner(tree, module) for module in (norm, other)]
    found += _parts(paths[0], paths[1])
    keys = [
        [key for at in tree.within(module) for key in tree.compared(tree.modules[at])]
        for module in (norm, other)
    ]
    called = [Counter(map(shapes.target, nodes)) for nodes in keys]
    found += _operators(called[0], called[1])
    values = [[shapes.value(key) for key in nodes] for nodes in keys]
    dtypes = [{value.dtype for value in held if value.dtype} for held in values]
    if dtypes[0] != dtypes[1] and all(dtypes):
        texts = [listed(sorted(names)) for names in dtypes]
        found.append(f"its values are {texts[1]} instead of {texts[0]}")
    elif called[0] == called[1] and (pair := _first_other(values[0], values[1])):
        found.append(f"other shapes: {pair[1]} instead of {pair[0]}")
    return found or ["its operators are arranged otherwise"]


def _inner(tree: ModuleTree, module: int) -> Counter[str]:
    start = len(tree.modules[module].path)
    inner = [tree.modules[at] for at in tree.within(module) if at != module]
    return Counter(
        ".".join(one.path[start:]) + (f" ({one.type})" if one.type else "")
        for one in inner
        if not one.members
    )


def _parts(norm: Counter[str], other: Counter[str]) -> Iterator[str]:
    for verb, rest in (("has", other - norm), ("lacks", norm - other)):
        if rest:
            names = listed([f"`{name}`" for name in rest], _SHOWN)
            yield f"it {verb} the {unit(len(rest), 'module')} {names}"


def _operators(norm: Counter[str], other: Counter[str]) -> Iterator[str]:
    for word, rest in (("more", other - norm), ("fewer", norm - other)):
        if rest:
            names = [f"{count} {name}" if count > 1 else name for name, count in rest.items()]
            amount = f"{plural(rest.total(), 'operator')} {word}"
            yield f"{amount} ({listed(names, _SHOWN)})"


def _first_other(norm: Sequence[Value], other: Sequence[Value]) -> tuple[str, str] | None:
    for one, two in zip(norm, other, strict=False):
        if one.shape != two.shape:
            return f"[{', '.join(one.shape)}]", f"[{', '.join(two.shape)}]"
    return None
