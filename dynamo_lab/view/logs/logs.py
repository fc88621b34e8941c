"""The messages of a log, each beside what is shown of the same event."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from dynamo_lab.model.fusion.fusion import Schedule
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.logs import LogRecord
from dynamo_lab.model.lowering import Buffer, CudaGraphs
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Places, entity_if_known
from dynamo_lab.view.core.titles import GraphTitles
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.logs.table import (
    BREAKS,
    FRAMES,
    FUSION,
    GRAPHS,
    GUARDS,
    KERNELS,
    LOGS,
    LOWERING,
    SHAPES,
    STEPS,
    TIMELINE,
    LogRow,
)

LONGEST = 12_000
"""The most characters of one message in a view; the recording holds all of it."""
MOST = 1_000_000
"""The most characters of all messages in a view."""
MOST_RECORDS = 5_000
"""The most messages in a view."""


class LogView(Struct, frozen=True, kw_only=True):
    """A message, and where the same is shown.

    `view` is the section, `shown` what of it and `entity` its name there; all are empty where this
    recording has nothing of it but the text. `where` and `line` are the line of the program that
    the message names, in words and as an entity.
    """

    name: str
    level: str
    compile_id: str
    place: str
    text: str
    note: str = ""
    where: str = ""
    line: str = ""
    view: str = ""
    shown: str = ""
    entity: str = ""


class LogKindView(Struct, frozen=True, kw_only=True):
    """A log by its name: how many messages it has, how many of them are tied to a view."""

    name: str
    count: int
    tied: int
    view: str
    shows: str
    lacks: str


class LogsView(Struct, frozen=True, kw_only=True):
    """The messages in the order they were written, and the logs that they are of."""

    records: tuple[LogView, ...] = ()
    kinds: tuple[LogKindView, ...] = ()
    left: str = ""


class _Tied(NamedTuple):
    view: str = ""
    shown: str = ""
    entity: str = ""


def build(recording: Recording, places: Places) -> LogsView:
    """The messages, as many as a view can hold, and a row for each log."""
    if not recording.logs:
        return LogsView()
    ties = _Ties(recording, places)
    tied = [ties.of(record) for record in recording.logs]
    records = tuple(_records(recording.logs, tied, places))
    hidden = len(recording.logs) - len(records)
    return LogsView(
        records=records,
        kinds=tuple(_kinds(recording.logs, tied)),
        left=f"{plural(hidden, 'more message')} in `rec.logs`." if hidden else "",
    )


def _records(logs: Sequence[LogRecord], tied: Sequence[_Tied], places: Places) -> Iterator[LogView]:
    room = MOST
    for record, tie in zip(logs[:MOST_RECORDS], tied, strict=False):
        text = record.text[: min(LONGEST, room)]
        room -= len(text)
        hidden = len(record.text) - len(text) + record.left_out
        line = None if record.span is None else places.line_of(record.span)
        yield LogView(
            name=record.name,
            level=record.level,
            compile_id=record.compile_id,
            place=record.place,
            text=text,
            note=f"{hidden:,} more characters" if hidden else "",
            where="" if line is None else places.where(line),
            line=entity_if_known(line),
            view=tie.view,
            shown=tie.shown,
            entity=tie.entity,
        )


def _kinds(logs: Sequence[LogRecord], tied: Sequence[_Tied]) -> Iterator[LogKindView]:
    counts = Counter(record.name for record in logs)
    with_view = Counter(record.name for record, tie in zip(logs, tied, strict=True) if tie.view)
    for name, count in counts.items():
        row = LOGS.get(name, LogRow(name=name, shows="a log that is not known here"))
        yield LogKindView(
            name=name,
            count=count,
            tied=with_view[name],
            view=row.view,
            shows=row.shows,
            lacks=row.lacks,
        )


_STAGES = {
    "Forward": "forward", "Backward": "backward", "Joint": "joint",
}  # fmt: skip
_TITLE = re.compile(r"^ ?===== (\w+)", re.MULTILINE)
_KERNEL = re.compile(r"\b((?:triton|cpp)_\w+)")


class _Ties:
    """Finds for each message, in order, what the recording has of the same event."""

    def __init__(self, recording: Recording, places: Places) -> None:
        self._recording = recording
        self._places = places
        self._titles = GraphTitles(recording).titles
        self._seen: Counter[tuple[str, str, str]] = Counter()
        self._frames = {
            attempt.compile_id: frame for frame in recording.frames for attempt in frame.attempts
        }
        self._graph_ids = {g.id: g.compile_id for g in recording.graphs}
        self._there = {
            FUSION: self._compiled(recording.schedules),
            LOWERING: self._compiled((*recording.buffers, *recording.cuda_graphs)),
            SHAPES: {one.compile_id for one in (*recording.symbols, *recording.shape_facts)},
        }

    def of(self, record: LogRecord) -> _Tied:
        """What shows the same as a message."""
        row = LOGS.get(record.name)
        compile_id = record.compile_id.partition("_")[0]
        if row is None or not row.view:
            return _Tied()
        if row.view == BREAKS:
            return self._break(record, compile_id)
        if row.view == GRAPHS:
            return self._graph(record, compile_id)
        if row.view == KERNELS:
            return self._kernels(record, compile_id)
        if row.view == FRAMES:
            return self._frame(record, compile_id)
        if row.view == GUARDS:
            return self._guards(record, compile_id)
        return _Tied(row.view, row.shows) if self._is_there(row.view, compile_id) else _Tied()

    def _compiled(self, facts: Sequence[Schedule | Buffer | CudaGraphs]) -> set[str]:
        """The compilations of the graphs that these are of."""
        return {self._graph_ids[one.graph] for one in facts}

    def _is_there(self, view: str, compile_id: str) -> bool:
        """Whether a view has something of a compilation, or of the whole run if it tells no ids."""
        if view == STEPS:
            return self._recording.film is not None
        if view == TIMELINE:
            return bool(self._recording.timings)
        return compile_id in self._there[view]

    def _break(self, record: LogRecord, compile_id: str) -> _Tied:
        own = [one for one in self._recording.breaks if one.compile_id == compile_id]
        line = None if record.span is None else self._places.line_of(record.span)
        lines = [[self._places.line_of(one.span), *self._places.lines_of(one.stack)] for one in own]
        same = [one for one, at in zip(own, lines, strict=True) if line in at]
        if not (found := same or own):
            return _Tied()
        at = found[0]
        return _Tied(BREAKS, f"break {at.id + 1}: {at.gb_type}", f"break:{at.id}")

    def _graph(self, record: LogRecord, compile_id: str) -> _Tied:
        stage = self._stage(record)
        if not stage:
            return _Tied()
        own = [
            graph
            for graph in self._recording.graphs
            if (graph.compile_id, graph.stage, graph.parent) == (compile_id, stage, None)
        ]
        key = record.name, compile_id, stage
        at = self._seen[key]
        self._seen[key] += 1
        if at >= len(own):
            return _Tied()
        return _Tied(GRAPHS, self._titles[own[at].id], f"graph:{own[at].id}")

    def _stage(self, record: LogRecord) -> str:
        """The stage of the graph that a message prints; none if it prints no graph."""
        if record.name in ("graph", "graph_code", "graph_sizes", "pre_grad_graphs"):
            return "dynamo" if record.text.startswith(("TRACED GRAPH", "GRAPH")) else ""
        if record.name == "post_grad_graphs":
            return "post_grad" if record.text.startswith("TRACED GRAPH") else ""
        title = _TITLE.search(record.text) if record.text.startswith("TRACED GRAPH") else None
        return _STAGES.get(title[1], "") if title else ""

    def _kernels(self, record: LogRecord, compile_id: str) -> _Tied:
        own = [
            kernel
            for kernel in self._recording.kernels
            if kernel.graph is not None and self._graph_ids[kernel.graph] == compile_id
        ]
        if record.name == "kernel_code":
            named = set(_KERNEL.findall(record.text))
            own = [kernel for kernel in own if kernel.name in named] or own
        elif record.name == "output_code" and record.text.startswith("Output code:"):
            own = self._of_wrapper(compile_id) or own
        if not own:
            return _Tied()
        more = f" and {len(own) - 1} more" if len(own) > 1 else ""
        return _Tied(KERNELS, f"{own[0].name}{more}", f"kernel:{own[0].id}")

    def _of_wrapper(self, compile_id: str) -> list[Kernel]:
        """The kernels of the next module that was generated in a compilation."""
        key = "output_code", compile_id, ""
        wrappers = [one.id for one in self._recording.wrappers if one.compile_id == compile_id]
        at = self._seen[key]
        self._seen[key] += 1
        if at >= len(wrappers):
            return []
        return [kernel for kernel in self._recording.kernels if kernel.wrapper == wrappers[at]]

    def _frame(self, record: LogRecord, compile_id: str) -> _Tied:
        frame = self._frames.get(compile_id)
        if frame is None or (record.name == "bytecode" and not frame.bytecode):
            return _Tied()
        return _Tied(FRAMES, f"{frame.name}, {frame.outcome}", f"frame:{frame.id}")

    def _guards(self, record: LogRecord, compile_id: str) -> _Tied:
        if record.name.startswith("recompiles"):
            known = [one for one in self._recording.recompiles if one.compile_id == compile_id]
            if not known:
                return _Tied()
            name = self._recording.frames[known[0].frame].name
            return _Tied(GUARDS, f"{name} compiled again")
        own = [at for at, one in enumerate(self._recording.guards) if one.compile_id == compile_id]
        if not own:
            return _Tied()
        return _Tied(GUARDS, plural(len(own), "guard"), f"guard:{own[0]}")
