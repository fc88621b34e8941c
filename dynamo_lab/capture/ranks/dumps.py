"""Dumps of PyTorch's flight recorder: what a rank's process groups remembered when it hung.

NCCL's groups write one beside each other when a collective's time is over (a rank's file is named
`..._rank_0`), `torch._C._distributed_c10d._dump_fr_trace` gives one of gloo's, as a pickle, and the
functions that end in `_json` give the same without stacks. A dump may come from anyone: of a pickle
only plain data is read, no name in it is looked up, and no file that it names is opened.
"""

from __future__ import annotations

import json
import pickle
import pickletools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from dynamo_lab.capture.ranks.flight import COMPILED, Flight
from dynamo_lab.capture.traces.texts import named
from dynamo_lab.errors import TraceError
from dynamo_lab.model.core.sources import Source, Span
from dynamo_lab.model.ranks.ranks import Group, Rank
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.validate import validate

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME = re.compile(r"(?:^|[._-])rank[._-]?(\d{1,5})(?:\.(?:json|pkl|pickle))?$")
_LARGEST = 64 << 20
_MOST_RANKS = 1024
_MOST_LINES = 10_000_000
_PLAIN = {
    "PROTO", "FRAME", "STOP", "MARK", "NONE", "NEWTRUE", "NEWFALSE", "BININT", "BININT1", "BININT2",
    "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE", "EMPTY_DICT", "EMPTY_LIST", "TUPLE",
    "EMPTY_TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "APPEND", "APPENDS", "SETITEM", "SETITEMS",
    "BINGET", "LONG_BINGET", "BINPUT", "LONG_BINPUT", "MEMOIZE",
}  # fmt: skip
"""The instructions of a pickle that make lists, dictionaries, tuples, texts and numbers."""


class _Frame(Struct):
    name: str = ""
    filename: str = ""
    line: int = 0


class _Entry(Struct):
    profiling_name: str
    process_group: tuple[str, str]
    collective_seq_id: int
    time_created_ns: int
    p2p_seq_id: int = 0
    record_id: int = 0
    input_sizes: list[list[int]] = []
    input_dtypes: list[str] = []
    output_sizes: list[list[int]] = []
    output_dtypes: list[str] = []
    state: str = ""
    retired: bool = False
    is_p2p: bool = False
    thread_name: str = ""
    frames: list[_Frame] = []


class _Group(Struct):
    name: str = ""
    desc: str = ""
    ranks: str = ""


class Dump(Struct):
    """What is read of a dump."""

    entries: list[_Entry] = []
    pg_config: dict[str, _Group] = {}


def dumps_in(path: Path) -> dict[int, Path]:
    """The dump of each rank in a folder, or of the one rank whose file it is, by their names."""
    files = [path] if path.is_file() else sorted(path.iterdir()) if path.is_dir() else []
    found = {int(name[1]): file for file in files if (name := _NAME.search(file.name))}
    if len(found) > _MOST_RANKS:
        raise TraceError(f"{str(path)!r} has dumps of more than {_MOST_RANKS:,} ranks.")
    return found


def read(path: Path) -> Dump:
    """A dump, as a pickle or as JSON.

    Raises:
        TraceError: it is none, or has anything but plain data in it.
    """
    try:
        data = path.read_bytes() if path.stat().st_size <= _LARGEST else b""
    except OSError as error:
        raise TraceError(f"{str(path)!r} cannot be read ({error.strerror}).") from None
    try:
        whole = json.loads(data) if data[:1] == b"{" else _unpickled(data)
        return msgspec.convert(whole, Dump)
    except (ValueError, RecursionError, MemoryError, msgspec.ValidationError) as error:
        raise TraceError(
            f"{str(path)!r} is no dump of PyTorch's flight recorder ({str(error)[:120]}): pass the "
            "files that NCCL's groups, or `_dump_fr_trace`, wrote."
        ) from None


def _unpickled(data: bytes) -> Any:
    """The plain data in a pickle.

    Raises:
        ValueError: it would do more than make plain data, or is damaged.
    """
    for code, argument, _ in pickletools.genops(data):
        if code.name not in _PLAIN:
            raise ValueError(f"{code.name} is not plain data")
        if code.name.endswith("PUT") and int(argument or 0) > len(data):
            raise ValueError("a memo beyond its own length")
    try:
        return _Plain(data).load()
    except Exception as error:  # damaged pickles raise anything
        raise ValueError(f"damaged: {type(error).__name__}") from None


class _Plain(pickle.Unpickler):
    """Refuses what the instructions above cannot ask for anyway."""

    def __init__(self, data: bytes) -> None:
        import io

        super().__init__(io.BytesIO(data))

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError(str(pid))


def with_dump(recording: Recording, number: int, dump: Dump) -> Recording:
    """The recording of a rank, with the calls that its dump has.

    Raises:
        TraceError: the dump has numbers that no recording can hold.
    """
    tables = _Tables(recording)
    flight = Flight(tables)
    groups = tuple(_groups(dump))
    calls = sorted(
        (flight.call_of(msgspec.to_builtins(entry)) for entry in dump.entries),
        key=lambda call: call.started,
    )
    first = min((entry.record_id for entry in dump.entries), default=0)
    size = max((len(group.ranks) for group in groups), default=0)
    made = replace(
        recording,
        sources=tuple(tables.sources),
        spans=tuple(tables.spans),
        stacks=tuple(tables.stacks),
        rank=Rank(
            number=number,
            size=max(size, number + 1),
            backend=next((call.backend for call in calls if call.backend), ""),
            groups=groups,
            calls=tuple(calls),
            forgotten=first,
        ),
    )
    if problem := validate(made):
        raise TraceError(f"The dump of rank {number} is damaged: {problem}")
    return made


def _groups(dump: Dump) -> Iterable[Group]:
    """The groups by the names that calls have for them: gloo's default one has none in its own."""
    called = dict(entry.process_group for entry in dump.entries)
    for key, one in dump.pg_config.items():
        name = one.name or key or next((n for n, d in called.items() if d == "default_pg"), "0")
        ranks = tuple(sorted(int(found) for found in re.findall(r"\d{1,6}", one.ranks)))
        yield Group(name, ranks, one.desc or called.get(name, ""))


class _Tables:
    """The tables of a recording, which grow by the places of a dump."""

    def __init__(self, recording: Recording) -> None:
        self.sources = list(recording.sources)
        self.spans = list(recording.spans)
        self.stacks = list(recording.stacks)
        self._sources = {source.path: at for at, source in enumerate(self.sources)}
        self._spans = {span: at for at, span in enumerate(self.spans)}
        self._stacks = {stack: at for at, stack in enumerate(self.stacks)}

    def is_users(self, path: str) -> bool:
        """Whether it is no file of a library, nor one that a compiler wrote, by its path."""
        return named(path)[1] != "library" and not COMPILED.search(path)

    def span(self, path: str, line: int, function: str) -> int:
        """The index of a place."""
        name, kind = named(path)
        source = self._sources.setdefault(name, len(self.sources))
        if source == len(self.sources):
            self.sources.append(Source(name, kind))
        line = line if 0 < line < _MOST_LINES else 1
        span = Span(source, line, function.replace("<module>", "cell")[:200])
        at = self._spans.setdefault(span, len(self.spans))
        if at == len(self.spans):
            self.spans.append(span)
        return at

    def stack(self, spans: Iterable[int]) -> int:
        """The index of a stack, outermost first."""
        key = tuple(spans)
        at = self._stacks.setdefault(key, len(self.stacks))
        if at == len(self.stacks):
            self.stacks.append(key)
        return at
