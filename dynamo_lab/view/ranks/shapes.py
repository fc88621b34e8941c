"""The shape of graphs: what they compute, without what may legitimately differ between ranks.

That is node names, device numbers, names of groups that not all ranks are in, and
the rank's own number. All ranks of a job have the same shapes where they compile the same.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dynamo_lab.model.graphs import Graph, Node
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.names import operator_name

_DEVICE = re.compile(
    r"(\b(?:cuda|xpu|hip|mps):|\bDeviceProperties\([^)\n]{0,80}?\bindex="
    r"|\bdevice\(type='\w+', index="
    r"|_DeviceGuard\(|get_raw_stream\(|set_device\(|\bstream)\d+"
)
"""Where code names one of several devices."""
_WORD = re.compile(r"'(?:[^'\\\n]|\\.)*'|[A-Za-z_]\w*")
_NUMBER = re.compile(r"(?<![\w.%'])-?\d{1,18}(?![\w.'])")
_QUOTED = re.compile(r"'[^'\n]*'")
_CUT = re.compile(r"[\w.]*…$")
_COLLECTIVE = re.compile(r"(?:torch\.ops\.)?_?c10d\w*\.(\w+)")
_EVERYONE = "'0'"
"""PyTorch's name of the group of all ranks. Smaller groups legitimately differ by rank: they
are compared by the order in which a graph calls them."""


class Line(NamedTuple):
    """A node: its target, its arguments with nodes as "%3", the nodes that it reads, its result."""

    target: str
    arguments: str
    inputs: tuple[int, ...]
    value: str


Shape = tuple[Line, ...]


class Collective(NamedTuple):
    """A call that ranks make together, and its arguments: how to reduce, the size, the group."""

    function: str
    name: str
    details: str = ""


def without_device(text: str) -> str:
    """A text without the device number, which differs by rank."""
    return _DEVICE.sub(r"\1", text)


def shape_of(recording: Recording, graph: Graph) -> Shape:
    """A graph in comparable form: its nodes and those of the bodies that they call."""
    groups: dict[str, str] = {}
    return tuple(_line(node, names, groups) for node, names in _nodes(recording, graph))


def texts_of(recording: Recording, graph: Graph) -> list[str]:
    """Each node of the shape as it reads in the graph."""
    return [
        f"{_target(node)}{f'({node.arguments})' if node.arguments else ''} {node.value.text}"
        for node, _ in _nodes(recording, graph)
    ]


def collectives_of(recording: Recording, graph: Graph, function: str) -> Iterator[Collective]:
    """The collectives that a graph calls, in order."""
    groups: dict[str, str] = {}
    for node, names in _nodes(recording, graph):
        if found := _COLLECTIVE.match(node.target):
            arguments = _grouped(_arguments(node, names), groups).split(", ")
            details = ", ".join(one for one in arguments if not one.startswith("%"))
            yield Collective(function, collective_name(found[1]), details)


def is_collective(target: str) -> bool:
    """Whether a node's target is a functional collective."""
    return _COLLECTIVE.match(target) is not None


def collective_name(target: str) -> str:
    """'all_reduce' of "torch.ops._c10d_functional.all_reduce_.default"."""
    return operator_name(target).rstrip("_")[:100]


def _nodes(recording: Recording, graph: Graph) -> Iterator[tuple[Node, Sequence[str]]]:
    """Its nodes, each with its graph's names, then those of the bodies that they call."""
    found = [graph.id]  # grows as bodies are found, each once
    known = set(found)
    for at in found:
        nodes = recording.graphs[at].nodes
        for node in nodes:
            yield node, nodes.name
            new = dict.fromkeys(body for body in node.subgraphs if body not in known)
            found += new
            known.update(new)


def _target(node: Node) -> str:
    return "input" if node.op == "placeholder" else node.target


def _line(node: Node, names: Sequence[str], groups: dict[str, str]) -> Line:
    arguments = "" if node.op == "placeholder" else without_device(_arguments(node, names))
    if _COLLECTIVE.match(node.target):
        arguments = _grouped(arguments, groups)
    return Line(_target(node), arguments, node.inputs, without_device(node.value.text))


def _arguments(node: Node, names: Sequence[str]) -> str:
    """Its arguments, nodes by number; truncated text without its last word."""
    numbers = {names[at]: f"%{at}" for at in node.inputs}
    text = _WORD.sub(lambda found: numbers.get(found[0], found[0]), node.arguments)
    return _CUT.sub("…", text)


def _grouped(arguments: str, groups: dict[str, str]) -> str:
    """A collective's arguments, its group numbered by the order of the rank's first calls."""
    quoted = _QUOTED.findall(arguments)
    if not quoted:
        return arguments
    before, name, after = arguments.rpartition(quoted[-1])
    own = (
        "all ranks" if name == _EVERYONE else f"other group {len(groups.keys() - {_EVERYONE}) + 1}"
    )
    return f"{before}{groups.setdefault(name, own)}{after}"


def without_ranks(shapes: Sequence[Shape], ranks: Sequence[int]) -> list[Shape]:
    """Shapes of one function, with a placeholder for numbers that depend on the rank number."""
    if len({len(shape) for shape in shapes}) != 1 or len(set(ranks)) != len(ranks):
        return list(shapes)
    columns = [_same_but_ranks(lines, ranks) for lines in zip(*shapes, strict=True)]
    return [tuple(column[at] for column in columns) for at in range(len(shapes))]


def _same_but_ranks(lines: Sequence[Line], ranks: Sequence[int]) -> Sequence[Line]:
    """The lines of one node, made equal where they differ only by the rank number."""
    if len(set(lines)) == 1:
        return lines
    masked = [line._replace(arguments=_NUMBER.sub("#", line.arguments)) for line in lines]
    if len(set(masked)) > 1:
        return lines
    places = zip(*(map(int, _NUMBER.findall(line.arguments)) for line in lines), strict=True)
    slopes = [_slope(numbers, ranks) for numbers in places if len(set(numbers)) > 1]
    starts = {step for step, first in slopes if step and first == 0}
    is_rank = bool(starts) and all(step in starts and first in (0, step) for step, first in slopes)
    return masked if is_rank else lines


def _slope(numbers: Sequence[int], ranks: Sequence[int]) -> tuple[int, int]:
    """How numbers depend on the rank: (4, 0) of 0, 4 and 8 on ranks 0, 1 and 2; (0, 0) if not."""
    step, rest = divmod(numbers[1] - numbers[0], ranks[1] - ranks[0])
    first = numbers[0] - step * ranks[0]
    follows = all(n == first + step * r for n, r in zip(numbers, ranks, strict=True))
    return (step, first) if follows and not rest else (0, 0)
