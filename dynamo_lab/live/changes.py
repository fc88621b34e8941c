"""Changes of a program, made ready once, then applied to it for a while and undone."""

from __future__ import annotations

import linecache
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from dynamo_lab.capture.core.undo import whole
from dynamo_lab.errors import FixError
from dynamo_lab.view.findings.changes import (
    Change,
    GuardFilter,
    Helper,
    Options,
    Reexport,
    Rewrite,
    Setting,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from types import CodeType, FunctionType

    from dynamo_lab.model.core.sources import Source
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Choice, Program
    from dynamo_lab.view.core.places import Line


class Part(NamedTuple):
    """A change, the line that it is about, and its name."""

    change: Change
    line: Line
    name: str


class Ready(NamedTuple):
    """A program with changes that can be applied often: what is compiled under them is reused."""

    program: Program
    blocks: tuple[Callable[[], AbstractContextManager[object]], ...] = ()

    @whole
    def on(self) -> Generator[None, None, None]:
        """The changes applied for the length of a block."""
        with ExitStack() as applied:
            for block in self.blocks:
                applied.enter_context(block())
            yield


@whole
def prepared(
    parts: Sequence[Part], recording: Recording, program: Program
) -> Generator[Ready, None, None]:
    """The program with these changes made ready, none of them applied yet.

    Raises:
        FixError: a change cannot be applied to the living program.
    """
    ready, names = Ready(program), list[str]()
    try:
        for part in parts:
            if isinstance(part.change, Rewrite):
                source = recording.sources[part.line[0]]
                names.append(filed(source, part.change.text, part.name))
                ready = _rewritten(ready, source, part.change, part.line[1], names[-1])
            else:
                ready = _made(ready, part, recording)
        yield ready
    finally:
        for name in names:
            linecache.cache.pop(name, None)


def _made(ready: Ready, part: Part, recording: Recording) -> Ready:
    from dynamo_lab.capture.breaks import remedies as applying

    program = ready.program
    match part.change:
        case Setting(option, add, value, of):
            block = partial(applying.setting, option, add, value, of)
        case Options(chosen):
            block = nullcontext
            program = program.chosen(_chosen(program.choice, dict(chosen)))
        case GuardFilter(name):
            block = nullcontext
            program = program.chosen(_filtering(program.choice, name))
        case Helper(name):
            function = _functions(recording.sources[part.line[0]], name, part.line[1])[0]
            eager = applying.eager(function)
            block = partial(applying.disabled, function, program.namespaces(), eager)
        case Rewrite():
            raise AssertionError("a rewrite has a text to file first")
        case Reexport():
            raise FixError("An export is made again by itself: apply its finding alone.")
    return Ready(program, (*ready.blocks, block))


_OPTIONS = {"mode": "mode", "dynamic": "dynamic", "fullgraph": "fullgraph", "options": "settings"}
"""torch.compile's arguments that can be changed, and where a program's choice has them."""


def _chosen(choice: Choice, chosen: dict[str, object]) -> Choice:
    if unknown := [name for name in chosen if name not in _OPTIONS]:
        raise FixError(f"`torch.compile({unknown[0]}=...)` cannot be tried on a recording.")
    return structs.replace(choice, **{_OPTIONS[name]: value for name, value in chosen.items()})


def _filtering(choice: Choice, name: str) -> Choice:
    import torch

    settings = choice.settings | {"guard_filter_fn": getattr(torch.compiler, name)}
    return structs.replace(choice, settings=settings)


def filed(source: Source, text: str, change: str) -> str:
    """The name under which the text is found by whoever asks for its lines."""
    name = f"<{source.path.strip('<>')} with {change}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    return name


def _rewritten(ready: Ready, source: Source, rewrite: Rewrite, line: int, name: str) -> Ready:
    edited = ready.program.edited(source, rewrite.text, name)
    if edited is not None:
        return ready._replace(program=edited)
    return ready._replace(blocks=(*ready.blocks, *rewritten(source, rewrite, line, name)))


def rewritten(
    source: Source, rewrite: Rewrite, line: int, name: str
) -> tuple[Callable[[], AbstractContextManager[object]], ...]:
    """What puts the rewritten code into the live functions for the length of a block.

    Raises:
        FixError: the function is not alive, or no longer that of the recording.
    """
    from dynamo_lab.capture.breaks import remedies as applying

    functions = _functions(source, rewrite.scope, line)
    code = _code_like(functions[0].__code__, compile(rewrite.text, name, "exec", dont_inherit=True))
    namespaces = [function.__globals__ for function in functions]
    return (
        partial(applying.torch_named, namespaces),
        partial(applying.code_replaced, functions, code),
    )


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
