"""The collectives of a job made by hand: how long each stood open, what was hidden, which node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from dynamo_lab.capture.ranks.timeline import Profile
from dynamo_lab.model.core.environment import Environment
from dynamo_lab.model.ranks.intervals import length, union, without
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.names import kind_of
from dynamo_lab.model.ranks.ranks import Timeline
from dynamo_lab.model.ranks.redistributions import Redistribution
from dynamo_lab.model.ranks.splits import Bucket, Split
from dynamo_lab.view.ranks import collectives, splits
from dynamo_lab.view.ranks.causes.causes import known_of
from dynamo_lab.view.ranks.mesh.placements import Placements
from dynamo_lab.view.ranks.reasons import operator_of, why
from tests.view.ranks.test_causes import call, rank

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.ranks.collectives import CollectivesView


def view_of(*recordings: Recording) -> CollectivesView:
    view = collectives.build(known_of(Job(title="step", recordings=recordings)))
    assert view is not None
    return view


def timed(recording: Recording, computing: Any, communicating: Any) -> Recording:
    assert recording.rank
    line = Timeline(device="cpu", start=0.0, computing=computing, communicating=communicating)
    return replace(recording, rank=replace(recording.rank, timeline=line))


def test_a_collective_stands_open_from_the_first_rank_to_the_last() -> None:
    view = view_of(
        rank(0, call(3, started=1.0), call(3, 2, started=5.0)),
        rank(1, call(3, started=1.5), call(3, 2, started=5.0)),
    )
    first, second = view.meetings
    assert (first.waited, first.late, first.bytes) == (0.5, 1, 32)
    assert first.where == "train.py, line 3"
    assert first.lines == ("line:0:3",)
    assert second.waited == 0.0
    assert [one.waited for one in view.totals] == [0.5, 0.0]
    assert [one.meetings for one in view.alike] == [(0, 1)]
    assert view.alike[0].cells[:5] == ("2", "all_reduce", "32 B", "500 ms", "?")


def test_a_rank_that_never_came_is_among_the_absent_and_waits_are_unknown() -> None:
    (one,) = view_of(rank(0, call(3)), rank(1)).meetings
    assert (one.absent, one.waited, one.ranks) == ((1,), None, (0,))


def test_what_runs_while_the_rank_computes_is_hidden() -> None:
    own = rank(0, call(3, started=1.0, ran=(1.0, 3.0)), call(3, 2, started=4.0, ran=(4.0, 5.0)))
    other = rank(1, call(3, started=1.0), call(3, 2, started=4.0))
    view = view_of(timed(own, ((0.5, 2.0), (2.5, 2.75)), ((1.0, 3.0), (4.0, 5.0))), other)
    assert [one.bare for one in view.meetings] == [0.75, 1.0]
    assert (view.totals[0].communicating, view.totals[0].exposed) == (3.0, 1.75)
    assert (view.totals[1].communicating, view.totals[1].exposed) == (None, None)
    (told,) = view.sentences
    assert told == (
        "Rank 0 communicated for 3.0 s, of which 1.8 s (58 %) while it computed nothing."
    )


def test_no_number_is_made_up_for_a_type_of_unknown_size() -> None:
    (one,) = view_of(rank(0, call(3, dtypes=("Odd",))), rank(1, call(3, dtypes=("Odd",)))).meetings
    assert one.bytes is None
    assert collectives.amount(one) == ""


def test_a_job_whose_ranks_call_nothing_has_no_collectives() -> None:
    assert collectives.build(known_of(Job(title="step", recordings=(rank(0), rank(1))))) is None


@pytest.mark.parametrize(
    ("through", "operator", "words"),
    [
        (("distributed_c10d.all_reduce",), "all_reduce", ""),
        (
            ("distributed_c10d.reduce_scatter_single",
             "fsdp._fully_shard._fsdp_collectives.foreach_reduce"),
            "reduce_scatter_tensor", "FSDP reduces gradients, each rank its shard",
        ),
        (("nn.parallel.distributed._pre_forward",), "all_reduce", "DDP prepares a step"),
    ],
)  # fmt: skip
def test_who_asked_is_told_by_what_was_on_the_way(through: Any, operator: str, words: str) -> None:
    asked = call(3, through=through)
    assert (operator_of(asked), why(asked, has_ddp=True)) == (operator, words)


def test_a_call_of_cpp_in_a_backward_is_of_ddp_only_where_there_is_ddp() -> None:
    asked = call(3, is_backward=True)
    assert why(asked, has_ddp=True) == "DDP reduces a bucket of gradients"
    assert why(asked, has_ddp=False) == "called in C++ by the backward"
    assert why(call(3), has_ddp=True) == ""
    counted = call(3, is_backward=True, dtypes=("Int",))  # no gradient is of that type
    assert why(counted, has_ddp=True) == "DDP tells which parameters a rank used"


@pytest.mark.parametrize(
    "names",
    [
        ("all_gather_into_tensor", "_allgather_base_", "AllGather", "all_gather_single"),
        ("reduce_scatter_tensor", "_reduce_scatter_base", "ReduceScatter"),
        ("all_reduce", "allreduce_coalesced", "AllReduce"),
    ],
)
def test_names_of_one_collective_are_of_one_kind(names: tuple[str, ...]) -> None:
    assert len({kind_of(name) for name in names}) == 1


def test_intervals_are_joined_and_taken_out() -> None:
    assert union([(3, 4), (0, 1), (0.5, 2), (5, 5)]) == [(0, 2), (3, 4)]
    assert without([(0, 10)], [(1, 2), (4, 5), (9, 20)]) == [(0, 1), (2, 4), (5, 9)]
    assert without([(0, 1), (2, 3)], [(0, 3)]) == []
    assert length([(0, 1), (2, 4)]) == 3


def test_a_change_of_placement_is_the_reason_of_what_was_called_meanwhile() -> None:
    change = Redistribution(
        mesh=(2, 4), dimensions=("dp", "tp"), before=("R", "P(sum)"), after=("R", "S(0)"),
        shape=("8", "64"), operator="aten.addmm.default", started=1.0, ended=2.0,
    )  # fmt: skip
    known = Placements([change])
    said = "a DTensor [8, 64] goes from R, P(sum) to R, S(0) on the mesh dp, tp"
    assert known.why(call(3, started=1.5), None) == f"{said}, which `addmm` wants"
    assert known.why(call(3, started=2.5), None) == ""
    assert known.why(call(3, started=0.5), None) == ""
    assert known.why(call(3, started=1.5, is_compiled=True), None) == ""


class Event:
    """An event of PyTorch's profiler: times in seconds."""

    def __init__(self, name: str, start: float, end: float, **facts: Any) -> None:
        self._name, self._start, self._end, self._facts = name, start, end, facts

    def name(self) -> str:
        return self._name

    def start_ns(self) -> int:
        return int(self._start * 1e9)

    def duration_ns(self) -> int:
        return int((self._end - self._start) * 1e9)

    def device_type(self) -> Any:
        return type("Device", (), {"name": self._facts.get("device", "CPU")})

    def shapes(self) -> list[list[int]]:
        return self._facts.get("shapes", [])

    def is_user_annotation(self) -> bool:
        return self._facts.get("is_user_annotation", False)


def read(*events: Event) -> Profile:
    profile = Profile.__new__(Profile)

    def known(_: object) -> tuple[Event, ...]:
        return events

    results = type("Results", (), {"events": known})()
    profiler = type("Profiler", (), {"kineto_results": results})()
    profile._watched = type("Watched", (), {"profiler": profiler})()  # type: ignore[assignment]
    profile._work = []  # pyright: ignore[reportPrivateUsage]
    profile.read()
    return profile


def test_on_a_cpu_the_backends_work_is_told_from_operators_that_wait() -> None:
    profile = read(
        Event("aten::mm", 1.0, 2.0),
        Event("gloo:all_reduce", 1.5, 3.0, shapes=[[8]]),
        Event("_c10d_functional::wait_tensor", 2.0, 3.0),
        Event("autograd::engine::evaluate_function: MmBackward0", 0.0, 9.0),
        Event("my step", 0.0, 9.0, is_user_annotation=True),
    )
    assert profile.timeline == Timeline(
        device="cpu", start=0.0, computing=((1.0, 2.0),), communicating=((1.5, 3.0),)
    )
    (own, other) = profile.timed([call(3, started=1.4), call(3, 2, started=1.4)])
    assert (own.ran, other.ran) == ((1.5, 3.0), None)


def test_on_a_gpu_kernels_of_nccl_are_told_from_all_others() -> None:
    kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
    profile = read(
        Event("aten::mm", 0.0, 0.5),
        Event("triton_poi_fused_0", 1.0, 2.0, device="CUDA"),
        Event(kernel, 1.5, 3.0, device="CUDA"),
        Event("nccl:all_reduce", 1.5, 3.0, device="CUDA", is_user_annotation=True),
    )
    assert profile.timeline == Timeline(
        device="cuda", start=0.0, computing=((1.0, 2.0),), communicating=((1.5, 3.0),)
    )
    (own,) = profile.timed([call(3, started=1.4)])
    assert own.ran == (1.5, 3.0)
    two = profile.timed([call(3, started=1.4), call(3, 2, started=1.4)])
    assert [one.ran for one in two] == [None, None]  # which of both it was is not known


def test_a_split_says_why_each_bucket_ends() -> None:
    def split(*buckets: Bucket) -> Split:
        return Split(compile_id="0/0", graph=None, first_limit=1 << 20, limit=25 << 20,
                     buckets=buckets)  # fmt: skip

    last = Bucket(bytes=2 << 20, parameters=("L_self_modules_head_parameters_weight_",))
    middle = Bucket(bytes=26 << 20, parameters=("a", "b"), extended=3)
    first = Bucket(bytes=10, parameters=("c",))
    known = replace(rank(0), splits=(split(last, middle, first), split(last)))
    cut, whole = splits.build(known)
    assert cut.sentence.startswith("DDP split compilation 0/0 into 3 parts")
    assert [one.cells[1] for one in cut.buckets] == ["3", "2", "1"]
    assert [one.cells[-1] for one in cut.buckets] == [
        "the first bucket's limit of 1 MB is reached",
        "the limit of 26.2 MB is reached, and 3 operators later something leaves the part",
        "the graph begins here",
    ]
    assert cut.buckets[0].parameters == ("head.weight",)
    assert whole.sentence.startswith("DDP did not split compilation 0/0: the 2.1 MB")


def test_what_the_profiler_alone_tells_is_said_to_be_unmeasured() -> None:
    unmeasured = "When a rank computed, and how long a collective ran, was not measured"
    ranks = rank(0, call(3)), rank(1, call(3))
    assert view_of(*ranks).sentences == (f"{unmeasured}.",), "as in dumps of the flight recorder"
    ours = (replace(one, environment=Environment(dynamo_lab="1.0")) for one in ranks)
    assert view_of(*ours).sentences == (f"{unmeasured}: `profile=True` (`--profile`) does.",)


def test_a_meeting_of_different_calls_tells_who_called_what() -> None:
    (one,) = view_of(rank(0, call(3)), rank(1, call(4, name="barrier"))).meetings
    assert one.operator == "all_reduce"
    assert one.why == "rank 1 calls `barrier` there"


def test_who_never_came_is_told_in_the_table() -> None:
    (row,) = view_of(rank(0, call(3)), rank(1)).alike
    assert row.cells[-1] == "rank 1 never came"


def test_fsdp_adds_up_a_shards_gradients_over_its_replicas() -> None:
    through = ("distributed_c10d.all_reduce", "fsdp._fully_shard._fsdp_collectives.foreach_reduce")
    told = why(call(3, name="all_reduce", through=through), has_ddp=False)
    assert told == "FSDP adds up the gradients of a shard over its replicas"


def test_what_ddp_calls_in_cpp_has_the_name_that_programs_call() -> None:
    assert [operator_of(call(3, name=name)) for name in ("allreduce", "allgather", "barrier")] == [
        "all_reduce", "all_gather", "barrier",
    ]  # fmt: skip


FLOAT = ("Float",)
TO = "\N{RIGHTWARDS ARROW}"


def moved(brings: int, gets: int, name: str = "alltoall", started: float = 1.0) -> Any:
    """An exchange to which a rank brings so many numbers, and gets so many: 0 is no tensor."""
    given, got = ([(count,)] if count else [] for count in (brings, gets))
    return call(3, name=name, started=started, sizes=given, dtypes=FLOAT * len(given),
                results=got, result_dtypes=FLOAT * len(got))  # fmt: skip


def amount_of(*calls: Any) -> str:
    (one,) = view_of(*(rank(number, own) for number, own in enumerate(calls))).meetings
    return collectives.amount(one)


def test_where_ranks_bring_unlike_amounts_the_most_is_told_as_such() -> None:
    assert amount_of(moved(6, 4), moved(4, 8)) == f"up to 24 B {TO} up to 32 B"
    assert amount_of(moved(6, 6), moved(4, 4)) == "up to 24 B"
    assert amount_of(moved(6, 6), moved(6, 6)) == "24 B"
    assert amount_of(moved(6, 6), moved(6, 4)) == f"24 B {TO} up to 24 B"


@pytest.mark.parametrize("first", [0, 1])
def test_what_one_rank_alone_gets_is_told_whoever_comes_first(first: int) -> None:
    def at(number: int) -> float:
        return 1.0 if number == first else 2.0

    gathers = moved(8, 16, name="gather", started=at(0)), moved(8, 0, name="gather", started=at(1))
    assert amount_of(*gathers) == f"32 B {TO} up to 64 B"
    scatters = (
        moved(16, 8, name="scatter", started=at(0)), moved(0, 8, name="scatter", started=at(1)),
    )  # fmt: skip
    assert amount_of(*scatters) == f"up to 64 B {TO} 32 B"


def test_collectives_are_alike_whoever_comes_first() -> None:
    """The ranks call from other lines, and come now in one order, now in the other."""
    ranks = (
        rank(0, call(3, started=1.0), call(3, 2, started=4.0)),
        rank(1, call(5, started=2.0), call(5, 2, started=3.0)),
    )
    view = view_of(*ranks)
    assert [one.meetings for one in view.alike] == [(0, 1)]
    assert [(one.ranks, one.told, one.where) for one in view.meetings] == [
        ((0, 1), 0, "train.py, line 3"), ((1, 0), 0, "train.py, line 3"),
    ]  # fmt: skip


def test_who_calls_another_thing_is_told_by_what_the_program_calls() -> None:
    asked = call(4, name="_allgather_base", through=("distributed_c10d.all_gather_single",))
    (one,) = view_of(rank(0, call(3)), rank(1, asked)).meetings
    assert (one.operator, one.why) == ("all_reduce", "rank 1 calls `all_gather_into_tensor` there")
    (one,) = view_of(rank(0, call(3)), rank(1, call(4, name="allreduce"))).meetings
    assert (one.operator, one.why) == ("all_reduce", ""), "DDP's reducer calls it in C++"
