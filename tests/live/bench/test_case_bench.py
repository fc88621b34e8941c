"""A reader's case: eager, compiled and written by hand; what is wrong is not timed."""

from __future__ import annotations

import pytest
from msgspec import structs

from dynamo_lab.__main__ import main
from dynamo_lab.api.benchmarks.cases import bench_case, share_of_limit, summary
from dynamo_lab.errors import CaseError, OptionError
from dynamo_lab.measure.baselines import why_not
from dynamo_lab.measure.cases import find_case
from dynamo_lab.measure.rounds import Plan
from dynamo_lab.model.benchmarks import Benchmark, Limits, Phase, Series, Way, Work
from dynamo_lab.model.core.codec import load
from tests.kernels.test_cases import CASE, DOUBLE

pytestmark = pytest.mark.live

PLAN = Plan(rounds=2, fewest=2, warmup=1, round_seconds=1e-4)


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "double_case.py").write_text(CASE)
    (tmp_path / "double_triton.py").write_text("def run(x):\n    return 2 * x\n")
    return tmp_path


@pytest.mark.slow
@pytest.mark.skipif(bool(why_not("cpp", "cpu")), reason="needs a C++ compiler")
def test_each_way_is_checked_and_timed(mine):
    (mine / "double_cpp.cpp").write_text(DOUBLE)
    case = find_case(str(mine / "double_case.py"))
    made = bench_case(case, size="small", cold=False, kernels=False, plan=PLAN)
    facts = made.facts
    assert [way.name for way in facts.ways] == ["eager", "compiled", "C++", "Triton"]
    assert [way.problem for way in facts.ways] == ["", "", "", "it needs a GPU"]
    assert {one.way for one in facts.series} == {0, 1, 2}
    assert {one.verdict for one in facts.comparisons} == {"equal"}
    assert facts.ways[2].code == DOUBLE
    assert facts.ways[2].language == "cpp"
    assert facts.work == Work(
        bytes_read=28, bytes_written=28, flops=7, dtype="float32", counted="formula"
    )
    assert made.recording.kernels


@pytest.mark.slow
@pytest.mark.skipif(bool(why_not("cpp", "cpu")), reason="needs a C++ compiler")
def test_a_wrong_baseline_is_refused_by_the_command(mine, capsys):
    (mine / "double_cpp.cpp").write_text(DOUBLE.replace("2 * x[i]", "2.0001f * x[i]"))
    command = ["bench", str(mine / "double_case.py"), "--size", "small", "--rounds", "2"]
    assert main([*command, "--json", str(mine / "run.json")]) == 1
    assert "its results differ from eager's" in capsys.readouterr().out
    facts = load(mine / "run.json").benchmark
    assert facts is not None
    assert {one.way for one in facts.series} == {0, 1}
    assert facts.comparisons[1].tolerance == "0 relative, 0 absolute"


def test_a_baseline_that_does_not_build_says_what_the_compiler_said(mine):
    (mine / "double_cpp.cpp").write_text(DOUBLE.replace("2 * x[i]", "two"))
    case = find_case(str(mine / "double_case.py"))
    made = bench_case(case, size="small", ways=(), cold=False, kernels=False, plan=PLAN)
    assert "does not build" in made.facts.ways[1].problem
    assert "two" in "\n".join(summary(made.facts))


@pytest.mark.skipif(bool(why_not("cpp", "cpu")), reason="needs a C++ compiler")
def test_a_baseline_that_crashes_does_so_elsewhere(mine):
    (mine / "double_cpp.cpp").write_text(DOUBLE.replace("2 * x[i]", "*(volatile float*)8"))
    case = find_case(str(mine / "double_case.py"))
    made = bench_case(case, size="small", ways=(), cold=False, kernels=False, plan=PLAN)
    assert "it crashed (segmentation fault, SIGSEGV)" in made.facts.ways[1].problem
    assert {one.way for one in made.facts.series} == {0}


def test_what_cannot_be_measured_is_refused():
    adam = find_case("adam")
    with pytest.raises(CaseError, match="no gradients"):
        bench_case(adam, size="small", training=True)
    with pytest.raises(OptionError, match="no device 'nowhere' here: pass"):
        bench_case(adam, device="nowhere")


def test_the_share_of_the_limit_is_that_of_what_takes_longer():
    limits = Limits(device="", bandwidth=100.0, flops={"float32": 10.0})
    work = Work(bytes_read=60, bytes_written=40, flops=5, dtype="float32", counted="formula")
    assert share_of_limit(work, limits, 2.0) == 0.5
    assert share_of_limit(Work(**{**_fields(work), "flops": 20}), limits, 4.0) == 0.5
    assert share_of_limit(work, None, 2.0) is None
    assert share_of_limit(work, Limits(device="", bandwidth=0.0), 2.0) is None


def test_a_step_does_not_take_the_place_of_the_forward():
    phases: tuple[tuple[Phase, float], ...] = (("forward", 1e-6), ("step", 5e-6))
    series = tuple(
        Series(way=way, phase=phase, cache=cache, loops=1, seconds=(seconds * (way + 1),) * 25)
        for phase, seconds in phases
        for cache in ("warm", "cold")
        for way in (0, 1)
    )
    facts = Benchmark(
        title="a case",
        ways=(Way(name="eager", kind="eager"), Way(name="compiled", kind="compiled")),
        series=series,
        limits=Limits(device="", bandwidth=1e9),
        work=Work(bytes_read=500, bytes_written=0, flops=0, dtype="float32", counted="formula"),
    )
    lines = [line.split() for line in summary(facts)]
    assert lines[0] == ["a", "case"]
    assert [line[:3] for line in (*lines[2:4], *lines[6:8])] == [
        ["eager", "1.0", "us"], ["compiled", "2.0", "us"],
        ["eager", "5.0", "us"], ["compiled", "10.0", "us"],
    ]  # fmt: skip
    assert lines[4] == ["a", "training", "step"]
    assert [line[-1] for line in lines[2:4]] == ["50%", "25%"]
    assert not any("%" in word for line in lines[4:] for word in line)
    one = structs.replace(facts, series=series[:4])
    assert len(summary(one)) == 4


def _fields(work):
    return {name: getattr(work, name) for name in work.__struct_fields__}
