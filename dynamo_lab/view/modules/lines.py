"""The line of a module: the one in the module around it from which all of it is reached."""

from collections.abc import Sequence

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Line, Places
from dynamo_lab.view.modules.tree import ModuleTree

Spans = tuple[int, ...]

_MOST = 3


class Lines:
    """The lines of every module of a tree."""

    def __init__(self, recording: Recording, places: Places, tree: ModuleTree) -> None:
        self._graphs = recording.graphs
        self._frames = recording.frames
        self._places = places
        self._tree = tree
        self._entered: dict[int, tuple[Line, ...]] = {}
        self._common: dict[int, Spans | None] = {}
        for root in tree.roots:
            for module in reversed(list(tree.within(root))):
                self._common[module] = self._prefix(module)
            self._enter(root, ())

    def of(self, module: int) -> tuple[Line | None, str]:
        """The line, and its place in words; where several lines call it, their places alone."""
        found = self._tree.modules[module]
        if found.parent < 0 or not found.path:
            line = None if found.frame is None else self._line(self._frames[found.frame].span)
            return line, self._places.where(line) if line else ""
        entered = self._entered.get(module)
        if entered:
            return entered[-1], self._places.where(entered[-1])
        called = [line for stack in self._stacks(module) if (line := self._places.own_line(stack))]
        lines = sorted({line for line in called if not self._places.is_library(line)})
        if not lines or len(lines) > _MOST:
            return None, ""
        return lines[0], self._places.where_all(lines)

    def _line(self, span: int) -> Line:
        return self._places.line_of(span)

    def _enter(self, module: int, around: tuple[Line, ...]) -> None:
        """The lines on the way to a module: those to the one around it, and the next one."""
        found = self._tree.modules[module]
        own = self._own(self._common.get(module) or ())
        entered = own[: len(around) + 1] if own[: len(around)] == around else own
        if found.path:
            self._entered[module] = entered
        # a ModuleList is not called, and neither is a row that stands for several
        is_called = found.path and not found.members and (found.type or found.nodes)
        for child in found.children:
            self._enter(child, entered if is_called else around)

    def _own(self, spans: Spans) -> tuple[Line, ...]:
        """The user's lines; of a library's model those of its modules, without decorators."""
        found = map(self._places.line_of, spans)
        lines = [line for line in found if not self._places.is_passing_on(line)]
        if own := tuple(line for line in lines if not self._places.is_library(line)):
            return own
        called = [span for span in spans if self._places.function(span) == "forward"]
        return tuple(self._places.line_of(span) for span in called) or tuple(lines)

    def _stacks(self, module: int) -> list[int]:
        keys = self._tree.nodes_in(module)
        stacks = dict.fromkeys(self._graphs[graph].nodes.stack[node] for graph, node in keys)
        return [stack for stack in stacks if stack >= 0]

    def _prefix(self, module: int) -> Spans | None:
        """The calls that all of its operators were reached by; None where it has none."""
        found = self._tree.modules[module]
        stacks = dict.fromkeys(self._graphs[g].nodes.stack[n] for g, n in found.nodes)
        held = [self._places.stack_spans[stack] for stack in stacks if stack >= 0]
        held += [one for at in found.children if (one := self._common.get(at)) is not None]
        return _start(held) if held else None


def _start(stacks: Sequence[Spans]) -> Spans:
    """What all begin with."""
    first, last = min(stacks), max(stacks)
    for at, (one, two) in enumerate(zip(first, last, strict=False)):
        if one != two:
            return first[:at]
    return first[: len(last)]
