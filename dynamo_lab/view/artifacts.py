"""Artifacts: the records of a log that became no facts, as a list of texts."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.model.core.artifacts import Artifact
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.words import plural, size

LONGEST = 20_000
"""The most characters of one artifact in a view; the recording holds all of it."""
MOST = 1_000_000
"""The most characters of all artifacts in a view."""


class ArtifactView(Struct, frozen=True, kw_only=True):
    """One artifact: `note` says what is left out of its text here, or what is wrong with it."""

    title: str
    compile_id: str
    size: str
    text: str
    note: str = ""


def build(recording: Recording) -> tuple[ArtifactView, ...]:
    """The artifacts in the order in which they were written."""
    return tuple(_views(recording))


def _views(recording: Recording) -> Iterator[ArtifactView]:
    room = MOST
    for at, artifact in enumerate(recording.artifacts):
        shown = artifact.text[: min(LONGEST, room)]
        room -= len(shown)
        yield ArtifactView(
            title=artifact.name or artifact.kind,
            compile_id=artifact.compile_id,
            size=size(len(artifact.text.encode("utf-8", "replace"))),
            text=shown,
            note=" ".join(_notes(artifact, at, len(artifact.text) - len(shown))),
        )


def _notes(artifact: Artifact, at: int, hidden: int) -> Iterator[str]:
    if artifact.records > 1:
        yield f"{plural(artifact.records, 'record')}, one per line."
    if artifact.problem:
        yield f"Damaged: {artifact.problem}."
    if artifact.left_out:
        yield f"{artifact.left_out:,} characters were too many to keep."
    if hidden:
        yield f"{hidden:,} more characters are in `rec.artifacts[{at}].text`."
