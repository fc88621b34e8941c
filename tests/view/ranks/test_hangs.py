"""What is said of several ranks that others wait for in vain, on jobs made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.ranks.ranks import Handled, Stay
from tests.view.ranks.test_causes import call, of_four, rank, said, waiting
from tests.view.ranks.test_outside import calling

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording


def having(one: Recording, **facts: Any) -> Recording:
    assert one.rank is not None
    return replace(one, rank=replace(one.rank, **facts))


def told_of(*others: Recording) -> list[str]:
    waits = rank(0, waiting(5), kind="cut off", line=5)
    return said(*map(of_four, (waits, *others, rank(3, call(5), line=8))))


def test_what_they_handle_is_said_of_all() -> None:
    handled = Handled(message="KeyError: 'lr'", span=2)
    busy = [having(rank(n, kind="cut off", line=8), handled=handled) for n in (1, 2)]
    (told,) = told_of(*busy)
    assert told.startswith("Ranks 1 and 2 were at train.py, line 8")
    assert ", while ranks 1 and 2 handle KeyError: 'lr', raised at train.py, line 3" in told
    (first, second) = told_of(busy[0], rank(2, kind="cut off", line=8))
    assert ", while rank 1 handles KeyError" in first
    assert "handle" not in second


def test_what_they_called_instead_is_said_of_all() -> None:
    first, *_ = told_of(*(calling(rank(n, line=8), 3) for n in (1, 2)))
    assert first.startswith("Ranks 1 and 2 ended without calling `all_reduce` 1")
    assert "; they called `all_reduce` at train.py, line 3" in first
    assert "on a group that they are not in" in first


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        ((3.5, 3.5), "for 3.5 s when"),
        ((3.6, 3.5), "for 3.5 s to 3.6 s when"),
        ((3.6, 0.0), "for at most 3.6 s when"),
        ((0.0, 0.0), "when"),
    ],
)
def test_ranks_on_one_line_are_one_sentence_however_long_each_was_there(
    spent: tuple[float, float], words: str
) -> None:
    ranks = [
        having(rank(n, kind="cut off", line=8), stays=(Stay(1.0, 1.0 + each, 7),))
        for n, each in enumerate(spent, 1)
    ]
    (told,) = told_of(*ranks)
    assert told.startswith(f"Ranks 1 and 2 were at train.py, line 8 (`load(x)`) {words} the job")
