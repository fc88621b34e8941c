"""`dynamo-lab diff`: what changed between two recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.api.diff import diff
from dynamo_lab.cli.core.options import add_cell, add_command
from dynamo_lab.errors import OptionError
from dynamo_lab.model.core.kept import load

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "diff", "show what changed between two recordings", run)
    parser.add_argument("a", metavar="A", help="the earlier recording")
    parser.add_argument("b", metavar="B", help="the later recording")
    add_cell(parser, "; twice: of A, of B", action="append")


def run(options: argparse.Namespace) -> int:
    """Print what changed."""
    print(diff(*map(load, (options.a, options.b), _cells(options))))
    return 0


def _cells(options: argparse.Namespace) -> list[int | None]:
    """Of A and of B: one that is asked for once is of whichever is a notebook."""
    asked: list[int | None] = options.cell or [None]
    if len(asked) > 2:
        raise OptionError("Pass --cell once, or twice: of A, and of B.")
    if len(asked) == 2:
        return asked
    are_notebooks = [path.endswith(".ipynb") for path in (options.a, options.b)]
    return [asked[0] if one or not any(are_notebooks) else None for one in are_notebooks]
