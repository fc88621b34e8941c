"""What each rank of a job keeps in memory for its model, and what the same takes whole."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from dynamo_lab.model.ranks.memory import Amount, Memory
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.words import percent, size, unique, unit
from dynamo_lab.view.ranks.known import Known
from dynamo_lab.view.ranks.mesh.groups import numbers_of

_PARTS = ("parameters", "buffers", "gradients", "optimizer", "reducer")
HEAD = ("", "weights", "buffers", "gradients", "optimizer", "buckets", "sum", "saved")
"""Buckets are DDP's. Saved is what compiled forwards save for the backward, none of the sum."""


class RankMemoryView(Struct, frozen=True, kw_only=True):
    """`rows` have a label and a cell for each column of `head`, the last row what it takes whole.

    `bytes` are the numbers of the rows, None where nothing was seen of it.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bytes: tuple[tuple[int | None, ...], ...]
    sentences: tuple[str, ...]


def build(ranks: Sequence[Known]) -> RankMemoryView | None:
    """The memory of ranks; None where none of it was seen."""
    alike: dict[tuple[int | None, ...], list[Known]] = {}
    for one in ranks:
        if one.rank.memory is not None:
            alike.setdefault(_own(one.rank.memory, one.recording), []).append(one)
    if not alike:
        return None
    wholes = [_whole(one.rank.memory) for own in alike.values() for one in own if one.rank.memory]
    whole = max(wholes, key=lambda numbers: sum(filter(None, numbers)))
    numbers = [*alike, (*whole, None)]
    labels = [_labels(own) for own in alike.values()]
    return RankMemoryView(
        head=HEAD,
        rows=tuple(
            (label, *map(_cell, own))
            for label, own in zip([*labels, "whole"], numbers, strict=True)
        ),
        bytes=tuple(numbers),
        sentences=tuple(_sentences(list(alike), labels, whole)),
    )


def _labels(own: Sequence[Known]) -> str:
    """'ranks 0 and 5'; of a plan all for which they stand: 'ranks 0 to 7'."""
    numbers = sorted(n for one in own for n in one.stands_for or (one.rank.number,))
    return f"{unit(len(numbers), 'rank')} {numbers_of(numbers)}"


def _own(memory: Memory, recording: Recording) -> tuple[int | None, ...]:
    parts = [_of(getattr(memory, name), "own") for name in _PARTS]
    return (*parts, sum(filter(None, parts)), activations(recording))


def _whole(memory: Memory) -> tuple[int | None, ...]:
    parts = [_of(getattr(memory, name), "whole") for name in _PARTS]
    return (*parts, sum(filter(None, parts)))


def _of(amount: Amount | None, name: str) -> int | None:
    return None if amount is None else int(getattr(amount, name))


def activations(recording: Recording) -> int | None:
    """The bytes that compiled forwards save, of each function as it was compiled last."""
    last: dict[tuple[str, int], int] = {}
    for one in recording.partitions:
        if one.forward is None:
            continue
        graph = recording.graphs[one.forward]
        last[graph.compile_id.partition("/")[0], graph.part] = one.activation_bytes
    return sum(last.values()) if last else None


def _cell(number: int | None) -> str:
    return "?" if number is None else size(number)


def _sentences(
    numbers: Sequence[tuple[int | None, ...]],
    labels: Sequence[str],
    whole: tuple[int | None, ...],
) -> Iterator[str]:
    together = [own[len(_PARTS)] or 0 for own in numbers]
    most = max(range(len(together)), key=lambda at: together[at])
    total = whole[len(_PARTS)] or 0
    if total:
        apart = ", without DDP's buckets" if numbers[most][_PARTS.index("reducer")] else ""
        each = " on each" if labels[most].startswith("ranks") else ""
        yield (
            f"The memory that was seen of {labels[most]} is {size(together[most])}{each}, "
            f"{percent(together[most] / total)} of the {size(total)} of the same tensors "
            f"whole{apart}."
        )
    unknown = unique(
        name
        for own in numbers
        for name, number in zip(HEAD[1:], own, strict=True)
        if number is None and name not in ("buckets", "saved")
    )
    if unknown:
        yield f"Nothing was seen of: {', '.join(unknown)}."
