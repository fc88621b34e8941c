"""What a lowering is spared: work that PyTorch does again and again, with the same result.

A recording leaves all of it as it is, because it tells how long a compilation takes. A lowering
builds nothing and runs on nothing, so its time tells of no compilation.
"""

import functools
import gc
from collections.abc import Callable, Generator
from typing import Any

from dynamo_lab.capture.core.undo import Undo, whole
from dynamo_lab.capture.frames.hooks import COMPILE
from dynamo_lab.capture.targets import hooks

_NEW_OBJECTS = 100_000
"""How many more objects there are before Python looks for cycles; its own number is 700.

Almost all that a compilation makes lives until its end, so that looking earlier finds little."""


def spare(undo: Undo) -> None:
    """From now on, until it is undone, this process spares that work."""
    if COMPILE.exists:
        _compile_with_few_collections(undo)
    if hooks.HEADER.exists:
        _write_headers_late(undo)
    if all(row.exists for row in (hooks.TYPES, *hooks.TYPES_FROM)):
        _fill_types_once(undo)


@whole
def few_collections() -> Generator[None, None, None]:
    """For the block, which runs nothing of the program's, Python looks for cycles rarely.

    The program's own code may leave many. If it sets a threshold, that one stays.
    """
    before = gc.get_threshold()
    rare = (_NEW_OBJECTS, *before[1:])
    if not 0 < before[0] < _NEW_OBJECTS:  # at 0 the program has switched it off
        yield
        return
    try:
        gc.set_threshold(*rare)
        yield
    finally:
        if gc.get_threshold() == rare:
            gc.set_threshold(*before)


def _compile_with_few_collections(undo: Undo) -> None:
    owner, name = COMPILE.place()
    compile_frame = getattr(owner, name)

    @functools.wraps(compile_frame)
    def compile_rarely(*args: Any, **kwargs: Any) -> Any:
        with few_collections():
            return compile_frame(*args, **kwargs)

    undo.replace(owner, name, compile_rarely)


class _Late:
    """A text that is worked out when it is first printed."""

    def __init__(self, write: Callable[[], str]) -> None:
        self._write = write

    def __str__(self) -> str:
        return self._write()


def _write_headers_late(undo: Undo) -> None:
    """Dynamo reads each file of the program as tokens, for lines of a log that is mostly off."""
    owner, name = hooks.HEADER.place()
    write = getattr(owner, name)

    @functools.wraps(write)
    def late(translator: Any, lineno: int | None = None) -> _Late:
        line = translator.lineno if lineno is None else lineno  # it moves on
        return _Late(functools.partial(write, translator, line))

    undo.replace(owner, name, late)


def _fill_types_once(undo: Undo) -> None:
    """Inductor has one table of the types of results, and fills it for each operation it writes."""
    table, sources = hooks.TYPES.get(), [row.get() for row in hooks.TYPES_FROM]
    fill, filled_from = table.__init__, list[Any]()

    @functools.wraps(fill)
    def fill_once(self: Any) -> None:
        if filled_from != sources:  # also if a rule was registered since
            fill(self)
            filled_from[:] = [dict(source) for source in sources]

    undo.replace(table, "__init__", fill_once)
