"""What an edit leaves in the recording that it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.api.edited import edited as edited_of
from dynamo_lab.model.kernels import Edit, EditTiming

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.recording import Recording as Facts


def test_the_benchmark_of_an_edit_says_how_many_calls_a_round_has(
    make: Callable[[str], Facts],
) -> None:
    facts = make("branch_and_print")
    fact = facts.kernels[0]
    times = (1e-6, 2e-6)
    edit = Edit(
        kernel=fact.id, name=fact.name, language=fact.language,
        before=fact.code, after=fact.code, verdict="right",
        timings=(
            EditTiming(what="kernel", cache="warm", original=times, edited=times),
            EditTiming(
                what="program", cache="warm", original=times, edited=times,
                original_loops=500, edited_loops=400,
            ),
        ),
    )  # fmt: skip
    benchmark = edited_of(facts, edit).recording.benchmark
    assert benchmark is not None
    assert [(one.way, one.loops, one.seconds) for one in benchmark.series] == [
        (0, 500, times),
        (1, 400, times),
    ]
