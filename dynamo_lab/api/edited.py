"""The result of an edit of a kernel, as an answer to print."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar, cast

from msgspec import structs

from dynamo_lab.live.edits import recording_with
from dynamo_lab.model.kernels import Edit
from dynamo_lab.model.recording import Recording

R = TypeVar("R", bound=Recording)


class Edited(Edit, Generic[R], frozen=True, kw_only=True, dict=True):
    """The result of an edit: print it for the diff, the verdict and the times."""

    _recording: ClassVar[Recording]

    def __str__(self) -> str:
        from dynamo_lab.render.terminal import as_text
        from dynamo_lab.render.terminal.kernels.edits import edited
        from dynamo_lab.view.kernels.edits import build

        return as_text(edited(build(self)))

    __repr__ = __str__

    @property
    def recording(self) -> R:
        """The recording with the edited text and the program's results with it, to save or show."""
        return recording_with(cast("R", self._recording), self)


def edited(recording: R, edit: Edit) -> Edited[R]:
    """An edit of a kernel that knows its recording."""
    made = Edited[R](**structs.asdict(edit))
    structs.force_setattr(made, "_recording", recording)
    return made
