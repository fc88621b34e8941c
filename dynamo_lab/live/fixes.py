"""Answers a view's questions while the program lives: what would a fix change?"""

from __future__ import annotations

import linecache
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dynamo_lab.api.diff import Diff, diff
from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import FixError
from dynamo_lab.record.replay import Numbers, compare, without_trace
from dynamo_lab.render.text import as_line
from dynamo_lab.view.breaks.fixes import Fix, Helper, Remedy, Setting, remedies
from dynamo_lab.view.breaks.rewrites import Rewrite

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import CodeType, FunctionType

    from dynamo_lab.model.core.sources import Source
    from dynamo_lab.record.program import Program
    from dynamo_lab.view.messages import TrialOutcome


class Trial(Struct, frozen=True, kw_only=True):
    """What a fix did: the new recording, what changed, and whether the numbers are the same."""

    break_id: int
    fix: Fix
    recording: Recording
    diff: Diff
    numbers: Numbers

    def counts(self) -> tuple[tuple[str, int, int], ...]:
        """Breaks, graphs, kernels and operators, before and after."""
        found = {change.name: change for change in self.diff.counts}
        names = ("breaks", "graphs", "kernels", "operators")
        return tuple((name, int(found[name].a), int(found[name].b)) for name in names)

    def __str__(self) -> str:
        head = f"break {self.break_id + 1}, tried {self.fix.name}: {self.fix.sentence}"
        changed = [f"{name} {a}" + (f" -> {b}" if a != b else "") for name, a, b in self.counts()]
        code = [f"    {as_line(line)}" for line in self.fix.code.split("\n")]
        parts = [head, "", ", ".join(changed), self.numbers.sentence, "", "Write:", *code]
        for fact in self.diff.breaks_b:
            parts += ["", f"New break: {as_line(fact.where)}, {as_line(fact.gb_type)}"]
        if failure := self.recording.failure:
            parts += [
                "",
                f"It fails with {as_line(failure.type)}: {as_line(failure.message)[:300]}",
            ]
        return "\n".join(parts)

    __repr__ = __str__

    def _ipython_display_(self) -> None:
        print(self)
        self.recording.show()


def answer(recording: Recording, break_id: int, fix: str) -> tuple[TrialOutcome, Recording]:
    """What a view shows of a trial, as JSON, and the new recording."""
    trial = try_fix(recording, break_id, fix)
    failure = trial.recording.failure
    shown: TrialOutcome = {
        "fix": trial.fix.name,
        "counts": trial.counts(),
        "numbers": trial.numbers.sentence,
        "same": trial.numbers.same,
        "failure": f"{failure.type}: {failure.message.strip()}" if failure else "",
        "new_breaks": [f"{fact.where}: {fact.gb_type}" for fact in trial.diff.breaks_b],
    }
    return shown, trial.recording


def try_fix(recording: Recording, break_id: int, fix: str | None = None) -> Trial:
    """Compile the program again with a fix, and compare.

    Raises:
        FixError: there is no program to run again, no fix, or none of this name.
    """
    remedy = _remedy(recording, break_id, fix)
    program = recording.program()
    if program is None:
        raise FixError(
            "There is no program to run again: this recording was loaded from a file, came out of "
            "a trial, or was made with record() or %%record. Use explore() or %%compile."
        )
    with without_trace(program.roots()):
        eager, problem = _attempt(program.eager)
    with without_trace(program.roots()), _applied(remedy, recording, program) as changed:
        tried, result = changed.compiled()
    if tried.failure is not None:
        numbers = Numbers(same=None, sentence="Not compared: with the fix, the program fails.")
    elif problem is not None:
        numbers = Numbers(same=None, sentence=f"Not compared: run eagerly, it raises {problem}.")
    else:
        numbers = compare(eager, result)
    return Trial(
        break_id=break_id,
        fix=remedy.fix,
        recording=tried,
        diff=diff(recording, tried),
        numbers=numbers,
    )


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
        raise FixError(f"There is nothing that can be tried for this break. {why}")
    for remedy in found:
        if name in (None, remedy.fix.name):
            return remedy
    offered = ", ".join(remedy.fix.name for remedy in found)
    raise FixError(f"There is no fix {name!r} for this break: say one of {offered}.")


@contextmanager
def _applied(
    remedy: Remedy, recording: Recording, program: Program
) -> Generator[Program, None, None]:
    """The program with the remedy in force."""
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


@contextmanager
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
    """The living functions with the code that holds this line; copies of one share it."""
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
            f"The function `{name}` is not found among the living ones, or its source "
            "has changed since: make the change by hand and record again."
        )
    first = functions[0].__code__
    return [function for function in functions if function.__code__ is first]


def _text_of(code: CodeType) -> str:
    return "\n".join(row.rstrip("\r\n") for row in linecache.getlines(code.co_filename))


def _code_like(code: CodeType, module: CodeType) -> CodeType:
    """The code in a module's that stands where this one stood."""
    from dynamo_lab.capture.breaks.remedies import nested_code

    for found in nested_code(module):
        if (found.co_qualname, found.co_firstlineno) == (code.co_qualname, code.co_firstlineno):
            return found
    raise FixError(f"`{code.co_qualname}` is not in its source any more: record it again.")
