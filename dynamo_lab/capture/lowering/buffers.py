"""Lowering, operator by operator: what each node became, and the buffers and loops it made."""

import operator
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Literal
from weakref import WeakKeyDictionary

from torch import fx

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.lowering import hooks
from dynamo_lab.capture.lowering.causes import asking, why_fallback, why_stored
from dynamo_lab.capture.lowering.hooks import IR as ir
from dynamo_lab.capture.lowering.inductor_ir import (
    became,
    form_of,
    kernel_of,
    kind_of,
    planned,
    rule_of,
)
from dynamo_lab.capture.lowering.loop_bodies import Printer, ranges_of, reads_of
from dynamo_lab.capture.lowering.lowering import LoweringProbes
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.lowering import Buffer, Lowered, Lowering, LoweringRule, Outcome, Why


@dataclass(slots=True)
class _Node:
    """A node that is being lowered."""

    node: fx.Node
    known: bool
    listed: bool
    rule: int | None
    started: float
    made: list[int] = field(default_factory=list[int])
    why: Why | None = None


@dataclass(slots=True)
class _Draft:
    """The lowering of one graph so far."""

    graph: Graph
    index: dict[str, int]
    running: list[_Node] = field(default_factory=list[_Node])
    done: list[Lowered] = field(default_factory=list[Lowered])
    rules: dict[LoweringRule, int] = field(default_factory=dict[LoweringRule, int])
    buffers: dict[str, int] = field(default_factory=dict[str, int])
    unplanned: list[tuple[int, Any]] = field(default_factory=list[tuple[int, Any]])


class BufferProbes:
    """Records the lowering of graphs: each node, and each buffer as it is planned."""

    def __init__(self, recorder: Recorder, lowering: LoweringProbes) -> None:
        self._recorder = recorder
        self._lowering = lowering
        self._drafts: WeakKeyDictionary[Any, _Draft] = WeakKeyDictionary()
        self._printer = Printer()
        self._inside = [0.0]  # for each node that is lowered: the seconds of those inside of it

    def install(self, patches: Patches) -> None:
        """Watch the lowering of graphs and nodes, new buffers, and loops that are made simple."""
        patches.hook(hooks.RUN, self.lowered)
        patches.hook(hooks.RUN_NODE, self.node)
        patches.hook(hooks.REGISTER, self.registered)
        patches.hook(hooks.SIMPLIFY, self.simplified)
        patches.hook(hooks.DROP, self.dropped)

    def lowered(self, lowering: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """Inductor lowers a graph, or the body of an operator in one."""
        graph = self._lowering.graph_of(lowering)
        if graph is None:
            yield
            return
        draft = _Draft(graph, {name: at for at, name in enumerate(graph.nodes.name)})
        self._drafts[lowering] = draft
        try:
            yield
        finally:
            self._keep(draft)

    def _keep(self, draft: _Draft) -> None:
        """Layouts are decided by now; afterwards the recording holds none of Inductor's objects."""
        for at, buffer in draft.unplanned:
            facts = planned(buffer, draft.index)
            self._recorder.update(self._recorder.buffers, at, **facts)
        draft.unplanned.clear()
        self._recorder.lowerings.append(
            Lowering(graph=draft.graph.id, rules=tuple(draft.rules), nodes=tuple(draft.done))
        )

    def node(self, lowering: Any, node: fx.Node) -> Generator[None, Any, None]:
        """A node is lowered."""
        draft = self._drafts.get(lowering)
        if draft is None or node.name not in draft.index:
            yield
            return
        running, at = self._begin(draft, node), draft.index[node.name]
        draft.running.append(running)
        self._inside.append(0.0)
        try:
            result = yield
        except Exception as error:
            message = str(error).strip().partition("\n")[0]
            draft.done.append(_row(running, at, "failed", error=message))
            raise
        finally:
            draft.running.pop()
            seconds = self._own_seconds(running)
        outcome, form = self._outcome(running, result)
        draft.done.append(_row(running, at, outcome, form, seconds=seconds))

    def _own_seconds(self, running: _Node) -> float:
        """Without those of the nodes of a body, which were lowered meanwhile."""
        spent = self._recorder.now() - running.started
        inside = self._inside.pop()
        self._inside[-1] += spent
        return round(max(0.0, spent - inside), 6)

    def _begin(self, draft: _Draft, node: fx.Node) -> _Node:
        rule: Any = None
        if node.op == "call_function":
            rule = hooks.LOWERINGS.get().get(node.target)
        at = None if rule is None else draft.rules.setdefault(rule_of(rule), len(draft.rules))
        listed = bool(getattr(rule, "_is_fallback_handler", False))
        started = self._recorder.now()
        return _Node(node, known=rule is not None, listed=listed, rule=at, started=started)

    def registered(
        self, lowering: Any, buffer: Any, *_: Any, **__: Any
    ) -> Generator[None, Any, None]:
        """A value is to lie in memory."""
        frames = asking()
        name = yield
        draft = self._drafts.get(lowering)
        if draft is None or not draft.running:
            return
        running = draft.running[-1]
        kind = kind_of(buffer)
        why = None
        if isinstance(buffer, ir.ComputedBuffer):
            why = why_stored(buffer.data, running.node, frames)
        elif kind == "fallback" and running.why is None:
            known, listed = running.known, running.listed
            why = running.why = why_fallback(frames, known=known, listed=listed)
        at = len(self._recorder.buffers)
        self._recorder.buffers.append(
            Buffer(
                id=at,
                name=name,
                graph=draft.graph.id,
                kind=kind,
                form=form_of(buffer),
                kernel=kernel_of(buffer),
                during=draft.index[running.node.name],
                nodes=(draft.index[running.node.name],),
                why=why,
                was_free=type(getattr(buffer, "layout", None)) is ir.FlexibleLayout,
            )
        )
        running.made.append(at)
        draft.buffers[name] = at
        draft.unplanned.append((at, buffer))

    def simplified(self, buffer: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A buffer's loop is as simple as it gets before loops are fused."""
        _, body = yield
        draft = self._drafts.get(hooks.VIRTUALIZED.get().graph)
        at = draft.buffers.get(buffer.name) if draft else None
        if draft is None or at is None or body is None or self._recorder.buffers[at].body:
            return  # not of a recorded graph, or made simple again for a target's sake
        lines = self._printer.lines(body, draft.index)
        self._recorder.update(
            self._recorder.buffers,
            at,
            # closer than its origins, among which are those of values that were stored since
            nodes=tuple(sorted({line.node for line in lines if line.node >= 0})),
            ranges=ranges_of(body),
            reads=reads_of(body),
            body=lines,
        )

    def dropped(self, scheduler: Any) -> Generator[None, Any, None]:
        """The scheduler drops what nothing needs."""
        yield
        graph = hooks.VIRTUALIZED.get().graph
        draft = self._drafts.get(graph)
        for at in draft.buffers.values() if draft else ():
            if self._recorder.buffers[at].operation in graph.removed_operations:
                self._recorder.update(self._recorder.buffers, at, dropped=True)

    def _outcome(self, running: _Node, result: Any) -> tuple[Outcome, str]:
        node = running.node
        match node.op:
            case "placeholder":
                return "input", ""
            case "get_attr":
                return "constant", ""
            case "output":
                return "output", ""
            case _:
                return self._called(running, result)

    def _called(self, running: _Node, result: Any) -> tuple[Outcome, str]:
        """A kernel that was made for the operator tells more than what it handed back."""
        made = [self._recorder.buffers[at] for at in running.made]
        for outcome in _KERNELS:
            found = next((buffer for buffer in made if buffer.kind == outcome), None)
            if found is not None:
                return outcome, found.form
        outcome, form = became(result, running.node.name, {buffer.name for buffer in made})
        target: Any = running.node.target
        is_mutable = getattr(getattr(target, "_schema", None), "is_mutable", False)
        if is_mutable and outcome in ("same", "view"):  # it hands back what it changed
            return "in place", form
        is_part = target is operator.getitem and outcome in ("inlined", "same")
        return ("part" if is_part else outcome), form


_KERNELS: tuple[Literal["fallback", "template", "extern"], ...] = ("fallback", "template", "extern")


def _row(
    running: _Node,
    at: int,
    outcome: Outcome,
    form: str = "",
    error: str = "",
    seconds: float = 0.0,
) -> Lowered:
    return Lowered(
        node=at,
        outcome=outcome,
        form=form,
        rule=running.rule,
        buffers=tuple(running.made),
        why=running.why,
        error=error,
        seconds=seconds,
    )
