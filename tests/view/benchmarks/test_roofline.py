from __future__ import annotations

import pytest
from msgspec.structs import replace

from dynamo_lab.model.benchmarks import Benchmark, KernelTime, Limits, Machine, Overhead, Way, Work
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.fallback.benchmarks.roofline import blocks
from dynamo_lab.render.markup import join
from dynamo_lab.render.terminal.benchmarks.roofline import limits_text, rows
from dynamo_lab.render.terminal.core.parts import Page, plain
from dynamo_lab.view.benchmarks.roofline import PointView, RooflineView, build
from dynamo_lab.view.core.words import flops, seconds

# 10 GB/s and 100 GFLOP/s: the ridge lies at 10 operations a byte
LIMITS = Limits(
    device="A processor, 2 threads", bandwidth=1e10, flops={"float32": 1e11, "float64": 5e10}
)
MB = 1_000_000
ROUNDS = 11


def work(read: int, written: int, flops: int, **about: str) -> Work:
    known = {"dtype": "float32"} | about
    return Work(bytes_read=read, bytes_written=written, flops=flops, **known)  # pyright: ignore


def timed(kernel: int, of: Work | None, seconds: float, **about: object) -> KernelTime:
    rounds = {"cold": (seconds,) * ROUNDS} | about
    return KernelTime(kernel=kernel, way=1, phase="forward", work=of, **rounds)  # pyright: ignore


def recording(
    *kernels: KernelTime, limits: Limits | None = LIMITS, launch: float = 0.0, name: str = "kernel"
) -> Recording:
    count = max((one.kernel for one in kernels), default=-1) + 1
    made = tuple(
        Kernel(id=i, name=f"{name}_{i}", language="cpp", graph=None, wrapper=None)
        for i in range(count)
    )
    overheads = (Overhead(way=1, phase="forward", launch=(launch,)),) if launch else ()
    ways = (Way(name="eager", kind="eager"), Way(name="compiled", kind="compiled"))
    found = Benchmark(title="", ways=ways, kernels=kernels, limits=limits, overheads=overheads)
    return Recording(title="", kernels=made, benchmark=found)


def seen(*kernels: KernelTime, launch: float = 0.0) -> RooflineView:
    found = build(recording(*kernels, launch=launch))
    assert found is not None
    return found


def point(kernel: KernelTime, launch: float = 0.0) -> PointView:
    return seen(kernel, launch=launch).points[0]


def test_a_loop_is_bound_by_memory() -> None:
    # 10 MB take a millisecond, 5 million operations a twentieth of one
    found = point(timed(0, work(6 * MB, 4 * MB, 5 * MB), 2e-3))
    assert (found.bound, found.share) == ("memory", 0.5)
    assert (found.intensity, found.rate) == (0.5, 2.5e9)
    assert (found.time, found.limit, found.reached) == ("2.0 ms", "1.0 ms", "5 GB/s")
    assert found.sentence == "50 % of the rate of a copy: at that rate it would be 2 times faster."


def test_a_product_is_bound_by_arithmetic() -> None:
    # 100 million operations take a millisecond, its 2 MB a fifth of one
    found = point(timed(0, work(MB, MB, 100 * MB), 1.25e-3))
    assert (found.bound, found.share, found.intensity) == ("arithmetic", 0.8, 50.0)
    assert found.reached == "80 GFLOP/s"
    at = "80 % of the rate of matrix products in float32"
    assert found.sentence == f"{at}: at that rate it would be 1.2 times faster."


def test_each_type_has_its_own_roof() -> None:
    found = seen(timed(0, work(MB, MB, 100 * MB, dtype="float64"), 2.5e-3))
    assert found.points[0].share == 0.8
    assert [(roof.dtype, roof.ridge) for roof in found.roofs] == [("float64", 5.0)]


def test_a_type_without_a_limit_is_held_against_memory() -> None:
    assert point(timed(0, work(MB, MB, 100 * MB, dtype="float8"), 1e-3)).bound == "memory"


def test_what_launching_dominates_says_nothing() -> None:
    found = point(timed(0, work(1000, 1000, 100), 5e-6), launch=2e-6)
    assert (found.is_small, found.share) == (True, None)
    assert found.sentence == (
        "Too small to judge: at the limit it would take 200 ns, "
        "and launching a kernel takes 2.0 µs."
    )
    assert point(timed(0, work(1000, 1000, 100), 5e-6)).share == 0.04


def warm(read: int, written: int, caches: int, flops: int = MB) -> PointView:
    """A kernel that was timed with warm caches, on a machine with so many bytes of them."""
    made = recording(
        timed(0, work(read, written, flops), 0.0, cold=(), warm=(0.5e-3, 0.5e-3), calls=2)
    )
    assert made.benchmark is not None
    bench = replace(made.benchmark, machine=Machine(caches=caches))
    found = build(replace(made, benchmark=bench))
    assert found is not None
    return found.points[0]


def test_beyond_the_limit_the_caches_may_have_helped() -> None:
    found = warm(5 * MB, 5 * MB, caches=4 * MB)
    assert (found.cache, found.seconds, found.share) == ("warm", 0.25e-3, 4.0)
    flushed = point(timed(0, work(5 * MB, 5 * MB, MB), 0.5e-3))
    for one in (found, flushed):
        assert one.sentence.endswith("some of its data may have stayed in the caches.")


@pytest.mark.parametrize(("caches", "known"), [(32 * MB, " of 32 MB"), (0, "")])
def test_what_may_lie_in_warm_caches_is_not_held_against_memory(caches: int, known: str) -> None:
    found = warm(5 * MB, 5 * MB, caches)
    assert (found.is_cached, found.bound, found.share, found.limit) == (True, "", None, "")
    assert found.sentence == (
        f"Not judged: its 10 MB may have been in the caches{known}, as it was timed with warm "
        "ones. Memory's limit is that of data beyond them."
    )


def test_arithmetic_limits_also_what_lies_in_caches() -> None:
    found = warm(MB, MB // 2, 32 * MB, flops=20 * MB)
    assert (found.is_cached, found.bound, found.share) == (False, "arithmetic", 0.8)


def test_what_is_far_from_its_limit_is_not_said_to_be_limited_by_it() -> None:
    found = seen(timed(0, work(5 * MB, 5 * MB, MB), 50e-3))
    assert found.sentences[1] == (
        "The nearer limit is memory: 1 kernel, 100 % of this time, at 2.0 % of it."
    )


def test_what_computes_nothing_has_no_place_in_the_plot_but_a_share() -> None:
    found = point(timed(0, work(5 * MB, 5 * MB, 0, dtype=""), 2e-3))
    assert (found.intensity, found.rate, found.share) == (None, None, 0.5)


def test_bytes_without_a_formula_are_said_to_be_all_that_is_known() -> None:
    found = point(timed(0, work(5 * MB, 5 * MB, 0, dtype="", counted="arguments"), 2e-3))
    assert "its operations are not known" in found.sentence


def test_a_kernel_that_cannot_be_counted_says_why() -> None:
    found = point(timed(0, None, 1e-3))
    assert (found.share, found.intensity) == (None, None)
    assert found.sentence == "the recording does not say what its calls compute"


def test_all_together_and_the_slowest_first() -> None:
    found = seen(
        timed(0, work(5 * MB, 5 * MB, MB), 2e-3),
        timed(1, work(MB, MB, 100 * MB), 2e-3, calls=3),
        timed(2, work(1000, 1000, 100), 5e-6),
        launch=2e-6,
    )
    assert [one.kernel for one in found.points] == [1, 0, 2]
    assert found.sentences == (
        "At the machine's limits, 2 kernels would take 4.0 ms instead of 8.0 ms: 50 %.",
        "The nearer limit is memory: 1 kernel, 25 % of this time, at 50 % of it.",
        "The nearer limit is arithmetic: 1 kernel, 75 % of this time, at 50 % of it.",
        "Too small to judge: 1 kernel: at the limit, a launch takes longer.",
    )
    assert found.programs == ("compiled, forward",)
    assert found.x == (-2, 2)
    assert found.y == (7, 11)


def test_two_calls_of_one_library_kernel_are_two_names() -> None:
    of = work(6 * MB, 4 * MB, 5 * MB)
    found = seen(
        timed(0, of, 3e-3, buffers=("buf1",), line=10),
        timed(0, of, 2e-3, buffers=("buf4", "buf5"), line=14),
        timed(0, of, 1e-3, line=20),
        timed(1, of, 5e-4, buffers=("buf7",), line=22),
    )
    assert [one.name for one in found.points] == [
        "kernel_0 (buf1)",
        "kernel_0 (buf4 and buf5)",
        "kernel_0 (line 20 of its wrapper)",
        "kernel_1",
    ]


def test_nothing_without_limits_or_kernels() -> None:
    good = timed(0, work(MB, MB, MB), 1e-3)
    assert build(recording(good, limits=None)) is None
    assert build(recording()) is None
    assert build(Recording(title="")) is None


@pytest.mark.parametrize("rate", [0.0, -1.0, 1e-320, 1e200, float("nan"), float("inf")])
def test_limits_and_times_that_make_no_sense_draw_nothing(rate: float) -> None:
    good = timed(0, work(MB, MB, MB), 1e-3)
    assert build(recording(good, limits=Limits(device="", bandwidth=rate))) is None
    assert build(recording(timed(0, work(MB, MB, MB), rate))) is None


@pytest.mark.parametrize("count", [-1, 10**400])
def test_counts_that_make_no_sense_say_nothing(count: int) -> None:
    found = point(timed(0, work(count, MB, MB), 1e-3))
    assert (found.share, found.intensity) == (None, None)
    assert build(recording(timed(0, work(MB, MB, MB), 1e-3, calls=count))) is None


def test_numbers_have_units() -> None:
    assert [seconds(s) for s in (2.0, 0.0124, 3.1e-7, 0.0)] == ["2.0 s", "12 ms", "310 ns", "0 s"]
    assert [flops(n) for n in (0, 999, 1000, 4.25e6, 1.77e11, 9e18)] == [
        "0 FLOP", "999 FLOP", "1 kFLOP", "4.2 MFLOP", "177 GFLOP", "9000 PFLOP"
    ]  # fmt: skip


HOSTILE = "</script>\x1b[31m\u2028\u202e<b>"


def test_the_terminal_has_a_row_a_kernel_and_the_limits() -> None:
    kernels = [timed(i, work(6 * MB, 4 * MB, 5 * MB), 2e-3 + i * 1e-6) for i in range(10)]
    found = build(recording(*kernels, name=HOSTILE))
    assert found is not None
    brief = plain(rows(found, Page(width=100, everything=False)), 100)
    assert "█████░░░░░   50 %  memory, 5 GB/s" in brief
    assert "… 2 more kernels" in brief
    assert "copies 10 GB/s, 100 GFLOP/s in float32" in brief
    assert not {"\x1b", "\u2028", "\u202e"} & set(brief)
    assert "10 GB/s" in limits_text(LIMITS)
    assert "from 10 operations per byte on" in limits_text(LIMITS)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_rate_keeps_its_unit_where_space_is_short(width: int) -> None:
    slow = timed(0, work(MB, MB, 100 * MB), 1.4)
    found = build(recording(slow, name="extern_kernels_with_a_long_name"))
    assert found is not None
    shown = plain(rows(found, Page(width=width, everything=True)), width)
    assert "arithmetic, 71.4 MFLOP/s" in shown


def test_without_scripts_there_is_a_table() -> None:
    plotted = timed(0, work(6 * MB, 4 * MB, 5 * MB), 2e-3)
    found = build(recording(plotted, timed(1, None, 1e-3), name=HOSTILE))
    assert found is not None
    page = join(*blocks(found))
    assert page.count("<tr>") == 3
    assert "at that rate it would be 2 times faster" in page
    assert not {"\x1b", "\u2028", "\u202e"} & set(page)
    assert "</script>" not in page
    assert "<b>" not in page


def test_two_calls_of_one_library_kernel_have_two_names() -> None:
    calls = (
        timed(0, work(MB, MB, MB), 1e-3, buffers=("buf0",)),
        timed(0, work(MB, MB, MB), 2e-3, buffers=("buf3",)),
        timed(1, work(MB, MB, MB), 3e-3, buffers=("buf4",)),
    )
    assert [one.name for one in seen(*calls).points] == [
        "kernel_1",
        "kernel_0 (buf3)",
        "kernel_0 (buf0)",
    ]


def test_operations_without_a_formula_are_not_0() -> None:
    assert point(timed(0, work(MB, MB, 0, counted="arguments"), 1e-3)).work == "2 MB, FLOP unknown"
    some = point(timed(0, work(MB, MB, MB, counted="arguments"), 1e-3)).work
    assert some == "2 MB, 1 MFLOP at least"
    assert point(timed(0, work(MB, MB, 0, counted="loop IR"), 1e-3)).work == "2 MB"
