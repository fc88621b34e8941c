"""A recorded program's text to change at will, lowered again at the inputs that were recorded.

Each text is lowered in a copy of this process, so that nothing of it stays: not its definitions,
nor what PyTorch remembers. One that does not end is ended. Where the process cannot be copied,
beside a GPU or on another system than Linux, it is lowered here and all is put back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from dynamo_lab.capture.core.apart import can_fork
from dynamo_lab.errors import LoweringError, OptionError
from dynamo_lab.live.playground.copied import Copied
from dynamo_lab.live.playground.drafts import Answer, Ask, Assemble, work_of
from dynamo_lab.live.playground.here import Here
from dynamo_lab.live.playground.texts import editable
from dynamo_lab.model.core import codec
from dynamo_lab.model.kernels import Diagnostic
from dynamo_lab.model.lowering import LAB
from dynamo_lab.model.recording import Recording
from dynamo_lab.record.lower import find_target, target_of
from dynamo_lab.record.run import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dynamo_lab.record.run import Program

SECONDS = 30.0
"""How long a text may take, in a copy; the first one of a target imports what the target needs."""

COLUMNS = 4
"""How many may be lowered beside each other."""

NO_PROGRAM = (
    "There is no program to change: this recording was loaded from a file, was made with record() "
    "or %%record, or its tensors take more than 256 MB. Use explore(), lower() or %%compile."
)


class Draft(Struct, frozen=True, kw_only=True):
    """A text, and what came of it: a recording unless its definitions failed.

    `idle` are the first lines of statements that neither run nor are lowered. `source` is the
    recorded source that the text is.
    """

    text: str
    choice: Choice
    facts: Recording | None
    diagnostics: tuple[Diagnostic, ...] = ()
    idle: tuple[int, ...] = ()
    source: int | None = None

    @property
    def has_failed(self) -> bool:
        """Whether it could not be lowered."""
        return self.facts is None or any(one.severity == "error" for one in self.diagnostics)


class Playground:
    """The text of one recorded program, and the processes that lower it.

    Raises:
        LoweringError: there is no program, or its text is not known.
    """

    def __init__(
        self, recording: Recording, program: Program | None, seconds: float = SECONDS
    ) -> None:
        if program is None:
            raise LoweringError(NO_PROGRAM)
        self._program, self._seconds = program, seconds
        self.of = editable(recording, program)
        self._grad = _grad(recording, program)
        self.target = find_target(target_of(recording, program.choice)).name
        self._workers: dict[str, Copied | Here] = {}

    @property
    def text(self) -> str:
        """The text as it was recorded."""
        return self.of.text

    def choice(
        self,
        target: str = "",
        backend: str = "",
        mode: str | None = None,
        dynamic: bool | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Choice:
        """How to lower a text; what is not named is as it was recorded.

        Raises:
            OptionError: there is no such target or backend, or the backend has no such options.
        """
        before = self._program.choice
        named = backend or (LAB if before.backend == LAB else "inductor")
        if named not in ("inductor", LAB):
            raise OptionError(
                f'backend={named!r} prints no code for a target: "inductor" and "lab" do.'
            )
        settings = {**before.settings, **(options or {})} if named != LAB else {}
        if named == LAB and options:
            raise OptionError("options are settings of Inductor: the backend lab has none of them.")
        return structs.replace(
            before,
            target=find_target(target or self.target).name,
            backend=named,
            mode=before.mode if mode is None else mode,
            dynamic=before.dynamic if dynamic is None else dynamic,
            grad=self._grad,
            settings=settings,
        )

    def begin(self, text: str, choice: Choice, column: str = "") -> Callable[[], Draft]:
        """Begin to lower a text, and give what waits for it, in any thread.

        What this column is still at is given up. It is to be called where nothing else runs, as
        the main thread of a notebook between two cells.

        Raises:
            OptionError: there are too many columns.
        """
        asked = Ask(text=text, title=f"{self.of.name}, changed", choice=choice)
        turn = self._worker(column).ask(msgspec.msgpack.encode(asked), self._stamp())

        def wait() -> Draft:
            return self._draft(asked, _decoded(turn.wait()))

        return wait

    def assemble(self, facts: Recording, kernel: int, target: str = "") -> Callable[[], Any]:
        """Begin to assemble a kernel of a draft, and give what waits for it."""
        asked = Assemble(recording=codec.encode(facts), kernel=kernel, target=target)
        turn = self._worker("assembly").ask(msgspec.msgpack.encode(asked))
        return lambda: _decoded(turn.wait()).assembly

    def close(self) -> None:
        """End what works for it; the next text begins anew."""
        for worker in self._workers.values():
            worker.end()
        self._workers.clear()

    def _worker(self, column: str) -> Copied | Here:
        if column not in self._workers:
            if len(self._workers) > COLUMNS:
                raise OptionError(f"At most {COLUMNS} are lowered beside each other.")
            work = work_of(self.of)
            made = Copied(work, self._seconds) if can_fork() else Here(work, self._program)
            self._workers[column] = made
        return self._workers[column]

    def _stamp(self) -> str:
        """What differs where names may mean something else: the next cell, their values."""
        from IPython.core.getipython import get_ipython

        shell: Any = get_ipython()
        count = 0 if shell is None else shell.execution_count
        return f"{count} {hash(tuple(map(id, self.of.names().values())))}"

    def _draft(self, asked: Ask, answer: Answer) -> Draft:
        facts = codec.decode(answer.recording) if answer.recording else None
        return Draft(
            text=asked.text,
            choice=asked.choice,
            facts=facts,
            diagnostics=answer.diagnostics,
            idle=self.of.idle(asked.text) if facts is not None else (),
            source=answer.source,
        )


def _decoded(answer: bytes) -> Answer:
    found = msgspec.msgpack.decode(answer, type=Answer)
    if found.error:
        raise LoweringError(found.error)
    return found


def _grad(recording: Recording, program: Program) -> bool | None:
    """Whether the way back is lowered too: as it was recorded."""
    asked = program.choice.grad
    has_backward = any(one.is_backward and one.stage == "post_grad" for one in recording.graphs)
    return True if asked is None and has_backward else asked
