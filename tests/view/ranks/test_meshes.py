"""Meshes, DTensors, memory and plans as they are shown, from ranks made by hand."""

from typing import Any

import pytest
from msgspec.structs import replace

from dynamo_lab.api.ranks.jobs import JobRecording
from dynamo_lab.model.core.sources import Excerpt, Source
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.memory import Amount, Memory
from dynamo_lab.model.ranks.meshes import Mesh, ShardedTensor
from dynamo_lab.model.ranks.plans import Kind, Plan
from dynamo_lab.model.ranks.ranks import Call, Ending, Group, Rank
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.fallback.compare.side_by_side import fallback_of_several
from dynamo_lab.view.ranks.mesh.groups import GroupKey, group_words, numbers_of
from dynamo_lab.view.ranks.mesh.meshes import build as meshes_of

MESH = Mesh(shape=(2, 2), ranks=(0, 1, 2, 3), names=("dp", "tp"), device="cpu")
ODD = Mesh(shape=(2, 2), ranks=(6, 2, 4, 0), device="cpu")
WEIGHT = ShardedTensor(
    name="weight", kind="parameter", mesh=MESH, placements=("R", "S(0)"), shape=(5, 4),
    local=(3, 4), dtype="float32", bytes=48,
)  # fmt: skip


def _rank(number: int, **fields: Any) -> Recording:
    rank = Rank(number=number, size=4, calls=(), ending=Ending(kind="finished"), **fields)
    return Recording(title="step", rank=rank)


def _job(*ranks: Recording, plan: Plan | None = None) -> JobRecording:
    return JobRecording(Job(title="step", recordings=ranks, plan=plan))


@pytest.mark.parametrize("mesh", [MESH, ODD])
@pytest.mark.parametrize("rank", [0, 2])
def test_the_long_way_makes_the_groups_of_the_mesh(
    mesh: Mesh, rank: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch.distributed as dist

    made: list[tuple[int, ...]] = []

    def new_group(members: list[int]) -> tuple[int, ...]:
        made.append(tuple(members))
        return tuple(members)

    monkeypatch.setattr(dist, "new_group", new_group)
    monkeypatch.setattr(dist, "get_rank", lambda: rank)
    (view,) = meshes_of([mesh])
    known: dict[str, Any] = {}
    exec(view.long, known)
    assert made == [group for one in view.dimensions for group in one.groups]
    assert known["groups"] == {
        one.name: group for one in view.dimensions for group in one.groups if rank in group
    }


def test_the_short_way_makes_the_mesh() -> None:
    (plain,), (odd,) = meshes_of([MESH]), meshes_of([ODD])
    assert "init_device_mesh(\"cpu\", (2, 2), mesh_dim_names=('dp', 'tp'))" in plain.short
    assert "init_device_mesh" not in odd.short  # it makes only meshes of all ranks, in order
    assert "DeviceMesh" in odd.short


def test_a_part_of_a_mesh_is_not_shown_beside_it() -> None:
    row = Mesh(shape=(2,), ranks=(0, 1), names=("tp",), device="cpu")
    assert [one.title for one in meshes_of([row, MESH, MESH])] == ["dp 2 x tp 2"]
    assert len(meshes_of([row])) == 1


def test_blocks_are_uneven_where_the_shards_are() -> None:
    (view,) = _job(_rank(0, dtensors=(WEIGHT,))).ranks().tensors
    first, second = view.blocks
    assert (first.ranks, first.sizes, second.ranks, second.sizes) == (
        (0, 2),
        (3, 4),
        (1, 3),
        (2, 4),
    )
    assert (first.height, second.y, second.height) == (3 / 5, 3 / 5, 2 / 5)
    assert "[3, 4] or [2, 4]" in view.cells


def test_ranks_that_hold_nothing_are_named() -> None:
    thin = replace(WEIGHT, shape=(1, 4), local=(1, 4))
    (view,) = _job(_rank(0, dtensors=(thin,))).ranks().tensors
    assert view.empty == (1, 3)
    assert len(view.blocks) == 1


def test_no_blocks_are_drawn_where_a_rank_holds_something_else() -> None:
    other = replace(WEIGHT, local=(4, 4))
    (view,) = _job(_rank(0, dtensors=(other,))).ranks().tensors
    assert view.blocks == ()
    assert "Rank 0 holds [4, 4]" in view.remark


def test_memory_is_summed_and_what_was_not_seen_is_unknown() -> None:
    memory = Memory(device="cpu", parameters=Amount(48, 80, 512), buffers=Amount(0, 0, 0))
    view = _job(_rank(0, memory=memory), _rank(1, memory=memory)).ranks().memory
    assert view is not None
    assert view.rows[0] == ("ranks 0 and 1", "48 B", "0 B", "?", "?", "?", "48 B", "?")
    assert view.rows[-1][0] == "whole"
    assert "of ranks 0 and 1 is 48 B on each, 60 % of the 80 B" in view.sentences[0]
    assert view.bytes[-1][0] == 80
    assert "Nothing was seen of: gradients, optimizer." in view.sentences
    assert _job(_rank(0)).ranks().memory is None


def _plan() -> JobRecording:
    call = Call(name="all_reduce", group="1", number=1, sizes=((8,),), dtypes=("Float",),
                results=((8,),), result_dtypes=("Float",), is_done=True)  # fmt: skip
    group = Group("1", (0, 2), "mesh_tp")
    first = _rank(0, groups=(group,), meshes=(MESH,))
    assert first.rank is not None
    first = replace(first, rank=replace(first.rank, calls=(call,)))
    kinds = (
        Kind(representative=0, ranks=(0, 2), planned=(0,)),
        Kind(representative=1, ranks=(1, 3), planned=(1, 3)),
    )
    return _job(first, _rank(1), plan=Plan(size=4, kinds=kinds, seconds=2.0))


def test_a_plan_says_so_in_every_output() -> None:
    job = _plan()
    view = job.ranks()
    said = "A plan of 4 ranks, made in 2.0 s from one of each of 2 kinds: nothing ran."
    assert view.sentence == said
    assert job.is_plan
    assert not job.findings
    assert view.collectives is None
    assert any("Traced: 3 ranks of 4" in one for one in view.remarks)
    printed = " ".join(str(job).split())
    assert "nothing ran" in printed
    assert "what rank 0 would call" in printed
    static = fallback_of_several(job._view())  # pyright: ignore[reportPrivateUsage]
    assert "nothing ran" in static
    assert "the group <code>tp</code> of ranks 0 and 2" in static


def test_the_overview_of_a_plan_tells_mesh_collectives_memory_and_what_is_not_known() -> None:
    view = _plan().ranks()
    assert view.plan is not None
    assert view.plan.facts == (
        "A mesh of 4 ranks: 2 groups of 2 along dp, 2 groups of 2 along tp.",
        "Each of ranks 0 and 2 would call 1 `all_reduce` and bring 32 B.",
        "Each of ranks 1 and 3 would call no collective.",
        "What a rank would keep in memory was not seen: it is looked for in modules with "
        "parameters, once a graph was captured or a backward is over; under FSDP, after a backward "
        "alone.",
    )
    assert view.plan.facts == view.remarks[: len(view.plan.facts)]
    assert any(one.startswith("Not known, as nothing ran: how long") for one in view.remarks)
    assert [row[1] for row in view.rows] == ["traced", "traced"]
    assert not {"frames", "kernels", "compiling"} & set(view.head)
    assert all(len(row) == len(view.head) for row in view.rows)


def test_a_plan_that_ended_early_tells_only_what_it_came_to() -> None:
    first = _rank(0)
    assert first.rank is not None
    calls = tuple(
        Call(name=name, group="0", number=1, sizes=((8,),), dtypes=("Float",), is_message=at > 1)
        for at, name in enumerate(("broadcast", "barrier", "send", "recv"))
    )
    raised = Ending(kind="raised", message="ValueError: no")
    ended = replace(first, rank=replace(first.rank, calls=calls, ending=raised))
    kind = Kind(representative=0, ranks=(0, 1, 2, 3), planned=(0,))
    view = _job(ended, plan=Plan(size=4, kinds=(kind,))).ranks()
    assert view.plan is not None
    assert view.plan.facts == (
        "Until it ended, rank 0 would call 2 collectives and bring 64 B: 1 `broadcast` (32 B) "
        "and 1 `barrier` (32 B); and send or receive twice.",
    )
    assert view.plan.kinds[0].cells[3] == "2"


def test_memory_of_a_plan_is_of_all_for_whom_a_rank_stands() -> None:
    held = Memory(device="cpu", parameters=Amount(48, 192, 512))
    kind = Kind(representative=0, ranks=(0, 1, 2, 3), planned=(0,))
    view = _job(_rank(0, memory=held), plan=Plan(size=4, kinds=(kind,))).ranks()
    assert view.memory is not None
    assert view.memory.rows[0][0] == "ranks 0 to 3"
    assert view.plan is not None
    assert view.plan.facts[0] == "The program makes no mesh."
    assert view.memory.sentences[0] in view.plan.facts


def _told_of(description: str, *meshes: Mesh, ranks: tuple[int, ...] = (0, 1)) -> str:
    rank = _rank(0, groups=(Group("3", ranks, description),), meshes=meshes).rank
    assert rank is not None
    return group_words(GroupKey("3", ranks), rank)


def test_groups_of_a_mesh_have_the_name_of_its_dimension() -> None:
    assert _told_of("mesh_tp", MESH) == "the group `tp` of ranks 0 and 1"
    assert _told_of("mesh_tp") == "the group `tp` of ranks 0 and 1"  # as in an imported dump
    assert _told_of("mesh_tp", ranks=()) == "the group `tp`"
    unnamed = "the group '3' (dimension 1 of a mesh) of ranks 0 and 1"
    assert _told_of("mesh_dim_1", ODD) == unnamed
    named = replace(MESH, names=("dim_1", "dim_0"))
    assert _told_of("mesh_dim_1", named) == "the group `dim_1` of ranks 0 and 1"
    for other in ("", "undefined", "mine"):
        assert _told_of(other, MESH) == "the group '3' of ranks 0 and 1"


def test_a_second_group_of_all_ranks_has_the_name_if_it_has_but_one() -> None:
    all_of_them = (0, 1, 2, 3)
    row = Mesh(shape=(4,), ranks=all_of_them, names=("dp",))
    told = _told_of("mesh_default", row, MESH, ranks=all_of_them)
    assert told == "the group `dp` of ranks 0 to 3"
    other = replace(row, names=("tp",))
    assert "'3'" in _told_of("mesh_default", row, other, ranks=all_of_them)


def test_messages_that_gloo_does_not_list_are_said_to_be_unknown() -> None:
    def said(text: str, backend: str = "gloo") -> bool:
        one = _rank(0, backend=backend)
        source = Source("train.py", "user", (Excerpt(1, text),))
        remarks = _job(replace(one, sources=(source,))).ranks().remarks
        return any(
            "Messages from rank to rank (`send`, `recv`) are not known" in r for r in remarks
        )

    assert said("dist.recv(x, src=0)")
    assert said("ops = [P2POp(isend, x, 1)]")
    assert not said("dist.all_reduce(x)")
    assert not said("dist.recv(x, src=0)", "nccl")


def test_kinds_name_their_ranks() -> None:
    assert numbers_of((0, 1, 2, 8)) == "0 to 2 and 8"
    assert numbers_of((8, 16, 24)) == "8, 16 and 24"
    assert numbers_of(range(0, 1024, 8)) == "0, 8, 16, ... 1,016"
    assert numbers_of((3,)) == "3"
    assert numbers_of((0, 1, 5, 6, 7)) == "0, 1 and 5 to 7"
    most = [number for number in range(1024) if number % 16 != 15]
    assert numbers_of(most) == "0 to 14, 16 to 30, 32 to 46, ... 1,008 to 1,022"


def test_no_series_is_made_up_where_steps_or_runs_differ() -> None:
    assert numbers_of((0, 8, 16, 24, 32, 1000)) == "0, 8, 16, 24 and 2 more"
    assert numbers_of((0, 1, 4, 5, 8, 9)) == "0, 1, 4, 5, 8 and 9"
    pairs = [number for number in range(64) if number % 4 < 2]
    assert numbers_of(pairs) == "0, 1, 4, 5, 8, 9, ... 60, 61"
    last_is_longer = [*range(0, 40, 8), 40, 41, 42]
    assert numbers_of(last_is_longer) == "0, 8, 16, 24 and 4 more"
    assert numbers_of([n for n in range(100) if n % 16 != 15]) == (
        "0 to 14, 16 to 30, 32 to 46, 48 to 62 and 34 more"
    )


def test_a_plan_is_saved_and_loaded(tmp_path: Any) -> None:
    import dynamo_lab as lab

    _plan().save(tmp_path / "plan.json")
    loaded = lab.open_job(tmp_path / "plan.json")
    assert loaded.is_plan
    assert loaded.job == _plan().job


def test_messages_are_listed_with_the_rank_that_called() -> None:
    calls = tuple(
        Call(name="send 0->1", group="0", number=at, is_message=True, sizes=((8,),),
             dtypes=("Float",), is_done=at < 3)
        for at in (1, 2, 3)
    )  # fmt: skip
    first = _rank(0, groups=(Group("0", (0, 1, 2, 3)),))
    assert first.rank is not None
    view = _job(replace(first, rank=replace(first.rank, calls=calls))).ranks().messages
    assert view is not None
    [row] = view.rows
    assert row.cells == ("3", "rank 0", "send 0->1", "32 B", "all ranks", "")
    assert (row.rank, row.line) == ("rank 0", "")
    assert view.sentence == "3 calls of send or recv; 1 of them did not end."
    assert _job(first).ranks().messages is None
