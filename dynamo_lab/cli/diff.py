"""`dynamo-lab diff`: what changed between two recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.api.diff import diff
from dynamo_lab.cli.core.options import add_command
from dynamo_lab.model.core.codec import load

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "diff", "show what changed between two recordings", run)
    parser.add_argument("a", metavar="A", help="the earlier recording")
    parser.add_argument("b", metavar="B", help="the later recording")


def run(options: argparse.Namespace) -> int:
    """Print what changed."""
    print(diff(load(options.a), load(options.b)))
    return 0
