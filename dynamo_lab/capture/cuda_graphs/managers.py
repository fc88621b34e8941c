"""What is known of one manager of CUDA graphs while it runs: numbers and names alone.

Nothing here holds a tensor, a storage, a manager or a node of its: whether outputs are still held
decides what PyTorch records anew.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.cuda_graphs import hooks
from dynamo_lab.capture.cuda_graphs.pools import Lying, Snapshot
from dynamo_lab.model.cuda_graphs.trees import (
    CudaFunction,
    CudaNode,
    CudaOutput,
    CudaOverwritten,
    CudaRefusal,
    CudaStep,
    CudaTrees,
    CudaWalk,
    Lies,
    Mode,
    StepKind,
)

_MOST_WALKS = 200
_MODES: dict[str, Mode] = {"FORWARD": "forward", "BACKWARD": "backward", "INFERENCE": "inference"}


class Manager:
    """Facts so far of a manager of CUDA graphs."""

    def __init__(self, recorder: Recorder, manager: Any) -> None:
        self._recorder = recorder
        self._device = hooks.DEVICE.of(manager)
        self.pool = tuple(hooks.POOL.of(manager) or ())
        self._functions: dict[int, int] = {}
        self._function_facts: list[CudaFunction] = []
        self._nodes: dict[int, int] = {}
        self._node_facts: list[CudaNode] = []
        self._outputs: list[CudaOutput] = []
        self._output_at: dict[tuple[int, int], int] = {}
        self._lying: list[Lying] = []
        self._walk: list[CudaStep] = []
        self._walks: Counter[tuple[CudaStep, ...]] = Counter()
        self._unlisted = 0
        self._overwritten: Counter[CudaOverwritten] = Counter()
        self._generations: set[int] = set()
        self._last: Snapshot | None = None
        self.steps = 0

    def step(self, manager: Any, kind: StepKind, function_id: Any, *, begins: bool) -> None:
        """A call is over; `begins` says that nothing runs before it on its path."""
        current = hooks.CURRENT.of(manager)
        is_graph = kind in ("recorded", "replayed")
        node = self.node(manager, current) if is_graph else None
        if begins:
            self._end_walk()
        function = self.function(manager, function_id)
        self._walk.append(CudaStep(kind=kind, function=function, node=node))
        if kind not in ("written", "limit"):  # which begin no step
            self._generations.add(hooks.GENERATION.of(manager))
        if node is not None and kind == "replayed":
            self._change(node, replays=self._node_facts[node].replays + 1)
        self.steps += 1

    def recorded(self, manager: Any, refusals: Sequence[CudaRefusal]) -> int:
        """The CUDA graph that the manager has just recorded, in place of those that refused."""
        node = self.node(manager, hooks.CURRENT.of(manager))
        generation = hooks.GENERATION.of(manager)
        self._change(node, generation=generation, refusals=tuple(refusals))
        return node

    def remember(self, snapshot: Snapshot) -> None:
        """The pool as it is after a recording."""
        self._last = snapshot
        reserved = sum(segment.bytes for segment in snapshot.segments)
        live = sum(segment.live for segment in snapshot.segments)
        self._change(snapshot.node, reserved=reserved, live=live)

    def function(self, manager: Any, function_id: Any) -> int:
        """The position of a function, which is described when it is first met."""
        number = function_id.id
        if number not in self._functions:
            self._functions[number] = len(self._function_facts)
            self._function_facts.append(self._described(manager, function_id))
        return self._functions[number]

    def node(self, manager: Any, node: Any) -> int:
        """The position of a CUDA graph; one from before this recording comes with its path."""
        number = node.id.id
        if number not in self._nodes:
            parent = hooks.PARENT.of(node)
            before = None if parent is None else self.node(manager, parent)
            at = self._nodes[number] = len(self._node_facts)
            function = self.function(manager, node.wrapped_function.id)
            self._node_facts.append(self._recorded(node, number, function, before))
            self._outputs.extend(self._outputs_of(node, at))
        return self._nodes[number]

    def refusal(self, manager: Any, node: Any, reason: str, inputs: Sequence[str]) -> CudaRefusal:
        """Why a CUDA graph is not replayed."""
        held: list[int] = []
        if "Dead" in reason:
            path = [self.node(manager, one) for one in hooks.PATH.of(node)]
            places = [(path[depth], at) for depth, at in hooks.EXPECTED_DEAD.of(node)]
            held = [self._output_at[place] for place in places if place in self._output_at]
        at = self.node(manager, node)
        return CudaRefusal(node=at, reason=reason, inputs=tuple(inputs), outputs=tuple(held))

    def overwriting(self, manager: Any, function_id: Any) -> None:
        """A new step takes the memory of a path, of which the program may still hold outputs."""
        by = self.function(manager, function_id)
        for node in hooks.PATH.of(hooks.CURRENT.of(manager)):
            held = [at for at, ref in enumerate(hooks.ALIVE.of(node)) if _is_alive(ref)]
            for at in held:
                self._overwritten[
                    CudaOverwritten(
                        function=self.function(manager, node.wrapped_function.id),
                        by=by,
                        at=at,
                        node=self._nodes.get(node.id.id),
                        span=self._span(hooks.STACKS.of(node), at),
                    )
                ] += 1

    def freeze(self) -> CudaTrees:
        """What is known now."""
        walks = self._walks.copy()
        if self._walk:
            walks[tuple(self._walk)] += 1
        name = f"({', '.join(map(str, self.pool))})"
        return CudaTrees(
            device=self._device,
            functions=tuple(self._function_facts),
            nodes=tuple(self._node_facts),
            returned=tuple(self._outputs),
            walks=tuple(CudaWalk(steps=steps, times=times) for steps, times in walks.items()),
            unlisted=self._unlisted,
            overwritten=tuple(
                replace(one, times=times) for one, times in self._overwritten.items()
            ),
            generations=len(self._generations),
            marked=any(one < 0 for one in self._generations),
            pool=self._last.pool(name, self._lying) if self._last else None,
        )

    def _change(self, node: int, **facts: Any) -> None:
        self._node_facts[node] = replace(self._node_facts[node], **facts)

    def _end_walk(self) -> None:
        steps = tuple(self._walk)
        self._walk.clear()
        if steps in self._walks or len(self._walks) < _MOST_WALKS:
            if steps:
                self._walks[steps] += 1
        else:
            self._unlisted += 1

    def _described(self, manager: Any, function_id: Any) -> CudaFunction:
        wrapped = hooks.FUNCTIONS.of(manager).get(function_id)
        mode = hooks.MODES.of(manager).get(function_id)
        compile_id = hooks.COMPILE_IDS.of(manager).get(function_id)
        known = "" if compile_id is None else str(compile_id)
        named = _MODES.get(getattr(mode, "name", ""), "")
        return CudaFunction(
            number=function_id.id,
            graph=self._graph(known, is_backward=named == "backward"),
            mode=named,
            compile_id=known,
            name=getattr(getattr(wrapped, "model", None), "__name__", ""),
            written=len(hooks.WRITTEN.of(wrapped)) if wrapped is not None else 0,
        )

    def _graph(self, compile_id: str, *, is_backward: bool) -> int | None:
        """The graph that was lowered in this compilation."""
        own = [
            graph.id
            for graph in self._recorder.graphs
            if graph.stage == "post_grad"
            and graph.parent is None
            and (graph.compile_id, graph.is_backward) == (compile_id, is_backward)
        ]
        return own[-1] if own and compile_id else None

    def _recorded(self, node: Any, number: int, function: int, parent: int | None) -> CudaNode:
        managed, static = hooks.MANAGED.of(node), hooks.STATIC.of(node)
        copies = list(_copies(node))
        at = len(self._node_facts)
        self._lying += [Lying(address, size, at, input=index) for index, address, size in copies]
        return CudaNode(
            number=number,
            function=function,
            parent=parent,
            copied=len(copies),
            copied_bytes=sum(size for *_, size in copies),
            managed=len(managed),
            fixed=len(set(static) - set(managed)),
        )

    def _outputs_of(self, node: Any, at: int) -> Iterator[CudaOutput]:
        """The outputs that are tensors; those in memory of their own lie in the pool."""
        stacks = hooks.STACKS.of(node)
        for number, facts in enumerate(hooks.OUTPUTS.of(node)):
            if not isinstance(facts, dict):
                continue
            lies = _lies(hooks.ALIASES.of(node)[number])
            output = self._output_at[at, number] = len(self._output_at)
            if lies == "pool":
                self._lying.append(Lying(facts["data_ptr"], facts["nbytes"], at, output))
            yield CudaOutput(
                node=at,
                at=number,
                lies=lies,
                bytes=facts["nbytes"],
                span=self._span(stacks, number),
            )

    def _span(self, stacks: Sequence[str | None] | None, at: int) -> int | None:
        text = stacks[at] if stacks and at < len(stacks) else None
        return self._recorder.texts.users_span_of_text(text) if text else None


def _is_alive(ref: Any) -> bool:
    return ref is not None and ref() is not None


def _lies(alias: Any) -> Lies:
    if alias is None:
        return "elsewhere"
    if isinstance(alias, hooks.EARLIER_OUTPUT.get()):
        return "earlier"
    return "same" if isinstance(alias, hooks.SAME_OUTPUT.get()) else "pool"


def _copies(node: Any) -> Iterator[tuple[int, int, int]]:
    """Of each input that a call copies, its position, the address of the copy, and its bytes."""
    places = hooks.COPIED.of(node)
    copies = hooks.COPIES.of(node)
    for at in hooks.NOT_STATIC.of(node) if places is None else places:
        if at < len(copies) and hasattr(copies[at], "untyped_storage"):
            memory = copies[at].untyped_storage()
            yield at, memory.data_ptr(), memory.nbytes()
