"""`dynamo-lab package`: the contents of a program that was compiled ahead of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.cli.core.files import write_all, writers
from dynamo_lab.cli.core.options import WHOLE, add_command, add_outputs, add_sections
from dynamo_lab.cli.core.printing import print_recording

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "show what AOTInductor stored in a .pt2 file; runs nothing in it"
    parser = add_command(commands, "package", sentence, run)
    parser.add_argument("package", metavar="PACKAGE", help="the .pt2 file, made anywhere")
    add_outputs(parser, json="save it as a recording")
    add_sections(parser)
    parser.set_defaults(**WHOLE)


def run(options: argparse.Namespace) -> int:
    """Print what is in the package, and write the files asked for."""
    from dynamo_lab.api.packages import open_package

    recording = open_package(options.package)
    write_all(recording, writers(options))
    print_recording(recording, options)
    return 0
