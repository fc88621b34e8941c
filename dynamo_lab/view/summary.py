"""The summary line: what happened, in numbers and in one sentence."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.places import Places
from dynamo_lab.view.story import sentence
from dynamo_lab.view.timeline import compile_seconds
from dynamo_lab.view.words import first_line, seconds, unit

Tone = Literal["plain", "good", "warning", "bad"]


class Count(Struct, frozen=True, kw_only=True):
    """A number with its unit word ("2 breaks"); `tab` is the tab that explains it."""

    value: str
    label: str
    tone: Tone = "plain"
    tab: str = ""


class Summary(Struct, frozen=True, kw_only=True):
    """`sentence` says in plain words what `torch.compile` made of the program, good or bad."""

    title: str
    sentence: str
    counts: tuple[Count, ...]
    state: Literal["recording", "done"] = "done"
    failure: str = ""


def build(recording: Recording, places: Places) -> Summary:
    """The recording in one line."""
    failure = recording.failure
    return Summary(
        title=recording.title,
        sentence=sentence(recording, places),
        counts=tuple(_counts(recording, places)),
        state=recording.state,
        failure=f"{failure.type}: {first_line(failure.message)}" if failure else "",
    )


def _counts_as_frame(frame: Frame, places: Places) -> bool:
    """Library frames that were skipped are PyTorch's own business; there can be hundreds."""
    return frame.outcome != "skipped" or not places.is_library(places.line_of(frame.span))


def _counts(recording: Recording, places: Places) -> Iterator[Count]:
    breaks = len(recording.breaks)
    yield _count(sum(_counts_as_frame(f, places) for f in recording.frames), "frame", "frames")
    yield _count(len(recording.captured_graphs()), "graph", "graphs")
    yield _count(breaks, "break", "breaks", "warning" if breaks else "good")
    if recording.recompiles:
        tone: Tone = "bad" if any(item.limit_hit for item in recording.recompiles) else "warning"
        yield _count(len(recording.recompiles), "recompile", "guards", tone)
    yield _count(len(recording.kernels), "kernel", "kernels")
    if spent := compile_seconds(recording):
        yield Count(value=seconds(spent), label="compiling", tab="timeline")


def _count(number: int, word: str, tab: str, tone: Tone = "plain") -> Count:
    return Count(value=f"{number:,}", label=unit(number, word), tone=tone, tab=tab)
