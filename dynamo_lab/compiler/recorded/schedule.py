"""A schedule as facts: its operations, every pair that was looked at, and the kernels made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.compiler.groups import Group, predecessors
from dynamo_lab.compiler.recorded.lowering import nodes_of
from dynamo_lab.compiler.space import space_of
from dynamo_lab.compiler.work import Loop
from dynamo_lab.model.fusion import fusion as facts
from dynamo_lab.model.lowering import LAB

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dynamo_lab.capture.kernels.announced import Place
    from dynamo_lab.compiler.fusion import Verdict
    from dynamo_lab.compiler.groups import Unit
    from dynamo_lab.compiler.program import Program
    from dynamo_lab.compiler.work import Extern


def schedule(program: Program, place: Place, kernels: Mapping[int, int]) -> facts.Schedule:
    """The schedule; `kernels` has the id of what runs a unit, by the unit's identity."""
    return _Schedule(program, place).facts(kernels)


def operation_of(program: Program) -> dict[str, int]:
    """The position of the operation that fills a buffer, by the buffer's name."""
    return {name: at for at, work in enumerate(program.graph.work) for name in work.writes}


def positions(program: Program) -> dict[int, int]:
    """The position of each operation, by the identity of the work that it is."""
    return {id(work): at for at, work in enumerate(program.graph.work)}


def works_of(unit: Unit) -> Sequence[Loop | Extern]:
    """The loops of a group, or the call that the unit is."""
    return unit.nodes if isinstance(unit, Group) else [unit]


class _Schedule:
    def __init__(self, program: Program, place: Place) -> None:
        self.program, self.place = program, place
        self.work = program.graph.work
        self.at = operation_of(program)
        self.position = positions(program)
        self.groups = [self._group([work]) for work in self.work]
        self.by_operations: dict[tuple[int, ...], int] = {
            group.operations: at for at, group in enumerate(self.groups)
        }

    def facts(self, kernels: Mapping[int, int]) -> facts.Schedule:
        rulings: dict[facts.Ruling, int] = {}
        pairs: list[tuple[int, int]] = []
        numbers: list[int] = []
        for verdict in self.program.schedule.verdicts:
            pair, ruling = self._ruling(verdict)
            pairs.append(pair)
            numbers.append(rulings.setdefault(ruling, len(rulings)))
        device = self.program.graph.device
        return facts.Schedule(
            graph=self.place.graph,
            compiler=LAB,
            operations=tuple(self._operations()),
            groups=tuple(self.groups),
            start=tuple(range(len(self.work))),
            rounds=(False,),
            verdicts=facts.VerdictTable(
                rulings=tuple(rulings), pairs=tuple(pairs), ruling=tuple(numbers)
            ),
            final=tuple(self._final(kernels)),
            backends={str(device): LAB},
        )

    def _operations(self) -> Iterable[facts.Operation]:
        graph = self.program.graph
        before = predecessors(self.work, graph.mutated)
        for at, work in enumerate(self.work):
            earlier = {self.position[id(other)]: other for other in before[id(work)]}
            is_loop = isinstance(work, Loop)
            yield facts.Operation(
                name=f"op{at}",
                buffers=tuple(sorted(name for name in work.writes if name in graph.buffers)),
                kind=_kind(work),
                device=str(work.buffer.device if is_loop else graph.device),
                nodes=nodes_of(work, self.place) if is_loop else self._node(work),
                reads=tuple(sorted(name for name in work.reads if name in graph.buffers)),
                after=tuple(sorted(earlier)),
                weak=tuple(
                    at for at, other in sorted(earlier.items()) if not other.writes & work.reads
                ),
                call="" if is_loop else str(work.target),
            )

    def _node(self, call: Extern) -> tuple[int, ...]:
        node = self.place.nodes.get(call.node)
        return () if node is None else (node,)

    def _ruling(self, verdict: Verdict) -> tuple[tuple[int, int], facts.Ruling]:
        first, second = (self._works(names) for names in (verdict.first, verdict.second))
        if _reads(first, second):
            first, second = second, first
        ruling = facts.Ruling(
            first_round=1,
            round=1,
            kind="vertical" if _reads(second, first) else "horizontal",
            outcome="fused" if verdict.fused else "refused",
            shared=verdict.score,
            reasons=tuple(filter(None, (verdict.reason or verdict.despite,))),
            into=self._group_of([*first, *second]) if verdict.fused else None,
        )
        return (self._group_of(first), self._group_of(second)), ruling

    def _works(self, names: Iterable[str]) -> list[Loop | Extern]:
        return [self.work[self.at[name]] for name in names]

    def _group_of(self, works: Sequence[Loop | Extern]) -> int:
        """The group of these, which is made where there is none yet."""
        group = self._group(works)
        found = self.by_operations.setdefault(group.operations, len(self.groups))
        if found == len(self.groups):
            self.groups.append(group)
        return found

    def _group(self, works: Sequence[Loop | Extern]) -> facts.Group:
        loops = [work for work in works if isinstance(work, Loop)]
        space = space_of(loops) if loops else None
        return facts.Group(
            operations=tuple(sorted(self.position[id(work)] for work in works)),
            kind="single" if len(works) == 1 else "fused",
            loops=tuple(map(str, space.outer)) if space else (),
            reduction=tuple(map(str, space.inner)) if space else (),
        )

    def _final(self, kernels: Mapping[int, int]) -> Iterable[facts.Placed]:
        for unit in self.program.schedule.units:
            yield facts.Placed(group=self._group_of(works_of(unit)), kernel=kernels.get(id(unit)))


def _kind(work: Loop | Extern) -> facts.OperationKind:
    if not isinstance(work, Loop):
        return "extern"
    return "reduction" if work.reduction else "pointwise"


def _reads(reader: Sequence[Loop | Extern], writer: Sequence[Loop | Extern]) -> bool:
    """Does one of the first need what the second make?"""
    made = {name for work in writer for name in work.writes}
    return any(made & work.reads for work in reader)
