"""`dynamo-lab join`: recordings of ranks, as one job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.cli.core.files import writers
from dynamo_lab.cli.core.options import WHOLE, add_command, add_outputs, add_sections
from dynamo_lab.cli.core.printing import print_body, print_recording

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "show what the ranks of a job recorded (torchrun -m dynamo_lab.record)"
    parser = add_command(commands, "join", sentence, run)
    told = "the folder that they wrote to, their files, or a saved job"
    parser.add_argument("paths", metavar="FOLDER", nargs="+", help=told)
    parser.add_argument("--rank", type=int, metavar="N", help="only this rank of the job")
    add_outputs(parser, json="save all of it as one file (.json or .json.gz)")
    add_sections(parser)
    parser.set_defaults(**WHOLE)


def run(options: argparse.Namespace) -> int:
    """Print the job, or one of its ranks, and write the requested files."""
    from dynamo_lab.api.ranks.jobs import open_job
    from dynamo_lab.errors import OptionError
    from dynamo_lab.render.terminal.ranks import ranks as compared

    writers(options)  # refuses files that cannot be written
    job = open_job(*options.paths)
    if options.html:
        job.to_html(options.html)
    if options.json:
        job.save(options.json)
    if options.rank is not None:
        label = f"rank {options.rank}"
        if label not in job:
            raise OptionError(f"There is no rank {options.rank}: there are {', '.join(job)}.")
        print_recording(job[label], options)
    elif options.section is None:
        print_body(compared.ranks(job.ranks(), job.title), options)
    else:
        for label, recording in job.items():
            print(f"== {label} ==")
            print_recording(recording, options)
    return 0
