"""What the recording of the wrong program knows of the parts that can have made the fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.bench.bisections.search import Suspects
from dynamo_lab.model.bisections import Culprit
from dynamo_lab.view.core.names import calls_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dynamo_lab.capture.bisections.fakes import WrongFake
    from dynamo_lab.capture.bisections.kernel_values import Wrong
    from dynamo_lab.capture.bisections.parts import Part
    from dynamo_lab.model.kernels import Kernel
    from dynamo_lab.model.passes import Pass
    from dynamo_lab.model.recording import Recording

    Keys = tuple[tuple[int, int], ...]
    """Nodes as pairs of a graph and an index."""


class Evidence(Suspects):
    """Parts that changed nothing are not suspected; the nodes of a wrong kernel are, first."""

    def __init__(self, recording: Recording, wrong: Sequence[Wrong]) -> None:
        self._recording, self._wrong = recording, wrong

    # What is suspected

    def passes(self, parts: Sequence[Part]) -> Sequence[Part]:
        """Those that changed their graph, or whose patterns matched."""
        changed = {item.hook or item.name for item in self._recording.passes if _did(item)}
        parents = {
            self._recording.passes[i.parent] for i in self._changed() if i.parent is not None
        }
        changed |= {item.hook or item.name for item in parents}
        return [part for part in parts if part.name in changed] or parts

    def _changed(self) -> Iterator[Pass]:
        return (item for item in self._recording.passes if _did(item))

    def lowerings(self, parts: Sequence[Part]) -> Sequence[Part]:
        """Those in the first kernel that is wrong on its own inputs, where one is."""
        if not self._wrong:
            return parts
        kernel = self._recording.kernels[self._wrong[0].kernel]
        suspected = {(kernel.graph, node) for node in kernel.nodes}
        return [part for part in parts if suspected & set(self._lowered(part))] or parts

    def on_cpu(self, part: Part) -> bool:
        """Whether a kernel in C++ computes it."""
        kernel = self.kernel_of(self.nodes(part))
        return kernel is not None and kernel.language == "cpp"

    # What the program told the compiler

    def fakes(self, wrong: Sequence[WrongFake]) -> dict[str, Any]:
        """The operators with a wrong fake, and the first graph that calls one."""
        culprits = tuple(Culprit(kind="fake", name=one.operator) for one in wrong)
        calls = calls_of(self._recording, wrong[0].operator)
        graph = calls[0][0] if calls else None
        nodes = tuple(node for at, node in calls if at == graph)
        return {"culprits": culprits, "graph": graph, "nodes": nodes}

    # What a part is

    def described(self, part: Part) -> Culprit:
        """The part with the function that does it."""
        match part.kind:
            case "decomposition":
                return self._decomposition(part)
            case "lowering":
                return self._lowering(part)
            case "pass" | "rewrite":
                return self._pass(part)
            case _:
                return super().described(part)

    def _decomposition(self, part: Part) -> Culprit:
        facts = self._recording.decompositions
        for traced in facts.traced:
            if traced.rule is not None and facts.calls[traced.call].operator == part.name:
                rule = facts.rules[traced.rule]
                return _culprit(part, rule.name, rule.file, rule.line)
        return super().described(part)

    def _lowering(self, part: Part) -> Culprit:
        for graph, node in self.nodes(part)[:1]:
            for lowering in (one for one in self._recording.lowerings if one.graph == graph):
                row = next((r for r in lowering.nodes if r.node == node), None)
                if row is not None and row.rule is not None:
                    rule = lowering.rules[row.rule]
                    return _culprit(part, rule.name, rule.file, rule.line)
        return super().described(part)

    def _pass(self, part: Part) -> Culprit:
        found = self._of(part)
        if part.kind == "rewrite":
            number = next((m.pattern for item in found for m in item.matches), None)
            if number is not None:
                pattern = self._recording.patterns[number]
                return Culprit(kind="rewrite", name=pattern.name, place=pattern.place)
            return super().described(part)
        for item in found[:1]:
            return Culprit(kind="pass", name=part.name, rule=item.function, place=item.place)
        return super().described(part)

    def _of(self, part: Part) -> list[Pass]:
        """The recorded passes of this name that did something."""
        name = part.inside or part.name
        return [item for item in self._changed() if self._is_in(item, name)]

    def _is_in(self, item: Pass, name: str) -> bool:
        if name in (item.name, item.hook):
            return True
        return item.parent is not None and self._is_in(self._recording.passes[item.parent], name)

    # Where it is

    def nodes(self, part: Part) -> Keys:
        """The nodes that a part made or lowered."""
        match part.kind:
            case "lowering":
                return self._lowered(part)
            case "decomposition":
                return tuple(self._decomposed(part))
            case "pass" | "rewrite":
                return tuple(dict.fromkeys(self._rewritten(part)))
            case "fusion":
                return tuple(self._fused(part))
            case _:
                return ()

    def _lowered(self, part: Part) -> Keys:
        """The graph in which a node of this name was lowered, counted as the part is."""
        found: list[tuple[int, int]] = []
        for lowering in self._recording.lowerings:
            names = self._recording.graphs[lowering.graph].nodes.name
            found += [
                (lowering.graph, r.node) for r in lowering.nodes if names[r.node] == part.name
            ]
        return tuple(found[part.number : part.number + 1] or found[:1])

    def _decomposed(self, part: Part) -> Iterator[tuple[int, int]]:
        facts = self._recording.decompositions
        for traced in facts.traced:
            if facts.calls[traced.call].operator == part.name and traced.graph is not None:
                yield from ((traced.graph, node) for node in traced.nodes)

    def _rewritten(self, part: Part) -> Iterator[tuple[int, int]]:
        for item in self._of(part):
            compile_id = self._recording.pipelines[item.pipeline].compile_id
            names = [placed.node.name for change in item.changes for placed in change.added]
            names += [node.name for change in item.changes for node in change.changed]
            names += [name for change in item.changes for name in change.removed]
            names += [node.name for match in item.matches for node in (*match.before, *match.after)]
            yield from self._named(compile_id, dict.fromkeys(names))

    def _named(self, compile_id: str, names: Iterable[str]) -> Iterator[tuple[int, int]]:
        graphs = [g for g in self._recording.graphs if g.compile_id == compile_id]
        for name in names:
            for graph in reversed(graphs):
                if graph.stage != "dynamo" and name in graph.nodes.name:
                    yield graph.id, graph.nodes.name.index(name)
                    break

    def _fused(self, part: Part) -> Iterator[tuple[int, int]]:
        operations = {name for side in part.name.split(" + ") for name in side.split("_")}
        for buffer in self._recording.buffers:
            if buffer.operation in operations:
                yield from ((buffer.graph, node) for node in buffer.nodes)

    # Which kernel

    def kernel_of(self, nodes: Keys) -> Kernel | None:
        """The kernel that is wrong, or the one that computes these nodes."""
        wrong = [self._recording.kernels[one.kernel] for one in self._wrong[:1]]
        wanted = set(nodes)
        named = [
            kernel
            for kernel in self._recording.kernels
            if any((kernel.graph, node) in wanted for node in kernel.nodes)
        ]
        return next(iter([k for k in wrong if k in named] or named or wrong), None)

    def statement(self, kernel: Kernel, nodes: Keys) -> Culprit | None:
        """The lines of a kernel that compute these nodes and as few others as any."""
        own = {node for graph, node in nodes if graph == kernel.graph}
        lines = kernel.code.splitlines()
        found = [r for r in kernel.statements if own & set(r.nodes) and r.line <= len(lines)]
        found = [row for row in found if row.origin == "emitted"]
        if not found:
            return None
        fewest = min(len(row.nodes) for row in found)
        numbers = list(dict.fromkeys(row.line for row in found if len(row.nodes) == fewest))
        text = "\n".join(lines[number - 1].strip() for number in numbers)
        name = (
            f"line {numbers[0]}" if len(numbers) == 1 else f"lines {', '.join(map(str, numbers))}"
        )
        return Culprit(kind="statement", name=name, text=text)

    def first_bad(self) -> str:
        """Where a number that is none, or infinite, appears first."""
        bad = next((one for one in self._wrong if one.is_bad), None)
        if bad is None:
            return ""
        return f"{bad.buffer} ({bad.node}) of {self._recording.kernels[bad.kernel].name}"


def _did(item: Pass) -> bool:
    return bool(item.changes or item.matches)


def _culprit(part: Part, rule: str, file: str, line: int) -> Culprit:
    place = f"{file}:{line}" if file else ""
    return Culprit(kind=part.kind, name=part.name, rule=rule, place=place)
