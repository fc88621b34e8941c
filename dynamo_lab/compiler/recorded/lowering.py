"""Lowering as facts: what became of each node, and the buffers with their loops."""

from __future__ import annotations

import inspect
import operator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dynamo_lab
from dynamo_lab.capture.graphs.nodes import dtype_name
from dynamo_lab.compiler.index import shown
from dynamo_lab.compiler.layout import loops
from dynamo_lab.compiler.lower import rule_of
from dynamo_lab.compiler.rules.views import VIEWS
from dynamo_lab.compiler.tensors import LazyTensor
from dynamo_lab.compiler.work import Extern, Loop
from dynamo_lab.model import lowering as facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynamo_lab.capture.kernels.announced import Place
    from dynamo_lab.compiler.body import Value
    from dynamo_lab.compiler.program import Program
    from dynamo_lab.compiler.work import Buffer, LoweredNode


def lowering(program: Program, place: Place) -> facts.Lowering:
    """What became of each node, in the order in which they were lowered."""
    return _Nodes(program, place).facts()


def computed(program: Program) -> list[str]:
    """The names of the buffers that something fills, inputs that are written last."""
    graph = program.graph
    return [name for name in graph.buffers if name not in graph.inputs] + sorted(graph.mutated)


def buffers(program: Program, place: Place) -> tuple[facts.Buffer, ...]:
    """The buffers that something fills; `place.buffers` is the id of the first."""
    return tuple(_buffers(program, place))


class _Nodes:
    def __init__(self, program: Program, place: Place) -> None:
        self.place, self.graph = place, program.graph
        self.calls = {work.node: work for work in program.graph.work if isinstance(work, Extern)}
        self.reducing = {
            work.buffer.name
            for work in program.graph.work
            if isinstance(work, Loop) and work.reduction
        }
        self.made: dict[str, list[int]] = {}
        for at, name in enumerate(computed(program), place.buffers):
            during = self.graph.buffers[name].during
            if name not in self.graph.mutated:
                self.made.setdefault(during, []).append(at)
        self.rules: dict[facts.LoweringRule, int] = {}

    def facts(self) -> facts.Lowering:
        seen: set[int] = set()
        rows: list[facts.Lowered] = []
        for step in self.graph.lowered:
            rows.append(self._row(step, seen))
            seen.add(id(step.result))
        return facts.Lowering(
            graph=self.place.graph, compiler=facts.LAB, rules=tuple(self.rules), nodes=tuple(rows)
        )

    def _row(self, step: LoweredNode, seen: set[int]) -> facts.Lowered:
        call = self.calls.get(step.node.name)
        result = _first(step.result)
        return facts.Lowered(
            node=self.place.nodes[step.node.name],
            outcome="fallback" if call else _outcome(step, result, seen),
            form=str(call.target) if call else self._form(step, result),
            rule=None if call else self._rule(step.node.target),
            buffers=tuple(self.made.get(step.node.name, ())),
            why=facts.Why(cause="refusal", by=call.reason) if call else None,
            seconds=step.seconds,
        )

    def _form(self, step: LoweredNode, result: Any) -> str:
        if not isinstance(result, LazyTensor) or step.node.op != "call_function":
            return ""
        if result.buffer and result.buffer.name in self.reducing:
            return "Reduction"
        return "View" if step.node.target in VIEWS else "Pointwise"

    def _rule(self, target: Any) -> int | None:
        rule = rule_of(target)
        code = getattr(inspect.unwrap(rule), "__code__", None) if rule else None
        if code is None:
            return None
        found = facts.LoweringRule(
            name=code.co_name, file=shown_file(code.co_filename), line=code.co_firstlineno
        )
        return self.rules.setdefault(found, len(self.rules))


def shown_file(name: str) -> str:
    """A file of ours from the package on; a reader's own by its name."""
    root = Path(dynamo_lab.__file__).parent.parent
    path = Path(name)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _first(result: Any) -> Any:
    """A node's first result, where it has several."""
    return result[0] if isinstance(result, list | tuple) and result else result


_BY_OP: dict[str, facts.Outcome] = {
    "placeholder": "input",
    "get_attr": "constant",
    "output": "output",
}


def _outcome(step: LoweredNode, result: Any, seen: set[int]) -> facts.Outcome:
    node = step.node
    if node.op in _BY_OP:
        return _BY_OP[node.op]
    if str(node.target) == "aten.copy_.default":
        return "in place"
    if node.target is operator.getitem:
        return "part"
    if not isinstance(result, LazyTensor):
        return "nothing" if result is None else "size"
    if id(step.result) in seen:
        return "same"
    if result.buffer and result.buffer.during == node.name:
        return "realised"
    return "view" if node.target in VIEWS else "inlined"


def _buffers(program: Program, place: Place) -> list[facts.Buffer]:
    graph = program.graph
    writers = {name: (at, work) for at, work in enumerate(graph.work) for name in work.writes}
    needed = {name for work in graph.work for name in work.reads}
    needed |= {name for out in graph.outputs if (name := getattr(out, "buffer", ""))}
    found: list[facts.Buffer] = []
    for name in computed(program):
        at, work = writers.get(name, (-1, None))
        made = _memory(graph.buffers[name], place, len(found), f"op{at}" if work else "")
        if isinstance(work, Loop):
            made |= _of_loop(work, place, is_input=name in graph.inputs)
        elif work:
            made |= _of_call(work, place)
        else:
            made |= {"kind": "other", "form": "", "why": facts.Why(cause="rule")}
        dropped = name not in needed | graph.mutated
        found.append(facts.Buffer(**made, dropped=dropped and isinstance(work, Loop)))
    return found


def _memory(buffer: Buffer, place: Place, at: int, operation: str) -> dict[str, Any]:
    sizes = (*buffer.size, *buffer.stride)
    return {
        "id": place.buffers + at,
        "name": buffer.name,
        "graph": place.graph,
        "operation": operation,
        "during": place.nodes.get(buffer.during),
        "dtype": dtype_name(buffer.dtype),
        "device": str(buffer.device),
        "shape": tuple(map(str, buffer.size)),
        "stride": tuple(map(str, buffer.stride)),
        "bytes": buffer.bytes if all(isinstance(size, int) for size in sizes) else None,
        "layout": "FixedLayout",
    }


def _of_loop(loop: Loop, place: Place, *, is_input: bool) -> dict[str, Any]:
    values = loop.body.values
    made: dict[str, Any] = {
        "kind": "reduction" if loop.reduction else "pointwise",
        "form": "Reduction" if loop.reduction else "Pointwise",
        "nodes": nodes_of(loop, place),
        "why": loop.buffer.why,
        "was_free": True,
        "ranges": (*_ranges("i", loop.outer), *_ranges("r", loop.inner)),
        "reduction": loop.reduction or "",
        "reads": tuple(sorted({name for name, _ in loop.body.loads()})),
        "body": tuple(
            facts.LoopLine(code_of(value), value.op, place.nodes.get(value.origin, -1))
            for value in values
        ),
    }
    if is_input:
        written = {"layout": "Mutation", "of": loop.buffer.name}
        made |= written | {"during": place.nodes.get(loop.origin)}
    return made


def nodes_of(loop: Loop, place: Place) -> tuple[int, ...]:
    """The nodes that a loop computes."""
    origins = {place.nodes.get(value.origin) for value in loop.body.values}
    return tuple(sorted(node for node in origins if node is not None))


def _of_call(call: Extern, place: Place) -> dict[str, Any]:
    node = place.nodes.get(call.node)
    return {
        "kind": "fallback",
        "form": "FallbackKernel",
        "kernel": str(call.target),
        "during": node,
        "nodes": () if node is None else (node,),
        "why": facts.Why(cause="refusal", by=call.reason),
        "reads": tuple(sorted(call.reads)),
    }


def _ranges(letter: str, sizes: Sequence[Any]) -> list[facts.Range]:
    pairs = zip(loops(letter, sizes), sizes, strict=True)
    return [facts.Range(str(variable), str(size)) for variable, size in pairs]


def code_of(value: Value) -> str:
    """A value of the loop IR as a line of code."""
    arguments = ", ".join(shown(arg) for arg in value.args if arg is not None)
    return f"{value} = {value.op}({arguments})  # {dtype_name(value.dtype)}"
