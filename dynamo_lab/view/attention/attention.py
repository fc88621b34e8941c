"""Calls of attention: where each is, what it became, and which kernel it is on which target."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from dynamo_lab.model.attention.calls import Attention, Kernel
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.attention.choices import (
    NAMES,
    TARGETS,
    ChoiceView,
    choices_of,
    facts_of,
    release_of,
)
from dynamo_lab.view.core.ancestry import Ancestry, NodeKey
from dynamo_lab.view.core.places import Line, Places, entity
from dynamo_lab.view.core.words import listed, plural, unique

_FLEX = (
    "Inductor writes the kernel of `flex_attention` itself, with your `score_mod` and mask in it: "
    "PyTorch's choice between attention kernels is not asked. Code has it."
)


class AttentionView(Struct, frozen=True, kw_only=True):
    """One call. `node` and `line` are entities, the line empty if there is none.

    `origin` says who made the call, `became` what runs here and whether that is what the rules say.
    `differs` is set where it is not. A call of `flex_attention` has no choices. `here` is the
    target that the code is for, empty for a GPU that is here, of which the kind is not recorded;
    `ran` is the kernel in it, empty where it is not known.
    """

    node: str
    line: str
    where: str
    code: str
    module: str
    origin: str
    became: str
    here: str = ""
    ran: str = ""
    differs: bool = False
    facts: tuple[tuple[str, str], ...] = ()
    choices: tuple[ChoiceView, ...] = ()


class _Became(NamedTuple):
    told: str
    names: str = ""
    differs: bool = False


def build(recording: Recording, places: Places, ancestry: Ancestry) -> tuple[AttentionView, ...]:
    """Each call that Dynamo captured, then those that a pass put in place of other operators."""
    if not recording.attentions:
        return ()
    return tuple(_Calls(recording, places, ancestry).views())


class _Calls:
    def __init__(self, recording: Recording, places: Places, ancestry: Ancestry) -> None:
        self._recording = recording
        self._places = places
        self._ancestry = ancestry
        self._release = release_of(recording.environment.torch)
        captured = [item for item in recording.attentions if item.kind != "fused"]
        self._captured = [item for item in captured if not self._is_restarted(item)]
        self._came_of = self._origins()

    def views(self) -> Iterator[AttentionView]:
        """All of them, in the order of the program."""
        for item in self._captured:
            yield self._view(item, "", self._became(item))
        known = {fused for found in self._came_of.values() for fused in found}
        for item in self._recording.attentions:
            if item.kind == "fused" and _key(item) not in known:
                yield self._view(item, self._pattern(item), self._generated(item))

    def _is_restarted(self, item: Attention) -> bool:
        return self._recording.graphs[item.graph].stage == "restarted"

    def _origins(self) -> Mapping[NodeKey, list[NodeKey]]:
        """The kernels in generated code that came of each captured call."""
        calls = {_key(item) for item in self._captured}
        found: dict[NodeKey, list[NodeKey]] = {}
        for item in self._recording.attentions:
            if item.kind == "fused":
                for above in self._ancestry.above([_key(item)]):
                    if above in calls:
                        found.setdefault(above, []).append(_key(item))
        return found

    def _view(self, item: Attention, origin: str, became: _Became) -> AttentionView:
        node = self._recording.graphs[item.graph].nodes[item.node]
        lines = self._lines(item)
        is_flex = item.kind == "flex"
        return AttentionView(
            node=f"node:{item.graph}:{item.node}",
            line=entity(lines[0]) if lines else "",
            where=self._places.where_all(lines) if lines else "",
            code=self._places.text(lines[0]).strip() if len(lines) == 1 else "",
            module=node.module,
            origin=origin,
            became=became.told,
            here=self._here(item),
            ran=became.names,
            differs=became.differs,
            facts=() if is_flex else tuple(facts_of(item.problem)),
            choices=() if is_flex else self._choices(item),
        )

    def _lines(self, item: Attention) -> list[Line]:
        """The user's lines that it came of, in order."""
        graphs = self._recording.graphs
        nodes = self._ancestry.above([_key(item)])
        stacks = (graphs[graph].nodes[at].stack for graph, at in nodes)
        lines = (self._places.own_line(stack) for stack in stacks)
        return sorted({line for line in lines if line is not None})

    def _choices(self, item: Attention) -> tuple[ChoiceView, ...]:
        targets = dict.fromkeys((*TARGETS, self._recording.target or "cpu"))
        return choices_of(item.problem, targets, self._release)

    def _became(self, item: Attention) -> _Became:
        if item.kind == "flex":
            return _Became(_FLEX)
        fused = self._came_of.get(_key(item), [])
        if fused:
            targets = {self._target(key) for key in fused}
            ran: set[Kernel] = {kernel for kernel in map(_kernel, targets) if kernel is not None}
            told = ", ".join(f"`{target}`" for target in sorted(targets))
            return self._compared(item, f"It became {told}", ran)
        composed = self._composed(item)
        if composed:
            told = f"It became {plural(composed, 'operator')}, not one kernel"
            return self._compared(item, told, {"math"})
        return _Became("What it became is not in the recording.")

    def _generated(self, item: Attention) -> _Became:
        target = self._target(_key(item))
        kernel = _kernel(target)
        return self._compared(item, f"It is `{target}`", set() if kernel is None else {kernel})

    def _compared(self, item: Attention, told: str, ran: set[Kernel]) -> _Became:
        """What ran, and whether it is what the rules say for the device that it is for."""
        choice = next((c for c in self._choices(item) if c.target == self._here(item)), None)
        names = " and ".join(NAMES[kernel] for kernel in sorted(ran))
        told = f"{told}: {names}" if names else told
        if choice is None or not choice.kernel or not ran:
            return _Became(f"{told}.", names)
        if ran == {choice.kernel}:
            return _Became(f"{told}, as PyTorch's rules say.", names)
        said = NAMES[choice.kernel]  # pyright: ignore[reportArgumentType]
        told = f"{told}. PyTorch's rules say {said}: why it differs is not known."
        return _Became(told, names, differs=True)

    def _here(self, item: Attention) -> str:
        """The target that the code is for; of a GPU that is here the kind is not recorded."""
        return self._recording.target or ("cpu" if item.device == "cpu" else "")

    def _composed(self, item: Attention) -> int:
        """How many operators of the generated graphs came of it."""
        wanted, graphs = _key(item), self._recording.graphs
        generated = [graph for graph in graphs if graph.stage == "post_grad"]
        if not any(graph.frame == graphs[item.graph].frame for graph in generated):
            return 0
        nodes = (
            (graph.id, node.index)
            for graph in generated
            if not graph.is_backward
            for node in graph.nodes
            if node.op.startswith("call_")
        )
        return sum(wanted in self._ancestry.above([node]) for node in nodes)

    def _target(self, key: NodeKey) -> str:
        nodes = self._recording.graphs[key[0]].nodes
        return nodes[key[1]].target.removesuffix(".default")

    def _pattern(self, item: Attention) -> str:
        """Which pattern of Inductor's put it there, where that was recorded."""
        name = self._recording.graphs[item.graph].nodes[item.node].name
        for one in self._recording.passes:
            for match in one.matches:
                if any(node.name == name for node in match.after):
                    pattern = self._recording.patterns[match.pattern].name
                    return f"`{pattern}` matched attention written by hand, and put it there."
        return f"It came of {self._ancestors(item)}."

    def _ancestors(self, item: Attention) -> str:
        """The captured operators that a kernel came of."""
        graphs = self._recording.graphs
        above = [graphs[graph].nodes[at].target for graph, at in self._ancestry.above([_key(item)])
                 if graphs[graph].stage == "dynamo"]  # fmt: skip
        return listed([f"`{target}`" for target in unique(above)]) or "operators not recorded"


def _key(item: Attention) -> NodeKey:
    return item.graph, item.node


def _kernel(target: str) -> Kernel | None:
    """The kernel of an operator."""
    kernels: tuple[Kernel, ...] = ("flash", "efficient", "cudnn")
    return next((kernel for kernel in kernels if f"_{kernel}_attention" in target), None)
