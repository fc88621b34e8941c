"""Modules under DDP: what is told of their buckets, and what would change something."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.reducers import Reduced
from dynamo_lab.model.ranks.splits import Bucket, Split
from dynamo_lab.render.terminal import as_text
from dynamo_lab.render.terminal.ranks.ranks import ranks
from dynamo_lab.view.ranks import collectives, job, reducers
from dynamo_lab.view.ranks.fixes import fixes_of
from tests.view.ranks.test_buckets import FIRST, REBUILT, call, known
from tests.view.samples.table import Table, graph

MB = 1 << 20
LARGE = (Reduced(bytes=30 * MB), Reduced(bytes=2 * MB))


def offered(**reducer: Any) -> list[str]:
    return [fix.name for fix in fixes_of(known(**reducer).recording)]


def test_only_a_setting_that_would_change_something_is_offered() -> None:
    assert offered() == ["bucket_cap_mb=2", "static_graph=True", "gradient_as_bucket_view=True"]
    assert offered(static_graph=True, gradient_as_bucket_view=True) == ["bucket_cap_mb=2"]
    one = {"rebuilt": FIRST, "static_graph": True, "gradient_as_bucket_view": True}
    assert offered(**one) == []  # all are in one bucket already
    assert offered(**{**one, "rebuilt": None}) == []  # so few never were in several
    large = (Reduced(bytes=2 * MB),)
    assert offered(**{**one, "rebuilt": None, "initial": large}) == ["bucket_cap_mb=3"]


@pytest.mark.parametrize(
    ("limit", "names"),
    [
        (25 * MB, ["bucket_cap_mb=33", "bucket_cap_mb=12"]),
        (80 * MB, ["bucket_cap_mb=33"]),  # half of it holds all gradients, as the whole does
        (MB, ["bucket_cap_mb=33"]),  # there is no smaller number of megabytes
        (None, ["bucket_cap_mb=33"]),
    ],
)
def test_buckets_of_half_the_size_are_offered_where_they_would_be_more(
    limit: int | None, names: list[str]
) -> None:
    whole = {"initial": (Reduced(bytes=32 * MB),), "rebuilt": LARGE, "limit": limit}
    assert [name for name in offered(**whole) if name.startswith("bucket_cap_mb")] == names


def test_an_older_recording_has_the_limit_of_its_splits() -> None:
    own = known(initial=(Reduced(bytes=32 * MB),), rebuilt=LARGE).recording
    cut = Split(compile_id="0/0", graph=None, first_limit=MB, limit=25 * MB,
                buckets=(Bucket(bytes=4, parameters=("w",)),))  # fmt: skip
    assert "bucket_cap_mb=12" in [fix.name for fix in fixes_of(replace(own, splits=(cut,)))]


def test_the_reducer_in_python_is_offered_for_what_is_compiled() -> None:
    table = Table()
    table.output(table.input("x"))
    own = replace(known().recording, graphs=(graph(0, table),))
    assert "python_reducer" in [fix.name for fix in fixes_of(own)]


def test_settings_are_told_once_and_at_a_bucket_only_where_they_change_not_all() -> None:
    one = known(initial=(Reduced(bytes=32 * MB),), rebuilt=LARGE, limit=25 * MB)
    view = reducers.build(one, can_try=False)
    assert view is not None
    [reducer] = view.reducers
    large, small = reducer.buckets
    assert "static_graph=True" in reducer.settings
    assert large.settings == ("bucket_cap_mb=12",)
    assert not small.settings
    assert reducer.head == ("bucket", "bytes", "parameters", "also to try")
    alike = reducers.build(known(), can_try=False)
    assert alike is not None
    assert alike.reducers[0].head == ("bucket", "bytes", "parameters")
    assert alike.reducers[0].settings
    assert view.settings[0].code == "DistributedDataParallel(model, bucket_cap_mb=33)"
    assert view.settings[0].call == 'job.try_fix("bucket_cap_mb=33")'


def test_what_is_not_known_of_the_buckets_is_said() -> None:
    view = reducers.build(known(rebuilt=None), can_try=False)
    assert view is not None
    assert "Whether it has cut them anew since is not known" in view.reducers[0].sentence
    same = reducers.build(known(rebuilt=FIRST), can_try=False)
    assert same is not None
    assert same.reducers[0].sentence == (
        "DDP reduces 120 B of gradients over the group '0', in the first step in one bucket."
    )


def test_a_rank_without_ddp_has_no_such_section() -> None:
    one = known()
    bare = replace(one.recording, rank=replace(one.rank, reducers=()))
    assert job.build_job(Job(title="step", recordings=(bare,)), {"rank 0": bare}).ddp is None
    assert reducers.build(None, can_try=True) is None


def test_a_collective_has_the_settings_of_its_bucket_and_all_is_printed() -> None:
    one = known(call(1, 10), call(2, 20), call(3, 7, is_backward=False), limit=25 * MB)
    view = collectives.build([one])
    assert view is not None
    assert [bool(each.settings) for each in view.meetings] == [True, True, False]
    whole = job.build_job(
        Job(title="step", recordings=(one.recording,)), {"rank 0": one.recording}, can_try=True
    )
    assert whole.ddp is not None
    assert whole.ddp.can_try
    assert whole.ddp.reducers[0].where == "train.py, line 1"
    printed = " ".join(as_text(ranks(whole, "step")).split())
    assert "Since the second step it is 2 buckets, in the order in which gradients come." in printed
    assert "DistributedDataParallel(model, static_graph=True)" in printed
    assert REBUILT[1].parameters[0] in printed
