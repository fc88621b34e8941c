"""Frames, their attempts and their breaks, in the order of a log."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, cast

from msgspec import Struct
from msgspec.structs import replace

from dynamo_lab.capture.traces import breaks, guards
from dynamo_lab.capture.traces.log import Record
from dynamo_lab.capture.traces.texts import TraceTexts
from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.frames import Attempt, AttemptOutcome, Frame
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.guards.guards import Recompile

_MOST_ATTEMPTS = 1_000
_SOFT = ("Unsupported", "SkipFrame", "RecompileLimitExceeded", "FailOnRecompileLimitHit")
_REASON = 500


class Compilation(Struct):
    """One compilation of a frame, while its records come."""

    id: str
    frame: int
    graphs: dict[int, int] = {}
    reasons: tuple[str, ...] = ()
    broke: bool = False
    done: bool = False
    error: str = ""
    last: int = 0
    seen: int = 1


class Frames:
    """Knows which frame each compile id belongs to; an id can come again after a reset."""

    def __init__(self, texts: TraceTexts) -> None:
        self._texts = texts
        self.frames: list[Frame] = []
        self.breaks: list[Break] = []
        self.recompiles: list[Recompile] = []
        self.notes: list[Note] = []
        self._places: dict[tuple[str, int, str, str], int] = {}
        self._of: dict[str, Compilation] = {}
        self._waiting: dict[str, str] = {}
        self._functions: list[tuple[str, str]] = []  # of each frame: of what goes on, the original
        self._made: list[list[Attempt]] = []  # of each frame
        self._first: dict[tuple[str, str], int] = {}  # the first frame of a function
        self._same: dict[tuple[str, str], int] = {}  # the one that goes on: the last that broke
        self._known: dict[tuple[int, int, str], int] = {}  # breaks
        self._last_break: dict[int, int] = {}  # of a frame
        self._broke_at: dict[tuple[str, str, int], list[int]] = {}  # breaks of a function's line
        self._refused: set[int] = set()  # frames that ended in a break
        self._restarted: set[int] = set()  # graphs of analyses that were done again

    def frame_of(self, compile_id: str) -> int | None:
        """The frame that a compile id belongs to now."""
        known = self._of.get(compile_id)
        return known.frame if known else None

    def unfinished(self) -> list[Compilation]:
        """The compilations whose end the log does not hold."""
        return [one for one in self._of.values() if not one.done]

    def started(self, record: Record) -> bool:
        """A frame is being compiled (`dynamo_start`)."""
        data = cast("dict[str, Any]", record.data) if isinstance(record.data, dict) else {}
        stack = list(self._texts.frames_of(data.get("stack")))
        if not stack or not record.compile_id:
            return False
        known = self._of.get(record.compile_id)
        frame = self._frame(*stack[-1], stack[:-1], record.compile_id)
        if known is None or known.done or known.frame != frame:
            self._of[record.compile_id] = Compilation(record.compile_id, frame, {})
        if waiting := self._waiting.pop(record.compile_id, ""):
            self._recompiled(waiting, self._of[record.compile_id])
        return True

    def _frame(
        self,
        path: str,
        line: int,
        name: str,
        callers: list[tuple[str, int, str]],
        compile_id: str,
    ) -> int:
        resumed = breaks.RESUMED.match(name)
        # the two ways of a branch resume under one name, which Dynamo's number of the code tells
        code = compile_id.partition("/")[0] if resumed else ""
        at = self._places.setdefault((path, line, name, code), len(self.frames))
        if at < len(self.frames):
            return at
        original = self._original(path, resumed[1], int(resumed[2])) if resumed else None
        caller, caller_line = self._caller(callers)
        self.frames.append(
            Frame(
                id=at,
                name=name.replace("<module>", "cell")[:200],
                span=self._texts.span(path, line, name),
                outcome="compiling",
                resumes=original,
                resumed_line=int(resumed[2]) if resumed and original is not None else None,
                caller=caller,
                caller_line=caller_line,
            )
        )
        if original is not None:
            self._goes_on(original, at)
        function = path, resumed[1] if resumed else name
        self._functions.append(function)
        self._made.append([])
        self._first.setdefault((path, name), at)
        if self._same.get(function, at) not in self._last_break:
            self._same[function] = at
        return at

    def _original(self, path: str, function: str, line: int) -> int | None:
        """The frame that broke at this line of a function, or the last of it that broke."""
        broke = self._broke_at.get((path, function, line))
        return self.breaks[broke[-1]].frame if broke else self._same.get((path, function))

    def _goes_on(self, original: int, frame: int) -> None:
        line = self.frames[frame].resumed_line or 0
        broke = self._broke_at.get((*self._functions[original], line), ())
        last = broke[-1] if broke else self._last_break.get(original)
        if last is not None:
            item = self.breaks[last]
            self.breaks[last] = replace(item, resume_frames=(*item.resume_frames, frame))

    def _join(self) -> None:
        """A break after which no frame is new goes on in what another of its line led to.

        Not so in what led to it: a line may break several times, the last with nothing after it.
        """
        for same in self._broke_at.values():
            led_to = [frame for at in same for frame in self.breaks[at].resume_frames]
            first = [frame for frame in led_to if self.frames[frame].resumes not in led_to]
            for at in same:
                item = self.breaks[at]
                has_more = item.effect != "resumed" or item.resume_frames or item.frame in led_to
                self.breaks[at] = replace(item, joins=() if has_more else tuple(first))

    def _caller(self, callers: list[tuple[str, int, str]]) -> tuple[int | None, int | None]:
        for path, line, name in reversed(callers):
            if (at := self._first.get((path, name))) is not None:
                return at, line
        return None, None

    def captured(self, record: Record, graph: int) -> None:
        """Dynamo handed a graph to the backend."""
        if known := self._seen(record):
            known.graphs[record.attempt] = graph

    def _seen(self, record: Record) -> Compilation | None:
        known = self._of.get(record.compile_id)
        if known is not None:
            # a number alone makes no attempts: each of them has written something
            known.last = min(max(known.last, record.attempt), known.seen, _MOST_ATTEMPTS)
            known.seen += 1
        return known

    def broke(self, record: Record) -> bool:
        """Dynamo says why a graph ends here (`dynamo_graph_break_reason`)."""
        known = self._seen(record)
        told = breaks.told_by(record.payload, self._texts)
        if known is None or not told.spans:
            return False
        self._add_break(told, known, "skipped" if told.skips else "resumed")
        known.broke = True
        return True

    def _add_break(
        self, told: breaks.Told, of: Compilation, effect: Literal["resumed", "skipped", "failed"]
    ) -> None:
        place = len(self.breaks), of.frame
        names = self._texts.functions()
        function = self._functions[of.frame][1]
        made = breaks.make(told, place, of.id, function, effect, self._texts, names)
        at = self._known.setdefault((made.frame, made.span, made.gb_type), made.id)
        if at != made.id:
            item = self.breaks[at]
            if item.compile_id != of.id:
                self.breaks[at] = replace(item, times=item.times + 1)
            return
        self.breaks.append(made)
        self._last_break[of.frame] = at
        line = self._texts.line_of(made.span)
        self._broke_at.setdefault((*self._functions[of.frame], line), []).append(at)
        self._same[self._functions[of.frame]] = of.frame
        if effect == "failed":
            self._refused.add(of.frame)

    def recompiled(self, record: Record) -> bool:
        """Guards of earlier compilations failed; this comes before the compilation starts."""
        self._waiting[record.compile_id] = record.payload
        return bool(record.compile_id)

    def _recompiled(self, payload: str, of: Compilation) -> None:
        made = guards.recompile(payload, of.frame, of.id, self._texts)
        self.recompiles.append(made)
        of.reasons = tuple(f"{earlier}: {check}" for earlier, check in made.failures)

    def failed(self, record: Record) -> bool:
        """An exception ended a compilation (`dynamo_error`)."""
        known = self._seen(record)
        if known is None:
            return False
        self._texts.stack_of_traceback(record.payload)  # keeps the program's lines that it quotes
        self.notes.append(
            Note(
                level="warning",
                about="compile",
                message=f"Compiling {self.frames[known.frame].name} ({known.id}) ended in an "
                f"exception: {_last_error(record.payload)}",
                traceback=record.payload,
            )
        )
        told = breaks.told_by(_after_error(record.payload), self._texts)
        # only a break under `fullgraph=True` ends as Unsupported: other errors are the program's
        is_break = re.search(r"\bUnsupported: ", _last_error(record.payload))
        if is_break and told.spans and told.explanation and not known.broke:
            self._add_break(told, known, "failed")
        elif not is_break:
            known.error = self._error(record.payload, told)
        return True

    def _error(self, traceback: str, told: breaks.Told) -> str:
        """What the program raised, as 'RuntimeError: no such size, at net.py:4'."""
        quoted = _RAISED.search(traceback)
        text = f"{quoted[1]}: {quoted[2]}" if quoted else _last_error(traceback)
        if not told.spans:
            return text
        return f"{text}, at line {self._texts.line_of(told.spans[-1])}"

    def metrics(self, record: Record) -> bool:
        """A compilation ended, well or not (`compilation_metrics`)."""
        known = self._seen(record)
        if known is None or not isinstance(record.data, dict):
            return False
        told = cast("dict[str, Any]", record.data)
        known.done = True
        fail, reason = _text(told.get("fail_type")), _text(told.get("fail_reason"))
        guarded = told.get("has_guarded_code")
        outcome: AttemptOutcome = "compiled"
        if fail:
            soft = any(word in fail for word in _SOFT) and bool(guarded is False)
            outcome = "skipped" if soft and known.frame not in self._refused else "failed"
        elif guarded is False:
            outcome = "skipped"
        if outcome == "skipped":
            self._given_up(known)
        self._attempts(known, told, outcome, known.error or reason.partition("\n")[0])
        return True

    def _given_up(self, known: Compilation) -> None:
        """After a break, this compilation left the whole frame to Python."""
        at = self._last_break.get(known.frame)
        if at is None or self.breaks[at].compile_id != known.id:
            return
        if self.breaks[at].effect == "resumed":
            self.breaks[at] = replace(self.breaks[at], effect="skipped")

    def _attempts(
        self, known: Compilation, told: dict[str, Any], outcome: AttemptOutcome, reason: str
    ) -> None:
        restarts = told.get("restart_reasons")
        reasons = (
            [_text(r) for r in cast("list[Any]", restarts)] if isinstance(restarts, list) else []
        )
        count = max(known.last, min(len(reasons), _MOST_ATTEMPTS))
        whole, before = (
            _seconds(told.get("entire_frame_compile_time_s")),
            _seconds(told.get("dynamo_time_before_restart_s")),
        )
        self._made[known.frame] += [
            Attempt(
                compile_id=known.id,
                restart=at,
                outcome="restarted" if at < count else outcome,
                reason=(reasons[at] if at < len(reasons) else "") if at < count else reason,
                recompile_reasons=known.reasons,
                graph=known.graphs.get(at) if at == count else None,
                seconds=before / count if at < count else max(0.0, whole - before),
            )
            for at in range(count + 1)
        ]
        self._restarted.update(graph for at, graph in known.graphs.items() if at < count)
        known.last = known.seen = 0  # a second end of it adds nothing that was told before
        frame = self.frames[known.frame]
        compiled = outcome == "compiled" or frame.outcome == "compiled"
        self.frames[known.frame] = replace(
            frame,
            outcome="compiled" if compiled else outcome,
            reason="" if compiled else reason,
        )

    def with_restarts(self, graphs: Sequence[Graph]) -> Iterator[Graph]:
        """The graphs; those of an analysis that was done again never run, and say so."""
        for graph in graphs:
            is_done_again = graph.id in self._restarted and graph.stage == "dynamo"
            yield replace(graph, stage="restarted") if is_done_again else graph

    def finish(self, ended: str) -> list[Compilation]:
        """What has no end in the log, because of `ended`; breaks know the graphs before them."""
        left = self.unfinished()
        for known in left:
            self._attempts(known, {}, "failed", ended)
            frame = self.frames[known.frame]
            if frame.outcome == "failed":
                self.frames[known.frame] = replace(frame, outcome="compiling")
        graphs: dict[tuple[int, str], int] = {}
        for at, made in enumerate(self._made):
            self.frames[at] = replace(self.frames[at], attempts=tuple(made))
            for one in made:
                if one.graph is not None:
                    graphs.setdefault((at, one.compile_id), one.graph)
        self._join()
        for item in self.breaks:
            graph = graphs.get((item.frame, item.compile_id))
            self.breaks[item.id] = replace(item, graph_before=graph)
        return left


_RAISED = re.compile(r"""\bgot ([A-Za-z_][\w.]*)\(["'](.*)["'],?\)\s*$""", re.MULTILINE)
"""Dynamo runs each operator on fake tensors, and quotes what the operator raised."""


def _after_error(traceback: str) -> str:
    """The message of an exception, without the way there."""
    found = list(re.finditer(r"^[\w.]+(?:Error|Unsupported|Exception)?: ", traceback, re.MULTILINE))
    return traceback[found[-1].end() :] if found else traceback


def _last_error(traceback: str) -> str:
    found = re.findall(r"^([A-Za-z_][\w.]*: .+)$", traceback, re.MULTILINE)
    last = found[-1] if found else traceback.strip().rpartition("\n")[2]
    return last[:_REASON]


def _text(value: Any) -> str:
    return value[:_REASON] if isinstance(value, str) else ""


def _seconds(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 1e9 else 0.0
