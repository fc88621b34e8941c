"""Above what Inductor stores a value, as the installed release has it."""

import functools
import inspect
from typing import Any

from dynamo_lab.capture.core.private import Private
from dynamo_lab.capture.lowering import hooks


def realize_limits(*, on_cpu: bool) -> tuple[int, int, int]:
    """Above how many reads where a value is reused, operations, and reads, Inductor stores it."""
    operations, reads = hooks.REALIZE_OPERATIONS, hooks.REALIZE_ACC_READS
    return hooks.REALIZE_READS.get(), _limit(operations, on_cpu), _limit(reads, on_cpu)


def _limit(rows: tuple[Private, Private, Private], on_cpu: bool) -> int:
    """From torch 2.13 on a limit can be unset, and then differs for CPUs."""
    given, of_cpu, elsewhere = rows
    found = given.get()
    return int((of_cpu if on_cpu else elsewhere).get() if found is None else found)


@functools.cache
def heavy_operators() -> tuple[str, ...]:
    """What Inductor does not compute again for each reader on a CPU, from the code that decides.

    Two operators until torch 2.12, seven from 2.13 on, in a list inside of the function.
    """
    handler = hooks.LOOP_OPERATORS.get()
    constants: Any = inspect.unwrap(hooks.STORED_ON_REUSE.get()).__code__.co_consts[1:]
    flat = (item for held in constants for item in (held if isinstance(held, tuple) else (held,)))
    return tuple(item for item in flat if isinstance(item, str) and hasattr(handler, item))
