"""The text of a recorded program to change, and recordings of what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from dynamo_lab.errors import LoweringError
from dynamo_lab.live.playground.playground import Playground as Living
from dynamo_lab.model.recording import Recording
from dynamo_lab.record.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dynamo_lab.model.kernels import Diagnostic
    from dynamo_lab.record.run import Program

R = TypeVar("R", bound=Recording)


class Playground(Generic[R]):
    """A text to change, and to lower without a run, in a copy of this process.

    What the text defines, imports or breaks stays in that copy. It is kept for the next text, and
    ended by `close`, by the end of a `with` block, or with this object.
    """

    def __init__(
        self, recording: R, program: Program | None, seconds: float, made: Callable[[Run], R]
    ) -> None:
        self._living, self._made = Living(recording, program, seconds), made

    @property
    def text(self) -> str:
        """The text as it was recorded: a cell, or what defines the function or the module."""
        return self._living.text

    def lower(
        self,
        text: str | None = None,
        *,
        target: str = "",
        backend: str = "",
        mode: str | None = None,
        dynamic: bool | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> R:
        """A text lowered to code, at the shapes and dtypes that were recorded; nothing of it runs.

        Of a cell, imports and definitions run, of another text constants too. What follows a graph
        break is not lowered, since what comes before it would have to run.

        Args:
            text: Python; by default as it was recorded.
            target: As for `dynamo_lab.lower`, by default the recording's.
            backend: "inductor" or "lab", by default the recording's.
            mode: As for `torch.compile`.
            dynamic: As for `torch.compile`.
            options: Settings of `torch._inductor.config`.

        Raises:
            LoweringError: the text is not Python, does not define what was recorded, raises, or
                cannot be lowered; it says at which line.
            OptionError: there is no such target, backend, mode or setting.
            StoppedError: it took too long, or needed too much memory.
        """
        choice = self._living.choice(target, backend, mode, dynamic, options)
        wait = self._living.begin(self.text if text is None else text, choice)
        try:
            draft = wait()
        except KeyboardInterrupt:
            self.close()
            raise
        if draft.facts is None or draft.has_failed:
            raise LoweringError(" ".join(_words(draft.diagnostics)))
        return self._made(Run(draft.facts))

    def close(self) -> None:
        """End the process that lowers; the next text begins another."""
        self._living.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _words(found: Sequence[Diagnostic]) -> list[str]:
    """The errors, each with its line."""
    errors = [one for one in found if one.severity == "error"]
    return [f"Line {one.line}: {one.message}" if one.line else one.message for one in errors]
