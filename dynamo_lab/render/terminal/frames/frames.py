"""The frames, resumed ones indented below what they continue."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import (
    OUTCOMES,
    Page,
    heading,
    indented,
    line,
    listing,
    text,
)
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural, seconds
from dynamo_lab.view.frames.frames import AttemptView, FrameView

_BRIEF = 16
_PROSE = 58  # columns below which the explanation is worth more than the place


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """A table of frames; in full, each with its analyses and bytecode."""
    if not view.frames:
        return
    own = [frame for frame in view.frames if not _is_noise(frame)]
    if page.everything:
        skipped = len(view.frames) - len(own)
        aside = f", and {skipped:,} of libraries, which Dynamo skipped" if skipped else ""
        yield heading("Frames", f"{len(own):,}{aside}")
        titles = {graph.id: graph.title for graph in view.graphs}
        for frame in (*own, *(frame for frame in view.frames if _is_noise(frame))):
            yield from _in_full(frame, titles)
        return
    yield heading("Frames", f"{len(own):,}")
    names = max((len(frame.name) + 2 * frame.depth for frame in own[:_BRIEF]), default=0)
    places = max((len(frame.where) for frame in own[:_BRIEF]), default=0)
    is_wide = page.width - names - places >= _PROSE
    columns = ("left", *(("left",) * is_wide), "left", "wrap")
    yield from listing(columns, [_row(frame, is_wide) for frame in own[:_BRIEF]], page.width)
    hidden = len(view.frames) - len(own[:_BRIEF])
    if hidden:
        which = "more" if len(own) > _BRIEF else "of libraries, which Dynamo skipped"
        what = f"… {hidden:,} {which}; "
        yield line((what, "dim"), ("dynamo-lab show --section frames", "dim italic"))


def _is_noise(frame: FrameView) -> bool:
    """Library frames that Dynamo skipped concern nobody, and there are many."""
    return frame.is_library and frame.outcome == "skipped" and not frame.breaks


def _row(frame: FrameView, is_wide: bool) -> tuple[Text, ...]:
    return (
        text(f"{'  ' * frame.depth}{one_line(frame.name)}", "bold"),
        *([text(frame.where, "dim")] if is_wide else []),
        text(frame.outcome, OUTCOMES[frame.outcome]),
        text(frame.explanation or one_line(frame.reason)),
    )


def _in_full(frame: FrameView, titles: dict[int, str]) -> Iterator[RenderableType]:
    yield Text()
    yield line(
        (frame.name, "bold"),
        (f"  {frame.where}", ""),
        (f"  {frame.outcome}", OUTCOMES[frame.outcome]),
        (f"  {plural(frame.guards, 'guard')}" if frame.guards else "", "dim"),
    )
    if frame.explanation:
        yield indented(text(frame.explanation), 4)
    if frame.reason and frame.reason != frame.explanation:
        yield indented(text(frame.reason, "dim"), 4)
    for attempt in frame.attempts:
        yield from _attempt(attempt, titles)
    if frame.bytecode:
        yield indented(text("bytecode", "dim"), 4)
        yield indented(text(frame.bytecode), 4)


def _attempt(attempt: AttemptView, titles: dict[int, str]) -> Iterator[RenderableType]:
    graph = "" if attempt.graph is None else f"  {titles[attempt.graph]}"
    yield indented(
        line(
            (f"analysis {attempt.label}  ", "dim"),
            (attempt.outcome, OUTCOMES[attempt.outcome]),
            (graph, ""),
            (f"  {seconds(attempt.seconds)}" if attempt.seconds else "", "dim"),
        ),
        4,
    )
    for reason in (attempt.reason, *attempt.recompiled):
        if reason:
            yield indented(text(reason, "dim"), 6)
    if attempt.bytecode:
        yield indented(text("bytecode that Dynamo wrote", "dim"), 6)
        yield indented(text(attempt.bytecode), 6)
