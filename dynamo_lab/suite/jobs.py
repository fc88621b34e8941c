"""A job, which is one model in one process, and what its process says of it.

The process appends its events to a file, so that they outlive it, whatever ends it.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from dynamo_lab.suite.results import Case, Result, Size


class Job(Struct, frozen=True, kw_only=True):
    """Cases of one model, to be run one after the other.

    `slot` names the device that they are timed alone on, such as "cuda-0".
    """

    model: str
    cases: tuple[Case, ...]
    device: str = "cpu"
    slot: str = "cpu"
    size: Size = "small"
    ranks: int = 1


class Step(Struct, frozen=True, tag="step"):
    """What is being done of a case: its clock stands still while it waits for the device."""

    case: Case
    name: str


class Done(Struct, frozen=True, tag="done"):
    """A case that has its result."""

    result: Result


Event = Step | Done
WAITING = "waiting"

FOLDER = "dynamo-lab-suite-"
"""How the name of a process's own folder begins."""


def write_event(path: Path, event: Event) -> None:
    """Append the event as a line."""
    with path.open("ab") as file:
        file.write(msgspec.json.encode(event) + b"\n")


class Events:
    """Reads a file of events as it grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0

    def new(self) -> Iterator[Event]:
        """The events written since the last call; a line not yet whole waits for the next."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            yield msgspec.json.decode(line, type=Event)
