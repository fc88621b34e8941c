"""The command `dynamo-lab check`: recordings or scripts held against what is expected of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dynamo_lab.api.check import found_misses, report
from dynamo_lab.api.check import options as expectations
from dynamo_lab.errors import OptionError, OutputError
from dynamo_lab.model.core.codec import load
from dynamo_lab.record.script import Script
from dynamo_lab.render.export import github
from dynamo_lab.render.text import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from dynamo_lab.model.recording import Recording
    from dynamo_lab.view.compare.misses import Miss

FORMATS = ("text", "github")


def run(options: argparse.Namespace) -> int:
    """Check them all, and return the exit code: 0 where all are as expected, else 1."""
    if options.format not in FORMATS:
        raise OptionError(f"There is no format {options.format!r}: pass {' or '.join(FORMATS)}.")
    expected = {name: getattr(options, name) for name in expectations()}
    code = 0
    for path in options.recordings:
        recording = _recorded(path, options.script_arguments)
        found = found_misses(recording, expected)
        if options.format == "github":
            _tell_github(recording, path, found)
        elif found:
            print(report(recording, found), file=sys.stderr)
        if not found:
            told = f"{one_line(path)}: as expected"  # a file's name may hold a command, too
            print(github.quoted(told) if options.format == "github" else told)
        code = 1 if found else code
    return code


def _recorded(path: str, arguments: Sequence[str]) -> Recording:
    """The recording in a file, or that of a script, which runs for it."""
    if not path.endswith(".py"):
        return load(path)
    return Script(path, arguments).recorded(exits=True)


def _tell_github(recording: Recording, path: str, found: Sequence[Miss]) -> None:
    root = github.repository_root(os.environ, Path.cwd())
    told = report(recording, found) if found else ""
    for command in github.annotations(recording, found, root):
        print(command)
    if told:
        print(github.quoted(told), flush=True)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        text = github.summary(path, told)
        try:
            with Path(summary).open("a", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except OSError as error:
            raise OutputError(f"Cannot write {summary!r}: {error.strerror}.") from None
