"""`%edit_kernel` puts a kernel's code into a new cell, where `%%edit_kernel` tries it."""

from __future__ import annotations

import argparse
from typing import Any

from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import CellError
from dynamo_lab.notebook.parsers import Parser

_EDIT = """\
Edit a kernel that Inductor generated, check it, and time it against the original.

    %edit_kernel rec 0

makes a new cell with the code of kernel 0 of the recording `rec`. Edit it there and run the cell:
it is built and checked against the original and against eager, and timed if it is correct.
`%%compile --into rec` stores a cell's recording under a name.
"""


def parser() -> Parser:
    """The parser of the options of both."""
    made = Parser(
        prog="%%edit_kernel",
        description=_EDIT,
        add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("recording", help="the name of a recording")
    made.add_argument("kernel", help="the kernel's id or name")
    made.add_argument("--into", metavar="NAME", help="also store the answer under this name")
    made.add_argument(
        "--seconds",
        type=float,
        default=30.0,
        metavar="N",
        help="how long it may run, once built, before it counts as endless",
    )
    return made


def run(options: argparse.Namespace, line: str, cell: str | None, shell: Any) -> None:
    """Put the kernel's code into the next cell, or try the code of this one.

    Raises:
        CellError: there is no recording of this name, or the answer's name is not valid.
        EditError: there is no such kernel, or nothing to run it in.
    """
    from dynamo_lab.live.edits import find_kernel

    recording = shell.user_ns.get(options.recording)
    if not isinstance(recording, Recording):
        raise CellError(
            f"There is no recording {options.recording!r} in this notebook: make one with "
            "`%%compile --into rec`, or `rec = lab.explore(fn, *args)`."
        )
    if options.into and not options.into.isidentifier():
        raise CellError(f"--into {options.into!r} is not a name: use --into edited, for example.")
    kernel = int(options.kernel) if options.kernel.isdigit() else options.kernel
    if cell is None:
        shell.set_next_input(f"%%edit_kernel {line}\n{find_kernel(recording, kernel).code}")
        return
    found = recording.edit_kernel(kernel, cell, seconds=options.seconds)
    print(found)
    if options.into:
        shell.user_ns[options.into] = found
