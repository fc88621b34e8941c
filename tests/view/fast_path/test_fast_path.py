"""The fast path as shown: rows of calls that are alike, where they are, what to change."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.fast_path.calls import FastPathCall
from dynamo_lab.model.fast_path.trial import Trial, WayTimes
from dynamo_lab.model.recording import Recording
from dynamo_lab.render import terminal
from dynamo_lab.view import build
from dynamo_lab.view.fast_path.remedies import remedy_for
from dynamo_lab.view.fast_path.trial import trial_view

Make = Callable[[str], Recording]


def test_calls_that_are_alike_are_one_row_under_what_called_them(make: Make) -> None:
    rows = build(make("encoding")).fast_paths
    assert [(row.count, row.state, row.depth, row.line) for row in rows] == [
        (1, "refused", 0, "line:0:1"),
        (3, "taken", 1, "line:0:1"),
        (1, "refused", 0, "line:0:2"),
        (1, "broken", 0, "line:0:3"),
    ]
    assert rows[1].modules == "encoder.layers.0 … encoder.layers.2"
    assert rows[1].remedy.startswith("`torch.backends.mha.set_fastpath_enabled(False)`")
    assert rows[3].remedy == ""


def test_a_recording_without_such_modules_only_says_so_when_asked(make: Make) -> None:
    view = build(make("branch_and_print"))
    assert view.fast_paths == ()
    assert "Fast path" not in terminal.render(view)
    assert "No module of torch.nn" in terminal.render(view, sections=["fast_path"])


@pytest.mark.parametrize(
    ("reason", "helped"), [("training is enabled", True), ("words of a later release", False)]
)
def test_advice_is_given_only_where_the_reason_is_known(reason: str, helped: bool) -> None:
    call = FastPathCall(kind="layer", taken=False, reason=reason)
    assert bool(remedy_for(call)) is helped
    assert remedy_for(replace(call, taken=True)) == ""


def test_a_time_is_compared_with_eager_and_an_error_is_told() -> None:
    trial = Trial(
        device="cpu",
        measured=(
            WayTimes(way="eager", seconds=(1.0,) * 20, difference=0.0),
            WayTimes(way="compiled", seconds=(0.5,) * 20, difference=1e-6),
            WayTimes(way="both", error="no"),
        ),
    )
    eager, compiled, both = trial_view(trial).times
    assert eager.told == ""
    assert compiled.told == "2.000 times faster than the first"
    assert compiled.difference == "1e-06"
    assert (both.time, both.told) == ("not timed", "it raised an error: no")
