"""Stances: what `torch.compiler.set_stance` told compiled functions to do, and which line did."""

import sys
from typing import Any

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.frames import hooks
from dynamo_lab.model.core.notes import STANCE, Note


class StanceProbe:
    """Notes each stance other than the default, once, that is in force during the recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._set_at: dict[int, tuple[Any, int | None]] = {}  # an id is good while its object lives

    def install(self, patches: Patches) -> None:
        """Note the stance of now, and watch for others."""
        if hooks.STANCE.exists:
            self._note(hooks.STANCE.get())
        patches.hear(hooks.SET_STANCE, self.stance_set)

    def stance_set(self, before: Any, stance: Any) -> None:
        """A stance is in force from now on, instead of the one before."""
        if id(stance) not in self._set_at:  # a context sets it again as it begins and ends
            with self._recorder.lock:
                at = self._recorder.texts.users_span_from(sys._getframe(1))
            self._set_at[id(stance)] = stance, at
        self._note(stance)

    def set_at(self, stance: Any) -> int | None:
        """The span of the user's line that set it, if that was during the recording."""
        return self._set_at.get(id(stance), (None, None))[1]

    @staticmethod
    def written(stance: Any) -> str:
        """A stance as a program writes it."""
        others = ", skip_guard_eval_unsafe=True" if stance.skip_guard_eval_unsafe else ""
        return f'{STANCE}("{stance.stance}"{others})'

    def _note(self, stance: Any) -> None:
        if stance.stance == "default" and not stance.skip_guard_eval_unsafe:
            return
        message = f"Compiled functions ran under `{self.written(stance)}` for a time."
        note = Note(level="info", about=STANCE, message=message)
        with self._recorder.lock:
            if note not in self._recorder.notes:
                self._recorder.notes.append(note)
