"""A search for what makes a program wrong, with compilations that only say what they would."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from dynamo_lab.bench.bisections.search import Search, Suspects
from dynamo_lab.capture.bisections.parts import Part

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMES = ("mul", "add", "view", "clone", "rev", "sum")
PARTS = tuple(Part("lowering", name) for name in _NAMES)


class Pretended:
    """Says of each compilation whether it is wrong, by the operators that are lowered in it."""

    only = None

    def __init__(self, is_wrong: Callable[[set[str]], bool]) -> None:
        self._is_wrong, self.made = is_wrong, list[str]()

    def run(self, what: str, backend: str = "inductor", **how: Any) -> Any:
        self.made.append(what)
        allowed: Callable[[Part], bool] = how.get("allowed", bool)
        lowered = {part.name for part in PARTS if backend == "inductor" and allowed(part)}
        return SimpleNamespace(outcome="wrong" if self._is_wrong(lowered) else "right")


def searched(is_wrong: Callable[[set[str]], bool]) -> tuple[list[str], str, list[str]]:
    trials: Any = Pretended(is_wrong)
    first: Any = SimpleNamespace(graphs=None, parts=SimpleNamespace(seen=PARTS))
    search = Search(trials, first, Suspects())
    ended = search.run()
    return [found.culprit.name for found in search.found], ended, trials.made


def test_operators_that_are_wrong_only_together_are_named_from_the_first_to_the_last() -> None:
    found, ended, made = searched(lambda lowered: {"add", "rev"} <= lowered)
    assert found == ["Inductor", "add to rev together"]
    assert not ended
    assert len(made) <= 12


def test_an_operator_that_is_wrong_alone_is_named_alone() -> None:
    found, ended, _ = searched(lambda lowered: "clone" in lowered)
    assert found == ["Inductor", "clone"]
    assert not ended
