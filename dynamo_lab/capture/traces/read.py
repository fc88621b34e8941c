"""The recordings in a log, one for each process: facts where there are any, all else as text."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from dynamo_lab.capture.traces import graphs as fx
from dynamo_lab.capture.traces import guards, kernels, notes
from dynamo_lab.capture.traces.artifacts import Artifacts
from dynamo_lab.capture.traces.frames import Compilation, Frames
from dynamo_lab.capture.traces.graph_table import GraphTable
from dynamo_lab.capture.traces.links import link
from dynamo_lab.capture.traces.log import Record, Room, files_of, parsed, rank_in_name, records
from dynamo_lab.capture.traces.machine import Machine
from dynamo_lab.capture.traces.texts import TraceTexts
from dynamo_lab.capture.traces.timings import Phases
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.graphs import Graph, Stage
from dynamo_lab.model.guards.guards import Guard
from dynamo_lab.model.guards.symbols import ShapeFact, Symbol
from dynamo_lab.model.kernels import Kernel, Wrapper
from dynamo_lab.model.recording import Recording

_MOST_PROBLEMS = 20

_GRAPHS: dict[str, Stage] = {
    "dynamo_output_graph": "dynamo",
    "after_pre_grad_graph": "pre_grad",
    "aot_joint_graph": "joint",
    "aot_forward_graph": "forward",
    "aot_inference_graph": "forward",
    "aot_backward_graph": "backward",
    "inductor_post_grad_graph": "post_grad",
}
"""Kinds of records, or names of artifacts, that are a graph at a stage."""


class Tally(NamedTuple):
    """How many records of a kind there are, and how many of them became facts."""

    records: int
    in_facts: int


class Process(NamedTuple):
    """What one process wrote. `ranks` are all that its records name, the usual one first."""

    pid: int
    rank: int | None
    ranks: tuple[int, ...]
    files: tuple[str, ...]
    began: str
    recording: Recording
    tallies: dict[str, Tally]


def processes(path: Path, folder: Path | None = None) -> list[Process]:
    """Each process that wrote into a folder of logs, or into one log, in the order of time.

    Raises:
        TraceError: there is no log.
    """
    found: list[Reader] = []
    room = Room()
    for file in files_of(path):
        found += _of_file(file, folder, room)
    made = [reader.finish() for reader in found]
    return sorted(made, key=lambda one: (-1 if one.rank is None else one.rank, one.began))


def _of_file(file: Path, folder: Path | None, room: Room) -> list["Reader"]:
    readers: dict[int, Reader] = {}
    current = 0
    for record in records(file, room):
        current = record.pid or current or -1
        if current not in readers and -1 in readers:
            readers[current] = readers.pop(-1)  # what stood before the first record is of this file
        if current not in readers:
            readers[current] = Reader(file, folder)
        readers[current].add(record)
    return list(readers.values())


class Reader:
    """Makes facts of the records of one process."""

    ended = "the log ends before this compilation does"
    """Why a compilation may have no end."""

    def __init__(self, file: Path, folder: Path | None) -> None:
        self._file = file
        self._pid = 0
        self._began = ""
        self.texts = TraceTexts(folder)
        self._frames = Frames(self.texts)
        self._phases = Phases()
        self._graphs = GraphTable(self._frames.frame_of)
        self._guards: list[Guard] = []
        self._symbols: dict[Symbol, None] = {}  # an analysis that restarts makes them again
        self._facts: list[ShapeFact] = []
        self._kernels: list[Kernel] = []
        self._told: set[int] = set()  # kernels whose nodes the log itself names
        self._wrappers: list[Wrapper] = []
        self._artifacts = Artifacts()
        self._traced: dict[int, dict[str, list[str]]] = {}
        self._ranks: Counter[int] = Counter()
        self._count: Counter[str] = Counter()
        self._in_facts: Counter[str] = Counter()
        self._problems: list[str] = []
        self._machine = Machine()
        self._handlers: dict[str, Callable[[Record], bool]] = {
            "str": self._string,
            "chromium_event": self._event,
            "dynamo_start": self._frames.started,
            "compilation_metrics": self._frames.metrics,
            "dynamo_graph_break_reason": self._frames.broke,
            "recompile_reasons": self._frames.recompiled,
            "dynamo_error": self._frames.failed,
            "dynamo_cpp_guards_str": self._guard_tree,
            "dynamo_guards": self._structured_guards,
            "create_symbol": self._symbol,
            "create_unbacked_symbol": self._symbol,
            "symbolic_shape_specialization": self._specialization,
            "guard_added": self._assumption,
            "inductor_output_code": self._code,
            "inductor_provenance_tracking_node_mappings": self._provenance,
            "torch_version": self._machine.version,
            "fx_graph_runnable": self._machine.runnable,
            **dict.fromkeys(_GRAPHS, self._graph),
        }

    def add(self, record: Record) -> None:
        """Take in a record: as a fact where it can be, and as text."""
        what = record.what
        is_fact = self.handle(record)
        if not is_fact and what in _READ and not record.problem:
            record = record._replace(problem="not all of it could be read")
        if record.problem and len(self._problems) < _MOST_PROBLEMS:
            self._problems.append(f"line {record.line:,} ({what[:60]}): {record.problem}")
        if is_fact and what == "inductor_output_code" and not record.problem:
            record = record._replace(payload="")  # the wrapper is this text
        self._artifacts.add(record, what, is_fact)

    def handle(self, record: Record) -> bool:
        """Make a fact of a record, where it can be."""
        what = record.what
        self._pid = self._pid or record.pid
        self._began = self._began or record.at
        if record.rank is not None:
            self._ranks[record.rank] += 1
        self._count[what] += 1
        handler = self._handlers.get(what)
        is_fact = handler is not None and not record.doubtful and handler(record)
        self._in_facts[what] += is_fact
        return is_fact

    def _string(self, record: Record) -> bool:
        told = cast("list[Any]", record.data) if isinstance(record.data, list) else []
        if len(told) == 2 and isinstance(told[0], str) and isinstance(told[1], int):
            self.texts.files[told[1]] = told[0]
            return True
        return False

    def _event(self, record: Record) -> bool:
        return self._phases.add(record.payload, record.compile_id)

    def _graph(self, record: Record) -> bool:
        stage = _GRAPHS[record.what]
        body = fx.read(record.payload, self.texts)
        if body is None:
            return False
        backward = stage == "backward" or any(
            name.startswith("tangents_") for name in body.nodes.name
        )
        graph = self._graphs.add(
            body, stage, record.compile_id, backward and stage != "joint", None
        )
        if stage == "dynamo":
            self._frames.captured(record, graph)
        return not _unread(body)

    def _frame(self, record: Record) -> int | None:
        return self._frames.frame_of(record.compile_id)

    def _guard_tree(self, record: Record) -> bool:
        frame = self._frame(record)
        if frame is None:
            return False
        made = list(guards.guards(record.payload, frame, record.compile_id, self.texts))
        self._guards += made
        return bool(made)

    def _structured_guards(self, record: Record) -> bool:
        frame = self._frame(record)
        if frame is None:
            return False
        made = guards.structured_guards(record.payload, frame, record.compile_id, self.texts)
        self._guards += made or []
        return made is not None

    def _symbol(self, record: Record) -> bool:
        frame = self._frame(record)
        made = None if frame is None else guards.symbol(
            record.data, frame, record.compile_id, self.texts
        )  # fmt: skip
        if made is not None:
            self._symbols[made] = None
        return made is not None

    def _specialization(self, record: Record) -> bool:
        return self._shape_fact(record, guards.specialization)

    def _assumption(self, record: Record) -> bool:
        return self._shape_fact(record, guards.assumption)

    def _shape_fact(
        self, record: Record, make: Callable[[Any, int, str, TraceTexts], ShapeFact | None]
    ) -> bool:
        frame = self._frame(record)
        made = None if frame is None else make(record.data, frame, record.compile_id, self.texts)
        if made is not None:
            self._facts.append(made)
        return made is not None

    def _provenance(self, record: Record) -> bool:
        """Which nodes a kernel is made from; its name is followed by a number of Inductor's."""
        try:
            told = _dict(parsed(record.payload or "{}"))
        except ValueError:
            return False
        mapped: dict[str, list[str]] = {}
        for name, nodes in _lists(told.get("cppCodeToPost")):
            mapped.setdefault(name.rpartition(":")[0] or name, []).extend(nodes)
        graph, traced = (
            self._graphs.last_post_grad(record.compile_id),
            _lists(told.get("postToPre")),
        )
        for kernel, nodes in mapped.items():
            self._remap(kernel, nodes, graph)
        if graph is not None and (names := dict(traced)):
            self._traced[graph.id] = names
        return bool(mapped)

    def _remap(self, name: str, nodes: list[str], graph: Graph | None) -> None:
        """The kernel of this name and graph has these nodes: other graphs have kernels so named."""
        for kernel in reversed(self._kernels):
            if graph is not None and (kernel.name, kernel.graph) == (name, graph.id):
                index = {n: at for at, n in enumerate(graph.nodes.name)}
                known = sorted({index[node] for node in nodes if node in index})
                self._kernels[kernel.id] = replace(kernel, nodes=tuple(known))
                self._told.add(kernel.id)
                return

    def _code(self, record: Record) -> bool:
        graph = self._graphs.last_post_grad(record.compile_id)
        wrapper = len(self._wrappers)
        found = kernels.read(record.payload, graph, len(self._kernels), wrapper)
        is_backward = found.is_backward
        if is_backward is None:
            is_backward = graph is not None and graph.is_backward
        self._wrappers.append(
            Wrapper(
                id=wrapper,
                graph=graph.id if graph else None,
                compile_id=record.compile_id,
                is_backward=is_backward,
                code=record.payload,
            )
        )
        if graph is not None and graph.is_backward != is_backward:
            self._graphs.turn(graph, is_backward=is_backward)
        self._kernels += found.kernels
        return bool(record.payload)

    def own_notes(self, left: list[Compilation], running: list[str]) -> Iterator[Note]:
        """What is to be said of the log itself."""
        if left:
            frames = self._frames.frames
            cut = [f"{frames[one.frame].name} ({one.id})" for one in left[:5]]
            yield notes.cut_off(cut, running)
        unnamed = [one for one in self._kernels if one.id not in self._told]
        yield from notes.untold(unnamed, names_others=bool(self._told))
        yield from notes.unread(self._artifacts.damaged, self._artifacts.lost, self._problems)
        yield from map(notes.changed, dict.fromkeys(self.texts.changed))

    def finish(self) -> Process:
        """The recording, and where each record went."""
        left = self._frames.finish(self.ended)
        running = self._phases.finish()
        rank = self._ranks.most_common(1)[0][0] if self._ranks else rank_in_name(self._file)
        sources, spans, stacks = self.texts.freeze()
        total = sum(self._count.values())
        options = {"log": self._file.name, "records": f"{total:,}", "process": str(self._pid)}
        if rank is not None:
            options["rank"] = str(rank)
        recording = Recording(
            title=f"rank {rank}" if rank is not None else self._file.name,
            sources=sources,
            spans=spans,
            stacks=stacks,
            frames=tuple(self._frames.frames),
            breaks=tuple(self._frames.breaks),
            guards=tuple(self._guards),
            recompiles=guards.with_values(self._frames.recompiles, self._guards, self._symbols),
            symbols=tuple(self._symbols),
            shape_facts=tuple(self._facts),
            graphs=tuple(self._frames.with_restarts(self._graphs.graphs)),
            kernels=tuple(self._kernels),
            wrappers=tuple(self._wrappers),
            links=tuple(link(self._graphs.graphs, self._graphs.inputs, self._traced)),
            timings=tuple(self._phases.timings),
            artifacts=self._artifacts.finish(),
            notes=(*self.own_notes(left, running), *self._frames.notes),
            environment=self._machine.environment(self._began, options),
            seconds=self._phases.seconds,
        )
        return Process(
            pid=self._pid,
            rank=rank,
            ranks=tuple(rank for rank, _ in self._ranks.most_common()),
            files=(self._file.name,),
            began=self._began,
            recording=recording,
            tallies={
                what: Tally(count, self._in_facts[what]) for what, count in self._count.items()
            },
        )


_READ = frozenset({*_GRAPHS, "dynamo_graph_break_reason", "inductor_output_code"})
"""What is always a fact, if its text is whole and as PyTorch writes it."""


def _unread(body: fx.Body) -> bool:
    return bool(body.unread) or any(_unread(one) for one in body.bodies)


def _lists(data: Any) -> Iterator[tuple[str, list[str]]]:
    """The entries of a mapping that are lists, of texts."""
    for name, items in _dict(data).items():
        if isinstance(items, list):
            yield name, [str(item) for item in cast("list[Any]", items)]


def _dict(data: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}
