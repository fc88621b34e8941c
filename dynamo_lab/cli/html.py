"""`dynamo-lab html`: the page of a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.cli.core.files import write_page
from dynamo_lab.cli.core.options import add_command, add_recording
from dynamo_lab.model.core.kept import load

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "html", "write a recording as one offline page", run)
    add_recording(parser)
    parser.add_argument("page", metavar="PAGE", help="the HTML file to write")


def run(options: argparse.Namespace) -> int:
    """Write the page."""
    write_page(load(options.recording, options.cell), options.page)
    return 0
