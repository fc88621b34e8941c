"""Results in half precision that a kernel reads as it computed them, where eager rounds first.

Inductor computes half precision in float32 and rounds what it stores. Said is only what the text of
a kernel shows: the statement that makes a value, and one that computes with it. What rounds, stores
or selects it gives the same, whether it was rounded before or not.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from dynamo_lab.model.graphs import Graph, Node, Value
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.names import operator_name

_HALVES = frozenset({"f16", "bf16"})
_WIDER = frozenset({"f32", "f64"})
_ROUND = frozenset({
    "add", "sub", "rsub", "mul", "div", "pow", "square", "sqrt", "rsqrt", "reciprocal", "exp",
    "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tanh", "erf", "sigmoid", "sum", "mean",
    "fma",
})  # fmt: skip
"""Operators whose exact result seldom fits; what selects, negates or moves rounds nothing."""

_SELECT = frozenset({"abs", "clone", "maximum", "minimum", "neg", "relu", "where"})
"""Operators of which rounding what they read is rounding what they make."""

_MADE = re.compile(r"\b(tmp\d+) = ")
_ROUNDS = re.compile(
    r"(?:convert|static_cast)<(?:at::|c10::)?(?:[Hh]alf|BFloat16|bfloat)\b|\.to\(tl\.b?float16\)"
)
_STORES = re.compile(r"\bstore\(|\bout_ptr\d+\[[^=]*\] = ")


class Unrounded(NamedTuple):
    """A kernel, and the nodes of its graph whose results it reads unrounded, each as written."""

    kernel: Kernel
    dtype: str
    results: tuple[tuple[int, str], ...]


def unrounded(recording: Recording, ancestry: Ancestry) -> Iterator[Unrounded]:
    """The kernels of forward graphs that do so; of a backward eager's steps are not known."""
    for graph in recording.graphs:
        values = {value.dtype for value in graph.nodes.values}
        if graph.stage != "post_grad" or graph.is_backward or values.isdisjoint(_HALVES):
            continue
        results = _results(recording, graph, ancestry)
        for kernel in recording.kernels:
            if kernel.graph == graph.id and kernel.code:
                yield from _of_kernel(kernel, graph, results)


def _results(recording: Recording, graph: Graph, ancestry: Ancestry) -> dict[int, str]:
    """The nodes that are the results of operators as the program calls them, by their names.

    Such an operator may be many here, of which eager rounds the last alone.
    """
    last: dict[tuple[int, int], int] = {}
    for node in graph.nodes:
        if node.value.dtype in _HALVES and node.op.startswith("call_"):
            above = ancestry.above([(graph.id, node.index)])
            last.update((key, node.index) for key in above if _is_captured(recording, key))
    return {
        at: operator_name(written.target)
        for (number, index), at in last.items()
        if _is_same((written := recording.graphs[number].nodes[index]).value, graph.nodes[at].value)
        and _is_rounded(graph, graph.nodes[at])
    }


def _is_captured(recording: Recording, key: tuple[int, int]) -> bool:
    graph = recording.graphs[key[0]]
    return graph.stage == "dynamo" and graph.nodes[key[1]].op.startswith("call_")


def _is_same(one: Value, other: Value) -> bool:
    return (one.dtype, one.shape) == (other.dtype, other.shape)


def _is_rounded(graph: Graph, node: Node) -> bool:
    """Whether the operator's exact result does not fit, as a rule."""
    name = operator_name(node.target)
    if name == "convert_element_type":
        return {graph.nodes[at].value.dtype for at in node.inputs} <= _WIDER
    return name in _ROUND


def _of_kernel(kernel: Kernel, graph: Graph, results: dict[int, str]) -> Iterator[Unrounded]:
    lines = kernel.code.split("\n")
    own: dict[int, list[int]] = {}  # the statements that are there for a node alone
    passing: set[int] = set()
    for statement in kernel.statements:
        if len(statement.nodes) != 1 or not 0 < statement.line <= len(lines):
            continue
        (node,) = statement.nodes
        if node in results:
            own.setdefault(node, []).append(statement.line)
        if operator_name(graph.nodes[node].target) in _SELECT:
            passing.add(statement.line)
    found = [
        node
        for node, made in sorted(own.items())
        if not any(_ROUNDS.search(lines[line - 1]) for line in made)
        and _is_read(lines, made[-1], passing)
    ]
    for dtype in sorted({graph.nodes[node].value.dtype for node in found}):
        alike = [node for node in found if graph.nodes[node].value.dtype == dtype]
        yield Unrounded(kernel, dtype, tuple((node, results[node]) for node in alike))


def _is_read(lines: Sequence[str], made: int, passing: Collection[int]) -> bool:
    """Whether anything computes with the value that a line makes, or with what it passes on."""
    return any(
        number not in passing or _is_read(lines, number, passing)
        for number in _uses(lines, made)
        if not _ROUNDS.search(lines[number - 1]) and not _STORES.search(lines[number - 1])
    )


def _uses(lines: Sequence[str], made: int) -> Iterator[int]:
    """The lines that read the value that a line makes, up to where another one has its name."""
    name = _MADE.search(lines[made - 1])
    if name is None:
        return
    reads = re.compile(rf"\b{name[1]}\b")
    for number, text in enumerate(lines[made:], made + 1):
        other = _MADE.search(text)
        if other is not None and other[1] == name[1]:
            return
        if reads.search(text):
            yield number
