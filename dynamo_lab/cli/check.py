"""`dynamo-lab check`: recordings or scripts compared with what is expected of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dynamo_lab.api.check import found_misses, report
from dynamo_lab.api.check import options as expectations
from dynamo_lab.cli.core.options import add_cell, add_command
from dynamo_lab.errors import OptionError, OutputError
from dynamo_lab.model.core.files import unwritable
from dynamo_lab.model.core.kept import load
from dynamo_lab.record.script import Script
from dynamo_lab.render.text import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from dynamo_lab.cli.core.options import Commands
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.compare.misses import Miss

FORMATS = ("text", "github")


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "check", "exit with 1 unless recordings are as expected", run)
    option = parser.add_argument
    option("recordings", nargs="+", metavar="RECORDING",
           help="a saved file, a notebook, or a script.py to record")  # fmt: skip
    add_cell(parser)
    option("--format", default="text", metavar="NAME",
           help="text, or github: also annotations at your lines")  # fmt: skip
    for name, sentence in expectations().items():
        option(f"--{name.replace('_', '-')}", type=int, metavar="N", help=_phrase(sentence))
    parser.set_defaults(failures=0)


def _phrase(sentence: str) -> str:
    """A sentence in the form of argparse's own help; `%` is argparse's."""
    return f"{sentence[0].lower()}{sentence[1:].rstrip('.')}".replace("%", "%%")


def run(options: argparse.Namespace) -> int:
    """Check them all, and return the exit code: 0 if all are as expected, else 1."""
    if options.format not in FORMATS:
        raise OptionError(f"There is no format {options.format!r}: pass {' or '.join(FORMATS)}.")
    expected = {name: getattr(options, name) for name in expectations()}
    tell = _tell_github if options.format == "github" else _tell
    asked = _asked(expected)
    code = 0
    for path in options.recordings:
        recording = _recorded(path, options.script_arguments, options.cell)
        found = found_misses(recording, expected)
        tell(recording, path, found, asked)
        code = 1 if found else code
    return code


def _recorded(path: str, arguments: Sequence[str], cell: int | None) -> Recording:
    """The recording in a file or of a notebook's cell, or that of a script, which is run."""
    if not path.endswith(".py") or cell is not None:
        return load(path, cell)
    return Script(path, arguments).recorded(exits=True)


def _asked(expected: Mapping[str, int | None]) -> str:
    """What was asked for, in words: without an option it is little."""
    counts = {name: count for name, count in expected.items() if count is not None}
    if counts == {"failures": 0}:
        return "it ran to its end, and no probe failed; nothing else was asked for, see --help"
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _tell(recording: Recording, path: str, found: Sequence[Miss], asked: str) -> None:
    if found:
        print(report(recording, found), file=sys.stderr)
    else:
        print(_as_expected(path, asked))


def _as_expected(path: str, asked: str) -> str:
    # a file's name may hold a command, too
    return f"{one_line(path)}: as expected ({asked})"


def _tell_github(recording: Recording, path: str, found: Sequence[Miss], asked: str) -> None:
    from dynamo_lab.render.export import github

    root = github.repository_root(os.environ, Path.cwd())
    told = report(recording, found) if found else ""
    for command in github.annotations(recording, found, root):
        print(command)
    if told:
        print(github.quoted(told), flush=True)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        _append(summary, github.summary(path, told))
    if not found:
        print(github.quoted(_as_expected(path, asked)))


def _append(path: str, text: str) -> None:
    try:
        with Path(path).open("a", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        raise OutputError(unwritable(path, error)) from None
