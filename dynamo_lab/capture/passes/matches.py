"""Matches: patterns that were found in a graph while a pass ran, and what stands there now."""

import operator
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from torch import fx

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.graphs.replaced import Replaced
from dynamo_lab.capture.passes import hooks
from dynamo_lab.capture.passes.patterns import Patterns
from dynamo_lab.capture.passes.phases import RunningPipeline
from dynamo_lab.capture.passes.snapshots import Seen, seen
from dynamo_lab.model.passes import Match, NodeText, PatternKind

Probe = Generator[None, Any, None]


def group_fusions() -> list[type]:
    """The classes that fuse groups of like nodes into one, each where it defines how."""
    known: list[Any] = [*hooks.PRE_GRAD_FUSIONS.get().values()]
    known += hooks.POST_GRAD_FUSIONS.get().values()
    classes = [base for fusion in known for base in fusion.__mro__ if "fuse" in vars(base)]
    return list(dict.fromkeys(classes))


class MatchProbes:
    """Puts each match down to the pass that runs; `current` says which pipeline that is in."""

    def __init__(
        self,
        recorder: Recorder,
        replaced: Replaced,
        current: Callable[[], RunningPipeline | None],
    ) -> None:
        self._recorder = recorder
        self._replaced = replaced
        self._current = current
        self._patterns = Patterns(recorder.patterns, recorder.texts)

    def install(self, patches: Patches) -> None:
        """Watch what does the work of a match."""
        patches.hook(hooks.REPLACEMENT, self._matched("replacement"))
        patches.hook(hooks.GRAPH_ENTRY, self._matched("graph"))
        patches.hook(hooks.LOWERING_ENTRY, self._matched("lowering"))
        for fusion in group_fusions():
            patches.watch(fusion, "fuse", self.fused)

    def _matched(self, kind: PatternKind) -> Callable[..., Probe]:
        def matched(entry: Any, match: Any, graph: fx.Graph, node: fx.Node) -> Probe:
            """A pattern was found, and what it stands for is done."""
            with self._match(entry, kind, graph, match.nodes):
                yield

        return matched

    def fused(self, rule: Any, graph: fx.Graph, nodes: Any) -> Probe:
        """Nodes that a group or batch fusion makes one of."""
        with self._match(rule, "fusion", graph, nodes):
            yield

    @contextmanager
    def _match(self, rule: Any, kind: PatternKind, graph: fx.Graph, nodes: Any) -> Iterator[None]:
        now, module = self._current(), graph.owning_module
        body = None if now is None or module is None else now.family.path_of(module)
        running = None if now is None else now.running
        if module is None or body is None or running is None:  # a pattern being traced, say
            yield
            return
        before = [seen(node) for node in dict.fromkeys(nodes) if isinstance(node, fx.Node)]
        users = [len(old.node.users) for old in before]
        texts = tuple(old.text() for old in before)
        created: list[fx.Node] = []
        note = created.append
        module._register_create_node_hook(note)
        try:
            yield
        finally:
            module._unregister_create_node_hook(note)
        alive = [node for node in created if not node._erased]
        made = [seen(node).text() for node in alive]
        if now is not None and not body:
            self._note(now, alive, before)
        match = Match(
            pattern=self._patterns.number(rule, kind),
            body=body,
            before=texts,
            after=(*_rewritten(before, texts), *made),
            gone=tuple(old.name for old in before if old.node._erased),
        )
        is_rewired = users != [len(old.node.users) for old in before]
        if match.after or match.gone or is_rewired:
            running.matches.append(match)
        elif running.index is not None:
            alone = self._recorder.passes[running.index].left_alone
            alone[match.pattern] = alone.get(match.pattern, 0) + 1

    def _note(self, now: RunningPipeline, made: list[fx.Node], before: list[Seen]) -> None:
        """One node, with views around it and parts of it, stands for all that was matched."""
        working = [one for one in made if one.op.startswith("call") and not _only_hands_on(one)]
        if len(working) == 1 and before:
            fact = self._recorder.pipelines[now.id]
            matched = tuple(old.name for old in before)
            self._replaced.note(
                now.phase, fact.compile_id, working[0].name, matched, is_backward=fact.is_backward
            )


def _only_hands_on(node: fx.Node) -> bool:
    return node.target is operator.getitem or bool(getattr(node.target, "is_view", False))


def _rewritten(before: list[Seen], texts: tuple[NodeText, ...]) -> Iterator[NodeText]:
    """Matched nodes that stayed and changed."""
    for old, text in zip(before, texts, strict=True):
        if not old.node._erased and (now := seen(old.node).text()) != text:
            yield now
