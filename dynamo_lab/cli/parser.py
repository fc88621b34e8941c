"""The parser of the `dynamo-lab` command, and its manual."""

import argparse
from collections.abc import Sequence

from dynamo_lab.cli import (
    atlas,
    bench,
    check,
    clean,
    compare,
    course,
    diff,
    doctor,
    dot,
    explore,
    export,
    html,
    import_,
    limits,
    package,
    show,
    step,
    suite,
)
from dynamo_lab.cli.core.options import MIN_WIDTH
from dynamo_lab.cli.ranks import join, ranks
from dynamo_lab.errors import OptionError
from dynamo_lab.model.core.host import version_of

COMMANDS = (
    explore,
    show,
    step,
    dot,
    html,
    export,
    bench,
    check,
    atlas,
    doctor,
    limits,
    package,
    import_,
    join,
    ranks,
    suite,
    course,
    diff,
    clean,
    compare,
)
"""One module each, in the order of the manual; its `add` adds the command's parser."""

_MANUAL = """\
Shows what torch.compile did with your program: which Python became which graph, where and why
it broke, and the resulting kernels, each linked to the line you wrote.

Start with a script that uses torch.compile:

    dynamo-lab explore train.py                      run it, print what was compiled
    dynamo-lab explore train.py --html out.html      ... and write a page to open in a browser
    dynamo-lab explore train.py --json run.json.gz   ... and save the recording
    dynamo-lab explore train.py --target cuda:sm_90  ... down to code for a device you need not have
    dynamo-lab explore train.py -- --epochs 1        arguments after -- are the script's own

Then read the recording, on any machine, with or without PyTorch's compiler at work:

    dynamo-lab show run.json.gz                      everything
    dynamo-lab show run.json.gz --section breaks     one section; --explain says how to read it
    dynamo-lab show run.json.gz --graph 2            one graph, and the stages it went through
    dynamo-lab show run.json.gz --kernel 0           one kernel, with its code
    dynamo-lab show run.json.gz --kernel 0 --assembly PTX    what it became, if saved by --assembly
    dynamo-lab show run.json.gz --find 'op:mm'       nodes: by dtype, shape, module, line, ... too
    dynamo-lab show run.json.gz --why-not op3 op7    why Inductor did not fuse two operations
    dynamo-lab show run.json.gz --journey 'line 8'   from your line to its kernels and their times
    dynamo-lab show run.json.gz --outline            what each module of the graphs contains
    dynamo-lab dot run.json.gz --graph 1             a graph for Graphviz, or --svg FILE
    dynamo-lab html run.json.gz out.html             the page, later

Or see which recordings beside a notebook no cell of it refers to any more:

    dynamo-lab clean notebook.ipynb                  --delete deletes them

Or give it to another tool:

    dynamo-lab export run.json.gz --format perfetto -o trace.json         times, for Perfetto
    dynamo-lab export run.json.gz --format model-explorer -o graphs.json  graphs
    dynamo-lab export run.json.gz --format tritonparse -o kernels.ndjson  Triton kernels

Or watch Dynamo at work, one instruction at a time, like a debugger that can go back:

    dynamo-lab explore train.py --steps --json run.json.gz
    dynamo-lab step run.json.gz

Or look up PyTorch's operators and the rules that decompose them:

    dynamo-lab atlas                                 how many there are, at each level
    dynamo-lab atlas aten.gelu                       one operator

Or see what this machine and its PyTorch lack:

    dynamo-lab doctor                                compiler, GPU, Jupyter, private names

Or measure this machine's limits, which kernels are compared with:

    dynamo-lab limits                                memory bandwidth, arithmetic in each type

Or look into a package that was compiled ahead of time:

    dynamo-lab package model.pt2                     its C++, kernels and constants

Or open a log that PyTorch wrote elsewhere, of one process or of all ranks of a job:

    TORCH_TRACE=logs python train.py                 there, on the cluster
    dynamo-lab import logs --html out.html           here, on any machine

Or record every rank of a job, and see which of them is to blame where it hangs:

    torchrun --nproc-per-node 2 -m dynamo_lab.record --folder runs train.py
    dynamo-lab join runs --html out.html             which rank, where, why; one page with all
    dynamo-lab ranks train.py -n 2                   start them here, on the CPU
    dynamo-lab ranks train.py -n 1024 --backend fake the plan of so many: nothing runs

Or measure compiled code against eager and against hand-written code:

    dynamo-lab bench                                 list the cases
    dynamo-lab bench softmax --device cuda           one of them
    dynamo-lab bench my_case.py                      one of yours: see kernels/README.md

Or see what torch.compile does for a list of models, each in its own process:

    dynamo-lab suite --models torch                  pass rate, speed-up, compile time, memory
    dynamo-lab suite --device cuda --amp --training  the whole list, in each setting; can be resumed
    dynamo-lab suite --compare a.jsonl b.jsonl       what changed between two runs

Or learn how torch.compile works, from notebooks with exercises that check themselves:

    dynamo-lab course                                the lessons
    dynamo-lab course DIR                            copy the notebooks into a folder

In tests and CI:

    dynamo-lab check run.json.gz --breaks 0          exits with 1 and says what it found
    dynamo-lab check train.py --breaks 0 --format github     records it first; annotates your lines
    dynamo-lab diff before.json after.json           what changed

Or run a script under several releases of PyTorch, which are installed for it and kept:

    dynamo-lab compare train.py --with torch==2.11.0 --with torch==2.14.0
"""

_EXITS = """\
Exit codes: 0 success; 1 the script or the check failed; 2 the command cannot do what was
requested, and says why. In a notebook, use `%load_ext dynamo_lab` and `%%compile` instead.
"""


def parse(given: Sequence[str]) -> argparse.Namespace:
    """The options in `given`; what follows `--` is `script_arguments`.

    Raises:
        OptionError: a value is invalid.
    """
    own, script_arguments = _cut(list(given))
    parser = _parser()
    options, unknown = parser.parse_known_args(own)
    if unknown:
        hint = (
            "; the script's arguments go after --"
            if options.command in ("explore", "compare", "ranks")
            else ""
        )
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    width = getattr(options, "width", None)
    if width is not None and width < MIN_WIDTH:
        raise OptionError(f"--width {width} is too narrow to read: pass {MIN_WIDTH} or more.")
    options.script_arguments = script_arguments
    return options


def _cut(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our arguments and, after `--`, the script's."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dynamo-lab",
        description=_MANUAL,
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="version", version=version_of("dynamo-lab") or "unknown"
    )
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True
    )
    for command in COMMANDS:
        command.add(commands)
    return parser
