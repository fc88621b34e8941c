"""The questions that a view may ask while the kernel lives, each with what answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from dynamo_lab import assembly, budgets, edits, panel, would_pass
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.view.assembly import assembly_view

if TYPE_CHECKING:
    from dynamo_lab.model.recording import Recording


def answer(recording: Recording, question: str, asked: dict[str, Any]) -> dict[str, Any]:
    """What a view shows: an "answer" as JSON, or an "error" of one sentence."""
    try:
        return {"answer": msgspec.to_builtins(_found(recording, question, asked))}
    except DynamoLabError as error:
        return {"error": str(error)}


def _found(recording: Recording, question: str, asked: dict[str, Any]) -> Any:
    match question, asked:
        case "would_pass", {"text": str(text)}:
            return would_pass.ask_as_text(recording, text)
        case "repartition", {"partition": int(partition)}:
            return budgets.ask(recording, partition=partition)
        case "switches", {"target": str(target), "switches": dict()}:
            return panel.ask(recording, target, asked["switches"])
        case "assembly", {"kernel": int(kernel), "target": str(target)}:
            return assembly_view(assembly.ask(recording, kernel, target or None))
        case "edit_kernel", {"kernel": int(kernel), "code": str(code)}:
            return edits.ask(recording, kernel, code)
        case _:
            raise DynamoLabError(f"The view asked {question!r}, which this kernel cannot answer.")
