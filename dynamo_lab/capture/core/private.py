"""Private names of PyTorch: one row each, resolved when first needed.

All that this package uses of PyTorch's internals is in a table, the `hooks.py` of the noun
that it serves: where it is, the releases it is known in, and what is lost without it. A name that
the installed release lacks is a note in the recording, never the end of the user's program.
"""

import functools
import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from dynamo_lab.errors import AbsentError
from dynamo_lab.model.core.host import version_of

OLDEST = "2.11"
"""The oldest release of PyTorch that is supported, in which a row is known unless it says else."""

ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()
"""What is found where there is nothing."""


class Nobody:
    """In place of a class that is missing: nothing is an instance of it."""


def nothing(*_: Any, **__: Any) -> None:
    """In place of a function that is missing: does nothing."""


@dataclass(frozen=True, slots=True)
class Private:
    """A private name: where it is, what is lost without it, and the releases it is known in.

    `name` may be of a class ("OutputGraph.add_output"); without one, the row is the module itself.
    `otherwise` is what `get` gives where it is missing.
    """

    module: str
    name: str
    lost: str
    since: str = OLDEST
    until: str = ""
    otherwise: Any = ABSENT

    @property
    def path(self) -> str:
        """The whole name: "torch._dynamo.output_graph.OutputGraph.add_output"."""
        return f"{self.module}.{self.name}" if self.name else self.module

    @property
    def exists(self) -> bool:
        """Whether this PyTorch has it."""
        return resolve(self) is not ABSENT

    def get(self) -> Any:
        """The object of this name.

        Raises:
            AbsentError: this PyTorch has no such name, and nothing stands for it.
        """
        found = resolve(self)
        if found is not ABSENT:
            return found
        if self.otherwise is not ABSENT:
            return self.otherwise
        raise AbsentError(self.sentence, self.path)

    def place(self) -> tuple[Any, str]:
        """The module or class that holds the name, and the last part of it."""
        around, _, last = self.name.rpartition(".")
        return _holder(self.module, around), last

    @property
    def is_expected(self) -> bool:
        """Whether the installed release is one that this name is known in."""
        release = installed()
        return _parts(self.since) <= release and (not self.until or release <= _parts(self.until))

    @property
    def is_missing(self) -> bool:
        """Whether this PyTorch should have it and has not; a module is not imported to find out."""
        if not self.is_expected:
            return False
        return not self.exists if self.is_loaded else not _can_be_imported(self.module)

    @property
    def is_loaded(self) -> bool:
        """Whether the module that it is in has been imported; one that is being so has no names."""
        found = sys.modules.get(self.module)
        is_done = not getattr(getattr(found, "__spec__", None), "_initializing", False)
        return found is not None and is_done

    @property
    def sentence(self) -> str:
        """What is missing, and what is lost by that."""
        return _sentence(self.path, self.lost.removesuffix("."))


class Field(Private):
    """A private attribute that objects have, which their class need not."""

    __slots__ = ()

    def of(self, thing: Any) -> Any:
        """The attribute of an object; what stands for it where the object has none."""
        return getattr(thing, self.name[self.name.rfind(".") + 1 :], self.otherwise)


class Names:
    """Several names of one module that are lost for the same reason, each an attribute of this."""

    def __init__(self, module: str, lost: str, *names: str, **facts: Any) -> None:
        self.rows: Mapping[str, Private] = {
            name: Private(module, name, lost, **facts) for name in names
        }

    def __getattr__(self, name: str) -> Any:
        if name in ("rows", "__wrapped__"):
            raise AttributeError(name)
        return self.rows[name].get()


def resolve(row: Private) -> Any:
    """What has the name of a row in this PyTorch, or ABSENT."""
    around, _, last = row.name.rpartition(".")
    holder = _holder(row.module, around)
    if not last or holder is ABSENT:
        return holder
    found = getattr(holder, last, ABSENT)
    if found is ABSENT and isinstance(row, Field):
        return True if _sets(holder, last) else ABSENT
    return found


@functools.cache
def _holder(module: str, around: str) -> Any:
    """A module, or a class in it; found once, as probes ask for it at every event."""
    try:
        found: Any = importlib.import_module(module)
    except Exception:  # there is none, or it cannot be imported, which is the same to us
        return ABSENT
    for part in around.split(".") if around else ():
        found = getattr(found, part, ABSENT)
    return found


def _sets(kind: Any, name: str) -> bool:
    """Whether objects of a class get an attribute: it is annotated, or `__init__` names it."""
    for base in getattr(kind, "__mro__", ()):
        made = [vars(base).get(name) for name in ("__init__", "__post_init__")]
        codes = [function.__code__ for function in made if hasattr(function, "__code__")]
        if name in vars(base).get("__annotations__", {}) or any(name in c.co_names for c in codes):
            return True
    return False


def _can_be_imported(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, AttributeError, ValueError):
        return False


def rows_of(table: ModuleType) -> Iterator[Private]:
    """The rows of a table, in its order."""
    for value in vars(table).values():
        yield from _rows(value)


def _rows(value: Any) -> Iterator[Private]:
    if isinstance(value, Private):
        yield value
    elif isinstance(value, Names):
        yield from value.rows.values()
    elif isinstance(value, tuple):
        for one in value:
            yield from _rows(one)


def missing_in(tables: Iterable[ModuleType]) -> dict[str, str]:
    """The names that this PyTorch should have and has not, each with a sentence on what is lost."""
    lost: dict[str, dict[str, None]] = {}
    for table in tables:
        for row in rows_of(table):
            if row.is_missing:
                lost.setdefault(row.path, {})[row.lost.removesuffix(".")] = None
    return {path: _sentence(path, "; ".join(losses)) for path, losses in lost.items()}


def _sentence(path: str, lost: str) -> str:
    return f"This PyTorch has no `{path}`: {lost}."


@functools.cache
def installed() -> tuple[int, int]:
    """The installed release of PyTorch: (2, 13)."""
    return _parts(version_of("torch"))


def _parts(version: str) -> tuple[int, int]:
    major, minor, *_ = (*version.split("."), "0", "0")
    return int(major) if major.isdigit() else 0, int(minor) if minor.isdigit() else 0
