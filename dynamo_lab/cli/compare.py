"""`dynamo-lab compare`: a script under several installations of PyTorch."""

from __future__ import annotations

import os
import sys
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from dynamo_lab.api.diff import diff
from dynamo_lab.api.recording import Recording
from dynamo_lab.api.side_by_side import SideBySide
from dynamo_lab.cli.core.files import refuse_unwritable
from dynamo_lab.cli.core.options import add_command
from dynamo_lab.errors import OptionError
from dynamo_lab.record.environments import HERE, Ran, cache, python_of, recorded
from dynamo_lab.render.tables import table
from dynamo_lab.render.text import as_line
from dynamo_lab.view.compare.counts import COUNTS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from dynamo_lab.cli.core.options import Commands

_ROWS = 20
"""The most lines of what was printed that are shown as different."""


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "run a script under several installations of PyTorch, and show what differs"
    parser = add_command(commands, "compare", sentence, run)
    parser.usage = "dynamo-lab compare SCRIPT --with ENV --with ENV [options] [-- ARGUMENTS]"
    parser.add_argument("script", metavar="SCRIPT", help="the Python file to run")
    parser.add_argument(
        "--with",
        dest="environments",
        action="append",
        metavar="ENV",
        help=f"an environment: {HERE}, the path of a Python, or requirements of which one is made "
        "(torch==2.11.0 or torch==2.11.0,triton==3.6.0); at least two of them",
    )
    parser.add_argument(
        "--environments",
        dest="folder",
        metavar="FOLDER",
        help=f"where environments are made and kept; otherwise {_home(cache())}",
    )
    parser.add_argument("--html", metavar="PAGE", help="write one page with all recordings")


def run(options: argparse.Namespace) -> int:
    """Print the table and the differences; the first exit code of a script that is not 0."""
    if not Path(options.script).is_file():
        raise OptionError(f"There is no script {options.script!r}: check the path.")
    asked = list(dict.fromkeys(options.environments or ()))
    if len(asked) < 2:
        raise OptionError("There is nothing to compare: pass --with twice, of two environments.")
    page = os.path.abspath(options.html) if options.html else ""
    if page:
        refuse_unwritable(page)
    folder = Path(options.folder).expanduser() if options.folder else cache()
    pythons = {name: python_of(name, folder) for name in asked}
    ran: dict[str, Ran] = {}
    for name, python in pythons.items():
        print(f"Running {as_line(options.script)} with {as_line(name)} ...", file=sys.stderr)
        ran[name] = recorded(python, options.script, options.script_arguments)
    print("\n".join(_told(ran)))
    if page:
        pages = {name: Recording(**structs.asdict(one.recording)) for name, one in ran.items()}
        SideBySide(pages).to_html(page)
        print(f"\nWrote {as_line(options.html)}")
    return next((one.code for one in ran.values() if one.code), 0)


def _home(path: Path) -> str:
    """The path without the name of who runs this."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _told(ran: Mapping[str, Ran]) -> Iterator[str]:
    """A table with a column an environment, then what each differs in from the first."""
    yield from table(list(_rows(ran)))
    yield "Compile seconds are of one run each, with empty caches: they are not compared."
    (first, base), *others = ran.items()
    for name, one in others:
        yield ""
        yield f"== {as_line(name)} (b) against {as_line(first)} (a) =="
        yield from _printed(base.printed, one.printed)
        yield str(diff(base.recording, one.recording))


def _rows(ran: Mapping[str, Ran]) -> Iterator[tuple[str, ...]]:
    every = list(ran.values())
    yield ("", *map(as_line, ran))
    yield ("torch", *(one.recording.environment.torch for one in every))
    yield ("triton", *(one.recording.environment.triton or "none" for one in every))
    for name, count in COUNTS.items():
        yield (name, *(_number(count(one.recording)) for one in every))
    yield ("exit code", *(str(one.code) for one in every))
    yield ("failure", *(_failure(one) for one in every))


def _failure(one: Ran) -> str:
    return as_line(one.recording.failure.type) if one.recording.failure else "none"


def _number(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def _printed(a: str, b: str) -> Iterator[str]:
    """What the script printed: its numbers, if it prints them."""
    if a == b:
        yield "The script printed the same." if a else "The script printed nothing."
        return
    rows = list(islice(unified_diff(a.splitlines(), b.splitlines(), lineterm="", n=0), 2, None))
    changed = [as_line(row) for row in rows if not row.startswith("@@")]
    yield "The script printed other lines:"
    yield from (f"  {row}" for row in changed[:_ROWS])
    if len(changed) > _ROWS:
        yield f"  ... {len(changed) - _ROWS:,} more"
