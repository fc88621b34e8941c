"""The same program several ways, side by side: one recording for each target or setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dynamo_lab.plain import table, visible

if TYPE_CHECKING:
    from dynamo_lab.recording import Recording


class SideBySide(Mapping[str, "Recording"]):
    """Recordings by label, the first of which is shown first.

    Print it for the kernels of each, or leave it as the last expression of a cell for the
    interactive view, with a switch between them and their kernels beside each other.
    """

    def __init__(self, recordings: Mapping[str, Recording]) -> None:
        self._recordings = dict(recordings)

    def __getitem__(self, label: str) -> Recording:
        return self._recordings[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._recordings)

    def __len__(self) -> int:
        return len(self._recordings)

    def __str__(self) -> str:
        head = ("", "kernels", "extern", "lines", "breaks")
        rows = [(visible(label), *_counts(one)) for label, one in self._recordings.items()]
        parts = table([head, *rows], right=(1, 2, 3, 4))
        for label, one in self._recordings.items():
            parts += ["", f"{visible(label)}:", *(f"  {line}" for line in _kernels(one))]
        return "\n".join(parts)

    __repr__ = __str__


def _counts(recording: Recording) -> tuple[str, str, str, str]:
    """How many kernels were generated, extern ones, lines of their code, and graph breaks."""
    own = [kernel for kernel in recording.kernels if kernel.language != "extern"]
    lines = sum(kernel.code.count("\n") + 1 for kernel in own)
    extern = len(recording.kernels) - len(own)
    return f"{len(own):,}", f"{extern:,}", f"{lines:,}", f"{len(recording.breaks):,}"


def _kernels(recording: Recording) -> list[str]:
    if recording.failure:
        return [f"failed with {visible(recording.failure.type)}"]
    names = [(visible(kernel.name), kernel.language) for kernel in recording.kernels]
    return table(names) if names else ["no kernel"]
