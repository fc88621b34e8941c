"""`dynamo-lab limits`: the limits of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.cli.core.options import add_command

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "measure how fast this machine copies and multiplies, once"
    parser = add_command(commands, "limits", sentence, run)
    parser.add_argument("--device", default="", metavar="NAME", help="cpu, cuda or mps")
    parser.add_argument("--again", action="store_true", help="measure it again")


def run(options: argparse.Namespace) -> int:
    """Print what was measured."""
    from dynamo_lab.bench.limits import limits

    print(limits(options.device, again=options.again))
    return 0
