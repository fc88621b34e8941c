"""`dynamo-lab import`: a log that PyTorch wrote elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.cli.core.files import write_all, writers
from dynamo_lab.cli.core.options import WHOLE, add_command, add_outputs, add_sections
from dynamo_lab.cli.core.printing import print_body, print_recording
from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.api.recording import Recording
    from dynamo_lab.api.traces import Ranks
    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "show what PyTorch wrote elsewhere (TORCH_TRACE, TORCH_LOGS, flight recorder)"
    parser = add_command(commands, "import", sentence, run)
    option = parser.add_argument
    option("trace", metavar="LOG", help="the folder of TORCH_TRACE and of dumps, or a file")
    option("--rank", type=int, metavar="N", help="only this rank of the job")
    option("--sources", metavar="FOLDER", help="the program's files, to show whole")
    several = "for several ranks, one file each: run.json.gz becomes run.rank-0.json.gz"
    add_outputs(parser, json=f"save it as a recording; {several}")
    add_sections(parser)
    parser.set_defaults(**WHOLE)


def run(options: argparse.Namespace) -> int:
    """Print the log of a process, or those of all ranks, and write the requested files."""
    from dynamo_lab.api.traces import Ranks

    asked = writers(options)
    opened = _opened(options)
    if isinstance(opened, Ranks):
        _write_ranks(opened, options)
        _print_ranks(opened, options)
    else:
        write_all(opened, asked)
        print_recording(opened, options)
    return 0


def _opened(options: argparse.Namespace) -> Recording | Ranks:
    """What the logs tell; where dumps of flight recorders are, joined with these."""
    from dynamo_lab.api.ranks.jobs import open_dumps
    from dynamo_lab.api.traces import open_trace

    job = open_dumps(options.trace, options.sources)
    if job is None:
        return open_trace(options.trace, rank=options.rank, sources=options.sources)
    if options.rank is None:
        return job
    label = f"rank {options.rank}"
    if label not in job:
        raise OptionError(f"There is no {label}: there are {', '.join(job)}.")
    return job[label]


def _write_ranks(ranks: Ranks, options: argparse.Namespace) -> None:
    """One page with all, and a recording of each."""
    if options.html:
        ranks.to_html(options.html)
    if options.json:
        ranks.save(options.json)


def _print_ranks(ranks: Ranks, options: argparse.Namespace) -> None:
    """How they compare, or the requested sections of each."""
    if options.section is None:
        from dynamo_lab.render.terminal.ranks import ranks as compared

        print_body(compared.ranks(ranks.ranks(), ranks.title), options)
        print("\nOne of them: pass --rank N. All of them in a browser: pass --html PAGE.")
        return
    for label, recording in ranks.items():
        print(f"== {label} ==")
        print_recording(recording, options)
