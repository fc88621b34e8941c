"""Where a recording is shown: a display in a notebook, filled as a program compiles, or as text."""

import time
import uuid
from collections.abc import Mapping
from typing import Any

from IPython.core import display_functions
from IPython.core.getipython import get_ipython

from dynamo_lab.model.recording import Recording
from dynamo_lab.render.fallback.compare.side_by_side import fallback_of_several
from dynamo_lab.render.fallback.page import fallback, waiting
from dynamo_lab.render.keeping import NOT_KEPT, Keeping, keep
from dynamo_lab.render.live_views import keep_live, running_cell
from dynamo_lab.render.margin import margins, place_of
from dynamo_lab.render.terminal import as_text, render
from dynamo_lab.render.terminal.compare.side_by_side import side_by_side
from dynamo_lab.render.waiting import PROGRESS_SECONDS
from dynamo_lab.render.widget import OWN, Answer, Explorer, Looks, Runs
from dynamo_lab.view import View, build
from dynamo_lab.view.compare.side_by_side import SideBySideView
from dynamo_lab.view.timings.timings import explain

_PAYLOAD_SECONDS = 2.0  # how often the views of an unfinished recording are rebuilt


def publish(data: dict[str, Any], **options: Any) -> Any:
    """Display a bundle of MIME types unchanged."""
    untyped: Any = display_functions
    return untyped.display(data, raw=True, **options)


class LiveDisplay:
    """One display in a notebook, filled while a program compiles."""

    def __init__(self, answer: Answer | None = None, looks: Looks | None = None) -> None:
        self._uid = uuid.uuid4().hex[:12]
        self._widget = Explorer(self._uid, answer, looks)
        self._keeps = (looks or Looks()).keeps
        self._static: Any = publish({"text/html": waiting(self._uid)}, display_id=True)
        # the first output has the text; an empty one keeps viewers from printing the widget's repr
        keep_live(self._widget, get_ipython())
        bundle = self._widget.bundle() | {"text/plain": ""}
        place = place_of(self._widget.place, self._uid)
        self._live: Any = publish(bundle, metadata=place, display_id=True)
        self._started = self._told = self._shown = time.perf_counter()

    def phase(self, name: str, recorder: Any) -> None:
        """A phase of compilation starts: update the progress bar, and occasionally the views."""
        now = time.perf_counter()
        is_first = not self._widget.payload and recorder.graphs
        if now - self._told < PROGRESS_SECONDS and not is_first:
            return
        self._told = now
        self._widget.progress = {
            "active": True,
            "stage": name,
            "detail": explain(name),
            "fraction": None,
            "seconds": round(now - self._started, 1),
        }
        if is_first or (now - self._shown > _PAYLOAD_SECONDS and recorder.frames):
            recording = recorder.recording
            self._widget.show(recording, build(recording))
            self._shown = time.perf_counter()

    def finish(self, recording: Recording, runs: Runs | None = None) -> None:
        """Show the whole recording, in the widget and in the saved output."""
        view = build(recording)
        self._widget.show(recording, view, runs)
        kept = self._kept({OWN: recording})
        html = fallback(view, self._uid, says=kept.says)
        self._done(view, html, render(view, color=False), kept)

    def drop(self) -> None:
        """Take the display away: there is nothing to show."""
        self._widget.close()
        for handle in (self._static, self._live):
            handle.update({"text/plain": ""}, raw=True)

    def finish_several(
        self,
        recordings: Mapping[str, Recording],
        view: SideBySideView,
        runs: Runs | None,
        has_programs: bool,
    ) -> None:
        """Show several recordings of one program, in the widget and in the saved output."""
        self._widget.show_several(recordings, view, runs, has_programs)
        kept = self._kept(recordings)
        html = fallback_of_several(view, self._uid, says=kept.says)
        self._done(view.views[0], html, as_text(side_by_side(view)), kept)

    def _kept(self, recordings: Mapping[str, Recording]) -> Keeping:
        shell = get_ipython()
        if not self._keeps:
            return Keeping({}, NOT_KEPT)
        return keep(recordings, shell, running_cell(shell)[0])

    def _done(self, view: View, html: str, text: str, kept: Keeping) -> None:
        self._widget.progress = {"active": False}
        data = {"text/html": html, "text/plain": text, **kept.data}
        metadata = margins(view, self._uid)
        self._static.update(data, raw=True, metadata=metadata)


def in_notebook() -> bool:
    """Whether outputs go to a front-end that can show more than text."""
    return hasattr(get_ipython(), "kernel")


def display(
    recording: Recording,
    answer: Answer | None = None,
    runs: Runs | None = None,
    looks: Looks | None = None,
) -> None:
    """Show a recording where this code runs: interactively in a notebook, as text elsewhere."""
    if in_notebook():
        LiveDisplay(answer, looks).finish(recording, runs)
    else:
        print(render(build(recording)))


def display_several(
    recordings: Mapping[str, Recording],
    view: SideBySideView,
    answer: Answer | None = None,
    runs: Runs | None = None,
    looks: Looks | None = None,
    has_programs: bool = False,
) -> None:
    """Show several recordings of one program where this code runs."""
    if in_notebook():
        LiveDisplay(answer, looks).finish_several(recordings, view, runs, has_programs)
    else:
        print(as_text(side_by_side(view)))
