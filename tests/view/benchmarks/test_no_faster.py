"""What is advised where a compiled program is no faster than eager, on recordings made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from dynamo_lab.view.findings.findings import found_of
from tests.findings.times import timed

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.findings.finding import Finding

    Make = Callable[[str], Recording]


def speeds(recording: Recording) -> list[Finding]:
    found = [one.finding for one in found_of(recording)]
    return [one for one in found if one.rule in ("no-faster", "call-overhead")]


def slower(made: Recording, *, device: str = "cpu") -> Recording:
    """Compiled takes 90 us, half of it in kernels, and eager 60 us."""
    kernels = [45 / len(made.kernels)] * len(made.kernels)
    return timed(made, eager=60, overhead=40, kernels=kernels, whole=90, device=device)


def test_what_was_measured_kernel_by_kernel_is_not_to_be_so_again(make: Make) -> None:
    [finding] = speeds(slower(make("measured")))
    assert finding.rule == "no-faster"
    assert "together 94 % of the whole call" in finding.sentence
    assert "kernel by kernel" not in finding.remedy
    assert "Leave it to eager" in finding.remedy


def test_parts_on_a_gpu_are_not_added(make: Make) -> None:
    [finding] = speeds(slower(make("measured"), device="cuda:0"))
    assert "side by side" in finding.sentence
    assert "together" not in finding.sentence


def test_what_was_not_measured_is_advised_to_be(make: Make) -> None:
    known = slower(make("measured"))
    assert known.benchmark
    whole = replace(known.benchmark, kernels=(), overheads=(), groups=(), eager_calls=())
    [finding] = speeds(replace(known, benchmark=whole))
    assert "were not measured" in finding.sentence
    assert "kernel by kernel" in finding.remedy


def test_what_could_not_be_measured_is_not_advised_again(make: Make) -> None:
    known = slower(make("measured"))
    assert known.benchmark
    first, *others = known.benchmark.kernels
    part = replace(known.benchmark, kernels=(replace(first, warm=()), *others))
    [finding] = speeds(replace(known, benchmark=part))
    assert "Not all parts" in finding.sentence
    assert "kernel by kernel" not in finding.remedy


def test_of_few_rounds_nothing_is_called_no_faster(make: Make) -> None:
    made = timed(make("measured"), eager=60, overhead=80, kernels=[1])
    assert made.benchmark
    assert [one.rule for one in speeds(made)] == ["call-overhead"]
    series = tuple(replace(one, seconds=one.seconds[:5]) for one in made.benchmark.series)
    assert speeds(replace(made, benchmark=replace(made.benchmark, series=series))) == []
