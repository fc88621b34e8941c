"""The interactive view in a notebook: an output that lasts, and a widget that takes its place.

A notebook cell gets two outputs. The first is script-free HTML, which GitHub, nbviewer and a
notebook without its kernel show. The second is the widget; where it lives, it hides the first.
"""

import gzip
import time
import uuid
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import anywidget
import msgspec
import traitlets
from IPython.core import display_functions
from IPython.core.getipython import get_ipython

from dynamo_lab.errors import DynamoLabError
from dynamo_lab.model import codec
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.html import page
from dynamo_lab.render.static_html import fallback, waiting
from dynamo_lab.render.terminal import render
from dynamo_lab.view import View, build
from dynamo_lab.view.timeline import explain

Tries = Callable[[int, str], tuple[dict[str, Any], Recording]]
"""Tries a fix for a break: what came of it, and the new recording. What it raises is shown."""

_STATIC = files("dynamo_lab") / "render" / "static"
_ASSETS = frozenset({"layout-worker.js"})
_PROGRESS_SECONDS = 0.15  # how often the progress bar is told of a new phase
_PAYLOAD_SECONDS = 2.0  # how often the views of an unfinished recording are rebuilt


Answer = Callable[[Recording, str, dict[str, Any]], dict[str, Any]]
"""Answers a question about a recording: its name, and what is asked."""


class Explorer(anywidget.AnyWidget):
    """The widget: shows a payload, and sends the reader files of it. Computes nothing itself."""

    _esm = (_STATIC / "widget.js").read_text(encoding="utf-8")
    _css = (_STATIC / "style.css").read_text(encoding="utf-8")
    payload: Any = traitlets.Bytes(b"").tag(sync=True)
    progress: Any = traitlets.Dict({}).tag(sync=True)
    uid: Any = traitlets.Unicode("").tag(sync=True)
    can_try: Any = traitlets.Bool(False).tag(sync=True)

    def __init__(self, uid: str, answer: Answer | None = None) -> None:
        super().__init__(uid=uid)
        self._questions = answer
        self._recording: Recording | None = None
        self._tries: Tries | None = None
        self._untyped.on_msg(self._answer)

    @property
    def _untyped(self) -> Any:
        """This widget, where ipywidgets lacks annotations."""
        return self

    def show(self, recording: Recording, view: View, tries: Tries | None = None) -> None:
        """Show this recording from now on, with a way to try fixes on it if there is one."""
        self._recording, self._tries = recording, tries
        self.can_try = tries is not None
        self.payload = _packed(view)

    def bundle(self) -> dict[str, Any]:
        """The output that shows this widget."""
        found = self._untyped._repr_mimebundle_()
        return found[0] if isinstance(found, tuple) else found  # pyright: ignore[reportUnknownVariableType]

    def _answer(self, _: Any, content: dict[str, Any], __: Any) -> None:
        send = self._untyped.send
        match content:
            case {"type": "asset", "name": str(name)} if name in _ASSETS:
                send({"type": "asset", "name": name}, [(_STATIC / name).read_bytes()])
            case {"type": "save", "what": str(what)} if self._recording is not None:
                name, data = _file(self._recording, what)
                send({"type": "file", "name": name}, [data])
            case {"type": "ask", "question": str(question), "request": int(request)} if (
                self._questions and self._recording
            ):
                found = self._questions(self._recording, question, content)
                send({"type": "answer", "request": request, **found})
            case {"type": "try_fix", "break": int(item), "fix": str(fix), "request": int(request)}:
                answer, buffers = self._tried(item, fix)
                send({"type": "trial", "request": request, **answer}, buffers)
            case _:
                pass

    def _tried(self, item: int, fix: str) -> tuple[dict[str, Any], list[bytes]]:
        """What came of a fix with the new view, or the sentence to show instead."""
        if self._tries is None:
            return {"error": "There is no program to run again: run the cell again."}, []
        try:
            outcome, recording = self._tries(item, fix)
        except DynamoLabError as error:
            return {"error": str(error)}, []
        except Exception as error:  # the program's own, while it ran again
            return {"error": f"The trial ended with {type(error).__name__}: {error}"}, []
        return {"trial": outcome}, [_packed(build(recording))]


def _packed(view: View) -> bytes:
    return gzip.compress(msgspec.json.encode(view), 5)


def _file(recording: Recording, what: str) -> tuple[str, bytes]:
    stem = "".join(c if c.isalnum() else "_" for c in recording.title).strip("_") or "recording"
    if what == "html":
        return f"{stem}.html", page(build(recording)).encode()
    return f"{stem}.json", codec.encode(recording)


def _publish(data: dict[str, Any], **options: Any) -> Any:
    untyped: Any = display_functions
    return untyped.display(data, raw=True, **options)


class LiveDisplay:
    """One display in a notebook, filled while a program compiles."""

    def __init__(self, answer: Answer | None = None) -> None:
        self._uid = uuid.uuid4().hex[:12]
        self._widget = Explorer(self._uid, answer)
        self._static: Any = _publish({"text/html": waiting(self._uid)}, display_id=True)
        # the first output has the text; an empty one keeps viewers from printing the widget's repr
        _publish(self._widget.bundle() | {"text/plain": ""})
        self._started = self._told = self._shown = time.perf_counter()

    def phase(self, name: str, recorder: Any) -> None:
        """A phase of compilation starts: move the progress bar, and now and then the views."""
        now = time.perf_counter()
        is_first = not self._widget.payload and recorder.graphs
        if now - self._told < _PROGRESS_SECONDS and not is_first:
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

    def finish(self, recording: Recording, tries: Tries | None = None) -> None:
        """Show the whole recording, in the widget and in the output that lasts."""
        view = build(recording)
        self._widget.show(recording, view, tries)
        self._widget.progress = {"active": False}
        data = {"text/html": fallback(view, self._uid), "text/plain": render(view, color=False)}
        self._static.update(data, raw=True)


def in_notebook() -> bool:
    """Whether outputs go to a front-end that can show more than text."""
    return hasattr(get_ipython(), "kernel")


def display(recording: Recording, answer: Answer | None = None, tries: Tries | None = None) -> None:
    """Show a recording where this code runs: interactively in a notebook, as text elsewhere."""
    if in_notebook():
        LiveDisplay(answer).finish(recording, tries)
    else:
        print(render(build(recording)))
