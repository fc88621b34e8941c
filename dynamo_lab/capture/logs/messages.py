"""The messages of a log in words: lines behind a prefix, wherever they were pasted.

Since torch 2.3 each line has the prefix "V1125 21:58:05.579000 9937 torch/_dynamo/guards.py:5394]
[0/0] [__recompiles] ", before that "[2023-11-21 19:02:13,073] [0/0] torch._dynamo.guards.
__recompiles: [DEBUG] ". Before it may stand what a launcher or a service wrote, or a quotation
mark.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

from dynamo_lab.capture.traces.lines import Line
from dynamo_lab.model.logs import LogLevel, component_of, module_of, short_path

MAX_MESSAGES = 200_000
"""The most messages of one log that are read."""
MAX_TEXT = 4 * 1024 * 1024
"""The most characters of one message; what is beyond them is left out."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ID = r"(?: \[([!\d/_-]+)\])?"
_NEW = re.compile(
    r"(?:\[rank(\d{1,6})\]:)?\b([VIWEC])(\d{4} \d\d:\d\d:\d\d(?:\.\d{1,9})?) (\d{1,19}) "
    r"([^\]\n]{1,1000}?\.py):(\d{1,9})\]" + _ID + r"(?: \[__(\w{1,100})\])?(?: |$)(.*)$"
)
_OLD = re.compile(
    r"(?:\[rank(\d{1,6})\]:)?\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{1,9})\]" + _ID
    + r" (torch(?:\.\w+){0,20}?)(?:\.__(\w{1,100}))?"
    + r": \[(DEBUG|INFO|WARNING|ERROR|CRITICAL)\](?: |$)(.*)$"
)  # fmt: skip
_MOST_BEFORE = 200
"""The most characters before a prefix."""
_LEVELS: dict[str, LogLevel] = {
    "DEBUG": "V", "INFO": "I", "WARNING": "W", "ERROR": "E", "CRITICAL": "C",
}  # fmt: skip
_BEGINNINGS = (
    "Graph break", "Recompiling function ", "TRACED GRAPH", "GUARDS:", "Output code", "TRACE ",
    "torchdynamo start compiling ", "create_symbol ", "create_unbacked_symbol ", "eval ",
    "track_symint ", "Skipping guard ", "wrap_to_fake ", "create_graph_input ", "skipping: ",
    "ORIGINAL BYTECODE ", "MODIFIED BYTECODE ", "cannot fuse ", "fusing ", "===== ",
)  # fmt: skip
"""How messages begin that may follow each other within a millisecond, which is all that tells."""


class Head(NamedTuple):
    """What the prefix of a line says; all lines of a message have the same."""

    rank: int | None
    level: LogLevel
    at: str
    pid: int
    place: str
    compile_id: str
    name: str


class Message(NamedTuple):
    """A message, the number of its first line, and how many characters of it are left out."""

    head: Head
    text: str
    line: int
    left_out: int = 0


class _Open:
    """A message whose lines are being read."""

    def __init__(self, head: Head, line: int) -> None:
        self.head = head
        self._line = line
        self._texts: list[str] = []
        self._room = MAX_TEXT
        self._left_out = 0

    def add(self, text: str) -> None:
        if len(text) + 1 > self._room:
            self._left_out += len(text) + 1
            return
        self._room -= len(text) + 1
        self._texts.append(text)

    def done(self) -> Message:
        return Message(self.head, "\n".join(self._texts), self._line, self._left_out)


class Stray:
    """What stands in a log that is none of its messages, such as what the program printed."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.problem = ""
        self.unread = 0
        """How many messages came after the most that are read."""


def messages(lines: Iterable[Line], stray: Stray) -> Iterator[Message]:
    """The messages, each as its last line is read; several processes may have written in turn."""
    open_of: dict[tuple[int | None, int], _Open] = {}
    last: _Open | None = None
    count = 0
    for line in lines:
        stray.problem = stray.problem or line.problem
        found = _line(line.text)
        if found is None:
            # before 2.1 only the first line of a message had a prefix
            if last is not None and not last.head.place.endswith(_NUMBERED) and line.text:
                last.add(line.text)
            elif line.text.strip():
                stray.lines.append(line.text)
            continue
        head, text = found
        who = head.rank, head.pid
        known = open_of.get(who)
        if known is not None and known.head == head and not text.startswith(_BEGINNINGS):
            known.add(text)
            last = known
            continue
        if known is not None:
            yield known.done()
        count += 1
        if count > MAX_MESSAGES:
            stray.unread += 1
            open_of.pop(who, None)
            last = None
            continue
        open_of[who] = last = _Open(head, line.number)
        last.add(text)
    for one in open_of.values():
        yield one.done()


_NUMBERED = tuple("0123456789")
"""A place with a line number is of a prefix that stands before every line."""


def is_log(lines: Iterable[Line]) -> bool:
    """Whether a line has the prefix of a log in words."""
    return any(_line(line.text) is not None for line in lines)


def _line(text: str) -> tuple[Head, str] | None:
    """What the prefix of a line says, and the text behind it; None for a line without one."""
    if "]" not in text[: _MOST_BEFORE + 1_200]:
        return None
    text = _COLOUR.sub("", text).rstrip("\r")
    if found := _NEW.search(text, 0):
        if found.start() > _MOST_BEFORE:
            return None
        rank, level, at, pid, path, line, compile_id, artifact, rest = found.groups()
        name = artifact or component_of(module_of(path))
        place = f"{short_path(path)}:{line}"
        head = Head(
            _number(rank), cast("LogLevel", level), at, int(pid), place, compile_id or "", name
        )
        return head, rest
    if (found := _OLD.search(text)) and found.start() <= _MOST_BEFORE:
        rank, at, compile_id, module, artifact, level, rest = found.groups()
        name = artifact or component_of(module)
        head = Head(_number(rank), _LEVELS[level], at, 0, module, compile_id or "", name)
        return head, rest
    return None


def _number(text: str | None) -> int | None:
    return int(text) if text else None
