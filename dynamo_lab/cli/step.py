"""`dynamo-lab step`: what Dynamo interpreted, one instruction at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.cli.core.options import WHOLE, add_command, add_recording, add_width
from dynamo_lab.cli.core.printing import print_view, view_of
from dynamo_lab.model.core.kept import load

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "step through what Dynamo interpreted, forwards and back"
    parser = add_command(commands, "step", sentence, run)
    add_recording(parser, "a saved file, or a notebook, with steps")
    parser.add_argument("--at", type=int, default=1, metavar="N", help="start at this step, from 1")
    parser.add_argument("--list", action="store_true", help="print the steps instead")
    add_width(parser)
    parser.set_defaults(section="steps", **WHOLE)


def run(options: argparse.Namespace) -> int:
    """Play the steps, or print them."""
    from dynamo_lab.cli.core.stepper import play, playback_of

    view = view_of(load(options.recording, options.cell))
    playback_of(view)  # raises if there are no steps
    if options.list:
        print_view(view, options)
    else:
        play(view, options.at)
    return 0
