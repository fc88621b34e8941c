"""What Dynamo takes for granted where a program told it to: a constant, a message that may wait."""

from collections.abc import Generator
from typing import Any

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.frames import hooks
from dynamo_lab.model.core.notes import Note


class AssumedProbes:
    """Notes each such call once, with its line: nothing else in the recording tells of it."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def install(self, patches: Patches) -> None:
        """Watch the calls whose results become constants, and those of messages."""
        patches.hook(hooks.TAKEN_AS_CONSTANT, self.taken)
        patches.hook(hooks.MESSAGE, self.message)

    def taken(self, tx: Any, fn: Any, name: str, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A function is called now, and its result is in the compiled code."""
        yield
        self._note(
            "constant",
            f"`{name}` was called once, while line {tx.lineno} was compiled: its result is a "
            "constant of the compiled code, and no guard asks whether it still is that.",
        )

    def message(self, debugging: Any, tx: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """A message is kept for later: it would break the graph."""
        yield
        name = getattr(debugging.value, "__name__", "")
        self._note(
            "message",
            f"`{name}` of line {tx.lineno} is called after the graph that it stands in has run: it "
            "is one of the reorderable_logging_functions.",
        )

    def _note(self, about: str, message: str) -> None:
        note = Note(level="info", about=about, message=message)
        if note not in self._recorder.notes:
            self._recorder.notes.append(note)
