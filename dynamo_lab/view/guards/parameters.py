"""Sizes that became constants because an operator takes a parameter or buffer of that size, too."""

import re
from collections.abc import Iterable, Iterator
from itertools import product

from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.guards.symbols import ShapeFact
from dynamo_lab.model.recording import Recording

_OF_MODULE = re.compile(r"_(?:parameters|buffers)_\w+_$")
"""The end of Dynamo's name of an input that is a tensor of a module."""

Line = tuple[int, int]
"""A source, and a line of it."""


def symbols_of_parameters(
    recording: Recording, facts: Iterable[ShapeFact], graph: Graph | None
) -> frozenset[str]:
    """The symbols that became a constant on a line where an operator takes such a tensor.

    Dynamo takes the sizes of parameters for constants: what has to be equal to one is one, too.
    """
    held = set(_sizes_by_line(recording, graph)) if graph else set[tuple[Line, str]]()
    return frozenset(
        name
        for fact in facts
        if fact.event == "constant"
        and any((line, fact.expression) in held for line in _lines(recording, fact.stack))
        for name in fact.symbols
    )


def _sizes_by_line(recording: Recording, graph: Graph) -> Iterator[tuple[Line, str]]:
    """Each size of each such tensor, with the innermost lines of the operators that take it."""
    nodes = graph.nodes
    for at, inputs in enumerate(nodes.inputs):
        line = _lines(recording, nodes.stack[at] if nodes.stack[at] >= 0 else None)[-1:]
        for given in inputs:
            target = nodes.strings[nodes.target[given]]
            if nodes.strings[nodes.op[given]] == "placeholder" and _OF_MODULE.search(target):
                yield from product(line, nodes.values[nodes.value[given]].shape)


def _lines(recording: Recording, stack: int | None) -> list[Line]:
    """The lines of a stack, the innermost last; none where it is not known."""
    spans = recording.stacks[stack] if stack is not None else ()
    return [(recording.spans[span].source, recording.spans[span].line) for span in spans]
