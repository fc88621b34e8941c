"""The questions of a view to a recording while the kernel lives, each with its answer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from dynamo_lab.errors import CellError, DynamoLabError
from dynamo_lab.live import budgets, edits, guards, switches, training
from dynamo_lab.live.assembly import assembly
from dynamo_lab.live.compiler import compiler
from dynamo_lab.live.playground import answers as playground
from dynamo_lab.record.cells.ran import RanCell, ran_cell
from dynamo_lab.view.kernels.assembly import assembly_view

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.live.session import Session
    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.model.recording import Recording


def answer(
    recording: Recording,
    session: Session,
    question: str,
    asked: dict[str, Any],
    watch: Watch | None = None,
) -> dict[str, Any]:
    """The result for a view, waited for: an "answer" as JSON, or an "error" of one sentence."""
    found = begin(recording, session, question, asked, watch)
    return found() if callable(found) else found


def begin(
    recording: Recording,
    session: Session,
    question: str,
    asked: dict[str, Any],
    watch: Watch | None = None,
) -> dict[str, Any] | Callable[[], dict[str, Any]]:
    """The result for a view: an "answer" as JSON, or an "error" of one sentence.

    Of what another process works out it is a function that waits for the result, for any thread.
    Who holds the `watch` can stop a question that takes long.
    """
    try:
        found = _found(recording, session, question, asked, watch)
    except DynamoLabError as error:
        return {"error": str(error)}
    return partial(_waited, found) if callable(found) else {"answer": msgspec.to_builtins(found)}


def _waited(wait: Callable[[], Any]) -> dict[str, Any]:
    try:
        return {"answer": msgspec.to_builtins(wait())}
    except DynamoLabError as error:
        return {"error": str(error)}


def _found(
    recording: Recording,
    session: Session,
    question: str,
    asked: dict[str, Any],
    watch: Watch | None,
) -> Any:
    match question, asked:
        case "would_pass", {"text": str(text)}:
            return guards.ask_as_text(recording, session, text)
        case "repartition", {"partition": int(partition)}:
            return budgets.ask(recording, session, partition=partition)
        case "switches", {"target": str(target), "switches": dict()}:
            return switches.ask(recording, session, target, asked["switches"])
        case "assembly", {"kernel": int(kernel), "target": str(target)}:
            return assembly_view(assembly.ask(recording, session, kernel, target or None))
        case "replan", {"update": dict()}:
            return training.ask(recording, session, asked["update"])
        case "cell", {"source": int(source)}:
            return _cell(recording, session, source)
        case "edit_kernel", {"kernel": int(kernel), "code": str(code)}:
            return edits.ask(recording, session, kernel, code, watch)
        case "recompile", {"graph": int(graph), "change": dict()}:
            return compiler.ask(recording, session, graph, asked["change"], watch)
        case "playground", {}:
            return playground.opened(recording, session)
        case "draft", {"column": str(column), "text": str(text), "how": dict()}:
            return playground.drafted(recording, session, column, text, asked["how"])
        case "draft_assembly", {"column": str(column), "kernel": int(kernel)}:
            return playground.assembled(recording, session, column, kernel)
        case "draft_page", {"columns": list()}:
            return playground.page_of(session, list(map(str, asked["columns"])))
        case _:
            raise DynamoLabError(f"This kernel cannot answer the view's question {question!r}.")


def _cell(recording: Recording, session: Session, source: int) -> RanCell:
    """The reader's own cell that a source is: what a file says of cells is about another notebook.

    Raises:
        CellError: it was recorded elsewhere, or it is not known which cell it is.
    """
    if not session.was_here:
        raise CellError("This recording was not made by this kernel: no cell here is its own.")
    if not 0 <= source < len(recording.sources):
        raise CellError("There is no such source in this recording.")
    return ran_cell(recording.sources[source])
