"""What the `dynamo-lab` command understands, and its manual."""

import argparse
from collections.abc import Callable, Sequence
from functools import partial

from dynamo_lab.api.check import options as expectations
from dynamo_lab.cli import doctor
from dynamo_lab.course.command import add_options as add_course_options
from dynamo_lab.errors import OptionError
from dynamo_lab.model.core.host import version_of
from dynamo_lab.record.explore import MAX_STEPS
from dynamo_lab.suite.command import add_options as add_suite_options

MIN_WIDTH = 40
"""The fewest columns that a table fits in."""

_WIDTH = f"columns to print in, from {MIN_WIDTH}"

_MANUAL = """\
Shows what torch.compile did with your program: which Python became which graph, where and why
it broke, and the kernels that came out, each tied to the line you wrote.

Start with a script that uses torch.compile:

    dynamo-lab explore train.py                      run it, print what was compiled
    dynamo-lab explore train.py --html out.html      ... and write a page to open in a browser
    dynamo-lab explore train.py --json run.json.gz   ... and keep the recording
    dynamo-lab explore train.py --target cuda:sm_90  ... down to the code for a device you lack
    dynamo-lab explore train.py -- --epochs 1        arguments after -- are the script's own

Then read the recording, on any machine, with or without PyTorch's compiler at work:

    dynamo-lab show run.json.gz                      everything
    dynamo-lab show run.json.gz --section breaks     one section; --explain says how to read it
    dynamo-lab show run.json.gz --graph 2            one graph, and the stages it went through
    dynamo-lab show run.json.gz --kernel 0           one kernel, with its code
    dynamo-lab show run.json.gz --kernel 0 --assembly PTX    what it became, if kept by --assembly
    dynamo-lab show run.json.gz --find 'op:mm'       nodes: by dtype, shape, module, line, ... too
    dynamo-lab show run.json.gz --why-not op3 op7    why Inductor did not fuse two operations
    dynamo-lab show run.json.gz --outline            what each module of the graphs holds
    dynamo-lab dot run.json.gz --graph 1             a graph for Graphviz, or --svg FILE
    dynamo-lab html run.json.gz out.html             the page, later

Or give it to another tool:

    dynamo-lab export run.json.gz --format perfetto -o trace.json         times, for Perfetto
    dynamo-lab export run.json.gz --format model-explorer -o graphs.json  graphs
    dynamo-lab export run.json.gz --format tritonparse -o kernels.ndjson  Triton kernels

Or watch Dynamo at work, one instruction at a time, like a debugger that can go back:

    dynamo-lab explore train.py --steps --json run.json.gz
    dynamo-lab step run.json.gz

Or look up PyTorch's operators and the rules that take them apart:

    dynamo-lab atlas                                 how many there are, at each level
    dynamo-lab atlas aten.gelu                       one operator

Or see what this machine and its PyTorch lack:

    dynamo-lab doctor                                compiler, GPU, Jupyter, private names

Or measure what this machine can do at most, which kernels are held against:

    dynamo-lab limits                                memory's bandwidth, arithmetic in each type

Or look into a package that was compiled ahead of time:

    dynamo-lab package model.pt2                     its C++, kernels and constants

Or open a log that PyTorch wrote elsewhere, of one process or of all ranks of a job:

    TORCH_TRACE=logs python train.py                 there, on the cluster
    dynamo-lab import logs --html out.html           here, on any machine

Or measure, compiled against eager and against what a person wrote by hand:

    dynamo-lab bench                                 the cases there are
    dynamo-lab bench softmax --device cuda           one of them
    dynamo-lab bench my_case.py                      one of yours: see kernels/README.md

Or see what torch.compile does for a list of models, each in a process of its own:

    dynamo-lab suite --models torch                  pass rate, speed-up, compile time, memory
    dynamo-lab suite --device cuda --amp --training  all of the list, in each way; can be resumed
    dynamo-lab suite --compare a.jsonl b.jsonl       what changed between two runs

Or learn how torch.compile works, from notebooks with exercises that check themselves:

    dynamo-lab course                                the lessons
    dynamo-lab course DIR                            copy the notebooks into a folder

In tests and CI:

    dynamo-lab check run.json.gz --breaks 0          exits with 1 and says what it found
    dynamo-lab check train.py --breaks 0 --format github     records it first; annotates your lines
    dynamo-lab diff before.json after.json           what changed
"""

_EXITS = """\
Exit codes: 0 all is well; 1 the script failed, or the check did; 2 the command cannot do what was
asked, and says why. In a notebook, use `%load_ext dynamo_lab` and `%%compile` instead.
"""


def parse(given: Sequence[str]) -> argparse.Namespace:
    """The options in `given`; what follows `--` is `script_arguments`.

    Raises:
        OptionError: a value is not offered.
    """
    own, script_arguments = _cut(list(given))
    parser = _parser()
    options, unknown = parser.parse_known_args(own)
    if unknown:
        hint = "; what is for the script goes after --" if options.command == "explore" else ""
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    width = getattr(options, "width", None)
    if width is not None and width < MIN_WIDTH:
        raise OptionError(f"--width {width} is too narrow to read: pass {MIN_WIDTH} or more.")
    options.script_arguments = script_arguments
    return options


def _cut(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What is ours and, after `--`, what is the script's."""
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
    add = partial(_command, commands.add_parser)

    explore = add("explore", "run a script and show what was compiled in it")
    explore.usage = "dynamo-lab explore SCRIPT [options] [-- SCRIPT ARGUMENTS]"
    explore.add_argument("script", metavar="SCRIPT", help="the Python file to run")
    explore.add_argument("--html", metavar="PAGE", help="write one offline page to this file")
    explore.add_argument("--json", metavar="FILE", help="save the recording (.json or .json.gz)")
    add_film_options(explore)
    add_target_option(explore)
    explore.add_argument(
        "--assembly", action="store_true", help="also assemble each kernel: PTX, SASS, x86, ..."
    )
    _add_reading_options(explore, "--show")
    explore.set_defaults(graph=None, kernel=None, stage=None, to="inductor")

    show = add("show", "print a recording")
    show.add_argument("recording", metavar="RECORDING", help="a file that was saved")
    show.add_argument("--graph", type=int, metavar="N", help="only this graph, from 1")
    show.add_argument("--stage", metavar="NAME", help="this stage of it: forward, post_grad, ...")
    show.add_argument("--kernel", type=int, metavar="N", help="only the kernel of this number")
    show.add_argument("--assembly", metavar="LEVEL", help="its assembly: PTX, SASS, ...")
    show.add_argument("--find", metavar="QUERY", help="the nodes that fit, as 'op:mm shape:*x128'")
    show.add_argument("--why-not", nargs=2, metavar=("A", "B"),
                      help="why two operations, buffers or nodes are not fused")  # fmt: skip
    show.add_argument("--outline", action="store_true", help="the modules of graphs, not the nodes")
    show.add_argument(
        "--to",
        default="inductor",
        metavar="SET",
        help="the operators that decompositions go down to: core_aten, inductor or prims",
    )
    show.add_argument("--explain", action="store_true", help="say of each section how to read it")
    show.add_argument("--json", action="store_true", help="print it as JSON, for a program")
    _add_reading_options(show, "--section")

    step = add("step", "step through what Dynamo interpreted, forwards and back")
    step.add_argument("recording", metavar="RECORDING", help="a file that was saved, with steps")
    step.add_argument("--at", type=int, default=1, metavar="N", help="start at this step, from 1")
    step.add_argument("--list", action="store_true", help="print the steps instead")
    step.add_argument("--width", type=int, metavar="N", help=_WIDTH)
    step.set_defaults(graph=None, kernel=None, stage=None, section="steps", to="inductor")

    dot = add("dot", "print a graph for Graphviz, its modules collapsed")
    dot.add_argument("recording", metavar="RECORDING", help="a file that was saved")
    dot.add_argument("--graph", type=int, default=1, metavar="N", help="this graph, from 1")
    dot.add_argument("--stage", metavar="NAME", help="this stage of it: forward, post_grad, ...")
    dot.add_argument("--around", metavar="NODE", help="only what is around the node of this name")
    dot.add_argument("--up", type=int, default=2, metavar="N", help="so many steps to its inputs")
    dot.add_argument("--down", type=int, default=2, metavar="N", help="so many steps to its users")
    dot.add_argument("--open", dest="collapse", action="store_const", const="none",
                     default="modules", help="open every module")  # fmt: skip
    dot.add_argument("--svg", metavar="FILE", help="write a picture instead; needs Graphviz")

    html = add("html", "write a recording as one offline page")
    html.add_argument("recording", metavar="RECORDING", help="a file that was saved")
    html.add_argument("page", metavar="PAGE", help="the HTML file to write")

    exported = add("export", "write a recording for another tool")
    exported.add_argument("recording", metavar="RECORDING", help="a file that was saved")
    exported.add_argument("--format", required=True, metavar="NAME",
                          help="perfetto, model-explorer or tritonparse")  # fmt: skip
    exported.add_argument("-o", "--out", required=True, metavar="FILE", help="the file to write")

    timed = add("bench", "time cases: eager, compiled and written by hand, checked and in turns")
    timed.add_argument("cases", nargs="*", metavar="CASE", help="a name, or your my_case.py")
    timed.add_argument("--device", default="cpu", metavar="NAME", help="cpu, cuda or mps")
    timed.add_argument("--size", default="", metavar="NAME", help="small, usual or large")
    timed.add_argument("--dtype", default="", metavar="NAME", help="float32, bfloat16 or float16")
    timed.add_argument("--way", dest="ways", action="append", default=[], metavar="NAME",
                       help="also this mode or backend of torch.compile")  # fmt: skip
    timed.add_argument("--training", action="store_true", help="also time training steps")
    timed.add_argument("--code", action="store_true",
                       help="print what was generated beside what was written by hand")  # fmt: skip
    timed.add_argument("--width", type=int, metavar="N", help=_WIDTH)
    timed.add_argument("--rounds", type=int, default=25, metavar="N", help="11 tell ways apart")
    timed.add_argument("--html", metavar="PAGE", help="write one offline page to this file")
    timed.add_argument("--json", metavar="FILE", help="save the recording, with the raw times")

    checked = add("check", "exit with 1 unless recordings are as expected")
    checked.add_argument("recordings", nargs="+", metavar="RECORDING",
                         help="a file that was saved, or a script.py to record")  # fmt: skip
    checked.add_argument("--format", default="text", metavar="NAME",
                         help="text, or github: also annotations at your lines")  # fmt: skip
    for name, sentence in expectations().items():
        flag = f"--{name.replace('_', '-')}"
        checked.add_argument(flag, type=int, metavar="N", help=_phrase(sentence))
    checked.set_defaults(failures=0)

    drawn = add("atlas", "count PyTorch's operators, from ATen's overloads to Inductor's loops")
    drawn.add_argument("operator", nargs="?", metavar="OPERATOR", help="only this: aten.gelu")
    drawn.add_argument("--html", metavar="PAGE", help="write a page with every ATen operator")

    measured = add("limits", "measure how fast this machine copies and multiplies, once")
    measured.add_argument("--device", default="", metavar="NAME", help="cpu, cuda or mps")
    measured.add_argument("--again", action="store_true", help="measure it anew")

    opened = add("package", "show what AOTInductor put into a .pt2 file; runs nothing in it")
    opened.add_argument("package", metavar="PACKAGE", help="the .pt2 file, made anywhere")
    opened.add_argument("--html", metavar="PAGE", help="write one offline page to this file")
    opened.add_argument("--json", metavar="FILE", help="save it as a recording")
    opened.set_defaults(graph=None, kernel=None, stage=None, to="inductor")
    _add_reading_options(opened, "--section")

    traced = add("import", "show a log that PyTorch wrote elsewhere (TORCH_TRACE)")
    traced.add_argument("trace", metavar="TRACE_DIR", help="the folder, or a log in it")
    traced.add_argument("--rank", type=int, metavar="N", help="only this rank of the job")
    traced.add_argument("--sources", metavar="FOLDER", help="the program's files, to show whole")
    traced.add_argument("--html", metavar="PAGE", help="write one offline page to this file")
    traced.add_argument("--json", metavar="FILE", help="save it as a recording; of several ranks, "
                        "one file each: run.json.gz becomes run.rank-0.json.gz")  # fmt: skip
    traced.set_defaults(graph=None, kernel=None, stage=None, to="inductor")
    _add_reading_options(traced, "--section")

    add_suite_options(add("suite", "run a list of models eagerly and compiled, and sum it up"))

    add_course_options(add("course", "list the lessons, or copy their notebooks into a folder"))

    doctor.add(commands)

    diffed = add("diff", "show what changed between two recordings")
    diffed.add_argument("a", metavar="A", help="the earlier recording")
    diffed.add_argument("b", metavar="B", help="the later recording")
    return parser


def _command(
    add_parser: Callable[..., argparse.ArgumentParser], name: str, sentence: str
) -> argparse.ArgumentParser:
    return add_parser(name, help=sentence, description=f"{_capital(sentence)}.")


def add_target_option(parser: argparse.ArgumentParser) -> None:
    """`--target`, for what records."""
    parser.add_argument(
        "--target",
        metavar="NAME",
        help="lower for this device, present or not, without building or running its code: cpu, "
        "cpu:avx2, cuda:sm_80, cuda:sm_90, cuda:sm_100, rocm:gfx942, mps, ...",
    )


def add_film_options(parser: argparse.ArgumentParser) -> None:
    """The options `detail` and `max_steps` of a recording."""
    parser.add_argument(
        "--steps",
        dest="detail",
        action="store_const",
        const="steps",
        default="normal",
        help="film each instruction that Dynamo interprets",
    )
    parser.add_argument(
        "--max-steps", type=int, default=MAX_STEPS, metavar="N", help="the most of them to keep"
    )


def _add_reading_options(parser: argparse.ArgumentParser, flag: str) -> None:
    parser.add_argument(
        flag,
        dest="section",
        metavar="NAMES",
        help="only these sections, with commas: breaks,graphs,kernels (a wrong name lists them)",
    )
    parser.add_argument("--width", type=int, metavar="N", help=_WIDTH)


def _phrase(sentence: str) -> str:
    """A sentence in the form of argparse's own help; `%` is argparse's."""
    return f"{sentence[0].lower()}{sentence[1:].rstrip('.')}".replace("%", "%%")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
