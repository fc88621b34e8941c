"""The recording as the user holds it: the facts, and the ways to look at them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from dynamo_lab.errors import OutputError
from dynamo_lab.model import codec
from dynamo_lab.model.breaks import Break as BreakFact
from dynamo_lab.model.recording import Recording as Facts

if TYPE_CHECKING:
    from dynamo_lab.live import Trial
    from dynamo_lab.programs import Program
    from dynamo_lab.render.widget import Tries
    from dynamo_lab.view.fixes import Fix
    from dynamo_lab.view.would_pass import WouldPass


class Break(BreakFact, frozen=True, kw_only=True, dict=True):
    """A graph break that knows its recording, so that fixes can be tried."""

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """What can be tried, the likeliest first: each a name, a sentence, what to write."""
        from dynamo_lab.view.fixes import fixes_of

        return fixes_of(vars(self)["_recording"], self)

    def try_fix(self, fix: str | None = None) -> Trial:
        """Compile the program again with a fix (the likeliest by default), and compare."""
        return vars(self)["_recording"].try_fix(self.id, fix)


class Recording(Facts, frozen=True, kw_only=True, dict=True):
    """Everything recorded of one run.

    Print it for a terminal, leave it as the last expression of a cell for the interactive view,
    or keep it with `save` and `to_html`. Its facts are tuples: `frames`, `breaks`, `guards`,
    `recompiles`, `graphs`, `pipelines`, `passes`, `patterns`, `kernels`, `wrappers`, `links`,
    `timings`, `notes`.
    """

    breaks: tuple[Break, ...] = ()

    def __post_init__(self) -> None:
        own = tuple(Break(**structs.asdict(item)) for item in self.breaks)
        for item in own:
            vars(item)["_recording"] = self
        structs.force_setattr(self, "breaks", own)

    def can_run_again(self, program: Program) -> None:
        """Keep the program, so that fixes can be tried on it.

        Only where something broke: a program keeps its model and copies of its arguments alive.
        """
        if self.breaks:
            vars(self)["_program"] = program

    def program(self) -> Program | None:
        """The program that was recorded, or None where it is not at hand."""
        return vars(self).get("_program")

    def tries(self) -> Tries | None:
        """How a view tries fixes, or None where there is no program to run again."""
        from dynamo_lab.live import answer

        return None if self.program() is None else functools.partial(answer, self)

    def try_fix(self, break_id: int, fix: str | None = None) -> Trial:
        """Compile the program again with a fix for this break, and compare.

        It runs twice, once eagerly, with the same seed: on copies of the arguments, and with the
        tensors that it reaches put back afterwards. Other effects happen again.

        Raises:
            FixError: there is no program to run again, no fix, or none of this name.
        """
        from dynamo_lab.live import try_fix

        return try_fix(self, break_id, fix)

    def save(self, path: str | Path) -> None:
        """Write the recording as JSON, compressed if `path` ends in ".gz"."""
        codec.save(self, path)

    def to_html(self, path: str | Path) -> None:
        """Write one interactive page that works offline and loads nothing from anywhere."""
        from dynamo_lab.render.html import page
        from dynamo_lab.view import build

        text = page(build(self))
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise OutputError(f"Cannot write {str(path)!r}: {error.strerror}.") from None

    def would_pass(self, *args: Any, frame: int | None = None, **kwargs: Any) -> WouldPass:
        """What a call with these arguments would do: reuse compiled code, or compile again.

        It asks the guards that were compiled, so only in the process that recorded. `frame` is the
        id of the frame to ask, by default the first that was compiled.

        Raises:
            GuardsError: there are no live guards, or the arguments do not fit.
        """
        from dynamo_lab.would_pass import ask

        return ask(self, args, kwargs, frame)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal import render
        from dynamo_lab.view import build

        return render(build(self), color=False)

    def __repr__(self) -> str:
        captured = len(self.captured_graphs())
        failed = f", failed with {self.failure.type}" if self.failure else ""
        return (
            f"<Recording of {self.title}: {captured} graphs, {len(self.breaks)} breaks, "
            f"{len(self.kernels)} kernels{failed}>"
        )

    def show(self) -> None:
        """Show it where this code runs: interactively in a notebook, as text elsewhere."""
        from dynamo_lab.render.widget import display
        from dynamo_lab.would_pass import answer_in_notebook

        display(self, answer_in_notebook, self.tries())

    def _ipython_display_(self) -> None:
        self.show()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        from dynamo_lab.render.static_html import fallback
        from dynamo_lab.view import build

        return {"text/plain": str(self), "text/html": fallback(build(self))}


def load(path: str | Path) -> Recording:
    """Read a recording that `Recording.save` wrote.

    Raises:
        RecordingFileError: the file is missing, damaged, or not a recording of a known version.
    """
    return codec.load(path, type=Recording)
