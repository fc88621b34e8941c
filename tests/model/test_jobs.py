"""A job of several ranks as one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from dynamo_lab.errors import OptionError, RecordingFileError
from dynamo_lab.model.core import codec
from dynamo_lab.model.ranks import jobs
from dynamo_lab.model.ranks.jobs import Job
from dynamo_lab.model.ranks.ranks import Call, Ending, Rank
from dynamo_lab.model.recording import Recording
from dynamo_lab.record.ranks.join import join

if TYPE_CHECKING:
    from pathlib import Path


def recording(number: int, size: int = 2, **facts: object) -> Recording:
    calls = (Call(name="all_reduce", group="0", number=1, sizes=((8,),)),)
    own = Rank(number=number, size=size, calls=calls, ending=Ending(kind="finished", code=0))
    return Recording(title="train.py", rank=msgspec.structs.replace(own, **facts))


JOB = Job(title="train.py", recordings=(recording(0), recording(1)), limit=10.0, was_cut=True)


@pytest.mark.parametrize("name", ["job.json", "job.json.gz"])
def test_it_is_read_as_it_was_written(tmp_path: Path, name: str) -> None:
    jobs.save(JOB, tmp_path / name)
    assert jobs.is_job(tmp_path / name)
    assert jobs.load(tmp_path / name) == JOB


def test_load_says_how_a_job_is_opened(tmp_path: Path) -> None:
    jobs.save(JOB, tmp_path / "job.json")
    with pytest.raises(RecordingFileError, match="several ranks: open it with dynamo_lab"):
        codec.load(tmp_path / "job.json")


def test_a_recording_is_no_job(tmp_path: Path) -> None:
    codec.save(recording(0), tmp_path / "one.json")
    assert not jobs.is_job(tmp_path / "one.json")
    with pytest.raises(RecordingFileError, match="not a job"):
        jobs.load(tmp_path / "one.json")


def test_a_damaged_recording_in_it_is_refused(tmp_path: Path) -> None:
    bad = msgspec.structs.replace(JOB, recordings=(recording(0, span=7),))
    jobs.save(bad, tmp_path / "job.json")
    with pytest.raises(RecordingFileError, match="is damaged"):
        jobs.load(tmp_path / "job.json")


def test_an_empty_one_is_refused(tmp_path: Path) -> None:
    jobs.save(Job(title="none", recordings=()), tmp_path / "job.json")
    with pytest.raises(RecordingFileError, match="0 recordings"):
        jobs.load(tmp_path / "job.json")


def test_recordings_of_ranks_are_joined_by_number(tmp_path: Path) -> None:
    for number in (1, 0):
        codec.save(recording(number), tmp_path / f"rank-{number}.json.gz")
    (tmp_path / "notes.json").write_text("{}")
    found = join([tmp_path])
    assert [one.rank and one.rank.number for one in found.recordings] == [0, 1]
    assert found.remarks == ()


def test_a_missing_rank_is_told(tmp_path: Path) -> None:
    codec.save(recording(1, 3), tmp_path / "rank-1.json.gz")
    assert join([tmp_path]).remarks == ("There is no recording of rank 0, 2.",)


def test_what_is_not_of_one_job_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no recording of a rank"):
        join([tmp_path])
    codec.save(recording(0), tmp_path / "rank-0.json.gz")
    codec.save(recording(1, 4), tmp_path / "rank-1.json.gz")
    with pytest.raises(OptionError, match="jobs of 2, 4 ranks"):
        join([tmp_path])
    with pytest.raises(OptionError, match="two recordings of one rank"):
        join([tmp_path / "rank-0.json.gz", tmp_path / "rank-0.json.gz"])
