"""The notebook's commands: `%%compile`, `%%record`, `%%edit_kernel` and `%lab`."""

from __future__ import annotations

import argparse
import ast
import os
import shlex
import traceback
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from dynamo_lab.errors import CellError, DynamoLabError
from dynamo_lab.model.targets import known as known_targets
from dynamo_lab.notebook.settings import listen, settings_of
from dynamo_lab.record.cells import CellFrame, build_frame, refuse_await
from dynamo_lab.record.explore import record
from dynamo_lab.record.options import add_film_options, add_target_option
from dynamo_lab.record.program import CellProgram, Choice

if TYPE_CHECKING:
    from collections.abc import Generator

    from dynamo_lab.api.recording import Recording
    from dynamo_lab.capture.core.recorder import Recorder
    from dynamo_lab.record.program import Program


_COMPILE = """\
Run this cell under torch.compile, and show what became of it.

The cell's statements run as one compiled function; its definitions and imports run before them, as
they are. Afterwards all names are in the notebook as after any cell, and the value of the last
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
    """Reads a command's options; what it cannot read fails the cell with a sentence."""

    def error(self, message: str) -> NoReturn:
        """Fail with the message."""
        raise CellError(f"{self.prog}: {message}. `{self.prog}?` shows the manual.")


_SWITCH = {"true": True, "false": False, "auto": None}


def _switch(text: str) -> bool | None:
    if text.lower() not in _SWITCH:
        raise argparse.ArgumentTypeError(f"say true, false or auto, not {text!r}")
    return _SWITCH[text.lower()]


def _record_parser(name: str = "%%record", text: str = _RECORD) -> Parser:
    parser = Parser(
        prog=name,
        description=text,
        add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--into", metavar="NAME", help="also keep the recording under this name")
    parser.add_argument("--html", metavar="FILE", help="also write an interactive offline page")
    parser.add_argument("--json", metavar="FILE", help="also save the recording")
    add_film_options(parser)
    parser.set_defaults(detail=None)  # as the settings say
    add_target_option(parser)
    parser.add_argument(
        "--quiet", action="store_true", help="show nothing, only keep the recording"
    )
    return parser


def _compile_parser() -> Parser:
    parser = _record_parser("%%compile", _COMPILE)
    parser.add_argument(
        "--backend", default="inductor", help="inductor (default), eager, aot_eager"
    )
    parser.add_argument("--mode", help="as for torch.compile, such as max-autotune")
    parser.add_argument(
        "--dynamic", type=_switch, metavar="true|false|auto", help="symbolic shapes from the start"
    )
    parser.add_argument("--fullgraph", action="store_true", help="make a graph break an error")
    return parser


def _compile_cell(line: str, cell: str) -> None:
    options = _compile_parser().parse_args(_words(line))
    # only where something was chosen: asking for the modes imports Inductor, which takes its time
    if options.backend != "inductor":
        _check_choice("--backend", options.backend, _backends())
    if options.mode is not None:
        _check_choice("--mode", options.mode, _modes())
    shell = _shell()
    source = _with_command("%%compile", line, cell)
    number = _number(shell)
    filename = shell.compile.cache(source, number)
    frame = build_frame("\n" + cell, filename, shell.user_ns)
    title = f"cell {number}"

    def recorded(
        frame: CellFrame, namespace: dict[str, Any], choice: Choice
    ) -> tuple[Recording, Any]:
        return _recorded(title, frame, namespace, options, choice)

    choice = Choice(
        target=options.target or "",
        mode=options.mode,
        dynamic=options.dynamic,
        fullgraph=options.fullgraph,
    )
    program = CellProgram(source, filename, shell.user_ns, recorded, choice)  # before it runs
    with _shown("%%compile", options, title, shell, program) as recorder:
        recorder.options.update(_chosen(options))
        shown = _run(frame, options, choice, shell.user_ns)
    if frame.displays and not _ends_in_semicolon(cell):
        shell.displayhook(shown)


def _check_choice(option: str, value: str, choices: list[str]) -> None:
    if value not in choices:
        raise CellError(f"There is no {option} {value!r}: say one of {', '.join(choices)}.")


def _backends() -> list[str]:
    import torch

    offered: Any = torch.compiler
    return sorted({*offered.list_backends(exclude_tags=()), "inductor"})


def _modes() -> list[str]:
    from dynamo_lab.capture.core.compat import modes

    return modes()


def _recorded(
    title: str,
    frame: CellFrame,
    namespace: dict[str, Any],
    options: argparse.Namespace,
    choice: Choice,
) -> tuple[Recording, Any]:
    """The recording of a cell that runs once more, and the value of its last line."""
    from dynamo_lab.record.explore import new_recorder, recording_into

    shown, recorder = None, new_recorder(title)
    recorder.options.update(_chosen(options))
    with suppress(Exception), recording_into(recorder, choice):  # which keeps the exception
        shown = _run(frame, options, choice, namespace)
    return recorder.recording, shown


def _run(
    frame: CellFrame, options: argparse.Namespace, choice: Choice, namespace: dict[str, Any]
) -> Any:
    exec(frame.definitions, namespace)
    if frame.code is None:
        return None
    import torch

    compiled: Any = torch.compile(  # pyright: ignore[reportUnknownMemberType]
        frame.function(namespace),
        backend=options.backend,
        mode=choice.mode,
        dynamic=choice.dynamic,
        fullgraph=choice.fullgraph,
    )
    return compiled(*(namespace[name] for name in frame.parameters))


def _record_cell(line: str, cell: str) -> None:
    options = _record_parser().parse_args(_words(line))
    shell = _shell()
    source = _with_command("%%record", line, cell)
    refuse_await(shell.transform_cell(source))
    with _shown("%%record", options, f"cell {_number(shell)}", shell) as recorder:
        with _numbered(shell):
            result = shell.run_cell(source, store_history=False)
        if not result.success:
            recorder.fail(result.error_in_exec or result.error_before_exec)
    if not result.success:
        _fail_cell("%%record", result.error_in_exec or result.error_before_exec)


def _edit_kernel(line: str, cell: str | None = None) -> None:
    from dynamo_lab.notebook import edit_kernel as edit_magic

    options = edit_magic.parser(Parser).parse_args(_words(line))
    edit_magic.run(options, line, cell, _shell())


def _lab(line: str, _: str | None = None) -> None:
    from dynamo_lab.notebook import lab as lab_magic

    lab_magic.run(lab_magic.parser(Parser).parse_args(_words(line)), _shell())


def _with_command(command: str, line: str, cell: str) -> str:
    """The cell as Python that keeps its line numbers: the command becomes a comment."""
    return f"# {command} {line}".rstrip() + "\n" + cell


@contextmanager
def _shown(
    command: str,
    options: argparse.Namespace,
    title: str,
    shell: Any,
    program: Program | None = None,
) -> Generator[Recorder[Recording], None, None]:
    """Record the body and show the recording, also when the body fails; then fail the cell once."""
    from dynamo_lab.live.answers import answer
    from dynamo_lab.render.widget import LiveDisplay, in_notebook

    _check_outputs(options)
    settings = settings_of(shell)
    is_live = in_notebook() and not options.quiet
    live = LiveDisplay(answer, settings.looks()) if is_live else None
    failure: BaseException | None = None
    film: Any = {
        "detail": options.detail or settings["detail"],
        "max_steps": options.max_steps,
    }
    with record(title, target=options.target, **film) as recorder:
        if live is not None:
            recorder.on_phase = lambda name: live.phase(name, recorder)
        try:
            yield recorder
        except BaseException as error:  # an interrupted cell has a view as well
            recorder.fail(error)
            failure = error
    recording = settings.last = recorder.recording
    if program is not None:
        recording.can_run_again(program)
    if live is not None:
        live.finish(recording, recording.runs())
    elif not options.quiet:
        recording.show()
    _keep(recording, options, shell)
    if failure is not None:
        _show_traceback(failure, shell)
        _fail_cell(command, failure)


def _check_outputs(options: argparse.Namespace) -> None:
    """Refuse before the cell runs what could not be kept after it."""
    if options.into and not options.into.isidentifier():
        raise CellError(f"--into {options.into!r} is not a name: say --into rec, for example.")
    for path in filter(None, (options.html, options.json)):
        folder = Path(path).absolute().parent
        if not os.access(folder, os.W_OK):
            raise CellError(f"There is no folder {str(folder)!r} to write {path!r} into: make it.")


def _keep(recording: Any, options: argparse.Namespace, shell: Any) -> None:
    if options.into:
        shell.user_ns[options.into] = recording
    if options.html:
        recording.to_html(options.html)
    if options.json:
        recording.save(options.json)


def _show_traceback(error: BaseException, shell: Any) -> None:
    """Show the traceback from the cell's own line on, without the machinery that ran it."""
    cells = set(getattr(shell.compile, "_filename_map", {}))
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename not in cells:
        trace = trace.tb_next
    if trace is not None:
        shell.showtraceback((type(error), error, trace), tb_offset=0)
    else:
        text = traceback.format_exception_only(error)
        shell._showtraceback(type(error), error, text)


def _fail_cell(command: str, error: BaseException | None) -> NoReturn:
    """Fail the cell without a second traceback, so that a notebook run as a test fails."""
    from IPython.core.error import UsageError

    raise UsageError(f"{command}: the cell failed with {type(error).__name__}, see above.")


def _chosen(options: argparse.Namespace) -> dict[str, str]:
    names = ("backend", "mode", "dynamic", "fullgraph")
    return {n: str(getattr(options, n)) for n in names if getattr(options, n) is not None}


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise CellError(f"The options do not read as words: {error}.") from None


def _ends_in_semicolon(cell: str) -> bool:
    """As in any cell, a semicolon at the end means: do not display."""
    last = ast.parse(cell).body[-1]
    end = (last.end_lineno or 1) - 1
    after = cell.splitlines()[end].encode()[last.end_col_offset or 0 :].decode()
    return after.lstrip().startswith(";")


def _number(shell: Any) -> int:
    """The number of the cell that is running, as the notebook shows it.

    `execution_count` is that of the next cell already since IPython 9.
    """
    return max(getattr(shell.compile, "_filename_map", {}).values(), default=shell.execution_count)


@contextmanager
def _numbered(shell: Any) -> Generator[None, None, None]:
    """Let a cell run inside a cell go by the number of the outer one."""
    number, cache = _number(shell), shell.compile.cache

    def cache_under_number(code: str, _: int = 0, raw_code: str | None = None) -> str:
        return cache(code, number, raw_code=raw_code)

    shell.compile.cache = cache_under_number
    try:
        yield
    finally:
        del shell.compile.cache


def _shell() -> Any:
    from IPython.core.getipython import get_ipython

    return get_ipython()


def _command(run: Any, parser: argparse.ArgumentParser) -> Any:
    """A cell magic whose docstring, which `%%compile?` shows, is the parser's manual."""

    def command(line: str, cell: str | None = None) -> None:
        try:
            run(line, cell)
        except SyntaxError as error:
            _shell().showsyntaxerror()
            _fail_cell(parser.prog, error)
        except DynamoLabError as error:
            from IPython.core.error import UsageError

            raise UsageError(str(error)) from None

    command.__doc__ = parser.format_help()
    return command


def load_ipython_extension(shell: Any) -> None:
    """Add the commands: IPython calls this for `%load_ext dynamo_lab`."""
    from dynamo_lab.notebook import edit_kernel as edit_magic
    from dynamo_lab.notebook import lab as lab_magic
    from dynamo_lab.notebook.completions import add_completions

    commands = (
        ("compile", "cell", _compile_cell, _compile_parser()),
        ("record", "cell", _record_cell, _record_parser()),
        ("edit_kernel", "line_cell", _edit_kernel, edit_magic.parser(Parser)),
        ("lab", "line", _lab, lab_magic.parser(Parser)),
    )
    for name, kind, run, parser in commands:
        shell.register_magic_function(_command(run, parser), kind, name)
    values = {
        "backend": _backends,
        "mode": _modes,
        "dynamic": lambda: list(_SWITCH),
        "target": known_targets,
        "recording": lambda: lab_magic.names(shell),
    }
    add_completions(shell, {name: parser for name, _, _, parser in commands}, values)
    listen(shell)
