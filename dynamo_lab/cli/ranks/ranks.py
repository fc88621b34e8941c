"""`dynamo-lab ranks`: run a script as several ranks of one job, or plan it without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.cli.core.files import writers
from dynamo_lab.cli.core.options import add_command, add_outputs, add_width
from dynamo_lab.cli.core.printing import print_body

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "run a script as several ranks of one job on this machine, or only plan it"
    parser = add_command(commands, "ranks", sentence, run)
    parser.usage = "dynamo-lab ranks SCRIPT -n N [options] [-- SCRIPT ARGUMENTS]"
    parser.add_argument("script", metavar="SCRIPT", help="the Python file to run")
    parser.add_argument("-n", "--ranks", type=int, required=True, metavar="N", help="how many")
    told = "fake: nothing runs, it is the plan of up to 1,024 ranks; else the script chooses"
    parser.add_argument("--backend", choices=("gloo", "nccl", "fake"), default="gloo", help=told)
    told = "the seconds that the ranks, or the plan, have"
    parser.add_argument("--timeout", type=float, default=60.0, metavar="S", help=told)
    add_outputs(parser, json="save all of it as one file (.json or .json.gz)")
    add_width(parser)


def run(options: argparse.Namespace) -> int:
    """0 if all ranks ran to the end, else 1."""
    from dynamo_lab.api.ranks.jobs import ranks
    from dynamo_lab.render.terminal.ranks import ranks as compared

    writers(options)  # refuses files that cannot be written
    job = ranks(
        options.script,
        options.ranks,
        backend=options.backend,
        timeout=options.timeout,
        arguments=tuple(options.script_arguments),
    )
    if options.html:
        job.to_html(options.html)
    if options.json:
        job.save(options.json)
    print_body(compared.ranks(job.ranks(), job.title), options)
    return 0 if job.is_whole else 1
