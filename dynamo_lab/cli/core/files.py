"""The files that a command writes of a recording."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from dynamo_lab.cli.core.printing import view_of
from dynamo_lab.errors import OptionError
from dynamo_lab.model.core.codec import save
from dynamo_lab.model.core.files import unwritable, write_output
from dynamo_lab.model.recording import Recording

if TYPE_CHECKING:
    import argparse

Writer: TypeAlias = tuple[Callable[[Recording, str], None], str]
"""How to write a file, and where."""


def writers(options: argparse.Namespace) -> list[Writer]:
    """How to write each requested file, and where, also if the script changes its folder.

    Raises:
        OptionError: a file cannot be written, or two are the same.
    """
    asked = ((save, options.json), (write_page, options.html))
    found: list[Writer] = [(w, os.path.abspath(path)) for w, path in asked if path is not None]
    for _, path in found:
        refuse_unwritable(path)
    if len({path for _, path in found}) < len(found):
        raise OptionError("--json and --html name the same file: name two.")
    return found


def write_all(recording: Recording, asked: Sequence[Writer]) -> None:
    """Write each file."""
    for write, path in asked:
        write(recording, path)


def write_page(recording: Recording, path: str) -> None:
    """Write one offline page.

    Raises:
        OutputError: it cannot be written; a page of this name is then as it was.
    """
    from dynamo_lab.render.page import page

    write_output(path, page(view_of(recording)))


def refuse_unwritable(path: str) -> None:
    """Raise now what would be an error after a long script has run."""
    if "\0" in path:
        raise OptionError(unwritable(path, "its name holds a null character"))
    folder = os.path.dirname(path)
    if os.path.isdir(path):
        raise OptionError(unwritable(path, "it is a folder"))
    if not os.path.isdir(folder):
        raise OptionError(unwritable(path, "there is no such folder"))
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise OptionError(unwritable(path, "permission denied"))
