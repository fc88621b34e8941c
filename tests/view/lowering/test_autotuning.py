"""Candidates by their times, and the sentence on why one was taken."""

from typing import Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.lowering import Autotuning, Candidate
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.lowering.autotuning import AutotuningView, build
from tests.view.samples.lowered import lowered


def view(**changes: Any) -> AutotuningView:
    recording = lowered()
    changed = replace(recording, autotunings=(replace(recording.autotunings[0], **changes),))
    return shown(changed)


def shown(recording: Recording) -> AutotuningView:
    ((found,),) = build(recording, Places(recording)).values()
    return found


def timed(*seconds: float | None) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(name=f"way{at}", is_template=at > 0, seconds=one)
        for at, one in enumerate(seconds)
    )


def test_the_fastest_comes_first_and_what_failed_last() -> None:
    found = view()
    assert [one.name for one in found.candidates] == ["mm", "cpp_gemm_0", "cpp_gemm_1"]
    assert [one.ratio for one in found.candidates] == ["1.00", "2.00", ""]
    assert [one.is_chosen for one in found.candidates] == [True, False, False]
    assert (
        "`mm`, a library's, was the fastest: `cpp_gemm_0` took 2.00 times as long" in found.sentence
    )
    assert "1 candidate could not be timed" in found.sentence


@pytest.mark.parametrize(
    ("candidates", "chosen", "words"),
    [
        (timed(1e-5, 1.01e-5), 0, "another run may take that"),
        (timed(1e-5, 3e-5), 0, "`way0`, a library's, was the fastest: `way1` took 3.00 times"),
        (timed(1e-5, 3e-5), 1, "time did not decide"),
        (timed(None, 3e-5), 1, "was the only one with a time"),
        (timed(None, 3e-5), 0, "was taken without a time"),
        (timed(1e-5, 3e-5), None, "decided later"),
    ],
)
def test_why_it_was_taken(candidates: Any, chosen: int | None, words: str) -> None:
    assert words in view(candidates=candidates, chosen=chosen).sentence


def test_what_its_kernel_computes_besides_is_in_the_loops_that_it_ends_with() -> None:
    recording = lowered()
    (found,) = recording.autotunings
    template, loop = recording.buffers[0], recording.buffers[1]
    made = replace(template, kind="template", during=found.node)
    kernel = replace(recording.kernels[0], graph=1, buffers=(made.name, loop.name))
    changed = replace(
        recording,
        kernels=(kernel, *recording.kernels[1:]),
        buffers=(made, *recording.buffers[1:]),
        autotunings=(replace(found, candidates=timed(3e-5, 1e-5), chosen=1),),
    )
    assert f"`{kernel.name}` also computes add." in shown(changed).sentence
    alone = replace(changed, kernels=(replace(kernel, buffers=(made.name,)),))
    assert f"`{kernel.name}` computes nothing else." in shown(alone).sentence


def test_times_of_an_earlier_run_are_said_to_be_so() -> None:
    assert "from Inductor's cache" in view(was_timed=False).sentence
    assert "cache" not in view().sentence


def test_what_has_no_graph_is_not_shown() -> None:
    one = Autotuning(operator="mm", candidates=timed(1.0))
    recording = replace(lowered(), autotunings=(one,))
    assert build(recording, Places(recording)) == {}
