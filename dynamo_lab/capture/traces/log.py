"""The records of a log: a line with metadata as JSON, then its payload, indented by tabs."""

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from dynamo_lab.errors import TraceError

MAX_FILES = 4_096
MAX_LINE = 32 * 1024 * 1024
"""The most bytes of one line; PyTorch writes metadata of up to about a megabyte."""
MAX_BYTES = 8 * 1024**3
"""The most bytes of one log, unpacked."""
MAX_PAYLOAD = 256 * 1024 * 1024
"""The most characters of one payload; beyond that it is cut, which its record then says."""

_HEAD = re.compile(
    r"(?:\[rank(\d{1,6})\]:)?[VDIWEC](\d{4} \d\d:\d\d:\d\d(?:\.\d{1,9})?) (\d{1,19}) "
    r"([^\]\n]{1,4096}):(\d{1,9})\] "
)
_CONTEXT = frozenset({
    "rank", "compiled_autograd_id", "frame_id", "frame_compile_id", "attempt", "severity",
    "timestamp", "pathname", "thread", "subgraph_name", "stack", "has_payload", "process",
})  # fmt: skip
"""What stands beside a record's kind; PyTorch reserves these names."""
_RANK = re.compile(r"rank_(\d{1,6})(?:_|\.)")


class Record(NamedTuple):
    """One record. `kind` names it, of an artifact `name` too; `data` is what stands under `kind`.

    `problem` says what is wrong with it, if anything: then its text is all that could be read.
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
            f"{str(path)!r} cannot be read ({_line(error)}): check the path."
        ) from error
    if not found:
        raise TraceError(
            f"{str(path)!r} holds no log: name the folder that TORCH_TRACE named, or a .log file."
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


def records(path: Path) -> Iterator[Record]:
    """The records of a file, in order. What is no record comes as one of the kind "unreadable".

    Raises:
        TraceError: the file cannot be opened.
    """
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            file = cast("IO[bytes]", gzip.GzipFile(fileobj=raw) if packed else raw)
            yield from _records(_lines(file))
    except OSError as error:
        raise TraceError(
            f"{str(path)!r} cannot be read ({_line(error)}): check the path and its permissions."
        ) from error


class _Line(NamedTuple):
    number: int
    text: str
    problem: str = ""


def _lines(file: IO[bytes]) -> Iterator[_Line]:
    """The lines of a file, and what ended it before its end."""
    number = read = 0
    while True:
        number += 1
        try:
            data = file.readline(MAX_LINE)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            yield _Line(number, "", f"the file is damaged from here on ({_line(error)})")
            return
        if not data:
            return
        read += len(data)
        if read > MAX_BYTES:
            yield _Line(number, "", f"the log is read up to {MAX_BYTES // 1024**3} GB")
            return
        problem = ""
        if len(data) == MAX_LINE and not data.endswith(b"\n"):
            left = _skip(file)
            problem = f"a line is cut: {left:,} more bytes of it are left out" if left else ""
            read += left
        yield _Line(number, data.decode("utf-8", "replace").removesuffix("\n"), problem)


def _skip(file: IO[bytes]) -> int:
    """How many bytes there are to the end of the line."""
    count = 0
    while data := file.readline(1024 * 1024):
        count += len(data)
        if data.endswith(b"\n") or count > MAX_BYTES:
            break
    return count


class _Open:
    """A record whose payload is being read."""

    def __init__(self, head: Record) -> None:
        self.head = head
        self._parts: list[str] = []
        self._size = 0
        self._left_out = 0

    def add(self, text: str) -> None:
        self._size += len(text) + 1
        if self._size > MAX_PAYLOAD:
            self._left_out += len(text) + 1
        else:
            self._parts.append(text)

    def done(self) -> Record:
        payload = "\n".join(self._parts)
        return self.head._replace(
            payload=payload, problem=self.head.problem or self._check(payload)
        )

    def _check(self, payload: str) -> str:
        """Whether the payload is what was written; PyTorch writes its hash into the head."""
        if self._left_out:
            return f"{self._left_out:,} more characters of it are left out"
        wanted = self.head.context.get("has_payload")
        if wanted is None:
            return "it has a payload that its head does not announce" if self._parts else ""
        if not self._parts:
            return "its payload is missing"
        made = hashlib.md5(payload.encode("utf-8", "replace"), usedforsecurity=False)
        return "" if made.hexdigest() == wanted else "its payload is not what was written"


def _records(lines: Iterator[_Line]) -> Iterator[Record]:
    current: _Open | None = None
    stray: list[_Line] = []
    for line in lines:
        if current is not None and line.text.startswith("\t") and not line.problem:
            current.add(line.text[1:])
            continue
        head = _head(line)
        if head is None:
            stray.append(line)
            continue
        if current is not None:
            yield current.done()
        yield from _unreadable(stray)
        stray = []
        current = _Open(head)
    if current is not None:
        yield current.done()
    yield from _unreadable(stray)


def _unreadable(lines: list[_Line]) -> Iterator[Record]:
    """Lines that are no record, as one."""
    lines = [line for line in lines if line.text or line.problem]
    if lines:
        problem = next((line.problem for line in lines if line.problem), "it is no record")
        text = "\n".join(line.text for line in lines)
        yield Record("unreadable", "", None, {}, text, line=lines[0].number, problem=problem)


def _head(line: _Line) -> Record | None:
    found = _HEAD.match(line.text)
    if found is None or line.problem:
        return None
    try:
        metadata = json.loads(line.text[found.end() :])
    except (ValueError, RecursionError):
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


def _line(error: Exception) -> str:
    """An error's message as one short printable line: parts of it come from the file."""
    text = str(error) or type(error).__name__
    return "".join(c if c.isprintable() else "?" for c in text)[:200]
