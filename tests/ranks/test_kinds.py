"""Which ranks of a plan are of one kind, and how few of them are traced to know that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.model.ranks.meshes import Mesh
from dynamo_lab.model.ranks.ranks import Call, Ending, Group, Rank
from dynamo_lab.model.recording import Recording
from dynamo_lab.record.ranks.kinds import kinds_of

if TYPE_CHECKING:
    from dynamo_lab.model.ranks.plans import Kind

ROWS, COLUMNS = 8, 8
MESH = Mesh(shape=(ROWS, COLUMNS), ranks=tuple(range(ROWS * COLUMNS)), names=("row", "column"))

Brings = Callable[[int, int], bool]


def planned(number: int, brings: Brings) -> Recording:
    """A rank that scatters along its row of the mesh; `brings` says which rank has the whole."""
    row, column = divmod(number, COLUMNS)
    own = Group("own", tuple(range(row * COLUMNS, (row + 1) * COLUMNS)))
    across = Group("across", tuple(range(column, ROWS * COLUMNS, COLUMNS)))
    whole = ((64,),) if brings(row, column) else ()
    calls = (
        Call(name="scatter", group="own", number=1, sizes=whole),
        Call(name="allreduce", group="across", number=1, sizes=((8,),)),
    )
    rank = Rank(number=number, size=64, groups=(own, across), calls=calls, meshes=(MESH,),
                ending=Ending(kind="finished"))  # fmt: skip
    return Recording(title="step", rank=rank)


def kinds(brings: Brings) -> tuple[list[Kind], list[int]]:
    traced: dict[int, Recording] = {}

    def of(number: int) -> Recording:
        return traced.setdefault(number, planned(number, brings))

    made, left = kinds_of(of, ROWS * COLUMNS)
    assert left == []
    return made, sorted(traced)


def test_the_dimension_of_a_scatter_matters_and_five_ranks_tell_so() -> None:
    made, traced = kinds(lambda row, column: column == 0)
    assert [kind.ranks for kind in made] == [
        tuple(range(0, 64, 8)), tuple(n for n in range(64) if n % 8),
    ]  # fmt: skip
    assert traced == [0, 4, 32, 33, 63]


@pytest.mark.parametrize(
    "brings", [lambda row, column: row == 0, lambda row, column: row == column == 0]
)
def test_where_another_dimension_matters_each_is_tried(brings: Brings) -> None:
    made, traced = kinds(brings)
    assert len(traced) > 5
    for kind in made:  # no rank is of a kind that does something else
        assert len({brings(*divmod(number, COLUMNS)) for number in kind.ranks}) == 1


def test_where_all_do_the_same_three_are_traced() -> None:
    made, traced = kinds(lambda row, column: True)
    assert len(made) == 1
    assert traced == [0, 33, 63]
