"""The map of the run: what was compiled, left to Python and resumed, in call order."""

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks.breaks import BreakView
from dynamo_lab.view.breaks.skips import had_nothing
from dynamo_lab.view.breaks.stories import StoryView
from dynamo_lab.view.core.names import is_own
from dynamo_lab.view.core.pieces import Pieces
from dynamo_lab.view.core.places import Line, Places, entity
from dynamo_lab.view.core.resumptions import goes_on
from dynamo_lab.view.core.words import first_line, line_range, listed, plural, times
from dynamo_lab.view.frames.frames import FrameView

_WENT_ON = ("resumed", "stopped")
"""After such a break Python went on and made the frame's calls."""

_RETURNED = "returned: nothing was left to compile"

Kind = Literal["compiling", "compiled", "resumed", "eager", "skipped", "failed", "break"]


class MapRow(Struct, frozen=True, kw_only=True):
    """A region of the run, or a break between two; `depth` is how many calls and breaks deep.

    `graphs` are all graphs of a frame that was recompiled, first to last, and `size`
    the operators and kernels of the last. `file` is that of `lines`, where it is neither the
    main source nor that of the row above, and `line` the entity of the first of them. `entity` is
    where a click leads.
    """

    depth: int
    kind: Kind
    name: str
    lines: str = ""
    line: str = ""
    file: str = ""
    graphs: tuple[int, ...] = ()
    size: str = ""
    text: str = ""
    entity: str = ""


def build(
    recording: Recording,
    places: Places,
    frames: Sequence[FrameView],
    breaks: Sequence[BreakView],
    stories: Sequence[StoryView],
) -> tuple[MapRow, ...]:
    """The regions of the run, the collapsed library frames last."""
    return tuple(_Map(recording, places, frames, breaks, stories).rows())


_DEEPEST = 40  # of calls that are indented further than those around them
_Step = tuple[Literal["frame", "break"], int, int]  # what comes next, its id, its depth


class _Map:
    def __init__(
        self,
        recording: Recording,
        places: Places,
        frames: Sequence[FrameView],
        breaks: Sequence[BreakView],
        stories: Sequence[StoryView],
    ) -> None:
        self._frames = recording.frames
        self._breaks = recording.breaks
        self._views, self._break_views, self._stories = frames, breaks, stories
        self._pieces = Pieces(recording, places)
        self._places = places
        self._limited = {item.frame for item in recording.recompiles if item.limit_hit}
        self._source = -1  # of the row above
        self._own = [is_own(recording, frame) for frame in recording.frames]
        self._breaks_in: dict[int, list[int]] = {}
        for item in recording.breaks:
            self._breaks_in.setdefault(item.frame, []).append(item.id)
        after_breaks = {
            frame
            for item in recording.breaks
            for frame in item.resume_frames
            if recording.frames[frame].resumes is not None
        }
        self._inside: dict[int | None, list[int]] = {}
        for frame in recording.frames:
            if self._is_shown(frame.id) and frame.id not in after_breaks:
                self._inside.setdefault(self._around(frame), []).append(frame.id)

    def rows(self) -> Iterator[MapRow]:
        """Walk the calls, without recursion because a chain of resumptions can be long."""
        seen: set[_Step] = set()
        todo: list[_Step] = [("frame", i, 0) for i in reversed(self._inside.get(None, []))]
        while todo:
            step = todo.pop()
            kind, index, depth = step
            if (kind, index, 0) in seen:
                continue
            seen.add((kind, index, 0))
            shown = min(depth, _DEEPEST)
            if kind == "frame":
                yield self._frame_row(self._frames[index], shown)
                todo += reversed(list(self._within_frame(self._frames[index], depth)))
            else:
                yield self._break_row(self._breaks[index], shown)
                todo += reversed(list(self._within_break(self._breaks[index], depth)))
        hidden = sum(not self._is_shown(frame.id) for frame in self._frames)
        if hidden:
            yield MapRow(depth=0, kind="skipped", name=plural(hidden, "library frame"))

    def _is_shown(self, frame: int) -> bool:
        return self._own[frame] or frame in self._breaks_in

    def _around(self, frame: Frame) -> int | None:
        """The frame that called this one, or that it continues, among those that are shown."""
        around = frame.caller if frame.resumes is None else frame.resumes
        for _ in self._frames:
            if around is None or self._is_shown(around):
                return around
            around = self._frames[around].caller
        return None

    def _within_frame(self, frame: Frame, depth: int) -> Iterator[_Step]:
        """What follows a frame's heading: its breaks, else the calls that it makes."""
        inner = depth if frame.resumes is not None and depth else depth + 1
        breaks = self._breaks_in.get(frame.id, ())
        for index in breaks:
            yield "break", index, inner
        if not any(self._breaks[index].effect in _WENT_ON for index in breaks):
            for called in self._inside.get(frame.id, ()):
                yield "frame", called, depth + 1

    def _within_break(self, item: Break, depth: int) -> Iterator[_Step]:
        """What Python calls on the line that broke, then what resumes after it."""
        if item.effect not in _WENT_ON:
            return
        for called in self._called_at(item):
            yield "frame", called, depth + 1
        for frame in item.resume_frames:
            yield "frame", frame, depth

    def _called_at(self, item: Break) -> Iterator[int]:
        """For a frame with several breaks, each call belongs to one of them, by its line."""
        here = self._places.spans[item.span]
        lines = range(here.line, max(here.line, here.end_line) + 1)
        resumed = [i for i in self._breaks_in[item.frame] if self._breaks[i].effect in _WENT_ON]
        for called in self._inside.get(item.frame, ()):
            if self._frames[called].caller_line in lines or item.id == resumed[-1]:
                yield called

    def _frame_row(self, frame: Frame, depth: int) -> MapRow:
        graphs = self._pieces.graphs_of(frame)
        source, first, last = self._pieces.extent(frame, self._last_line(frame))
        returned = self._returned(frame)
        if returned:
            first = last = returned
        is_call = self._places.is_call((source, first))
        return MapRow(
            depth=depth,
            kind=self._kind(frame),
            name=self._name(frame),
            lines="" if is_call else line_range(first, last),
            line="" if is_call else entity((source, first)),
            file="" if is_call else self._file(source),
            graphs=graphs,
            size=listed([*dict.fromkeys(map(self._pieces.size, graphs))], 3, "or"),
            text=_RETURNED if returned else self._text(frame, graphs),
            entity=f"frame:{frame.id}",
        )

    def _name(self, frame: Frame) -> str:
        """The short name of what resumes after a break: the row above has the long one."""
        name = self._views[frame.id].name
        head, after, line = name.partition(" after line ")
        return f"{head.rpartition('.')[2]}{after}{line}" if after else name

    def _file(self, source: int) -> str:
        above, self._source = self._source, source
        return "" if above == source else self._places.file(source)

    def _last_line(self, frame: Frame) -> int | None:
        """The line on which a frame stopped and was resumed by another."""
        broken = [self._breaks[index] for index in self._breaks_in.get(frame.id, ())]
        lines = [self._line(item)[1] for item in broken if item.effect in _WENT_ON]
        return max(lines, default=None)

    def _kind(self, frame: Frame) -> Kind:
        if self._views[frame.id].ran == "eager":
            return "eager"
        resumed = frame.outcome == "compiled" and frame.resumes is not None
        return "resumed" if resumed else frame.outcome

    def _returned(self, frame: Frame) -> int:
        """The line of the `return` that alone was left of a function after a break, else 0."""
        if frame.resumes is None or not had_nothing(frame):
            return 0
        line = goes_on(frame)
        text = self._places.text((self._places.line_of(frame.span)[0], line)).split()
        return line if text[:1] == ["return"] else 0

    def _text(self, frame: Frame, graphs: Sequence[int]) -> str:
        if frame.id in self._limited:
            return f"compiled {times(len(graphs))}, then no more (the limit of recompilations)"
        if len(graphs) > 1:
            return f"compiled {times(len(graphs))}"
        if graphs:
            return ""
        breaks = self._breaks_in.get(frame.id)
        if frame.outcome == "compiled":
            before = f" before break {breaks[0] + 1}" if breaks else ""
            return f"no tensor operation{before}" if self._views[frame.id].ran == "eager" else ""
        if frame.outcome == "compiling":
            return ""
        if breaks:
            at = f"at break {breaks[-1] + 1}"
            return at if frame.outcome == "failed" else f"given up {at}"
        if frame.outcome == "failed":
            return first_line(frame.reason).rstrip(":")
        return self._views[frame.id].explanation

    def _break_row(self, item: Break, depth: int) -> MapRow:
        view, story = self._break_views[item.id], self._stories[item.id]
        source, line = self._line(item)
        is_call = self._places.is_call((source, line))
        return MapRow(
            depth=depth,
            kind="break",
            name=f"break {item.id + 1}",
            lines="" if is_call else line_range(line, line),
            line="" if is_call else entity((source, line)),
            file="" if is_call else self._file(source),
            text=f"{view.title}{_follows(story)}{_came_back(story)}{self._joined(item, story)}",
            entity=f"break:{item.id}",
        )

    def _joined(self, item: Break, story: StoryView) -> str:
        """Where it goes on in what stands below another break; of a loop, that is said."""
        joins = () if story.repeats is not None else item.joins
        names = listed([self._name(self._frames[frame]) for frame in joins])
        return f", goes on in {names}" if names else ""

    def _line(self, item: Break) -> Line:
        """The line of the frame itself, however deep in inlined calls it broke."""
        lines = self._places.lines_of(item.stack)
        return lines[0] if lines else self._places.line_of(item.span)


def _came_back(story: StoryView) -> str:
    return "" if story.repeats is None else f", the loop came back to break {story.repeats + 1}"


def _follows(story: StoryView) -> str:
    return "" if story.cause is None else f", follows from break {story.cause + 1}"
