"""Recordings of ranks, from the folder that they were written to, joined to one job."""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from dynamo_lab.capture.core.sources import Texts
from dynamo_lab.capture.ranks.dumps import dumps_in, read, with_dump
from dynamo_lab.errors import OptionError, RecordingFileError
from dynamo_lab.model.core import codec
from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.ranks.jobs import MOST_RANKS, Job
from dynamo_lab.model.ranks.ranks import Call, Ending, Group, Rank
from dynamo_lab.model.recording import Recording
from dynamo_lab.record.ranks.folder import Seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dynamo_lab.record.ranks.folder import JobFolder

_CRASH_LINE = re.compile(r'^ *File "(.*?)", line (\d+) in (.*)$', re.MULTILINE)
_TRACE = "dedicated_log_torch_trace_"
_FILE = re.compile(r"rank-(\d{1,4})\.json(?:\.gz)?")


def joined(
    folder: JobFolder,
    n: int,
    title: str,
    endings: Mapping[int, Ending],
    limit: float | None,
    was_cut: bool,
) -> Job:
    """The job of ranks 0 to n - 1, each with its end as seen from outside.

    A rank that wrote no recording has an empty one: of it only its end is known.
    """
    recordings: list[Recording] = []
    for number in range(n):
        recording = _left_by(folder, number, n, title)
        for seen in (folder.last_seen(number), _crashed(folder.crash(number))):
            if seen is not None:
                recording = _at(recording, seen)
        recordings.append(_ended(recording, endings[number]))
    return Job(title=title, recordings=tuple(recordings), limit=limit, was_cut=was_cut)


def _left_by(folder: JobFolder, number: int, n: int, title: str) -> Recording:
    path = folder.recording(number)
    own = Rank(number=number, size=n)
    try:
        recording = codec.load(path) if path.exists() else Recording(title=title)
    except RecordingFileError:  # cut while it was written for the first time
        recording = Recording(title=title)
    return replace(recording, state="done", rank=recording.rank or own)


def waits_in_vain(folder: JobFolder, ranks: Iterable[int]) -> bool:
    """Whether a rank waits in a collective that another one ended without calling."""
    done = [number for number in ranks if folder.has_finished(number)]
    others = [
        number for number in ranks if number not in done and folder.recording(number).exists()
    ]
    if not (done and others):
        return False
    try:
        ended = [codec.load(folder.recording(number)).rank for number in done]
        waiting = [codec.load(folder.recording(number)).rank for number in others]
    except RecordingFileError:
        return False
    return any(
        _never_called(call, group, rank)
        for one in waiting
        if one is not None
        for call in one.calls or ()
        if not (call.is_done or call.is_message)
        for group in one.groups
        if group.name == call.group
        for rank in ended
        if rank is not None and rank.number in group.ranks
    )


def _never_called(call: Call, group: Group, rank: Rank) -> bool:
    """Whether a rank that is done has made fewer calls to a group that it is in."""
    if rank.calls is None or rank.forgotten or group not in rank.groups:
        return False
    own = [one.number for one in rank.calls if one.group == group.name and not one.is_message]
    return call.number > max(own, default=0)


def _ended(recording: Recording, seen: Ending) -> Recording:
    """The recording with its end; what a rank said of that itself is more than what was seen."""
    rank = recording.rank
    assert rank is not None
    if rank.ending.kind != "running" and seen.kind in ("finished", "raised"):
        return recording
    return replace(recording, rank=replace(rank, ending=seen))


def _crashed(path: Path) -> Seen | None:
    """The user's innermost line in the main thread, the last thread of a crash that has one."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    texts = Texts()
    for thread in reversed(text.split("\n\n")):
        for file, line, function in _CRASH_LINE.findall(thread):
            if texts.is_users(file):
                return Seen(path.stat().st_mtime, texts.name(file), int(line), function, file)
    return None


def _at(recording: Recording, seen: Seen) -> Recording:
    """The recording of a rank that was last seen there: perhaps after it had been written."""
    rank = recording.rank
    assert rank is not None
    if seen.time <= rank.seen:
        return recording
    sources, spans = list(recording.sources), list(recording.spans)
    paths = [one.path for one in sources]
    if seen.source not in paths:
        sources.append(Source(seen.source, "user", _excerpts(seen.path)))
        paths.append(seen.source)
    span = Span(paths.index(seen.source), max(1, seen.line), seen.function)
    if span not in spans:
        spans.append(span)
    return replace(
        recording,
        sources=tuple(sources),
        spans=tuple(spans),
        rank=replace(rank, seen=seen.time, span=spans.index(span)),
    )


def _excerpts(path: str) -> tuple[Excerpt, ...]:
    """The text of a file that no recording holds, if it is there."""
    lines = [line.rstrip("\r\n") for line in linecache.getlines(path)]
    return (Excerpt(1, "\n".join(lines)),) if lines else ()


def join(paths: Sequence[str | Path]) -> Job:
    """The job of recordings that ranks wrote, on one host or on several: files, or folders of them.

    Raises:
        OptionError: there is none, or they are not of ranks of one job.
    """
    found = [codec.load(path) for path in _files(paths)]
    ranks = {one.rank.number: one for one in found if one.rank is not None}
    shown = ", ".join(str(path) for path in paths)[:300]
    if not ranks:
        raise OptionError(
            f"There is no recording of a rank in {shown}: pass what `torchrun -m dynamo_lab.record "
            "--folder FOLDER SCRIPT` wrote."
        )
    sizes = {one.rank.size for one in ranks.values() if one.rank is not None}
    if len(sizes) > 1:
        listed = ", ".join(map(str, sorted(sizes)))
        raise OptionError(f"{shown} has recordings of jobs of {listed} ranks: pass those of one.")
    if len(ranks) < len(found):
        raise OptionError(f"{shown} has two recordings of one rank: pass those of one job.")
    recordings = tuple(replace(ranks[number], state="done") for number in sorted(ranks))
    remarks = tuple(_missing(ranks, sizes.pop()))
    return Job(title=recordings[0].title, recordings=recordings, remarks=remarks)


def from_dumps(path: Path, folder: Path | None = None) -> Job | None:
    """The job whose flight recorders' dumps are in a folder, with the logs beside them.

    A rank with a log of `TORCH_TRACE` in the same folder has what it compiled, too; `folder` has
    the program's files. None where there is no dump.

    Raises:
        TraceError: a file cannot be read as what its name says.
    """
    dumps = dumps_in(path)
    if not dumps:
        return None
    logs = _logs(path, folder)
    empty = Recording(title="")
    recordings = [
        replace(with_dump(logs.get(number, empty), number, read(dumps[number])), state="done")
        for number in sorted(dumps)
    ]
    size = max(one.rank.size for one in recordings if one.rank is not None)
    title = path.resolve().name
    ranks = {
        number: replace(one, title=title)
        for number, one in zip(sorted(dumps), recordings, strict=True)
    }
    bare = [number for number in dumps if number not in logs]
    remarks = [one.replace("recording", "dump") for one in _missing(ranks, size)]
    if bare and logs:
        remarks.append(
            f"What {len(bare)} of the ranks compiled is not known: there is no log of it."
        )
    elif bare:
        remarks.append(
            "What the ranks compiled is not known: with TORCH_TRACE set to the same folder, it is."
        )
    return Job(title=title, recordings=tuple(ranks.values()), remarks=tuple(remarks))


def _logs(path: Path, folder: Path | None) -> dict[int, Recording]:
    """What each rank's log of `TORCH_TRACE` tells; of one that restarted, the last."""
    from dynamo_lab.capture.traces.read import processes

    if not (path.is_dir() and any(one.name.startswith(_TRACE) for one in path.iterdir())):
        return {}
    return {one.rank: one.recording for one in processes(path, folder) if one.rank is not None}


def _files(paths: Sequence[str | Path]) -> Iterator[Path]:
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        own = [one for one in path.iterdir() if _FILE.fullmatch(one.name)]
        yield from sorted(own)[:MOST_RANKS]


def _missing(ranks: Mapping[int, Recording], size: int) -> Iterator[str]:
    missing = [number for number in range(size) if number not in ranks]
    if missing:
        shown = ", ".join(map(str, missing[:20])) + (", ..." if len(missing) > 20 else "")
        yield f"There is no recording of rank {shown}."
