"""Collectives that a rank called on a group that it is not in: nothing comes of them there."""

from collections.abc import Iterator, Sequence

from dynamo_lab.model.ranks.names import kind_of
from dynamo_lab.model.ranks.ranks import Outside
from dynamo_lab.view.core.words import first_up, times
from dynamo_lab.view.ranks.known import Known, group_words, names_of
from dynamo_lab.view.ranks.reasons import operator_of

_RAISES = "DistributedDataParallel"


def outside(ranks: Sequence[Known], told: Sequence[str] = ()) -> Iterator[str]:
    """A sentence for each place that called so, unless its line is in what is told already."""
    found: dict[tuple[str, str], list[tuple[Known, Outside]]] = {}
    for one in ranks:
        for call in one.rank.outside:
            found.setdefault((call.name, _where(one, call)), []).append((one, call))
    for (name, where), calls in found.items():
        if not any(where and where in sentence for sentence in told):
            yield _sentence(name, where, calls, ranks)


def called_instead(one: Known, name: str) -> str:
    """'; it called `all_reduce` at train.py, line 8, on a group that it is not in', if it did."""
    found = next((call for call in one.rank.outside if _same(call.name, name)), None)
    if found is None:
        return ""
    where = _where(one, found)
    at = f" at {where}" if where else ""
    return (
        f"; it called `{found.name}`{at} on a group that it is not in, where PyTorch warns and "
        "does nothing"
    )


def _sentence(
    name: str, where: str, calls: Sequence[tuple[Known, Outside]], ranks: Sequence[Known]
) -> str:
    one = [known for known, _ in calls]
    alone = len(one) == 1
    most = max(call.times for _, call in calls)
    often = f", {times(most)}{'' if alone else ' each at most'}," if most > 1 else ""
    does = "uses" if name == _RAISES else "calls"
    comes = ", which raises" if name == _RAISES else ": PyTorch warns, and nothing is done there"
    group = _members_group(name, where, one, ranks)
    return (
        f"{first_up(names_of(one))} {does if alone else does[:-1]} `{name}`"
        + (f" at {where}" if where else "")
        + f"{often} on a group that {'it is' if alone else 'they are'} not in{group}{comes}."
    )


def _members_group(name: str, where: str, those: Sequence[Known], ranks: Sequence[Known]) -> str:
    """'; on rank 0 it is the group '1' of ranks 0 and 2', where a rank shows that."""
    for one in ranks if where else ():
        if one in those:
            continue
        for key, calls in one.calls.items():
            for call in calls.values():
                if _same(name, operator_of(call)) and one.where(one.line_of(call)) == where:
                    return f"; on {one.label} it is {group_words(key, one.rank.size)}"
    return ""


def _where(one: Known, call: Outside) -> str:
    return one.where(one.places.own_line(call.stack))


def _same(one: str, other: str) -> bool:
    return kind_of(one) == kind_of(other)
