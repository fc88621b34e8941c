"""The `dynamo-lab` command: record a script, and read what was recorded."""

import argparse
import os
import runpy
import shutil
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from dynamo_lab.check import check
from dynamo_lab.check import options as expectations
from dynamo_lab.diff import diff
from dynamo_lab.errors import CheckFailed, DynamoLabError, OptionError
from dynamo_lab.model.codec import load, save
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.graphs import GraphView, stage_word
from dynamo_lab.view.view import View

T = TypeVar("T")

_MANUAL = """\
Shows what torch.compile did with your program: which Python became which graph, where and why
it broke, and the kernels that came out, each tied to the line you wrote.

Start with a script that uses torch.compile:

    dynamo-lab explore train.py                      run it, print what was compiled
    dynamo-lab explore train.py --html out.html      ... and write a page to open in a browser
    dynamo-lab explore train.py --json run.json.gz   ... and keep the recording
    dynamo-lab explore train.py -- --epochs 1        arguments after -- are the script's own

Then read the recording, on any machine, with or without PyTorch's compiler at work:

    dynamo-lab show run.json.gz                      everything
    dynamo-lab show run.json.gz --section breaks     one section
    dynamo-lab show run.json.gz --graph 2            one graph, and the stages it went through
    dynamo-lab show run.json.gz --kernel 0           one kernel, with its code
    dynamo-lab html run.json.gz out.html             the page, later

In tests and CI:

    dynamo-lab check run.json.gz --breaks 0          exits with 1 and says what it found
    dynamo-lab diff before.json after.json           what changed
"""

_EXITS = """\
Exit codes: 0 all is well; 1 the script failed, or the check did; 2 the command cannot do what was
asked, and says why. In a notebook, use `%load_ext dynamo_lab` and `%%compile` instead.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    own, script_arguments = _cut(given)
    parser = _parser()
    options, unknown = parser.parse_known_args(own)
    if unknown:
        hint = "; what is for the script goes after --" if options.run is _explore else ""
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    options.script_arguments = script_arguments
    try:
        return options.run(options)
    except CheckFailed as error:
        print(error, file=sys.stderr)
        return 1
    except DynamoLabError as error:
        print(f"dynamo-lab: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader left, as in `dynamo-lab show run.json | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _explore(options: argparse.Namespace) -> int:
    if not Path(options.script).is_file():
        raise OptionError(f"There is no script {options.script!r}: check the path.")
    import dynamo_lab

    script = _Script(options.script, options.script_arguments)
    with dynamo_lab.record(Path(options.script).name) as recorder:
        script.run()
        if script.error is not None:
            recorder.fail(script.error)
    recording = recorder.recording
    if options.json:
        save(recording, options.json)
    if options.html:
        _write_page(recording, options.html)
    _print_view(_view(recording), options)
    return script.code


class _Script:
    """A script to run as Python would: `code` is what Python would exit with."""

    def __init__(self, path: str, arguments: Sequence[str]) -> None:
        self.path = path
        self.argv = [path, *arguments]
        self.code = 0
        self.error: BaseException | None = None

    def run(self) -> None:
        """Run it. What it raises is printed as Python would, and kept."""
        argv, search_path = sys.argv, sys.path
        sys.argv, sys.path = self.argv, [str(Path(self.path).resolve().parent), *search_path]
        try:
            runpy.run_path(self.path, run_name="__main__")
        except SystemExit as leaving:
            self.code = _exit_code(leaving)
        except BaseException as error:
            self.code, self.error = 1, error.with_traceback(self._own_part(error))
            traceback.print_exception(self.error)
        finally:
            sys.argv, sys.path = argv, search_path
            sys.stdout.flush()

    def _own_part(self, error: BaseException) -> TracebackType | None:
        """The traceback from the script's first line on: what ran the script is no news."""
        at = error.__traceback__
        while at is not None and at.tb_frame.f_code.co_filename != self.path:
            at = at.tb_next
        return at  # None for a syntax error, which names its own place


def _exit_code(error: SystemExit) -> int:
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    print(error.code, file=sys.stderr)
    return 1


def _show(options: argparse.Namespace) -> int:
    view = _view(load(options.recording))
    if options.json:
        asked = _graphs(view, options)
        if asked is not None:
            view = replace(view, graphs=asked)
        print(_json(_chosen(view, options), _sections(options)))
    else:
        _print_view(view, options)
    return 0


def _html(options: argparse.Namespace) -> int:
    _write_page(load(options.recording), options.page)
    return 0


def _check(options: argparse.Namespace) -> int:
    check(load(options.recording), **{name: getattr(options, name) for name in expectations()})
    print(f"{options.recording}: as expected")
    return 0


def _diff(options: argparse.Namespace) -> int:
    print(diff(load(options.a), load(options.b)))
    return 0


def _write_page(recording: Recording, path: str) -> None:
    from dynamo_lab.render.html import page

    try:
        Path(path).write_text(page(_view(recording)), encoding="utf-8")
    except OSError as error:
        raise OptionError(f"{path!r} cannot be written: {error.strerror}.") from error


def _view(recording: Recording) -> View:
    from dynamo_lab.view import build

    return build(recording)


def _print_view(view: View, options: argparse.Namespace) -> None:
    from dynamo_lab.render import terminal

    asked = _graphs(view, options)
    text = terminal.render(
        _chosen(view, options),
        width=options.width or shutil.get_terminal_size((100, 0)).columns,
        color=sys.stdout.isatty() and "NO_COLOR" not in os.environ,
        sections=_sections(options),
        graphs=None if asked is None else [graph.id for graph in asked],
    )
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(errors="backslashreplace")  # for a terminal without UTF-8
    print(text)


def _json(view: View, sections: Sequence[str] | None) -> str:
    fields = view.__struct_fields__
    for name in sections or ():
        if name not in fields:
            raise OptionError(f"There is no section {name!r} in JSON: pass {', '.join(fields)}.")
    part = {name: getattr(view, name) for name in sections or fields}
    return msgspec.json.format(msgspec.json.encode(part), indent=2).decode()


def _chosen(view: View, options: argparse.Namespace) -> View:
    """The view with no kernel but the one asked for by number."""
    if options.kernel is not None:
        kernels = _one("kernel", view.kernels.kernels, options.kernel)
        view = replace(view, kernels=replace(view.kernels, kernels=kernels))
    return view


def _sections(options: argparse.Namespace) -> tuple[str, ...] | None:
    """The sections asked for; a graph or a kernel asked for by number is its own section."""
    asked = [name.strip() for name in (options.section or "").split(",") if name.strip()]
    asked += ["graphs"] * (options.graph is not None) + ["kernels"] * (options.kernel is not None)
    return tuple(dict.fromkeys(asked)) or None


def _graphs(view: View, options: argparse.Namespace) -> tuple[GraphView, ...] | None:
    """The graph asked for by its number and stage, with the bodies in it; None for no choice."""
    if options.graph is None:
        if options.stage is not None:
            raise OptionError("--stage chooses a stage of one graph: pass --graph N as well.")
        return None
    of_number = [graph for graph in view.graphs if graph.number == options.graph]
    if not of_number:
        known = max((graph.number for graph in view.graphs), default=0)
        there = f"pass 1 to {known}" if known > 1 else "pass 1" if known else "there are none"
        raise OptionError(f"There is no graph {options.graph}: {there}.")
    stages = tuple(dict.fromkeys(stage_word(graph) for graph in of_number))
    stage = options.stage or ("dynamo" if "dynamo" in stages else stages[0])
    if stage not in stages:
        known = ", ".join(stages)
        raise OptionError(f"Graph {options.graph} has no stage {stage!r}: pass {known}.")
    return tuple(graph for graph in of_number if stage_word(graph) == stage)


def _one(word: str, rows: tuple[T, ...], number: int) -> tuple[T, ...]:
    if 0 <= number < len(rows):
        return (rows[number],)
    if not rows:
        raise OptionError(f"There is no {word} {number}: the recording has no {word}s.")
    raise OptionError(f"There is no {word} {number}: pass 0 to {len(rows) - 1}.")


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
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add = partial(_command, commands.add_parser)

    explore = add("explore", _explore, "run a script and show what was compiled in it")
    explore.usage = "dynamo-lab explore SCRIPT [options] [-- SCRIPT ARGUMENTS]"
    explore.add_argument("script", metavar="SCRIPT", help="the Python file to run")
    explore.add_argument("--html", metavar="PAGE", help="write one offline page to this file")
    explore.add_argument("--json", metavar="FILE", help="save the recording (.json or .json.gz)")
    _add_reading_options(explore, "--show")
    explore.set_defaults(graph=None, kernel=None, stage=None)

    show = add("show", _show, "print a recording")
    show.add_argument("recording", metavar="RECORDING", help="a file that was saved")
    show.add_argument("--graph", type=int, metavar="N", help="only this graph, from 1")
    show.add_argument("--stage", metavar="NAME", help="this stage of it: forward, post_grad, ...")
    show.add_argument("--kernel", type=int, metavar="N", help="only the kernel of this number")
    show.add_argument("--json", action="store_true", help="print it as JSON, for a program")
    _add_reading_options(show, "--section")

    html = add("html", _html, "write a recording as one offline page")
    html.add_argument("recording", metavar="RECORDING", help="a file that was saved")
    html.add_argument("page", metavar="PAGE", help="the HTML file to write")

    checked = add("check", _check, "exit with 1 unless a recording is as expected")
    checked.add_argument("recording", metavar="RECORDING", help="a file that was saved")
    for name, sentence in expectations().items():
        flag = f"--{name.replace('_', '-')}"
        checked.add_argument(flag, type=int, metavar="N", help=_phrase(sentence))
    checked.set_defaults(failures=0)

    diffed = add("diff", _diff, "show what changed between two recordings")
    diffed.add_argument("a", metavar="A", help="the earlier recording")
    diffed.add_argument("b", metavar="B", help="the later recording")
    return parser


def _command(
    add_parser: Callable[..., argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    sentence: str,
) -> argparse.ArgumentParser:
    parser = add_parser(name, help=sentence, description=f"{_capital(sentence)}.")
    parser.set_defaults(run=run)
    return parser


def _add_reading_options(parser: argparse.ArgumentParser, flag: str) -> None:
    parser.add_argument(
        flag,
        dest="section",
        metavar="NAMES",
        help="only these sections, with commas: breaks,graphs,kernels (a wrong name lists them)",
    )
    parser.add_argument("--width", type=int, metavar="N", help="columns to print in")


def _version() -> str:
    try:
        return version("dynamo-lab")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "unknown"


def _phrase(sentence: str) -> str:
    """A sentence in the form of argparse's own help; `%` is argparse's."""
    return f"{sentence[0].lower()}{sentence[1:].rstrip('.')}".replace("%", "%%")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


if __name__ == "__main__":
    sys.exit(main())
