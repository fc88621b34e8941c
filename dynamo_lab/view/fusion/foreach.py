"""Lists of tensors that run side by side, and the rule that lets two of them fuse.

`ForeachKernelSchedulerNode.can_fuse` in `torch/_inductor/scheduler.py`: two lists of one length
fuse if at every index what the second reads matches what the first has at the same index. PyTorch
asks index by index and stops at the first that is refused, so what comes after was not asked. Since
torch 2.15 it first looks for an index that needs another one, and if there is one, asks about none.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.fusion.fusion import Group, Ruling, Schedule, Verdict
from dynamo_lab.view.core.words import listed, plural
from dynamo_lab.view.fusion.advice import advice, filled

State = Literal["fused", "possible", "refused", "not asked"]

CROSSED = "a consumer depends on another producer"
"""How PyTorch's reason begins where one index needs another: it names neither."""

MOST = 12
"""The most indices of a list that are shown: a model has hundreds of parameters."""


class IndexView(Struct, frozen=True, kw_only=True):
    """One index of two lists: what the second reads of the first, and what came of it."""

    index: int
    one: str
    other: str
    reads: str
    state: State
    why: str = ""
    where: str = ""
    entity: str = ""


class ListsView(Struct, frozen=True, kw_only=True):
    """Two lists that were considered; `left` counts the indices that are not shown."""

    one: str
    other: str
    state: State
    sentence: str
    indices: tuple[IndexView, ...]
    left: int = 0


class ForeachView(Struct, frozen=True, kw_only=True):
    """What a schedule did with its lists: in words, and each two that were considered.

    `where` is the line of the first list, `entity` names it.
    """

    sentences: tuple[str, ...]
    pairs: tuple[ListsView, ...]
    where: str = ""
    entity: str = ""


def build(schedule: Schedule, places: Sequence[tuple[str, str]]) -> ForeachView | None:
    """The lists of a schedule; None where it has none. `places` has each operation's line."""
    started = [schedule.groups[at] for at in schedule.start]
    lists = [group for group in started if group.parts]
    if not lists:
        return None
    return _Lists(schedule, places).view(lists)


class _Lists:
    def __init__(self, schedule: Schedule, places: Sequence[tuple[str, str]]) -> None:
        self._schedule = schedule
        self._places = places
        self._writes = {
            buffer: at for at, one in enumerate(schedule.operations) for buffer in one.buffers
        }
        self._asked: dict[tuple[tuple[int, ...], tuple[int, ...]], list[Ruling]] = {}
        for verdict in schedule.verdicts:
            self._asked.setdefault(self._key(verdict), []).append(verdict.ruling)

    def view(self, lists: Sequence[Group]) -> ForeachView:
        pairs = [one for one in self._schedule.verdicts if self._is_of_lists(one)]
        where, entity = self._places[lists[0].operations[0]]
        return ForeachView(
            sentences=tuple(self._sentences(lists)),
            pairs=tuple(map(self._pair, pairs)),
            where=where,
            entity=entity,
        )

    def _sentences(self, lists: Sequence[Group]) -> Iterator[str]:
        groups = (self._schedule.groups[item.group] for item in self._schedule.final)
        left = [group for group in groups if group.parts]
        sizes = sorted({len(group.parts) for group in lists})
        yield (
            f"{plural(len(lists), 'list')} of {listed([str(n) for n in sizes])} tensors became "
            f"{plural(len(left), 'group')} whose parts run side by side."
        )
        yield (
            "Two lists are fused if, at every index, the second reads what the first reads or "
            "writes at the same index."
        )

    def _is_of_lists(self, verdict: Verdict) -> bool:
        groups = self._schedule.groups
        return all(groups[at].parts for at in (verdict.producer, verdict.consumer))

    def _key(self, verdict: Verdict) -> tuple[tuple[int, ...], tuple[int, ...]]:
        groups = self._schedule.groups
        return groups[verdict.producer].operations, groups[verdict.consumer].operations

    def _pair(self, verdict: Verdict) -> ListsView:
        one, other = (self._schedule.groups[at] for at in (verdict.producer, verdict.consumer))
        names = self._name(one.operations), self._name(other.operations)
        ruling = verdict.ruling
        if len(one.parts) != len(other.parts):
            told = f"The lists have {len(one.parts)} and {len(other.parts)} tensors."
            return ListsView(
                one=names[0], other=names[1], state=ruling.outcome, sentence=told, indices=()
            )
        every = list(self._indices(one, other, ruling))
        if all(item.state == "not asked" for item in every):
            every = []
        stopped = next((item for item in every if item.state == "refused"), None)
        shown = every[:MOST]
        if stopped is not None and stopped not in shown:
            shown[-1] = stopped
        return ListsView(
            one=names[0],
            other=names[1],
            state=ruling.outcome,
            sentence=self._told(ruling, stopped, names, len(every)),
            indices=tuple(shown),
            left=len(every) - len(shown),
        )

    def _told(
        self, ruling: Ruling, stopped: IndexView | None, names: tuple[str, str], count: int
    ) -> str:
        if stopped is not None:
            return f"Refused at index {stopped.index} of {count}. {stopped.why}"
        if ruling.outcome == "refused":
            return " ".join(filled(one.why, *names) for one in advice(ruling))
        if ruling.outcome == "fused":
            return f"Fused: it may be at each of the {count} indices."
        return " ".join(filled(one.why, *names) for one in advice(ruling))

    def _indices(self, one: Group, other: Group, ruling: Ruling) -> Iterator[IndexView]:
        """Each index: the parts were asked about in the rounds of the lists, until one refused."""
        is_over = False
        crossed = self._crossed(one, other, ruling)
        for index, (first, second) in enumerate(zip(one.parts, other.parts, strict=True)):
            asked = None if is_over else self._ruling(first, second, ruling)
            state: State = "not asked"
            if ruling.outcome != "refused":
                state = ruling.outcome
            elif asked is not None:
                state = asked.outcome
            elif index == crossed:
                state = "refused"
            is_over = is_over or state == "refused"
            names = self._name(first), self._name(second)
            why = self._why(asked, index, one, second, names) if state == "refused" else ""
            where, entity = self._places[second[-1]]
            yield IndexView(
                index=index,
                one=names[0],
                other=names[1],
                reads=self._reads(first, second, one),
                state=state,
                why=f"{why} That is {where}." if why and where else why,
                where=where,
                entity=entity,
            )

    def _crossed(self, one: Group, other: Group, ruling: Ruling) -> int | None:
        """The index that needs another one, where that is why PyTorch asked about none."""
        if not any(reason.startswith(CROSSED) for reason in ruling.reasons):
            return None
        parts = enumerate(other.parts)
        return next((at for at, part in parts if set(self._elsewhere(part, one)) - {at}), None)

    def _ruling(self, first: tuple[int, ...], second: tuple[int, ...], of: Ruling) -> Ruling | None:
        """The verdict on two parts in one of the rounds in which their lists were considered."""
        for ruling in self._asked.get((first, second), ()):
            if ruling.first_round <= of.round and ruling.round >= of.first_round:
                return ruling
        return None

    def _why(
        self,
        asked: Ruling | None,
        index: int,
        one: Group,
        second: tuple[int, ...],
        names: tuple[str, str],
    ) -> str:
        """That it reads another index of the first list, or what the verdict says."""
        others = [at for at in self._elsewhere(second, one) if at != index]
        said = [filled(found.why, *names) for found in advice(asked)] if asked else []
        if others:
            at = listed([str(other) for other in others[:3]])
            said.insert(0, f"There the second list reads what the first has at index {at}.")
        return " ".join(dict.fromkeys(said))

    def _elsewhere(self, second: Iterable[int], one: Group) -> list[int]:
        """The indices of the first list that the second part reads."""
        producers = self._producers(second)
        return [at for at, part in enumerate(one.parts) if producers & set(part)]

    def _producers(self, part: Iterable[int]) -> set[int]:
        reads = {name for at in part for name in self._schedule.operations[at].reads}
        return {self._writes[name] for name in reads if name in self._writes} - set(part)

    def _reads(self, first: tuple[int, ...], second: tuple[int, ...], one: Group) -> str:
        """What the second part needs of the first, else of another index, else what both read."""
        operations = self._schedule.operations
        written = [name for at in first for name in operations[at].buffers]
        needed = {name for at in second for name in operations[at].reads}
        found = [name for name in written if name in needed]
        if found:
            return f"reads {listed(found)} of the same index"
        elsewhere = self._elsewhere(second, one)
        if elsewhere:
            return f"reads what is at index {listed([str(at) for at in elsewhere[:3]])}"
        both = {name for at in first for name in operations[at].reads} & needed
        if both:
            return f"both read {listed(sorted(both)[:3])}"
        return "nothing in common"

    def _name(self, operations: Sequence[int]) -> str:
        names = [self._schedule.operations[at].name for at in operations]
        shown = names if len(names) < 4 else [names[0], "…", names[-1]]
        return " ".join(shown)
