"""A distributed job: the recordings of its ranks, as one file."""

import os
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Struct

from dynamo_lab.errors import RecordingFileError
from dynamo_lab.model.core import codec
from dynamo_lab.model.core.references import Plain
from dynamo_lab.model.ranks.plans import Plan
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.validate import validate

FORMAT = "dynamo_lab.job"
SCHEMA = 1
"""The number of the format, as for `codec.SCHEMA`; that of the recordings in it is their own."""

MOST_RANKS = 1024
"""The most recordings that a file may hold."""


class Job(Struct, frozen=True, kw_only=True):
    """The ranks of a job, by number; each recording has its `rank`.

    `limit` is the time in seconds that it had, None without one. `was_cut` says that it was
    ended when that was over. `remarks` are on the recordings themselves, such as one that is
    missing. With a `plan` nothing ran: the recordings are those of the ranks that were planned, the
    first of each kind in the order of the kinds.
    """

    title: str
    recordings: tuple[Recording, ...]
    limit: float | None = None
    was_cut: bool = False
    remarks: tuple[str, ...] = ()
    plan: Plan | None = None


class _Envelope(Struct):
    format: str
    schema: int
    recordings_schema: Annotated[int, Plain("the number of a format")]
    job: msgspec.Raw


def is_job(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds a job, rather than one recording.

    Raises:
        RecordingFileError: it cannot be read.
    """
    data = codec.read(Path(path), repr(os.fspath(path)))
    return data[:200].lstrip().startswith(f'{{"format":"{FORMAT}"'.encode())


def save(job: Job, path: str | os.PathLike[str]) -> None:
    """Write the job to `path`, gzipped if the name ends in `.gz`, entirely or not at all."""
    for recording in job.recordings:  # of a plan they are not read from files
        recording.decompositions.whole()
    whole = {"format": FORMAT, "schema": SCHEMA, "recordings_schema": codec.SCHEMA, "job": job}
    codec.write(codec.as_json(whole), path)


def load(path: str | os.PathLike[str]) -> Job:
    """The job in a file that `save` wrote.

    Raises:
        RecordingFileError: it is not one, or damaged.
    """
    name = repr(os.fspath(path))
    data = codec.read(Path(path), name)
    envelope = codec.parse(data, _Envelope, name, "is not a job of several ranks")
    if envelope.format != FORMAT:
        raise codec.refusal(name, "is not a job of several ranks: it has another format")
    if envelope.schema > SCHEMA or envelope.recordings_schema > codec.SCHEMA:
        raise RecordingFileError(
            f"{name} was written by a newer dynamo_lab: upgrade dynamo_lab to read it."
        )
    job = codec.parse(bytes(envelope.job), Job, name, "is damaged")
    if not 0 < len(job.recordings) <= MOST_RANKS:
        raise codec.refusal(name, f"is damaged: it has {len(job.recordings):,} recordings")
    for recording in job.recordings:
        if problem := validate(recording):
            raise codec.refusal(name, f"is damaged: {recording.title:.80}: {problem}")
    return job
