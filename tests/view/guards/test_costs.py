"""How long guards take, in words: what is known of a part, of their sum, and of filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dynamo_lab.model.guards.costs import GuardBranch, GuardFilter, GuardTime
from dynamo_lab.render import terminal
from dynamo_lab.view import build
from dynamo_lab.view.guards.costs import dropping
from tests.view import samples

if TYPE_CHECKING:
    from dynamo_lab.view.guards.costs import GuardCostView


def _time(**changes: Any) -> GuardTime:
    found = GuardTime(
        compile_id="0/0",
        seconds=10e-6,
        guards=40,
        state=1e-6,
        branches=(GuardBranch("L['self']._modules['a']", 6e-6, 9), GuardBranch("G", 2e-6, 3)),
        filters=(
            GuardFilter("skip_guard_on_inbuilt_nn_modules_unsafe", 35, 8e-6),
            GuardFilter("skip_guard_on_all_nn_modules_unsafe", 10, 4e-6),
            GuardFilter("skip_all_guards_unsafe", 0, 1e-6),
        ),
    )
    return replace(found, **changes)


def _shown(**changes: Any) -> GuardCostView:
    made = replace(samples.branch_and_print(), guard_times=(_time(**changes),))
    [one] = build(made).guards.costs
    return one


def test_the_whole_is_said_with_how_it_was_measured() -> None:
    assert _shown().sentence == (
        "Checking the guards (40 as Dynamo counts them) takes 10 µs, measured apart from a call."
    )
    assert [row.name for row in _shown().rows][::2] == ["the state of PyTorch", "globals"]
    assert _shown(state=None, branches=(), filters=()).rows == ()


def test_the_parts_are_held_against_the_whole() -> None:
    assert _shown().sum.endswith("together they are 90 % of the whole.")
    much = (GuardBranch("L['x']", 14e-6, 1),)
    assert "150 % of the whole, so what each takes is known roughly" in _shown(branches=much).sum


def test_a_filter_says_what_it_drops_and_leaves() -> None:
    first, second, _ = _shown().filters
    assert "drops 5 of them, which leaves at most 8.0 µs" in first
    assert "drops 30 of them" in second
    nothing = (GuardFilter("skip_guard_on_inbuilt_nn_modules_unsafe", 40, 10e-6),)
    assert _shown(filters=nothing).filters[0].endswith("drops 0 of them.")


def test_the_filter_that_drops_least_of_those_that_halve_it() -> None:
    found = dropping(_time())
    assert found is not None
    assert found.name == "skip_guard_on_all_nn_modules_unsafe"
    assert dropping(_time(filters=_time().filters[::2])) is None  # all is more than is advised
    unknown = (GuardFilter("skip_guard_on_all_nn_modules_unsafe", 1, None),)
    assert dropping(_time(filters=unknown)) is None


def test_a_terminal_shows_the_whole_and_in_full_the_parts() -> None:
    made = replace(samples.branch_and_print(), guard_times=(_time(),))
    text = terminal.render(build(made), width=120, sections=["guards"])
    assert "Checking the guards (40 as Dynamo counts them) takes 10 µs" in text
    assert "6.0 µs" in text
    assert "together they are 90 % of the whole" in text
