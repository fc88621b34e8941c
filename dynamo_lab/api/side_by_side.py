"""Variants of one program side by side: one recording for each target or setting."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dynamo_lab.api.handle import begin
from dynamo_lab.api.recording import recording_of, run
from dynamo_lab.api.settings import settings
from dynamo_lab.errors import OptionError
from dynamo_lab.model.core.files import write_output

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.api.recording import Recording
    from dynamo_lab.render.widget import Looks, Runs
    from dynamo_lab.view.compare.side_by_side import SideBySideView


class SideBySide(Mapping[str, "Recording"]):
    """Recordings by label, the first of which is shown first.

    Print it for the kernels of each, or leave it as the last expression of a cell for the
    interactive view, with a switch between them and their kernels side by side.
    """

    def __init__(self, recordings: Mapping[str, Recording]) -> None:
        if not recordings:
            raise OptionError("There is nothing to show: pass recordings by label.")
        self._recordings = dict(recordings)
        self.title = ", ".join(recordings)
        self.made_at = time.perf_counter_ns()  # as of a Recording

    def __getitem__(self, label: str) -> Recording:
        return self._recordings[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._recordings)

    def __len__(self) -> int:
        return len(self._recordings)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal import as_text
        from dynamo_lab.render.terminal.compare.side_by_side import side_by_side

        return as_text(side_by_side(self._view()))

    __repr__ = __str__

    def to_html(self, path: str | Path) -> None:
        """Write one interactive page of all of them, with a switch; it works offline."""
        from dynamo_lab.render.page import page_of_several

        write_output(path, page_of_several(self._view()))

    def show(self, looks: Looks | None = None) -> None:
        """Show them where this code runs: interactively in a notebook, as text elsewhere."""
        from dynamo_lab.render.display import display_several

        looks = looks or settings().looks_on_demand()
        has_programs = any(one.program() for one in self._shown().values())
        display_several(self._shown(), self._view(), begin, self._runs(), looks, has_programs)

    def _ipython_display_(self) -> None:
        self.show()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.fallback.compare.side_by_side import fallback_of_several

        return {"text/plain": str(self), "text/html": fallback_of_several(self._view())}

    def _runs(self) -> Runs:
        """What runs a program again where a view asks for it."""
        return run

    def _shown(self) -> dict[str, Recording]:
        """The recordings that a page holds."""
        return self._recordings

    def _view(self) -> SideBySideView:
        from dynamo_lab.view.compare.side_by_side import together

        return together(self._shown())


def beside(recording: Recording, backend: str = "lab") -> SideBySide:
    """What another backend makes of the recorded program, beside the recording.

    The program is compiled and run once more, with the same arguments and for the same target; its
    mode and settings are Inductor's, and left out. Print the answer for a table of what each
    compiler did that the other did not; on its page the kernels stand side by side.

    Raises:
        LoweringError: the program is not available.
        OptionError: this backend compiled the recording.
    """
    from dynamo_lab.live.compiler.beside import compiled_by

    program = recording.session.program
    own = str(program.choice.backend) if program else ""
    other = recording_of(compiled_by(recording, recording.session, backend))
    return SideBySide({own: recording, backend: other})
