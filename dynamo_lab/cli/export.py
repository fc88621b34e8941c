"""`dynamo-lab export`: a recording for another tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.cli.core.options import add_command, add_recording
from dynamo_lab.model.core.kept import load

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "export", "write a recording for another tool", run)
    option = parser.add_argument
    add_recording(parser)
    option(
        "--format", required=True, metavar="NAME", help="perfetto, model-explorer or tritonparse"
    )
    option("-o", "--out", required=True, metavar="FILE", help="the file to write")


def run(options: argparse.Namespace) -> int:
    """Write the files, and say how to open them."""
    from dynamo_lab.render.export.formats import export, how_to_open

    how = how_to_open(options.format)  # raises if there is no such format
    for path in export(load(options.recording, options.cell), options.out, options.format):
        print(f"wrote {path}")
    print(how)
    return 0
