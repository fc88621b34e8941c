"""Files of facts, one JSON line each, only appended: a run that ended early is resumed from it.

A last line that was cut short, as when the machine went away, is skipped; so is any other that is
damaged.
"""

import os
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from dynamo_lab.errors import SuiteError
from dynamo_lab.model.core.files import unwritable

F = TypeVar("F", bound=Struct)


class Lines(NamedTuple, Generic[F]):
    """The facts of a file in its order, and how many of its lines were damaged."""

    facts: list[F]
    damaged: int = 0


def read_lines(path: str | os.PathLike[str], kind: type[F], must_exist: bool = True) -> Lines[F]:
    """The facts of this kind in a file.

    Raises:
        SuiteError: there is no such file, or nothing in it is such a fact.
    """
    try:
        lines = Path(path).read_bytes().splitlines()
    except FileNotFoundError:
        if not must_exist:
            return Lines([])
        raise SuiteError(f"There is no file {os.fspath(path)!r}: check the path.") from None
    except OSError as error:
        raise SuiteError(
            f"{os.fspath(path)!r} cannot be read ({error.strerror}): name a file of results."
        ) from None
    found: list[F] = []
    damaged = 0
    for line in filter(None, lines):
        try:
            found.append(msgspec.json.decode(line, type=kind))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            damaged += 1
    if lines and not found and damaged:
        raise SuiteError(
            f"{os.fspath(path)!r} holds no results of a suite: name a file that "
            "`dynamo-lab suite --results` wrote."
        )
    return Lines(found, damaged)


def append_line(path: str | os.PathLike[str], fact: Struct) -> None:
    """Add a fact to the file, on a line of its own whatever the last one was cut to.

    Raises:
        SuiteError: the file cannot be written.
    """
    line = msgspec.json.encode(fact) + b"\n"
    try:
        with Path(path).open("ab+") as file:
            if file.tell():  # the position is at the end
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    line = b"\n" + line
            file.write(line)
    except OSError as error:
        raise SuiteError(unwritable(path, error)) from error
