"""The recordings in a log in words, one for each process that wrote into it."""

import gzip
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, cast

from msgspec.structs import replace

from dynamo_lab.capture.logs import notes
from dynamo_lab.capture.logs.messages import Message, Stray, is_log, messages
from dynamo_lab.capture.logs.places import Place, frame_of, innermost, of_frames
from dynamo_lab.capture.logs.records import Translator
from dynamo_lab.capture.traces.frames import Compilation
from dynamo_lab.capture.traces.lines import Line, lines_of
from dynamo_lab.capture.traces.log import files_of
from dynamo_lab.capture.traces.read import Process, Reader, Tally
from dynamo_lab.errors import TraceError, printable
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.logs import LogRecord

MAX_TEXT = 64 * 1024 * 1024
"""The most characters of all messages of a process that are kept."""
_MOST_SOUGHT = 20_000
"""So many lines may stand before the first message of a log."""
_LIMIT = "torch._dynamo hit config."


def processes(path: Path, folder: Path | None = None) -> list[Process]:
    """Each process that wrote into the logs in words at this path; none where there are none.

    Raises:
        TraceError: a file cannot be read.
    """
    made = [one for file in files_of(path) if _is_log(file) for one in _of_file(file, folder)]
    return sorted(made, key=lambda one: (-1 if one.rank is None else one.rank, one.began))


def _is_log(file: Path) -> bool:
    return is_log(islice(_lines(file), _MOST_SOUGHT))


def _lines(path: Path) -> Iterator[Line]:
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            yield from lines_of(cast("IO[bytes]", gzip.GzipFile(fileobj=raw) if packed else raw))
    except OSError as error:
        raise TraceError(
            f"{str(path)!r} cannot be read ({printable(error)}): check the path and its "
            "permissions."
        ) from error


def _of_file(file: Path, folder: Path | None) -> list[Process]:
    stray = Stray()
    found: dict[tuple[int | None, int], list[Message]] = {}
    for message in messages(_lines(file), stray):
        found.setdefault((message.head.rank, message.head.pid), []).append(message)
    return [_process(file, folder, every, stray) for every in found.values()]


def _process(file: Path, folder: Path | None, every: list[Message], stray: Stray) -> Process:
    reader = TextReader(file, folder, of_frames(every), stray)
    every.sort(key=lambda message: message.line)  # they come as they end
    for message in every:
        reader.take(message)
    return reader.done()


class TextReader(Reader):
    """Makes facts of the messages of one process, and keeps each as text."""

    ended = "the log does not say how this compilation ended"

    def __init__(
        self, file: Path, folder: Path | None, places: dict[str, Place], stray: Stray
    ) -> None:
        super().__init__(file, folder)
        self._places = places
        self._stray = stray
        self._translator = Translator(places, self.texts.path_ending)
        self._logs: list[LogRecord] = []
        self._room = MAX_TEXT
        self._names: dict[str, int] = {}
        self._as_facts: dict[str, int] = {}
        self._without_id = 0
        self._limits: list[str] = []
        self._seen: set[str] = set()

    def take(self, message: Message) -> None:
        """Take in a message: as a fact where it can be, and as text."""
        head = message.head
        made = list(self._translator.records(message))
        kinds = {record.kind for record in made if self.handle(record)}
        is_fact = bool(kinds - {"dynamo_start"})
        self._names[head.name] = self._names.get(head.name, 0) + 1
        self._as_facts[head.name] = self._as_facts.get(head.name, 0) + is_fact
        self._without_id += bool(made) and not head.compile_id
        if head.compile_id:
            self._seen.add(frame_of(head.compile_id.partition("_")[0]))
        if message.text.startswith(_LIMIT):
            self._limits.append(message.text)
        text = message.text[: self._room]
        self._room -= len(text)
        at = innermost(message.text)
        self._logs.append(
            LogRecord(
                name=head.name,
                text=text,
                level=head.level,
                compile_id=head.compile_id,
                place=head.place,
                span=self.texts.span(at.path, at.line, at.name) if at else None,
                left_out=message.left_out + len(message.text) - len(text),
            )
        )

    def own_notes(self, left: list[Compilation], running: list[str]) -> Iterator[Note]:
        """What the log does not have."""
        yield notes.lacks(self._names)
        known = {frame for frame, place in self._places.items() if place.is_told}
        yield from notes.unnamed(self._seen - known)
        yield from notes.without_ids(self._without_id)
        yield from notes.left(len(self._stray.lines), self._stray.unread, self._stray.problem)
        yield from map(notes.limit, self._limits)

    def done(self) -> Process:
        """The recording, and how many messages of each log became facts."""
        for record in self._translator.ends():
            self.handle(record)
        made = self.finish()
        tallies = {name: Tally(n, self._as_facts[name]) for name, n in self._names.items()}
        recording = replace(made.recording, logs=tuple(self._logs))
        return made._replace(recording=recording, tallies=tallies)
