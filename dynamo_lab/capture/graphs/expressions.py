"""Expressions: the part of the user's line that each captured node was made for.

FX keeps a stack of lines. Dynamo knows more while it makes a node: the instruction that it is at
in each function, whose position a code object tells by columns, from Python 3.11 on.
"""

import linecache
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from torch import fx, nn

from dynamo_lab.capture.core.compilations import Compilations
from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.core.sources import lines_of_text
from dynamo_lab.capture.graphs import hooks
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.model.graphs import Graph


class _Place(NamedTuple):
    """Where Dynamo is in a function: its line, and the position of its instruction."""

    path: str
    function: str
    line: int
    position: Any


def _is_of(value: Any, qualified: str) -> bool:
    """Whether it is a module of the class of this qualified name, or of one derived from it."""
    kinds = type(value).__mro__ if isinstance(value, nn.Module) else ()
    return any(kind.__qualname__ == qualified for kind in kinds)


class ExpressionProbes:
    """Takes the instructions at each new node; they become spans when its graph is recorded."""

    def __init__(self, recorder: Recorder, compilations: Compilations, graphs: GraphProbes) -> None:
        self._recorder = recorder
        self._compilations = compilations
        self._graphs = graphs
        self._places: dict[fx.Node, tuple[_Place, ...]] = {}

    def install(self, patches: Patches) -> None:
        """Watch the start of an analysis, and new nodes."""
        patches.hear(hooks.TRACING_STARTED, self.started)
        patches.hear(hooks.NODE_ADDED, self.added)

    def started(self, *_: Any, **__: Any) -> None:
        """An analysis starts: the nodes of an earlier one are void."""
        self._places.clear()

    def added(self, node: fx.Node, tracer: Any, *_: Any, **__: Any) -> None:
        """A node is new in a graph."""
        places: list[_Place] = []
        translator = getattr(tracer.output_graph, "current_tx", None)
        while translator is not None:
            code, at = translator.f_code, translator.current_instruction
            places.append(_Place(code.co_filename, code.co_name, translator.lineno, at.positions))
            translator = getattr(translator, "parent", None)
        self._places[node] = tuple(reversed(places))
        self._name_what_was_left(tracer.output_graph, places[-1:])
        self._name_receiver(getattr(tracer.output_graph, "root_tx", None))

    def _name_what_was_left(self, output: Any, outermost: Sequence[_Place]) -> None:
        """What a break left on Python's stack to be called, by what the call's text says."""
        stack = getattr(getattr(output, "current_tx", None), "nn_module_stack", None) or {}
        path = str(next(iter(stack.values()), ("",))[0])
        found = _LEFT.match(path)
        if found and outermost and _has_columns(outermost[0].position):
            known = self._graphs.names_on_stack.setdefault(self._compilations.current_id(), {})
            if called := _called(outermost[0]):
                known[found[1]] = called

    def _name_receiver(self, root: Any) -> None:
        """The module whose method is compiled, which the method may call otherwise than `self`."""
        compile_id = self._compilations.current_id()
        if compile_id in self._graphs.receivers or root is None:
            return
        owner = root.f_code.co_qualname.rpartition(".")[0]
        self._graphs.receivers[compile_id] = next(
            (name for name, value in root.f_locals.items() if owner and _is_of(value, owner)),
            "self",
        )

    def recorded(self, graph: Graph, made_from: fx.Graph) -> None:
        """A captured graph is recorded: its nodes are the objects that were made."""
        if graph.stage != "dynamo":
            return
        found = tuple(self._stack(node) for node in made_from.nodes)
        if any(stack >= 0 for stack in found):
            self._recorder.update(self._recorder.graphs, graph.id, expressions=found)

    def _stack(self, node: fx.Node) -> int:
        """The spans of those places that FX's stack names, too; -1 if none has columns."""
        lines = lines_of_text(node.stack_trace or "")
        places = self._places.get(node, ())
        spans = [
            self._span(place)
            for place in places
            if (place.path, place.line) in lines and _has_columns(place.position)
        ]
        return self._recorder.texts.stack(spans) if spans else -1

    def _span(self, place: _Place) -> int:
        at = place.position
        columns = (at.col_offset, at.end_col_offset)
        return self._recorder.texts.span(
            place.path, at.lineno, place.function, columns, at.end_lineno
        )


_LEFT = re.compile(r"^L\['(___stack\d+)'\]")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*")


def _called(place: _Place) -> str:
    """'head' where the text of the call is `head(x)`; empty where what is called has no name."""
    line = linecache.getline(place.path, place.position.lineno).encode()
    text = line[place.position.col_offset :].decode(errors="replace")
    found = _NAME.match(text)
    if found is None or text[found.end() :][:1] != "(":
        return ""
    return found[0].removeprefix("self.").removesuffix(".forward")


def _has_columns(position: Any) -> bool:
    """Whether all of it is known: instructions that the compiler made up have none."""
    names = ("lineno", "end_lineno", "col_offset", "end_col_offset")
    return all(getattr(position, name, None) is not None for name in names)
