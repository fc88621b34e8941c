"""Stances: what `torch.compiler.set_stance` told compiled functions to do, where they did it."""

from typing import Any

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.frames import hooks
from dynamo_lab.model.core.notes import STANCE, Note


class StanceProbe:
    """Notes each stance other than the default, once, that is in force during the recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def install(self, patches: Patches) -> None:
        """Note the stance of now, and watch for others."""
        if hooks.STANCE.exists:
            self._note(hooks.STANCE.get())
        patches.hear(hooks.SET_STANCE, self.stance_set)

    def stance_set(self, before: Any, stance: Any) -> None:
        """A stance is in force from now on, instead of the one before."""
        self._note(stance)

    def _note(self, stance: Any) -> None:
        if stance.stance == "default":
            return
        message = f'The stance of compiled functions was "{stance.stance}" for a time.'
        note = Note(level="info", about=STANCE, message=message)
        with self._recorder.lock:
            if note not in self._recorder.notes:
                self._recorder.notes.append(note)
