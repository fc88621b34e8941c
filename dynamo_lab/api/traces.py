"""Logs that PyTorch wrote elsewhere (`TORCH_TRACE`, `TORCH_LOGS`), as recordings."""

from __future__ import annotations

import os
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, overload

from msgspec import structs

from dynamo_lab.api.recording import Recording
from dynamo_lab.api.side_by_side import SideBySide
from dynamo_lab.errors import OptionError, TraceError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dynamo_lab.capture.traces.read import Process
    from dynamo_lab.view.compare.side_by_side import SideBySideView
    from dynamo_lab.view.ranks.ranks import RanksView

SHOWN = 6
"""The most recordings that one page holds."""


@overload
def open_trace(path: str | Path, *, rank: int, sources: str | Path | None = None) -> Recording: ...


@overload
def open_trace(
    path: str | Path, *, rank: None = None, sources: str | Path | None = None
) -> Recording | Ranks: ...


def open_trace(
    path: str | Path, *, rank: int | None = None, sources: str | Path | None = None
) -> Recording | Ranks:
    """The contents of a log that PyTorch wrote anywhere, with `TORCH_TRACE=folder` or `TORCH_LOGS`.

    Nothing in it is run, and PyTorch need not be installed. A truncated log gives what can
    be read of it; the text of its records is kept, in `artifacts`. What `TORCH_LOGS` printed is in
    words, as people paste it: its messages are kept in `logs`, and a note says what it lacks.

    Args:
        path: The folder, or one of its logs; may be gzipped. Or a text that holds such messages.
        rank: Only this rank of a job; the last of its processes, if it restarted.
        sources: A folder with the program's files, to show whole instead of the lines that the log
        quotes. A Python file is used if its path ends as in the log, and its lines are those
        that the log quotes; hidden files and folders are never used.

    Returns:
        The recording of the process that wrote it; for several processes, Ranks.

    Raises:
        TraceError: there is no log, or nothing in it can be read.
        OptionError: there is no such rank, or no such folder.
    """
    from dynamo_lab.capture.logs.read import processes as in_words
    from dynamo_lab.capture.traces.read import processes

    if type(rank) not in (int, NoneType):  # True is an int, too
        raise OptionError(f"rank={rank!r} is not a rank: pass a number, such as rank=1.")
    folder = None if sources is None else Path(sources).expanduser()
    if folder is not None and not folder.is_dir():
        raise OptionError(f"sources={str(sources)!r} is not a folder: pass the program's.")
    file = Path(path).expanduser()
    found = [one for one in processes(file, folder) if any(one.tallies)]
    found = [one for one in found if set(one.tallies) != {"unreadable"}]
    found = found or in_words(file, folder)
    if not found:
        raise TraceError(
            f"{os.fspath(path)!r} has no record of PyTorch's: pass what TORCH_TRACE was set to, or "
            "a file with what TORCH_LOGS printed."
        )
    labels = dict(zip(_labels(found), found, strict=True))
    if rank is not None:
        found = [one for one in found if one.rank == rank]
        if not found:
            raise OptionError(f"There is no rank {rank}: there are {', '.join(labels)}.")
        return _recording(f"rank {rank}", found[-1])
    if len(found) == 1:
        return _recording(Path(path).name or str(path), found[0])
    recordings = {label: _recording(label, one) for label, one in labels.items()}
    last = {label: one for label, one in labels.items() if label == f"rank {one.rank}"}
    return Ranks(
        Path(path).name or str(path),
        recordings,
        compared=tuple(last or labels),
        remarks=tuple(_remarks(found)),
    )


def _recording(title: str, process: Process) -> Recording:
    facts: dict[str, Any] = structs.asdict(process.recording)
    facts["title"] = title
    return Recording(**facts)


class Ranks(SideBySide):
    """The recordings of a job by label ("rank 0"), and where the ranks diverge.

    Print it for what differs, leave it as the last expression of a cell for the interactive view,
    or take one: `ranks["rank 1"]`. `findings` are the differences in plain words.
    """

    def __init__(
        self,
        title: str,
        recordings: Mapping[str, Recording],
        compared: Sequence[str],
        remarks: Sequence[str] = (),
    ) -> None:
        super().__init__(recordings)
        self.title = title
        self._compared = tuple(compared)
        self._remarks = tuple(remarks)

    @property
    def findings(self) -> tuple[str, ...]:
        """Where the ranks diverge, the most serious first; empty if they compiled the same."""
        return self.ranks().findings

    def ranks(self) -> RanksView:
        """What is shown of them side by side."""
        from dynamo_lab.view.ranks.ranks import build

        return build({label: self[label] for label in self._compared}, self._remarks)

    def save(self, path: str | Path) -> None:
        """Write each recording to its own file: "run.json.gz" becomes "run.rank-0.json.gz"."""
        name = os.fspath(path)
        stem = name.removesuffix(".gz").removesuffix(".json")
        for label, recording in self.items():
            recording.save(f"{stem}.{'-'.join(re.findall('[a-z0-9]+', label))}{name[len(stem) :]}")

    def __str__(self) -> str:
        from dynamo_lab.render.terminal import as_text
        from dynamo_lab.render.terminal.ranks.ranks import ranks

        return as_text(ranks(self.ranks(), self.title))

    __repr__ = __str__

    def _shown(self) -> dict[str, Recording]:
        first = (self._compared[0], *self.ranks().apart, *self._compared, *self)
        return {label: self[label] for label in islice(dict.fromkeys(first), SHOWN)}

    def _view(self) -> SideBySideView:
        from dynamo_lab.view.compare.side_by_side import together

        ranks = self.ranks()
        hidden = len(self) - len(self._shown())
        if hidden:
            told = (
                f"This page holds {SHOWN} of them: `--rank N`, or ranks['rank N'], shows another."
            )
            ranks = structs.replace(ranks, remarks=(*ranks.remarks, told))
        return together(self._shown(), ranks)


def _labels(processes: Sequence[Process]) -> Iterator[str]:
    """'rank 0', or 'rank 0, process 17' for one that another process followed; each once."""
    last = {one.rank: at for at, one in enumerate(processes) if one.rank is not None}
    seen: Counter[str] = Counter()
    for at, one in enumerate(processes):
        label = f"process {one.pid}" if one.rank is None else f"rank {one.rank}"
        if one.rank is not None and last[one.rank] != at:
            label = f"{label}, process {one.pid}"
        seen[label] += 1
        yield label if seen[label] == 1 else f"{label} ({seen[label]})"


def _remarks(processes: Sequence[Process]) -> Iterator[str]:
    """Remarks on the logs themselves."""
    ranks = sorted({one.rank for one in processes if one.rank is not None})
    missing = sorted(set(range(max(ranks, default=-1) + 1)) - set(ranks))
    if missing:
        shown = ", ".join(map(str, missing[:20])) + (", ..." if len(missing) > 20 else "")
        yield f"There is no log of rank {shown}."
    for rank in ranks:
        own = [one for one in processes if one.rank == rank]
        if len(own) > 1:
            yield f"Rank {rank} started {len(own)} times; its last process is compared."
    for one in processes:
        if len(one.ranks) > 1:
            others = ", ".join(map(str, one.ranks[1:]))
            yield f"The log {one.files[0]} of rank {one.rank} also has records of rank {others}."
    alone = sum(one.rank is None for one in processes)
    if alone and ranks:
        yield f"{alone} processes name no rank; they are not compared."
