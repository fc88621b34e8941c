"""What is shown of the playground: the text to change, and what became of a changed one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dynamo_lab.model.kernels import Diagnostic
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.findings.edits import SourceEdit, difference
from dynamo_lab.view.kernels.kernels import KernelsView

DRAFT = "playground"
"""The option by which a recording says that it is of a text in the playground."""


class PlaygroundView(Struct, frozen=True, kw_only=True):
    """The text as it was recorded, and how it can be lowered.

    `targets` are names and titles. `target`, `backend` and `dynamic` are those of the recording,
    and so are `inputs`. `reading` says what runs and what does not. `source` is the recorded source
    that the text is from, which has `above` more lines above it; None where it is from none.
    """

    text: str
    name: str
    target: str
    targets: tuple[tuple[str, str], ...]
    backend: str
    dynamic: bool | None
    mode: str | None
    inputs: str
    reading: str
    source: int | None = None
    above: int = 0


class DraftView(Struct, frozen=True, kw_only=True):
    """What became of a text.

    `source` is the source in the kernels' `origins` that the text is, None if nothing in it is one.
    `idle` are the lines of statements that neither run nor are lowered. `edit` is what changes in
    the reader's cell or file, None where the text is as it was or that is not known.
    """

    kernels: KernelsView
    diagnostics: tuple[Diagnostic, ...]
    has_failed: bool
    facts: str
    source: int | None = None
    idle: tuple[int, ...] = ()
    edit: SourceEdit | None = None


class DraftPage(Struct, frozen=True, kw_only=True):
    """A page of all that is shown, as a file."""

    name: str
    html: str


def inputs_of(recording: Recording) -> str:
    """The inputs of the first captured graph, in a line: "x f32[64, 128], w f32[128, 128]"."""
    first = next((g for g in recording.graphs if g.stage == "dynamo" and g.parent is None), None)
    if first is None:
        return ""
    tensors = [one for one in first.nodes if one.op == "placeholder" and one.value.dtype]
    shown = [one.value.text for one in tensors]
    more = f" and {len(shown) - _MOST} more" if len(shown) > _MOST else ""
    return ", ".join(shown[:_MOST]) + more


_MOST = 4


def facts_of(recording: Recording) -> str:
    """How much was generated, in a line."""
    own = [one for one in recording.kernels if one.code]
    calls = len(recording.kernels) - len(own)
    library = f", {plural(calls, 'call')} of a library" if calls else ""
    return f"{plural(len(own), 'kernel')}{library}" if recording.kernels else "no kernel"


def edit_of(
    recording: Recording, source: int | None, above: int, before: str, after: str
) -> SourceEdit | None:
    """What changes in a recorded source where these of its lines become others."""
    if source is None or before == after:
        return None
    of = recording.sources[source]
    lines: Sequence[str] = before.split("\n")
    if [of.line(above + i) for i in range(1, len(lines) + 1)] != lines:
        return None
    whole = "\n".join(line for _, line in of.lines()).split("\n")
    changed = [*whole[:above], *after.split("\n"), *whole[above + len(lines) :]]
    parts = tuple(difference("\n".join(whole), "\n".join(changed)))
    return SourceEdit(source=source, name=of.path, is_cell=of.kind == "cell", parts=parts)
