"""`dynamo-lab atlas`: PyTorch's operators, counted."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from dynamo_lab.cli.core.options import add_cell, add_command
from dynamo_lab.errors import OptionError
from dynamo_lab.model.core.kept import load

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.api.atlas import Atlas, Census
    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "count PyTorch's operators, from ATen's overloads to Inductor's loops"
    parser = add_command(commands, "atlas", sentence, run)
    parser.add_argument("operator", nargs="?", metavar="OPERATOR", help="only this: aten.gelu")
    parser.add_argument("--device", metavar="NAME",
                        help="which operators have a kernel there: cpu, cuda or mps")  # fmt: skip
    parser.add_argument("--of", metavar="RECORDING",
                        help="the same of a recorded program, on its target")  # fmt: skip
    add_cell(parser)
    parser.add_argument("--html", metavar="PAGE", help="write it as a page")


def run(options: argparse.Namespace) -> int:
    """Print the numbers, or what is known of one operator."""
    from dynamo_lab.api.atlas import atlas

    if sum(map(bool, (options.of, options.device, options.operator))) > 1:
        raise OptionError("Pass an operator, --device or --of: each is a question of its own.")
    if options.cell is not None and not options.of:
        raise OptionError("--cell is of the notebook that --of names: pass --of as well.")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Failed to initialize NumPy")  # none is needed
        known = atlas()
        found = _asked(known, options)
        print(known[options.operator] if options.operator else found)
    if options.html:
        found.to_html(options.html)
    return 0


def _asked(known: Atlas, options: argparse.Namespace) -> Atlas | Census[Any]:
    if options.of:
        return known.of(load(options.of, options.cell))
    return known.on(options.device) if options.device else known
