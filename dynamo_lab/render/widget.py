"""The interactive view in a notebook: a saved output, and a widget that replaces it.

A notebook cell gets two outputs. The first is script-free HTML, which GitHub, nbviewer and a
notebook without its kernel show. The second is the widget; where it runs, it hides the first.
"""

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from threading import Thread
from typing import Any, cast

import anywidget
import msgspec
import traitlets

from dynamo_lab.errors import DynamoLabError
from dynamo_lab.model.core import codec
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.large import fitted, fitted_together
from dynamo_lab.render.page import page, page_of_several
from dynamo_lab.render.turns import BUSY, turns
from dynamo_lab.render.waiting import Waiting
from dynamo_lab.view import View, build
from dynamo_lab.view.compare.side_by_side import Shown, SideBySideView, pair, together
from dynamo_lab.view.messages import Answered, AnswerMessage, Ran, RanMessage

Runs = Callable[[Recording, str, dict[str, Any], Waiting], tuple[str, Any, Recording]]
"""Runs a recorded program again, given the action, its options and its progress: a label for a new
recording, the result, and the recording itself. What it raises is shown."""

_LONG = frozenset(
    {
        "apply",
        "bench",
        "bisect",
        "edit_kernel",
        "recompile",
        "time_kernels",
        "try_on_job",
        "warm_start",
    }
)
"""What runs in a separate thread, so that the kernel can still receive a stop request."""

OWN = "as recorded"
"""The label of a single recording, until it is run again."""

_ASSETS = files("dynamo_lab") / "render" / "assets"
_ON_REQUEST = frozenset({"layout-worker.js"})

Answer = Callable[[Recording, str, dict[str, Any], Waiting], Any]
"""Answers a request about a recording: its name, its parameters, and how it can be stopped."""


Work = Callable[[Waiting], tuple[Any, list[bytes]] | None]


@dataclass(frozen=True)
class Looks:
    """Where a view is shown, and in which colours; `place` needs JupyterLab's extension.

    `place` is "below" the cell, in the side "panel", or only in the "marks" of the cell.
    `is_marked` is whether the cell that ran stands above it: JupyterLab's extension draws in its
    margin what the code pane would show. `keeps` is whether the saved output has the recording.
    """

    place: str = "below"
    theme: str = "auto"
    is_marked: bool = False
    keeps: bool = True


class Explorer(anywidget.AnyWidget):
    """The widget: shows a payload, and sends files of it. Computes nothing itself.

    What anywidget imports is small, and imports `code`, the view.
    """

    _esm = (_ASSETS / "starter.js").read_text(encoding="utf-8")
    _css = (_ASSETS / "style.css").read_text(encoding="utf-8")
    code: Any = traitlets.Unicode((_ASSETS / "widget.js").read_text("utf-8")).tag(sync=True)
    payload: Any = traitlets.Bytes(b"").tag(sync=True)
    progress: Any = traitlets.Dict({}).tag(sync=True)
    uid: Any = traitlets.Unicode("").tag(sync=True)
    can_run: Any = traitlets.Bool(False).tag(sync=True)
    place: Any = traitlets.Unicode("below").tag(sync=True)
    theme: Any = traitlets.Unicode("auto").tag(sync=True)
    marked: Any = traitlets.Bool(False).tag(sync=True)

    def __init__(self, uid: str, answer: Answer | None = None, looks: Looks | None = None) -> None:
        looks = looks or Looks()
        super().__init__(uid=uid, place=looks.place, theme=looks.theme, marked=looks.is_marked)
        self._questions = answer
        self._shown: dict[str, Shown] = {}
        self._own: frozenset[str] = frozenset()
        self._several: SideBySideView | None = None
        self._runs: Runs | None = None
        self._waiting: Waiting | None = None
        self._untyped.on_msg(self._answer)

    @property
    def _untyped(self) -> Any:
        """This widget, where ipywidgets lacks annotations."""
        return self

    def show(self, recording: Recording, view: View, runs: Runs | None = None) -> None:
        """Show this recording from now on, with `rerun` to run its program again, if given."""
        self._keep([Shown(OWN, recording, view.kernels)], runs)
        self.payload = _packed(view)

    def show_several(
        self,
        recordings: Mapping[str, Recording],
        view: SideBySideView,
        runs: Runs | None = None,
        has_programs: bool = True,
    ) -> None:
        """Show these recordings from now on, the first of them first.

        `has_programs` is whether the program of each can be run again: of the ranks of a job, only
        the job as a whole can.
        """
        self._several = view
        kernels = (one.kernels for one in view.views)
        of = zip(view.labels, recordings.values(), kernels, strict=True)
        self._keep([Shown(*one) for one in of], runs)
        self.can_run = self.can_run and has_programs
        self.payload = _packed(view)

    def _keep(self, shown: list[Shown], runs: Runs | None) -> None:
        self._shown = {one.label: one for one in shown}
        self._own = frozenset(self._shown)
        self._runs, self.can_run = runs, runs is not None

    def close(self) -> None:
        """Show it no more: the saved output is there again, and what it showed may be freed."""
        if self._waiting:
            self._waiting.on_stop()
        self._shown, self._several = {}, None
        self._questions = self._runs = None
        self._untyped.on_msg(self._answer, remove=True)
        self._untyped.layout.close()
        super().close()

    def bundle(self) -> dict[str, Any]:
        """The output that shows this widget."""
        found = self._untyped._repr_mimebundle_()
        return found[0] if isinstance(found, tuple) else found  # pyright: ignore[reportUnknownVariableType]

    def _answer(self, _: Any, content: dict[str, Any], __: Any) -> None:
        send = self._untyped.send
        match content:
            case {"type": "asset", "name": str(name)} if name in _ON_REQUEST:
                send({"type": "asset", "name": name}, [(_ASSETS / name).read_bytes()])
            case {"type": "save", "what": str(what), "of": str(label)} if label in self._shown:
                name, data = self._file(self._shown[label].recording, what)
                send({"type": "file", "name": name}, [data])
            case {
                "type": "ask",
                "question": str(question),
                "of": str(label),
                "request": int(request),
            } if self._questions and label in self._shown:
                self._ask(self._shown[label].recording, question, content, request)
            case {"type": "run", "what": str(what), "of": str(label), "request": int(request)} if (
                label in self._shown
            ):
                self._run(self._shown[label].recording, what, content, request)
            case {"type": "stop"} if self._waiting:
                self._waiting.on_stop()
            case _:
                pass

    def _file(self, recording: Recording, what: str) -> tuple[str, bytes]:
        """The page of everything shown, or of one recording."""
        stem = "".join(c if c.isalnum() else "_" for c in recording.title).strip("_") or "recording"
        if what != "html":
            return f"{stem}.json", codec.encode(recording)
        if len(self._shown) == 1:
            return f"{stem}.html", page(build(recording)).encode()
        several = {label: one.recording for label, one in self._shown.items()}
        ranks = self._several.ranks if self._several else None
        return f"{stem}.html", page_of_several(together(several, ranks)).encode()

    def _ask(self, recording: Recording, what: str, asked: dict[str, Any], request: int) -> None:
        questions = self._questions

        def answer(waiting: Waiting) -> tuple[AnswerMessage, list[bytes]] | None:
            assert questions is not None
            found = questions(recording, what, asked, waiting)
            if callable(found):  # it is worked out elsewhere: the kernel stays free
                Thread(target=partial(self._tell, found, request), daemon=True).start()
                return None
            return {"type": "answer", "request": request, **cast("Answered", found)}, []

        self._work(what, answer, {"type": "answer", "request": request})

    def _tell(self, wait: Callable[..., Any], request: int) -> None:
        message = {"type": "answer", "request": request, **wait()}
        if self._questions is not None:
            self._untyped.send(message, [])

    def _run(self, recording: Recording, what: str, asked: dict[str, Any], request: int) -> None:
        def answer(waiting: Waiting) -> tuple[RanMessage, list[bytes]]:
            found, buffers = self._ran(recording, what, asked, waiting)
            return {"type": "ran", "request": request, **found}, buffers

        self._work(what, answer, {"type": "ran", "request": request})

    def _work(self, what: str, work: Work, reply: dict[str, Any]) -> None:
        """Send what comes of it; of what takes long one at a time, which can be stopped.

        What runs the program does so in its turn: other views and the cells do not meanwhile.
        """
        waiting = Waiting(partial(setattr, self, "progress"))
        is_long, is_run = what in _LONG, reply["type"] == "ran"
        refusal = BUSY if is_long and self._waiting else turns.take(waiting) if is_run else ""
        if refusal:
            self._untyped.send({**reply, "error": refusal}, [])
            return

        def send() -> None:
            try:
                found = work(waiting)
            finally:
                if is_run:
                    turns.give_back()
                if self._waiting is waiting:
                    self._waiting = None
                    self.progress = {"active": False}
            if found is not None:
                self._untyped.send(*found)

        if is_long:
            self._waiting = waiting
            Thread(target=send, name=f"dynamo_lab {what}", daemon=True).start()
        else:
            send()

    def _ran(
        self, recording: Recording, what: str, asked: dict[str, Any], waiting: Waiting
    ) -> tuple[Ran, list[bytes]]:
        """The result of a run with the new view, or the error to show instead."""
        if self._runs is None:
            return {"error": "There is no program to run again: run the cell again."}, []
        try:
            label, outcome, made = self._runs(recording, what, asked, waiting)
        except DynamoLabError as error:
            return {"error": str(error)}, []
        except Exception as error:  # the program's own error during the new run
            return {"error": f"The run ended with {type(error).__name__}: {error}"}, []
        try:
            return self._answer_of(label, outcome, made)
        except Exception as error:  # our error: the result cannot be shown
            said = f"{type(error).__name__}: {error}"
            return {"error": f"It ran, but the result cannot be shown: {said}"}, []

    def _answer_of(self, label: str, outcome: Any, made: Recording) -> tuple[Ran, list[bytes]]:
        """The new recording's view beside those already shown; it stays among them."""
        label = f"{label} again" if label in self._own else label
        view = build(made)
        new = Shown(label, made, view.kernels)
        pairs = [pair(one, new) for one in self._shown.values() if one.label != label]
        answer: Ran = {"label": label, "outcome": outcome, "pairs": msgspec.to_builtins(pairs)}
        packed = _packed(view)
        self._shown[label] = new
        return answer, [packed]


def _packed(view: View | SideBySideView) -> bytes:
    packed = fitted(view)[1] if isinstance(view, View) else fitted_together(view)
    return gzip.compress(packed, 5)
