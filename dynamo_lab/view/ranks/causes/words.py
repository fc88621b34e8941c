"""Words of what ranks called: where, under which condition, with which tensors."""

from collections.abc import Sequence

from dynamo_lab.model.ranks.ranks import Call
from dynamo_lab.view.core.words import first_up, listed
from dynamo_lab.view.ranks.known import Known, condition_of, names_of
from dynamo_lab.view.ranks.mesh.groups import numbers_of

OTHERWISE = "Ranks that wait in different collectives wait forever."


def at(one: Known) -> str:
    """' at train.py, line 3 (`x = f(x)`)', the line that a rank was last seen on."""
    return f" at {where}" if (where := one.where(one.position)) else ", on a line that is not known"


def on(one: Known, call: Call) -> str:
    """' at train.py, line 3 (`all_reduce(x)`)', the line of a call; empty where it is not known."""
    where = one.where(one.line_of(call))
    return f" at {where}" if where else ""


def call_words(call: Call) -> str:
    """'`all_reduce` 2', with its number in its group."""
    return f"`{call.name}` {call.number}"


def under(one: Known, call: Call) -> str:
    """': on rank 1 it is under `if rank == 0` (line 4)', the innermost condition, if any."""
    condition = condition_of(one, one.line_of(call))
    return f": on {one.label} it is {condition}" if condition else ""


def handling(*alike: Sequence[Known]) -> str:
    """', while rank 1 handles ValueError: no such batch, raised at train.py, line 8'.

    It is of the first of these ranks that do; each is given with those that do the same.
    """
    for those in alike:
        one = those[0]
        handled = one.rank.handled
        if handled is not None:
            where = one.where(one.places.line_of(handled.span))
            handles = "handles" if len(those) == 1 else "handle"
            does = "handled" if one.rank.ending.kind == "raised" else handles
            told = handled.message.rstrip(".")
            return f", while {names_of(those)} {does} {told}, raised at {where}"
    return ""


def brought(call: Call) -> str:
    """'float[8]', what a rank brings."""
    shapes = [
        f"{kind.lower()}[{', '.join(map(str, sizes))}]"
        for kind, sizes in zip(call.dtypes, call.sizes, strict=False)
    ]
    return listed(shapes) or "nothing"


def who_waits(missing: Known, ranks: Sequence[Known]) -> str:
    """'; rank 0 waited for it in `all_reduce` 2 (train.py, line 8)'."""
    for one in ranks:
        call = one.waiting
        if call is not None and one is not missing and missing.rank.number in _members(one, call):
            where = one.where(one.line_of(call))
            return f"; {one.label} waited for it in {call_words(call)}" + (
                f" at {where}" if where else ""
            )
    return ""


def _members(one: Known, call: Call) -> tuple[int, ...]:
    ranks = next((group.ranks for group in one.rank.groups if group.name == call.group), ())
    return ranks or tuple(range(one.rank.size))


def stands_for(*ranks: Known) -> str:
    """' Rank 1 stands for ranks 1, 3, 5, ... 63 (32 of 64).', of ranks of a plan that do."""
    told = [
        f"{one.label} stands for ranks {numbers_of(one.stands_for)} "
        f"({len(one.stands_for):,} of {one.rank.size:,})"
        for one in ranks
        if len(one.stands_for) > 1
    ]
    return f" {first_up('; '.join(told))}." if told else ""
