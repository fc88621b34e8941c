"""The summary line: what happened, in numbers and in one sentence."""

from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from dynamo_lab.model import targets
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.exceptions import failure_line, whole
from dynamo_lab.view.breaks.stories import causes
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.regions import Regions
from dynamo_lab.view.core.words import plural, seconds
from dynamo_lab.view.frames import frames
from dynamo_lab.view.guards.compilations import recompilations
from dynamo_lab.view.summary.counts import Count, Tone, count
from dynamo_lab.view.summary.offers import Offer, offers
from dynamo_lab.view.summary.sentence import sentence
from dynamo_lab.view.timings.timings import compile_seconds
from dynamo_lab.view.tiny.tiny import counts, headline


class Summary(Struct, frozen=True, kw_only=True):
    """`sentence` says in plain words what `torch.compile` made of the program, good or bad.

    `library_frames` counts the library frames that Dynamo skipped, which `counts` excludes.
    `failure` is the error in a line, `failure_text` its message where that says more. Where
    `is_failure_told`, the sentence tells it; `tone` is bad if it tells one that nobody caught.
    `target` says what the program was lowered for, if its code was not built or run.
    `offers` is what can be asked of the program where it still lives.
    """

    title: str
    sentence: str
    counts: tuple[Count, ...]
    state: Literal["recording", "done"] = "done"
    failure: str = ""
    failure_text: str = ""
    is_failure_told: bool = False
    tone: Tone = "plain"
    library_frames: int = 0
    target: str = ""
    offers: tuple[Offer, ...] = ()


def build(recording: Recording, places: Places, regions: Regions) -> Summary:
    """The recording, summarized in one line."""
    of_frames = frames.counts(recording)
    told = headline(recording.training.plan) if recording.training else ""
    told, failure = told or sentence(recording, places, regions), _failure(recording, places)
    is_caught = failure.startswith(_CAUGHT)  # which the sentence always tells
    is_told = is_caught or bool(failure and failure in told)
    return Summary(
        title=recording.title,
        sentence=told,
        counts=tuple(_counts(recording, places, of_frames.own)),
        state=recording.state,
        failure=failure,
        failure_text=whole(recording.failure, failure_line(recording.failure, places)),
        is_failure_told=is_told,
        tone="bad" if is_told and not is_caught else "plain",
        library_frames=of_frames.library,
        target=_target(recording.target),
        offers=tuple(offers(recording)),
    )


_CAUGHT = "Caught by the program, which went on: "


def _failure(recording: Recording, places: Places) -> str:
    """What failed; that the program caught it is said first."""
    told = failure_line(recording.failure, places)
    is_caught = recording.failure is not None and recording.failure.caught
    return f"{_CAUGHT}{told}" if is_caught else told


def _target(name: str) -> str:
    """What the code is for, and that it was not run."""
    if not name:
        return ""
    known = targets.parse(name)
    title = known.title if known else name
    return f"Lowered for {title}: the code was not built or run."


def _counts(recording: Recording, places: Places, own_frames: int) -> Iterator[Count]:
    if recording.training:
        yield from counts(recording.training.plan)
        return
    breaks = len(recording.breaks)
    yield count(own_frames, "frame", "frames")
    yield count(len(recording.captured_graphs()), "graph", "graphs")
    yield _breaks(breaks, sum(cause is None for cause in causes(recording, places)))
    if failed := _failed(recording):
        yield count(failed, "failed compilation", "frames", "bad")
    if recording.recompiles:
        done = recompilations(recording)
        tone: Tone = "warning" if done == len(recording.recompiles) else "bad"
        yield count(done, "recompile", "guards", tone)
    yield count(len(recording.kernels), "kernel", "kernels")
    if spent := compile_seconds(recording):
        yield Count(value=seconds(spent), label="compiling", tab="timeline")


def _failed(recording: Recording) -> int:
    """Compilations that ended in an error and left no break, which would tell of them."""
    broke = {(item.frame, item.compile_id) for item in recording.breaks}
    attempts = ((frame.id, attempt) for frame in recording.frames for attempt in frame.attempts)
    return sum(a.outcome == "failed" and (f, a.compile_id) not in broke for f, a in attempts)


def _breaks(breaks: int, roots: int) -> Count:
    """'4 breaks from 1 cause': those that only follow from a break in a called function."""
    counted = count(breaks, "break", "breaks", "warning" if breaks else "good")
    if roots == breaks:
        return counted
    return msgspec.structs.replace(counted, label=f"breaks from {plural(roots, 'cause')}")
