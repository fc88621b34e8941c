"""Why are the numbers wrong? Said where a benchmark or a search found it, and only there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from dynamo_lab.model.benchmarks import Comparison, Verdict, WayKind
from dynamo_lab.view import build
from tests.findings.faults import findings_of
from tests.view import samples

if TYPE_CHECKING:
    from dynamo_lab.model.bisections import BisectionVerdict
    from dynamo_lab.model.recording import Recording


def compared(verdict: Verdict, kind: WayKind = "compiled") -> Recording:
    """A benchmark whose one variant of this kind was compared so."""
    made = samples.measured()
    assert made.benchmark
    at = next(at for at, way in enumerate(made.benchmark.ways) if way.kind == kind)
    one = Comparison(way=at, phase="forward", value="output 0", verdict=verdict)
    return replace(made, benchmark=replace(made.benchmark, comparisons=(one,)))


def numbers(recording: Recording) -> list[str]:
    return [one.rule for one in findings_of(recording) if one.question == "numbers"]


def test_a_compiled_variant_that_differs_is_a_finding_with_what_to_ask() -> None:
    recording = compared("wrong")
    assert numbers(recording) == ["numbers-differ"]
    (finding,) = [one for one in findings_of(recording) if one.question == "numbers"]
    assert "output 0" in finding.sentence
    assert finding.code == "rec.bisect()"
    assert finding.evidence[0].tab == "bench"


@pytest.mark.parametrize("verdict", ["equal", "close", "not compared"])
def test_a_variant_that_agrees_is_none(verdict: Verdict) -> None:
    assert numbers(compared(verdict)) == []


def test_a_wrong_variant_that_was_not_compiled_is_none() -> None:
    assert numbers(compared("wrong", "eager")) == []


def test_without_a_benchmark_nothing_is_said() -> None:
    assert numbers(samples.branch_and_print()) == []


def test_what_a_search_found_names_the_line() -> None:
    (finding,) = [one for one in findings_of(samples.bisected()) if one.question == "numbers"]
    assert finding.rule == "miscompiled"
    assert finding.where
    assert finding.entity.startswith("line:")


@pytest.mark.parametrize("verdict", ["same", "rounding", "unknown"])
def test_what_is_no_bug_is_no_finding(verdict: BisectionVerdict) -> None:
    made = samples.bisected()
    assert made.bisection
    assert numbers(replace(made, bisection=replace(made.bisection, verdict=verdict))) == []


def test_a_bisection_says_what_it_does_not_know() -> None:
    made = samples.bisected()
    assert made.bisection
    unknown = replace(made.bisection, verdict="unknown", sentence="It draws numbers.", culprits=())
    shown = build(replace(made, bisection=unknown)).bisection
    assert shown
    assert shown.sentence == "It draws numbers."
    assert "not known" in shown.title
    nowhere = replace(made.bisection, culprits=(), graph=None, nodes=())
    shown = build(replace(made, bisection=nowhere)).bisection
    assert shown
    assert "which part makes it is not known" in shown.sentence
