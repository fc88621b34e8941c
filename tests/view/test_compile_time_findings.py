"""Findings about compile time on recordings made by hand: what depends on seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from dynamo_lab.model.guards.guards import FailedGuard, Recompile
from dynamo_lab.model.guards.symbols import Symbol
from dynamo_lab.model.timings import CacheCheck, LayerUse, Timing, WarmRun, WarmStart
from dynamo_lab.view import build
from tests.view import samples

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.findings.finding import Finding


def _timed(*timings: Timing, **options: str) -> Recording:
    made = samples.branch_and_print()
    environment = replace(made.environment, options=options)
    return replace(made, timings=timings, environment=environment)


def _found(recording: Recording, rule: str) -> list[Finding]:
    return [one for one in build(recording).findings.found if one.rule == rule]


def test_autotuning_that_takes_most_is_told_with_the_mode_that_asked_for_it() -> None:
    whole = Timing("dynamo", 0.0, 10.0)
    tuning = Timing("mm_template_autotuning", 1.0, 8.0, 0)
    [found] = _found(_timed(whole, tuning, mode="max-autotune"), "autotuning")
    assert found.sentence.startswith("80 % of compiling, 8.0 s, went into timing")
    assert found.can_apply
    assert found.gain
    assert (found.gain.before, found.gain.after) == (10.0, 2.0)
    [found] = _found(_timed(whole, tuning), "autotuning")
    assert not found.can_apply  # a setting asked for it: another mode would not help
    assert found.code == "torch._inductor.config.max_autotune = False"


def test_little_autotuning_is_no_finding() -> None:
    whole = Timing("dynamo", 0.0, 10.0)
    assert _found(_timed(whole, Timing("mm_template_autotuning", 1.0, 2.0, 0)), "autotuning") == []
    short = Timing("dynamo", 0.0, 0.9), Timing("mm_template_autotuning", 0.0, 0.8, 0)
    assert _found(_timed(*short), "autotuning") == []


def test_headers_and_hashes_are_a_cold_start() -> None:
    load = Timing("PyCodeCache.load_by_key_path", 1.0, 9.0, 0)
    headers = Timing("compile_file", 1.0, 8.0, 1)
    [found] = _found(_timed(Timing("dynamo", 0.0, 10.0), load, headers), "cold-start")
    assert found.level == "note"
    assert found.cost == 0.8
    kernel = Timing("compile_file", 1.0, 8.0, thread=1)
    assert _found(_timed(Timing("dynamo", 0.0, 10.0), load, kernel), "cold-start") == []


def test_what_is_done_once_is_not_booked_on_the_recompilation_that_does_it() -> None:
    timings = (
        Timing("dynamo", 0.0, 1.0, -1, "0/0"),
        Timing("dynamo", 1.0, 9.0, -1, "0/1"),
        Timing("PyCodeCache.load_by_key_path", 3.0, 6.0, 1, "0/1"),
        Timing("compile_file", 3.0, 6.0, 2, "0/1"),
    )
    made = replace(samples.branch_and_print(), timings=timings)
    failed = FailedGuard(compile_id="0/0", text="L['n'] == 3", source="L['n']", was="3", now="4")
    again = Recompile(frame=0, compile_id="0/1", failed=(failed,))
    found = build(replace(made, recompiles=(again,))).findings.found
    [story] = [one for one in found if one.question == "recompilations"]
    [cold] = [one for one in found if one.rule == "cold-start"]
    assert "once, 3.0 s or 30 % of the time of compiling." in story.sentence
    assert "Not counted are 6.0 s of work that is done once" in story.sentence
    assert cold.cost + story.cost <= 1


def test_many_builds_are_a_note() -> None:
    made = _timed(Timing("dynamo", 0.0, 10.0), Timing("async_compile.wait", 1.0, 6.0, 0))
    many = tuple(
        replace(made.kernels[0], id=at, name=f"cpp_{at}", built_in=1.0) for at in range(12)
    )
    [found] = _found(replace(made, kernels=many, links=()), "many-builds")
    assert found.level == "note"
    assert "60 % of compiling, 6.0 s" in found.sentence
    assert "12 kernels" in found.sentence
    assert "together they worked for 12.0 s" in found.sentence
    few = replace(made, kernels=many[:2], links=())
    assert _found(few, "many-builds") == []


@pytest.mark.parametrize(
    ("cores", "told"),
    [
        (0, "Fewer kernels take fewer builds."),
        (2, "would hardly end sooner here: up to 2.0 worked at once on average, on 2 cores."),
        (8, "At most 2.0 of them worked at once on average, on 8 cores: with "
            "`TORCHINDUCTOR_COMPILE_THREADS=8`, or more, it would be 4.5 s less at best. "
            "Fewer kernels take fewer builds."),
    ],
)  # fmt: skip
def test_more_processes_are_advised_where_cores_were_left(cores: int, told: str) -> None:
    made = _timed(Timing("dynamo", 0.0, 10.0), Timing("async_compile.wait", 1.0, 6.0, 0))
    many = tuple(replace(made.kernels[0], id=at, built_in=1.0) for at in range(12))
    machine = replace(made.environment, cores=cores)
    built = replace(made, kernels=many, links=(), environment=machine)
    [found] = _found(built, "many-builds")
    assert found.remedy.endswith(told)


def test_kernels_of_graph_after_graph_are_not_built_at_once() -> None:
    made = _timed(Timing("dynamo", 0.0, 14.0), Timing("async_compile.wait", 1.0, 12.0, 0))
    graphs = tuple(replace(made.graphs[0], id=at) for at in range(12))
    each = tuple(replace(made.kernels[0], id=at, graph=at, built_in=1.0) for at in range(12))
    machine = replace(made.environment, cores=8)
    built = replace(made, graphs=graphs, kernels=each, links=(), environment=machine)
    [found] = _found(built, "many-builds")
    assert "one graph after the other" in found.remedy
    assert "THREADS" not in found.remedy


def test_guards_are_told_only_of_symbolic_sizes() -> None:
    guards = Timing("dynamo", 0.0, 4.0), Timing("build_guards", 1.0, 2.0, 0)
    made = _timed(*guards)
    sizes = [Symbol(frame=0, compile_id="0/0", name=f"s{at}") for at in range(16)]
    [found] = _found(replace(made, symbols=tuple(sizes)), "guards-of-sizes")
    assert "16 symbolic sizes" in found.sentence
    for few in ((), tuple(sizes[:2])):
        assert _found(replace(made, symbols=few), "guards-of-sizes") == [], "a pause, not the sizes"


def _warm(*differing: tuple[str, int, tuple[str, ...]], built: int = 0) -> Recording:
    found = WarmStart(
        cold=WarmRun(seconds=4.0, built=2),
        warm=WarmRun(seconds=1.0, layers=(LayerUse(layer="FX graph cache", misses=3),)),
        bundle=WarmRun(seconds=3.5, built=built),
        bundle_bytes=2_000,
        kept=(("inductor", 3),),
        differing=differing,
    )
    return replace(samples.branch_and_print(), warm_start=found)


def test_a_miss_whose_part_is_known_is_a_problem() -> None:
    [found] = _found(_warm(("FX graph cache", 3, ("example_inputs[0]",))), "cache-missed")
    assert "3 graphs were not found" in found.sentence
    assert "an input (0) differs from one compilation to the next" in found.sentence
    assert found.where
    assert "uuid" not in found.remedy


def test_what_is_no_graph_does_not_count_as_one_that_missed() -> None:
    made = _warm(("FX graph cache", 3, ("example_inputs[0]",)))
    assert made.warm_start is not None
    layers = (*made.warm_start.warm.layers, LayerUse(layer="Triton's cache", hits=None, misses=9))
    warm = WarmRun(seconds=1.0, layers=layers)
    [found] = _found(replace(made, warm_start=replace(made.warm_start, warm=warm)), "cache-missed")
    assert "3 graphs were not found" in found.sentence


def test_a_miss_whose_part_is_not_known_is_no_finding() -> None:
    assert _found(_warm(), "cache-missed") == []
    assert _found(_warm(("FX graph cache", 1, ())), "cache-missed") == []


def test_what_a_bundle_lacks_is_told() -> None:
    details = build(_warm(built=2)).timeline.warm_start.details
    expected = "A saved bundle, 2 kB, has 3 graphs of Inductor; it lacks 2 built kernel libraries."
    assert details[-1] == expected
    assert _found(_warm(), "bundle-lacks") == []


def test_a_warm_start_is_foretold_only_of_what_is_kept() -> None:
    checks = tuple(
        CacheCheck(layer=layer, outcome="kept", compile_id="0/0")
        for layer in ("AOTAutograd cache", "FX graph cache")
    )
    timings = (
        Timing("dynamo", 0.0, 10.0, -1, "0/0"),
        Timing("create_aot_dispatcher_function", 2.0, 7.0, 0, "0/0"),
        Timing("fx_codegen_and_compile", 3.0, 5.0, 1, "0/0"),
    )
    made = replace(samples.branch_and_print(), timings=timings)

    def told(*caches: CacheCheck) -> str:
        return build(replace(made, caches=caches)).timeline.warm_start.sentence

    assert told(*checks).startswith("A warm start would take at least 3.0 s instead of 10.0 s")
    refused = replace(checks[0], outcome="bypassed")
    assert "at least 5.0 s instead of 10.0 s" in told(refused, checks[1])
    assert told(refused, replace(checks[1], outcome="bypassed")) == ""
    assert told() == ""


def test_of_a_layer_is_told_what_is_known_and_what_is_not() -> None:
    made = _warm()
    assert made.warm_start is not None
    told = (
        LayerUse(layer="a", hits=2, misses=1),
        LayerUse(layer="b"),
        LayerUse(layer="c", hits=None, misses=1, bypasses=None),
        LayerUse(layer="d", hits=None, bypasses=None),
    )
    found = replace(made.warm_start, bundle=WarmRun(seconds=1.0, layers=told))
    details = build(replace(made, warm_start=found)).timeline.warm_start.details
    assert [text for text in details if "from the bundle" in text] == [
        "a, from the bundle: 2 hits and 1 miss.",
        "b, from the bundle: not asked.",
        "c, from the bundle: 1 miss; hits and bypasses unknown.",
        "d, from the bundle: no misses; hits and bypasses unknown.",
    ]
