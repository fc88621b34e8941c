"""What the installed PyTorch lacks of the private names in the tables, read from its files.

Importing all that the tables name takes many seconds, so a name is first looked for in the text of
its module; only what is not found there is imported to be sure.
"""

import functools
import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dynamo_lab.capture.core.private import Private, rows_of

_NOUNS = Path(__file__).parents[1]

_DEFINED = r"^(?:async def|def| {{0,4}}class) {0}\b|^{0}\b *[:=]"  # a class may be in an `else`
_DEFINED_INSIDE = r"^ +(?:async def|def|class) {0}\b|^ +{0}\b *[:=]|\bself\.{0}\b *[:=]"
_NEXT = r"^ {{0,{0}}}[^\s)#]"
"""Where a class of some indentation is over."""


class Lack(NamedTuple):
    """A private name that this PyTorch lacks, and the noun that depends on it."""

    noun: str
    row: Private


def lacks() -> list[Lack]:
    """What this PyTorch should have but lacks, in the order of the tables."""
    doubtful = [Lack(*found) for found in _rows() if not is_written(found[1])]
    return [lack for lack in doubtful if not lack.row.exists]


def count() -> int:
    """How many names this PyTorch should have."""
    return len(list(_rows()))


def _rows() -> Iterator[tuple[str, Private]]:
    for path in sorted(_NOUNS.glob("*/hooks.py")):
        noun = path.parent.name
        table = importlib.import_module(f"dynamo_lab.capture.{noun}.hooks")
        yield from ((noun, row) for row in rows_of(table) if row.is_expected)


def is_written(row: Private) -> bool:
    """Whether the text of its module defines a name. What it computes is not seen."""
    first, *inside = row.name.split(".")
    if not first:
        return bool(_text(row.module))
    if row.module.startswith("torch._C") and not inside:
        return _defines(row.module, first) or _is_in_library(first)
    if row.module == "torch" and not inside and _defines("torch._C._VariableFunctions", first):
        return True  # torch/__init__.py copies them
    return _has(row.module, first, *inside)


def _has(module: str, name: str, attribute: str = "") -> bool:
    """Whether a module defines or imports a name, and the class of this name an attribute."""
    if not _defines(module, name):
        origin = _imported_from(module, name)
        return bool(origin) and (not attribute or _has(origin, name, attribute))
    if not attribute:
        return True
    header, body = _class(module, name)
    if re.search(_DEFINED_INSIDE.format(attribute), body, re.MULTILINE):
        return True
    return any(_has(module, base, attribute) for base in re.findall(r"\b[A-Z]\w+", header))


def _defines(module: str, name: str) -> bool:
    text = _text(module)
    return name in text and bool(re.search(_DEFINED.format(name), text, re.MULTILINE))


def _imported_from(module: str, name: str) -> str:
    """The module from which another imports a name; empty where it does not."""
    pattern = rf"^ *from (\S+) import (?:[^\n(]*\b{name}\b|\([^)]*\b{name}\b)"
    text = _text(module)
    package = module if _file(module).stem == "__init__" else module.rpartition(".")[0]
    if name in text and (found := re.search(pattern, text, re.MULTILINE)):
        return importlib.util.resolve_name(found[1], package)
    whole = re.findall(r"^ *from (\S+) import \*", text, re.MULTILINE)
    origins = (importlib.util.resolve_name(one, package) for one in whole)
    return next((origin for origin in origins if _defines(origin, name)), "")


def _class(module: str, name: str) -> tuple[str, str]:
    """The bases of a class, as they are written, and its body."""
    text = _text(module)
    found = re.search(rf"^( {{0,4}})class {name}\b(?:\(([^)]*)\))?[^\n]*\n", text, re.MULTILINE)
    if found is None:
        return "", ""
    after = text[found.end() :]
    over = re.search(_NEXT.format(len(found[1])), after, re.MULTILINE)
    return found[2] or "", after[: over.start() if over else len(after)]


@functools.cache
def _text(module: str) -> str:
    """The source of a module, or the stub of one in C; empty where there is none."""
    path = _file(module)
    return path.read_text(encoding="utf-8") if path.is_file() else ""


@functools.cache
def _file(module: str) -> Path:
    first, *rest = module.split(".")
    spec = importlib.util.find_spec(first)
    place = Path((spec and spec.origin) or first).parent.joinpath(*rest)
    packages = (place / "__init__.py", place / "__init__.pyi")
    modules = (place.with_name(f"{place.name}{end}") for end in (".py", ".pyi"))
    return next((path for path in (*packages, *modules) if path.is_file()), place)


def _is_in_library(name: str) -> bool:
    """Whether PyTorch's library in C++ has a name that no stub tells of."""
    libraries = _file("torch").parent.glob("lib/*torch_python*")
    return any(f"\0{name}\0".encode() in path.read_bytes() for path in libraries)
