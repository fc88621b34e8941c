"""Collectives that a rank called on a group that it is not in: nothing comes of them there."""

from collections.abc import Iterator, Sequence

from dynamo_lab.model.ranks.names import kind_of
from dynamo_lab.model.ranks.ranks import Outside
from dynamo_lab.view.core.words import first_up, times
from dynamo_lab.view.ranks.causes.words import stands_for, who_waits
from dynamo_lab.view.ranks.known import Known, names_of
from dynamo_lab.view.ranks.mesh.groups import group_words
from dynamo_lab.view.ranks.reasons import operator_of

_RAISES = "DistributedDataParallel"


def outside(ranks: Sequence[Known], told: Sequence[str] = ()) -> Iterator[str]:
    """A sentence for each place that called so, unless its line is in what is told already."""
    for (name, where), calls in _places(ranks, have_ended_it=False).items():
        if not any(where and where in sentence for sentence in told):
            raises = name == _RAISES
            comes = ", which raises" if raises else ": PyTorch warns, and nothing is done there"
            yield f"{_called(name, where, calls, ranks)}{comes}.{_stand_for(calls)}"


def ended_outside(ranks: Sequence[Known]) -> Iterator[str]:
    """A sentence for each place that called so where PyTorch raised, which ended the program."""
    for (name, where), calls in _places(ranks, have_ended_it=True).items():
        one = calls[0][0]
        told = f"PyTorch raises {one.rank.ending.message.rstrip('.')}{who_waits(one, ranks)}"
        yield f"{_called(name, where, calls, ranks)}: {told}.{_stand_for(calls)}"


def _stand_for(calls: Sequence[tuple[Known, Outside]]) -> str:
    return stands_for(*(one for one, _ in calls))


def _places(
    ranks: Sequence[Known], *, have_ended_it: bool
) -> dict[tuple[str, str], list[tuple[Known, Outside]]]:
    """What was called, and where, with the ranks that called."""
    found: dict[tuple[str, str], list[tuple[Known, Outside]]] = {}
    for one in ranks:
        for call in one.rank.outside:
            if call.has_ended_it == have_ended_it:
                found.setdefault((call.name, _where(one, call)), []).append((one, call))
    return found


def called_instead(those: Sequence[Known], name: str) -> str:
    """'; it called `all_reduce` at train.py, line 8, on a group that it is not in', if it did.

    It is of ranks that did the same.
    """
    one, (it, it_is) = those[0], ("it", "it is") if len(those) == 1 else ("they", "they are")
    found = next((call for call in one.rank.outside if _same(call.name, name)), None)
    if found is None:
        return ""
    where = _where(one, found)
    at = f" at {where}" if where else ""
    return (
        f"; {it} called `{found.name}`{at} on a group that {it_is} not in, where PyTorch warns "
        "and does nothing"
    )


def _called(
    name: str, where: str, calls: Sequence[tuple[Known, Outside]], ranks: Sequence[Known]
) -> str:
    """'Rank 1 calls `all_reduce` at train.py, line 8, on a group that it is not in; ...'."""
    one = [known for known, _ in calls]
    alone = len(one) == 1
    most = max(call.times for _, call in calls)
    often = f", {times(most)}{'' if alone else ' each at most'}," if most > 1 else ""
    does = "uses" if name == _RAISES else "calls"
    group = _members_group(name, where, one, ranks)
    return (
        f"{first_up(names_of(one))} {does if alone else does[:-1]} `{name}`"
        + (f" at {where}" if where else "")
        + f"{often} on a group that {'it is' if alone else 'they are'} not in{group}"
    )


def _members_group(name: str, where: str, those: Sequence[Known], ranks: Sequence[Known]) -> str:
    """'; on rank 0 it is the group '1' of ranks 0 and 2', where a rank shows that."""
    for one in ranks if where else ():
        if one in those:
            continue
        for key, calls in one.calls.items():
            for call in calls.values():
                if _same(name, operator_of(call)) and one.where(one.line_of(call)) == where:
                    return f"; on {one.label} it is {group_words(key, one.rank)}"
    return ""


def _where(one: Known, call: Outside) -> str:
    return one.where(one.places.own_line(call.stack))


def _same(one: str, other: str) -> bool:
    return kind_of(one) == kind_of(other)
