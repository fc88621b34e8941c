"""The options of the notebook commands, and the manuals that `%%compile?` and others show."""

from __future__ import annotations

import argparse
import shlex
from typing import NoReturn

from dynamo_lab.errors import CellError
from dynamo_lab.record.options import add_logs_option, add_step_options, add_target_option

_COMPILE = """\
Run this cell under torch.compile, and show the result.

The cell's statements run as one compiled function; its definitions and imports run before them,
unchanged. Afterwards all names are in the notebook as after any cell, and the value of the last
line is displayed. Breaks are marked on your lines, with what to do about them.

    %%compile
    y = model(x)
    loss = (y - target).square().mean()
    loss.backward()
"""
_RECORD = """\
Run this cell unchanged, and show whatever torch.compile compiles in it.

Use it where you call torch.compile yourself:

    %%record
    step = torch.compile(train_step, mode="max-autotune")
    step(batch)
"""


class Parser(argparse.ArgumentParser):
    """Parses a command's options; what it cannot parse fails the cell with a message."""

    def error(self, message: str) -> NoReturn:
        """Fail with the message."""
        raise CellError(f"{self.prog}: {message}. `{self.prog}?` shows the manual.")


SWITCH = {"true": True, "false": False, "auto": None}
"""The values of `--dynamic`."""


def _switch(text: str) -> bool | None:
    if text.lower() not in SWITCH:
        raise argparse.ArgumentTypeError(f"use true, false or auto, not {text!r}")
    return SWITCH[text.lower()]


def record_parser(name: str = "%%record", text: str = _RECORD) -> Parser:
    """The parser of the options of `%%record`, and of those that `%%compile` shares with it."""
    parser = Parser(
        prog=name,
        description=text,
        add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--into", metavar="NAME", help="also store the recording under this name")
    parser.add_argument("--html", metavar="FILE", help="also write an interactive offline page")
    parser.add_argument("--json", metavar="FILE", help="also save the recording")
    add_step_options(parser)
    add_logs_option(parser)
    parser.set_defaults(detail=None, logs=None)  # then the settings apply
    add_target_option(parser)
    parser.add_argument(
        "--ranks",
        type=int,
        metavar="N",
        help="run the cell in N processes of one job, which know of the notebook only its modules",
    )
    parser.add_argument(
        "--timeout", type=float, default=60.0, metavar="S", help="the seconds that the ranks have"
    )
    if name == "%%record":
        parser.add_argument(
            "--backend",
            choices=("gloo", "fake"),
            default="gloo",
            help="of --ranks; fake: a plan of up to 1,024 ranks, and nothing runs",
        )
    parser.add_argument(
        "--profile",
        action="store_true",
        help="run the ranks under PyTorch's profiler, which tells what communication is hidden",
    )
    parser.add_argument(
        "--quiet", action="store_true", help="show nothing, only store the recording"
    )
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="also print what PyTorch logs of what is shown, and its own lines of a traceback",
    )
    return parser


def compile_parser() -> Parser:
    """The parser of the options of `%%compile`."""
    parser = record_parser("%%compile", _COMPILE)
    parser.add_argument(
        "--backend",
        default="inductor",
        help="inductor (default), eager, aot_eager; with --ranks also fake: a plan, nothing runs",
    )
    parser.add_argument("--mode", help="as for torch.compile, such as max-autotune")
    parser.add_argument(
        "--dynamic", type=_switch, metavar="true|false|auto", help="symbolic shapes from the start"
    )
    parser.add_argument("--fullgraph", action="store_true", help="make a graph break an error")
    return parser


def words(line: str) -> list[str]:
    """The words of a command's line.

    Raises:
        CellError: a quote is not closed.
    """
    try:
        return shlex.split(line)
    except ValueError as error:
        raise CellError(f"The options cannot be split into words: {error}.") from None
