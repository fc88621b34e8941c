"""Plans of jobs: each kind of ranks from one that is traced, and nothing runs."""

from collections.abc import Callable

import pytest
import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

import dynamo_lab as lab
from dynamo_lab.api.ranks.jobs import JobRecording
from dynamo_lab.capture.ranks.fakes import moving
from dynamo_lab.errors import OptionError
from tests.ranks import plans
from tests.ranks.programs import line_of

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def uneven() -> JobRecording:
    return lab.ranks(plans.uneven, 8, backend="fake", timeout=300.0)


def test_kinds_are_those_of_the_shards(uneven: JobRecording) -> None:
    plan = uneven.job.plan
    assert plan is not None
    assert uneven.is_whole, uneven.findings
    assert {kind.ranks for kind in plan.kinds} == {(0, 1, 4, 5), (2, 6), (3, 7)}
    assert [one.rank and one.rank.number for one in uneven.job.recordings] == [
        kind.representative for kind in plan.kinds
    ]
    (tensor,) = [one for one in uneven.ranks().tensors if one.kind == "parameter"]
    assert [(one.ranks, one.sizes) for one in tensor.blocks] == [
        ((0, 4), (2, 6)), ((1, 5), (2, 6)), ((2, 6), (1, 6)),
    ]  # fmt: skip
    assert tensor.empty == (3, 7)


def test_collectives_are_those_that_fsdp_calls(uneven: JobRecording) -> None:
    for recording in uneven.job.recordings:
        rank = recording.rank
        assert rank is not None
        assert rank.calls is not None
        groups = {one.name: one.ranks for one in rank.groups}
        told = [(one.name, one.sizes, groups[one.group]) for one in rank.calls]
        across = tuple(range(0, 4)) if rank.number < 4 else tuple(range(4, 8))
        # two rows of six are a shard with what pads it
        assert ("_allgather_base", ((12,),), across) in told
        assert ("_reduce_scatter_base", ((48,),), across) in told
        assert ("allreduce", ((12,),), (rank.number % 4, rank.number % 4 + 4)) in told


def test_memory_is_that_of_a_hand_count(uneven: JobRecording) -> None:
    whole, shard = 5 * 6 * 4, 2 * 6 * 4  # a shard of two rows, padded on the ranks that hold fewer
    for recording in uneven.job.recordings:
        memory = recording.rank and recording.rank.memory
        assert memory
        assert memory.parameters
        assert memory.gradients
        assert memory.optimizer
        assert (memory.parameters.own, memory.parameters.whole) == (shard, whole)
        assert (memory.gradients.own, memory.gradients.whole) == (shard, whole)
        assert memory.optimizer.whole == whole  # a momentum for each weight
        assert memory.parameters.allocated == 512


def test_memory_is_of_what_is_left_sharded_though_aotautograd_traced_a_backward() -> None:
    job = lab.ranks(plans.blocks_compiled_apart, 2, backend="fake", timeout=300.0)
    memory = job.job.recordings[0].rank and job.job.recordings[0].rank.memory
    assert job.is_whole, job.findings
    assert memory
    assert memory.parameters
    assert memory.gradients
    both = 2 * 8 * 8 * 4
    assert (memory.parameters.own, memory.parameters.whole) == (both // 2, both)
    assert (memory.gradients.own, memory.gradients.whole) == (both // 2, both)


def test_what_fsdp_moves_to_its_device_is_there() -> None:
    with FakeTensorMode() as mode:
        gpu, nowhere = torch.device("cuda", 0), torch.device("meta")
        parameter = torch.nn.Parameter(torch.empty(2))
        deferred = torch.nn.Parameter(torch.empty(2, device=nowhere))

        def move(parameters: list[torch.nn.Parameter], *_: object) -> None:
            for one in parameters:
                if one.device != nowhere:
                    one.data = FakeTensor(mode, torch.empty(2, device=nowhere), gpu)

        move([parameter])
        assert parameter.device.type == "cpu", "as PyTorch leaves it"
        moving(move)([parameter, deferred], (), gpu)
        assert (parameter.device, deferred.device) == (gpu, nowhere)


def test_of_fsdp_without_a_backward_memory_is_said_to_be_unseen() -> None:
    job = lab.ranks(plans.sharded_for_a_forward_alone, 4, backend="fake", timeout=300.0)
    assert job.is_whole, job.findings
    assert job.ranks().memory is None
    _, called, memory = job.ranks().plan.facts  # type: ignore[union-attr]
    assert "would call 1 `all_gather_into_tensor` and bring 72 B" in called
    assert "was not seen" in memory
    assert "under FSDP, after a backward alone" in memory


def test_a_rank_that_compiles_other_things_is_a_kind_of_its_own() -> None:
    job = lab.ranks(plans.first_is_other, 64, backend="fake", timeout=300.0)
    assert job.is_whole, job.findings
    assert job.job.plan is not None
    kinds = {kind.ranks for kind in job.job.plan.kinds}
    assert kinds == {(0,), tuple(range(1, 64))}
    assert all(one.rank and one.rank.calls for one in job.job.recordings)


def test_what_needs_numbers_is_said_with_its_line() -> None:
    job = lab.ranks(plans.reads_a_number, 4, backend="fake")
    assert not job.is_whole
    assert "Rank 0 raised DataDependentOutputException" in job.findings[0]


def test_ddp_reduces_its_buckets_in_a_plan() -> None:
    job = lab.ranks(plans.under_ddp, 64, backend="fake")
    assert job.is_whole, job.findings
    plan = job.job.plan
    assert plan is not None
    assert len(plan.kinds) == 1
    (recording,) = job.job.recordings
    rank = recording.rank
    assert rank is not None
    (reducer,) = rank.reducers
    floats = 512 * 512 * 2 + 512 * 2 + 512 * 8 + 8
    assert [one.bytes for one in reducer.initial] == [4 * floats]
    assert reducer.rebuilt is not None
    assert sum(one.bytes for one in reducer.rebuilt) == 4 * floats
    assert len(reducer.rebuilt) > 1
    reduced = [call.sizes for call in rank.calls or () if call.is_backward]
    assert reduced == [((floats,),), *(((one.bytes // 4,),) for one in reducer.rebuilt)]
    told = [row for kind in job.ranks().plan.kinds for row in kind.rows]  # type: ignore[union-attr]
    assert sum(row.cells[5].startswith("DDP reduces") for row in told) == len(reduced)
    (shown,) = job.ranks().ddp.reducers  # type: ignore[union-attr]
    assert shown.text.startswith("wrapped = nn.parallel.DistributedDataParallel")


def test_hooks_and_unused_parameters_of_ddp_are_planned() -> None:
    job = lab.ranks(plans.with_unused_parameters, 8, backend="fake")
    assert job.is_whole, job.findings
    (recording,) = job.job.recordings
    calls = (recording.rank and recording.rank.calls) or ()
    reduced = [(call.sizes, call.dtypes) for call in calls if call.is_backward]
    assert reduced == [(((272,),), ("Half",)), (((2,),), ("Int",))] * 2


@pytest.mark.release
def test_what_ddp_cuts_is_shown_of_a_plan() -> None:
    job = lab.ranks(plans.compiled_under_ddp, 64, backend="fake", timeout=300.0)
    assert job.is_whole, job.findings
    assert [len(one.ranks) for one in job.job.plan.kinds] == [64]  # type: ignore[union-attr]
    (split,) = job.job.recordings[0].splits
    assert len(split.buckets) == 2


@pytest.mark.release
def test_ddp_around_a_compiled_module_over_tensor_parallelism_is_planned() -> None:
    job = lab.ranks(plans.ddp_around_compiled_shards, 4, backend="fake", timeout=300.0)
    assert job.is_whole, job.findings
    recording = job.job.recordings[0]
    assert recording.captured_graphs()
    calls = (recording.rank and recording.rank.calls) or ()
    assert [call.sizes for call in calls if call.is_backward] == [((16 * 16,),)] * 2


def test_a_call_on_a_group_that_a_rank_is_not_in_is_said_and_is_of_another_kind() -> None:
    job = lab.ranks(plans.calls_of_others, 4, backend="fake")
    assert [kind.ranks for kind in job.job.plan.kinds] == [(0, 2), (1, 3)]  # type: ignore[union-attr]
    (told,) = job.findings
    line = line_of("outside", plans.__file__)
    assert told.startswith(f"Rank 1 calls `all_reduce` at plans.py, line {line} ")
    assert "3 times, on a group that it is not in; on rank 0 it is the group" in told
    assert told.endswith(" Rank 1 stands for ranks 1 and 3 (2 of 4).")


@pytest.mark.parametrize(
    ("program", "name", "mark", "raised"),
    [
        (plans.functional_calls_of_others, "all_gather_tensor", "functional", "ValueError: Unsupp"),
        (plans.traced_functional_outside, "all_reduce", "traced functional", "Unsupported: "),
    ],
)
def test_a_functional_call_on_such_a_group_is_said_though_pytorch_raises(
    program: Callable[[], None], name: str, mark: str, raised: str
) -> None:
    job = lab.ranks(program, 4, backend="fake")
    assert [kind.ranks for kind in job.job.plan.kinds] == [(0, 2), (1, 3)]  # type: ignore[union-attr]
    (told,) = job.findings
    assert told.startswith(
        f"Rank 1 calls `{name}` at plans.py, line {line_of(mark, plans.__file__)} "
    )
    assert f"it is the group '1' of ranks 0 and 2: PyTorch raises {raised}" in told


def test_ranks_that_call_on_their_own_groups_are_said_nothing_of() -> None:
    job = lab.ranks(plans.members_alone_call, 4, backend="fake")
    assert [kind.ranks for kind in job.job.plan.kinds] == [(0, 2), (1, 3)]  # type: ignore[union-attr]
    assert job.findings == ()


def test_dynamo_breaks_at_such_a_call_as_without_a_recording() -> None:
    job = lab.ranks(plans.traced_outside, 2, backend="fake")
    (told,) = job.findings
    assert told.startswith("Rank 1 calls `broadcast`")
    (found,) = job.job.recordings[1].breaks
    assert "`_warnings.warn`" in found.reason


def test_nothing_is_left_behind() -> None:
    lab.ranks(lambda: None, 1024, backend="fake")
    assert not dist.is_initialized()
    assert torch.ones(2).sum().item() == 2


def test_a_rank_of_a_job_cannot_be_planned() -> None:
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
    try:
        with pytest.raises(OptionError, match="has a process group already"):
            lab.ranks(lambda: None, 2, backend="fake")
    finally:
        dist.destroy_process_group()
