"""The notebook's commands: `%%compile`, `%%record`, `%%edit_kernel` and `%lab`."""

from __future__ import annotations

import ast
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dynamo_lab.api.settings import listen
from dynamo_lab.errors import CellError, DynamoLabError
from dynamo_lab.model.targets import known as known_targets
from dynamo_lab.notebook import edit_kernel, lab, ranks, revive
from dynamo_lab.notebook.compiled_cell import described, recorded, run_frame
from dynamo_lab.notebook.completions import add_completions
from dynamo_lab.notebook.failing import CellFailed, errors_held, fail, program_failed
from dynamo_lab.notebook.parsers import SWITCH, compile_parser, record_parser, words
from dynamo_lab.notebook.shown import shown
from dynamo_lab.notebook.tracebacks import is_long
from dynamo_lab.record.cells import CellFrame, build_frame, refuse_await
from dynamo_lab.record.cells.ran import follow
from dynamo_lab.record.program import CellProgram
from dynamo_lab.record.run import Choice
from dynamo_lab.render.turns import turns

if TYPE_CHECKING:
    import argparse
    from collections.abc import Generator

    from dynamo_lab.record.run import Run


def _compile_cell(line: str, cell: str) -> None:
    options = compile_parser().parse_args(words(line))
    # only if something was chosen: listing the modes imports Inductor, which is slow
    is_plan = options.ranks is not None and options.backend == ranks.FAKE
    if options.backend != "inductor" and not is_plan:
        _check_choice("--backend", options.backend, _backends())
    if options.mode is not None:
        _check_choice("--mode", options.mode, _modes())
    shell = _shell()
    source = _with_command("%%compile", line, cell)
    number = _number(shell)
    if ranks.asked(options):
        names = ("backend", "mode", "dynamic", "fullgraph")
        chosen = {name: getattr(options, name) for name in names}
        chosen["backend"] = "inductor" if is_plan else options.backend
        ranks.run(options, source, f"cell {number}", shell, chosen, is_plan=is_plan)
        return
    filename = shell.compile.cache(source, number)
    frame = build_frame("\n" + cell, filename, shell.user_ns)
    title = f"cell {number}"

    def again(frame: CellFrame, namespace: dict[str, Any], choice: Choice) -> tuple[Run, Any]:
        return recorded(title, frame, namespace, options, choice)

    choice = Choice(
        target=options.target or "",
        mode=options.mode,
        dynamic=options.dynamic,
        fullgraph=options.fullgraph,
        backend=options.backend,
    )
    program = CellProgram(source, filename, shell.user_ns, again, choice)  # before it runs
    with shown(options, title, shell, program) as recorder:
        recorder.options.update(described(options))
        value = run_frame(frame, options, choice, shell.user_ns)
    if frame.displays and not _ends_in_semicolon(cell):
        shell.displayhook(value)


def _check_choice(option: str, value: str, choices: list[str]) -> None:
    if value not in choices:
        raise CellError(f"There is no {option} {value!r}: use one of {', '.join(choices)}.")


def _backends() -> list[str]:
    import torch

    offered: Any = torch.compiler
    return sorted({*offered.list_backends(exclude_tags=()), "inductor"})


def _modes() -> list[str]:
    from dynamo_lab.capture.core.compat import modes

    return modes()


def _record_cell(line: str, cell: str) -> None:
    options = record_parser().parse_args(words(line))
    shell = _shell()
    source = _with_command("%%record", line, cell)
    refuse_await(shell.transform_cell(source))
    if ranks.asked(options):
        is_plan = options.backend == ranks.FAKE
        ranks.run(options, source, f"cell {_number(shell)}", shell, None, is_plan=is_plan)
        return
    with shown(options, f"cell {_number(shell)}", shell):
        with errors_held(shell) as show, _numbered(shell):
            result = shell.run_cell(source, store_history=False)
        error = result.error_in_exec or result.error_before_exec
        if error is not None:
            prints_all = options.verbose or options.quiet
            if result.error_in_exec is None or prints_all or not is_long(error):
                raise CellFailed(error, show)
            raise program_failed(error, shell, is_whole=False)
        show()


def _edit_kernel(line: str, cell: str | None = None) -> None:
    options = edit_kernel.parser().parse_args(words(line))
    edit_kernel.run(options, line, cell, _shell())


def _lab(line: str, _: str | None = None) -> None:
    lab.run(lab.parser().parse_args(words(line)), _shell())


def _with_command(command: str, line: str, cell: str) -> str:
    """The cell as Python that keeps its line numbers: the command becomes a comment."""
    return f"# {command} {line}".rstrip() + "\n" + cell


def _ends_in_semicolon(cell: str) -> bool:
    """As in any cell, a semicolon at the end means no display."""
    last = ast.parse(cell).body[-1]
    end = (last.end_lineno or 1) - 1
    after = cell.splitlines()[end].encode()[last.end_col_offset or 0 :].decode()
    return after.lstrip().startswith(";")


def _number(shell: Any) -> int:
    """The number of the cell that is running, as the notebook shows it.

    Since IPython 9, `execution_count` is already that of the next cell.
    """
    return max(getattr(shell.compile, "_filename_map", {}).values(), default=shell.execution_count)


@contextmanager
def _numbered(shell: Any) -> Generator[None, None, None]:
    """Give a cell that runs inside a cell the number of the outer one."""
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
        shell = _shell()
        try:
            run(line, cell)
            return
        except CellFailed as error:
            failed = error
        except SyntaxError as error:
            failed = CellFailed(error, shell.showsyntaxerror)
        except DynamoLabError as error:
            from IPython.core.error import UsageError

            raise UsageError(str(error)) from None
        fail(failed.error, shell, failed.show)  # outside of `except`, which would be its context

    command.__doc__ = parser.format_help()
    return command


def load_ipython_extension(shell: Any) -> None:
    """Add the commands: IPython calls this for `%load_ext dynamo_lab`."""
    commands = (
        ("compile", "cell", _compile_cell, compile_parser()),
        ("record", "cell", _record_cell, record_parser()),
        ("edit_kernel", "line_cell", _edit_kernel, edit_kernel.parser()),
        ("lab", "line", _lab, lab.parser()),
    )
    for name, kind, run, parser in commands:
        shell.register_magic_function(_command(run, parser), kind, name)
    values = {
        "backend": _backends,
        "mode": _modes,
        "dynamic": lambda: list(SWITCH),
        "target": known_targets,
        "recording": lambda: lab.names(shell),
    }
    add_completions(shell, {name: parser for name, _, _, parser in commands}, values)
    listen(shell)
    revive.offer(shell)
    follow(shell)
    turns.follow(shell)
