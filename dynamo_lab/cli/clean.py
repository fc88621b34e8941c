"""`dynamo-lab clean`: recordings beside a notebook that none of its cells refers to any more."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dynamo_lab.cli.core.options import add_command
from dynamo_lab.errors import OutputError
from dynamo_lab.model.core import kept
from dynamo_lab.view.core.words import plural, size

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "list recordings beside a notebook that none of its cells refers to"
    parser = add_command(commands, "clean", sentence, run)
    parser.add_argument("notebook", metavar="NOTEBOOK", type=Path, help="a saved notebook")
    parser.add_argument("--delete", action="store_true", help="delete them")


def run(options: argparse.Namespace) -> int:
    """List them, and delete them if that is asked for."""
    found = kept.unused(options.notebook)
    total = 0
    for file in found:
        taken = file.stat().st_size
        total += taken
        if options.delete:
            _delete(file)
        print(f"{file}  {size(taken)}")
    what = f"{plural(len(found), 'recording')} ({size(total)}) that no cell refers to"
    print(f"{what}{_ending(options) if found else ''}.")
    return 0


def _delete(file: Path) -> None:
    try:
        file.unlink()
    except OSError as error:
        raise OutputError(f"{str(file)!r} could not be deleted: {error.strerror}.") from error


def _ending(options: argparse.Namespace) -> str:
    if options.delete:
        return ", deleted"
    return "; save the notebook first, then `--delete` deletes them"
