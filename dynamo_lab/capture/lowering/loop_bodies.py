"""Loop bodies as code: each operation a line, that knows the node it came from."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from torch import fx

from dynamo_lab.capture.lowering.origins import origin_of
from dynamo_lab.model.lowering import LoopLine, Range


def ranges_of(body: Any) -> tuple[Range, ...]:
    """The loops around a body, outermost first."""
    renamed = _variables(body)
    sizes = ((str(variable), str(size)) for variable, size in body.var_ranges.items())
    return tuple(Range(renamed.get(variable, variable), size) for variable, size in sizes)


def reads_of(body: Any) -> tuple[str, ...]:
    """The names of the buffers and inputs that a body reads, in the order of the first read."""
    loads = (usage for kind, usage in body.memory_usage.items() if not kind.name.startswith("STOR"))
    names = (entry.buffer_name for entries in loads for entry in entries)
    return tuple(dict.fromkeys(name for name in names if name))


class Printer:
    """Writes loop bodies. Their index expressions recur, and are slow to turn into text."""

    def __init__(self) -> None:
        self._texts: dict[Any, str] = {}

    def lines(self, body: Any, nodes: Mapping[str, int]) -> tuple[LoopLine, ...]:
        """The operations of a body in order; `nodes` are indices of nodes by name."""
        return tuple(_Body(body, nodes, self.text).lines(body.root_block.graph))

    def text(self, expression: Any) -> str:
        """An expression in the variables that Inductor gave it."""
        if expression not in self._texts:
            self._texts[expression] = str(expression)
        return self._texts[expression]


class _Body:
    """One body: names its values and variables as a reader would."""

    def __init__(self, body: Any, nodes: Mapping[str, int], text: Any) -> None:
        self._body = body
        self._nodes = nodes
        self._text = text
        self._names: dict[fx.Node, str] = {}
        self._values = 0
        self._renamed = _variables(body)
        self._variable = re.compile(rf"\b(?:{'|'.join(map(re.escape, self._renamed)) or '(?!)'})\b")

    def lines(self, graph: fx.Graph, depth: int = 0) -> Iterator[LoopLine]:
        for node in graph.nodes:
            if node.op == "placeholder":
                continue
            if node.op == "output":
                if depth:
                    yield self._line(node, f"return {self._written(node.args[0])}", "", depth)
            elif node.op == "call_module":
                yield from self._module(node, depth)
            elif node.op == "call_method":
                yield self._operation(node, node.target, node.args[1:], depth)
            else:  # a part of a result: only those are called by function
                yield self._value(node, f"{self._written(node.args[0])}[{node.args[1]}]", "", depth)

    def _module(self, node: fx.Node, depth: int) -> Iterator[LoopLine]:
        """An index, which is written where it is used, or an operation with a part of its own."""
        name = str(node.target)
        if name == "get_index":
            self._names[node] = self._index(self._body.indexing_exprs[node.args[0]])
        elif name.startswith("set_indirect"):
            about = self._body.submodules[name].clone.keywords
            of = f"{self._written(node.args[0])}, {self._index(about['size'])}"
            text = f"{about['var']} = ops.indirect_indexing({of})"
            yield self._line(node, text, "indirect_indexing", depth)
        elif name in self._body.subblocks:
            yield self._line(node, f"def {name}():", "", depth)
            yield from self.lines(self._body.subblocks[name].graph, depth + 1)
            mask, other = map(self._written, node.args)
            yield self._value(node, f"ops.masked({mask}, {name}, {other})", "masked", depth)
        else:
            yield self._operation(node, name.rstrip("0123456789"), node.args, depth)

    def _operation(self, node: fx.Node, name: Any, args: tuple[Any, ...], depth: int) -> LoopLine:
        parts = [self._written(argument) for argument in args]
        if name == "store" and parts[-1] == "None":  # the mode, which is plain
            parts.pop()
        parts += [f"{key}={self._written(value)}" for key, value in node.kwargs.items()]
        call = f"ops.{name}({', '.join(parts)})"
        if not node.users or name.startswith("store"):
            return self._line(node, call, name, depth)
        return self._value(node, call, name, depth)

    def _value(self, node: fx.Node, text: str, operator: str, depth: int) -> LoopLine:
        self._names[node] = f"tmp{self._values}"
        self._values += 1
        return self._line(node, f"{self._names[node]} = {text}", operator, depth)

    def _line(self, node: fx.Node, text: str, operator: str, depth: int) -> LoopLine:
        return LoopLine(text, operator, self._nodes.get(origin_of(node) or "", -1), depth)

    def _written(self, argument: Any) -> str:
        match argument:
            case fx.Node():
                return self._names.get(argument, argument.name)
            case tuple() | list():
                inner = ", ".join(map(self._written, argument))
                return f"({inner}{',' * (len(argument) == 1)})"
            case str() | int() | float() | None:
                return repr(argument)
            case _:
                return str(argument)

    def _index(self, expression: Any) -> str:
        return self._variable.sub(lambda found: self._renamed[found[0]], self._text(expression))


def _variables(body: Any) -> dict[str, str]:
    """What the loops' variables are called: i0, i1, and r0, r1 where they are reduced."""
    renamed = {str(variable): f"i{n}" for n, variable in enumerate(body.iter_vars)}
    return renamed | {str(variable): f"r{n}" for n, variable in enumerate(body.reduce_vars)}
