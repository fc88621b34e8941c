"""The records of a log: a line with metadata as JSON, then its payload, indented by tabs."""

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from dynamo_lab.capture.traces.lines import Line, Text, lines_of
from dynamo_lab.errors import TraceError, printable
from dynamo_lab.model.core.codec import mended

MAX_FILES = 4_096
MAX_PAYLOAD = 256 * 1024 * 1024
"""The most characters of one payload; beyond that it is cut, which its record then says."""
MAX_STRAY = 256 * 1024 * 1024
"""The most characters that are kept of what is no record, of all logs opened together."""
MAX_DEPTH = 100
"""The deepest nesting of JSON that is read: what takes it on recurses."""
_MOST_SOUGHT = 1_000_000
"""The most lines of a damaged payload in which its end is looked for."""

_HEAD = re.compile(
    r"(?:\[rank(\d{1,6})\]:)?[VDIWEC](\d{4} \d\d:\d\d:\d\d(?:\.\d{1,9})?) (\d{1,19}) "
    r"([^\]\n]{1,4096}):(\d{1,9})\] "
)
_CONTEXT = frozenset({
    "rank", "compiled_autograd_id", "frame_id", "frame_compile_id", "attempt", "severity",
    "timestamp", "pathname", "thread", "subgraph_name", "stack", "has_payload", "process",
})  # fmt: skip
"""What stands beside a record's kind; PyTorch reserves these names."""
_HALF = re.compile(r"\\u[dD]")
"""How JSON tells of half a surrogate pair, which no UTF-8 holds."""
_RANK = re.compile(r"rank_(\d{1,6})(?:_|\.)")


class Record(NamedTuple):
    """One record. `kind` names it, of an artifact `name` too; `data` is what stands under `kind`.

    `problem` says what is wrong with it, if anything: then its text is all that could be read.
    It is `doubtful` if it was broken off, so that its text may end anywhere: no fact is made of it.
    """

    kind: str
    name: str
    data: Any
    context: dict[str, Any]
    payload: str
    pid: int = 0
    at: str = ""
    line: int = 0
    problem: str = ""
    doubtful: bool = False

    @property
    def what(self) -> str:
        """The kind, or of an artifact its name."""
        return self.name if self.kind == "artifact" else self.kind

    @property
    def compile_id(self) -> str:
        """Dynamo's id of the compilation, as its own messages write it: "0/1", "!2/0/1"."""
        frame, number = self.context.get("frame_id"), self.context.get("frame_compile_id")
        known = f"{_word(frame)}/{_word(number)}" if frame is not None else ""
        autograd = self.context.get("compiled_autograd_id")
        return (
            "/".join(filter(None, (f"!{_word(autograd)}", known)))
            if autograd is not None
            else known
        )

    @property
    def attempt(self) -> int:
        """Which analysis of the frame it is, from 0."""
        return _number(self.context.get("attempt")) or 0

    @property
    def rank(self) -> int | None:
        """The rank that it names, if it names one."""
        return _number(self.context.get("rank"))


def files_of(path: Path) -> list[Path]:
    """The logs in a folder, or the one that is named.

    Raises:
        TraceError: there is none.
    """
    try:
        if path.is_file():
            return [path]
        if not path.is_dir():
            raise TraceError(f"There is no file or folder {str(path)!r}: check the path.")
        found = sorted(one for one in path.iterdir() if _is_log(one))
        if not found:  # as of a launcher that gave each rank a folder
            found = sorted(one for one in path.glob("*/*") if _is_log(one))
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise TraceError(
            f"{str(path)!r} cannot be read ({printable(error)}): check the path."
        ) from error
    if not found:
        raise TraceError(
            f"{str(path)!r} has no log: pass the folder that TORCH_TRACE named, or a .log file."
        )
    if len(found) > MAX_FILES:
        raise TraceError(f"{str(path)!r} holds more than {MAX_FILES:,} logs: name one of them.")
    return found


def _is_log(path: Path) -> bool:
    return path.name.endswith((".log", ".log.gz", ".txt", ".txt.gz")) and path.is_file()


def rank_in_name(path: Path) -> int | None:
    """The rank that the name of a file tells, as PyTorch names it."""
    found = _RANK.search(path.name)
    return int(found[1]) if found else None


class Room:
    """How many characters that are no record may still be kept, of all logs that are opened."""

    def __init__(self) -> None:
        self.left = MAX_STRAY


def records(path: Path, room: Room) -> Iterator[Record]:
    """The records of a file, in order. What is no record comes as one of the kind "unreadable".

    Raises:
        TraceError: the file cannot be opened.
    """
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            file = cast("IO[bytes]", gzip.GzipFile(fileobj=raw) if packed else raw)
            yield from _records(lines_of(file), room)
    except OSError as error:
        raise TraceError(
            f"{str(path)!r} cannot be read ({printable(error)}): check the path and its "
            "permissions."
        ) from error


class _Open:
    """A record whose payload is being read."""

    def __init__(self, head: Record) -> None:
        self._head = head
        self._text = Text()
        self.is_broken_off = False

    def add(self, text: str) -> None:
        self._text.add(text, MAX_PAYLOAD)

    def done(self) -> tuple[Record, str]:
        """The record, and what follows its payload without being of it."""
        payload, rest = self._text.whole(), ""
        problem = self._check(payload)
        end = self._end(payload) if problem else None
        if end is not None:
            payload, rest, problem = payload[:end], payload[end + 1 :], ""
        doubtful = self.is_broken_off and bool(problem)
        return self._head._replace(payload=payload, problem=problem, doubtful=doubtful), rest

    def _check(self, payload: str) -> str:
        """Whether the payload is what was written; PyTorch writes its hash into the head."""
        if self._text.left_out:
            return f"{self._text.left_out:,} more characters of it are left out"
        wanted = self._head.context.get("has_payload")
        if wanted is None:
            return "it has a payload that its head does not announce" if self._text.size else ""
        if not self._text.size:
            return "its payload is missing"
        made = hashlib.md5(_utf8(payload), usedforsecurity=False)
        return "" if made.hexdigest() == wanted else "its payload is not what was written"

    def _end(self, payload: str) -> int | None:
        """Where the payload ends that was written, if another's follows it."""
        wanted = self._head.context.get("has_payload")
        if wanted is None or self._text.left_out or payload.count("\n") > _MOST_SOUGHT:
            return None
        made, end = hashlib.md5(usedforsecurity=False), 0
        for line in payload.split("\n"):
            made.update(_utf8(line))
            end += len(line)
            if made.hexdigest() == wanted:
                return end
            made.update(b"\n")
            end += 1
        return None


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


class _Stray:
    """Lines that are no record, as one."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._text = Text()
        self._first = 0
        self._problem = ""

    def add(self, line: Line) -> None:
        if line.text or line.problem:
            self._first = self._first or line.number
            self._problem = self._problem or line.problem
            self._text.add(line.text, self._room.left)

    def done(self, before: str) -> Iterator[Record]:
        """The record of them and of the lines `before`; none if there are none."""
        text, left_out = self._text.whole(), self._text.left_out
        self._room.left = max(0, self._room.left - self._text.size)
        if self._first or before:
            problem = self._problem or "it is no record"
            cut = f", and {left_out:,} more characters are left out" if left_out else ""
            kept = "\n".join(filter(None, (before, text)))
            yield Record("unreadable", "", None, {}, kept, line=self._first, problem=problem + cut)


def _records(lines: Iterator[Line], room: Room) -> Iterator[Record]:
    current: _Open | None = None
    stray = _Stray(room)
    for line in lines:
        is_payload = line.text.startswith("\t") and not line.problem
        if current is not None and is_payload and not current.is_broken_off:
            current.add(line.text[1:])
            continue
        head = _head(line)
        if head is None:
            stray.add(line)
            if current is not None and not current.is_broken_off:  # the payload may be another's
                current.is_broken_off = bool(line.problem or _HEAD.match(line.text))
            continue
        yield from _closed(current, stray)
        current, stray = _Open(head), _Stray(room)
    yield from _closed(current, stray)


def _closed(current: _Open | None, stray: _Stray) -> Iterator[Record]:
    """A record at its end, then what stood in the log that is none."""
    rest = ""
    if current is not None:
        record, rest = current.done()
        yield record
    yield from stray.done(rest)


def parsed(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is none, or nested too deep to be taken in.
    """
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    layer = [value]
    for _ in range(MAX_DEPTH):
        layer = [inner for one in layer for inner in _inside(one)]
        if not layer:
            return mended(value) if _HALF.search(text) else value
    raise ValueError("it is nested too deep")


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()


def _head(line: Line) -> Record | None:
    found = _HEAD.match(line.text)
    if found is None or line.problem:
        return None
    try:
        metadata = parsed(line.text[found.end() :])
    except ValueError:
        return None
    if not isinstance(metadata, dict):
        return None
    told = cast("dict[str, Any]", metadata)
    kind = next((key for key in told if key not in _CONTEXT), "")
    data = told.pop(kind, None)
    if found[1] is not None:
        told.setdefault("rank", int(found[1]))
    name = _word(cast("dict[str, Any]", data).get("name")) if isinstance(data, dict) else ""
    return Record(
        kind=_word(kind),
        name=name
        if kind in ("artifact", "dump_file", "graph_dump", "link", "optimize_ddp_split_child")
        else "",
        data=data,
        context=told,
        payload="",
        pid=int(found[3]),
        at=found[2],
        line=line.number,
    )


def _word(value: Any) -> str:
    return "" if value is None else str(value)[:500]


def _number(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value < 1_000_000 else None
