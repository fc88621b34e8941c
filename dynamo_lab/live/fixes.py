"""A fix of a graph break, tried on the live program."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.capture.core.undo import whole
from dynamo_lab.errors import FixError
from dynamo_lab.record.replay import Numbers, compare, without_trace
from dynamo_lab.view.breaks.fixes import Fix, Remedy, remedies
from dynamo_lab.view.findings.changes import Helper, Rewrite, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import CodeType, FunctionType

    import torch

    from dynamo_lab.live.session import Session
    from dynamo_lab.model.core.sources import Source
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Program, Run


class Tried(NamedTuple):
    """A fix, a run of the program with it, and whether the numbers are the same."""

    fix: Fix
    run: Run
    numbers: Numbers


def try_fix(recording: Recording, session: Session, break_id: int, fix: str | None = None) -> Tried:
    """Compile the program again with a fix, and compare its results with eager.

    Raises:
        FixError: there is no program to run again, no fix, or no fix of this name.
    """
    remedy = _remedy(recording, break_id, fix)
    program = session.program
    if program is None:
        raise FixError(
            "There is no program to run again: this recording was loaded from a file, came from "
            "a trial, or was made with record() or %%record. Use explore() or %%compile."
        )
    with without_trace(program.roots()):
        eager, problem = _attempt(lambda: _own(program.eager()))
    with without_trace(program.roots()), _applied(remedy, recording, program) as changed:
        run, result = changed.compiled()
        result = _own(result)
    if run.facts.failure is not None:
        numbers = Numbers(same=None, sentence="Not compared: with the fix, the program fails.")
    elif problem is not None:
        numbers = Numbers(same=None, sentence=f"Not compared: run eagerly, it raises {problem}.")
    else:
        numbers = compare(eager, result)
    return Tried(remedy.fix, run, numbers)


def _own(result: Any) -> list[torch.Tensor]:
    """Copies of the tensors in a result: they may lie in memory that is restored."""
    from dynamo_lab.capture.core.running import tensors_in

    return [tensor.detach().clone() for tensor in tensors_in(result)]


def _attempt(run: Callable[[], Any]) -> tuple[Any, str | None]:
    try:
        return run(), None
    except Exception as error:
        return None, type(error).__name__


def _remedy(recording: Recording, break_id: int, name: str | None) -> Remedy:
    if not 0 <= break_id < len(recording.breaks):
        count = len(recording.breaks)
        raise FixError(f"There is no break {break_id}: ids are from 0, and there are {count}.")
    found, refusal = remedies(recording, recording.breaks[break_id])
    if not found:
        why = refusal or "Its advice and its example say what to change by hand."
        raise FixError(f"There is no fix to try for this break. {why}")
    for remedy in found:
        if name in (None, remedy.fix.name):
            return remedy
    offered = ", ".join(remedy.fix.name for remedy in found)
    raise FixError(f"There is no fix {name!r} for this break: use one of {offered}.")


@whole
def _applied(
    remedy: Remedy, recording: Recording, program: Program
) -> Generator[Program, None, None]:
    """The program with the remedy applied."""
    from dynamo_lab.capture.breaks import remedies as applying

    source = recording.sources[remedy.span.source]
    match remedy.change:
        case Setting(option, add):
            with applying.setting(option, add):
                yield program
        case Rewrite() as rewrite:
            with _rewritten(source, rewrite, remedy, program) as changed:
                yield changed
        case Helper(name):
            function = _functions(source, name, remedy.span.line)[0]
            with applying.disabled(function, program.namespaces()):
                yield program


@whole
def _rewritten(
    source: Source, rewrite: Rewrite, remedy: Remedy, program: Program
) -> Generator[Program, None, None]:
    from dynamo_lab.capture.breaks import remedies as applying

    text = rewrite.text
    name = f"<{source.path.strip('<>')} with {remedy.fix.name}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    try:
        edited = program.edited(source, text, name)
        if edited is not None:
            yield edited
            return
        functions = _functions(source, rewrite.scope, remedy.span.line)
        code = _code_like(functions[0].__code__, compile(text, name, "exec", dont_inherit=True))
        namespaces = [function.__globals__ for function in functions]
        with applying.torch_named(namespaces), applying.code_replaced(functions, code):
            yield program
    finally:
        linecache.cache.pop(name, None)


def _functions(source: Source, name: str | None, line: int) -> list[FunctionType]:
    """The live functions whose code has this line; copies of one share it."""
    from dynamo_lab.capture.breaks.remedies import functions_of

    text = source.excerpts[0].text if source.excerpts else ""

    def holds(code: CodeType) -> bool:
        lines = [line for _, _, line in code.co_lines() if line]
        return (
            bool(lines)
            and code.co_name == name
            and min(lines) <= line <= max(lines)
            and _text_of(code) == text
        )

    functions = functions_of(holds)
    if not functions:
        raise FixError(
            f"The function `{name}` is not among the live ones, or its source "
            "has changed since: make the change by hand and record again."
        )
    # a copy of the file may be imported too, under another path
    same = (f for f in functions if f.__code__.co_filename.endswith(source.path))
    first = next(same, functions[0]).__code__
    return [function for function in functions if function.__code__ is first]


def _text_of(code: CodeType) -> str:
    return "\n".join(row.rstrip("\r\n") for row in linecache.getlines(code.co_filename))


def _code_like(code: CodeType, module: CodeType) -> CodeType:
    """The code within a module's that is at this one's position."""
    from dynamo_lab.capture.breaks.remedies import nested_code

    for found in nested_code(module):
        if (found.co_qualname, found.co_firstlineno) == (code.co_qualname, code.co_firstlineno):
            return found
    raise FixError(f"`{code.co_qualname}` is no longer in its source: record it again.")
