"""Reading a `.pt2` package. It imports no torch, unpacks nothing to disk and runs nothing.

A package is a ZIP file with C++, the library built from it, and facts as JSON. What it says of its
constants stands in the constructor of its C++ wrapper. A file may come from anyone, so sizes are
bounded, and all that is found is text.
"""

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from textwrap import dedent
from typing import NamedTuple

import msgspec

from dynamo_lab.errors import PackageError, printable
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.packages import Constant, FileKind, Package, PackageFile

MAX_FILES = 10_000
MAX_MODELS = 100
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # whose reading can be bounded
MAX_TEXT = 32 * 1024 * 1024
"""The most bytes of C++ and JSON to read, once they are unpacked; GPT-2 has 2 MB."""

_MODEL = re.compile(r"(?:^|/)data/aotinductor/([^/]+)/(.+)$")
_FIELD = re.compile(
    r"^[ \t]*(constants|inputs|outputs)_info_\[(\d{1,6})\]\.(\w+) = (.*);$", re.MULTILINE
)
_FUNCTION = re.compile(r'^extern "C"\s+void\s+(\w+)\(', re.MULTILINE)
_TRITON = re.compile(r"async_compile\.triton\('(\w+)', r?'''")
_EXTERN = re.compile(r"aoti_torch_(?:cpu|cuda|xpu)_\w+")
_CALL = re.compile(r"(?<![\w.])[\w.]+(?=\()")
_DECLARED = re.compile(r"\b(?:void|inline|static|def)\b")
_COMMAND = re.compile(r"^// Compile cmd\n// (.*)$", re.MULTILINE)
_FLAG = re.compile(r"-(?:O\w|m[\w.=+-]+|std=[\w+]+|fopenmp|ffast-math)")


_LONGEST_HEAD = 10_000
"""The most characters between a function's name and its body."""


class Contents(NamedTuple):
    """A model of a package: its facts, its C++ wrapper and the kernels in it."""

    package: Package
    wrapper: str
    kernels: tuple[Kernel, ...]


def read(path: str | os.PathLike[str]) -> tuple[Contents, ...]:
    """The models in a package.

    Raises:
        PackageError: there is no such file, it is damaged, or it is not an AOTInductor package.
    """
    name = repr(os.fspath(path))
    try:
        size = Path(path).stat().st_size
        with zipfile.ZipFile(path) as archive:
            return tuple(_models(archive, Path(path).name, size, name))
    except FileNotFoundError:
        raise PackageError(f"There is no file {name}: check the path.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise PackageError(
            f"{name} is damaged or not a package ({printable(error)}): "
            "pass a .pt2 file that AOTInductor wrote."
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise PackageError(
            f"{name} cannot be read ({printable(error)}): check the path and its permissions."
        ) from error


def _models(archive: zipfile.ZipFile, file: str, size: int, name: str) -> Iterator[Contents]:
    entries = archive.infolist()
    if any(entry.compress_type not in _COMPRESSIONS for entry in entries):
        raise PackageError(f"{name} is compressed in a way that no package is: it is not read.")
    if len(entries) > MAX_FILES:
        raise PackageError(f"{name} holds more than the {MAX_FILES:,} files that a package may.")
    of_model: dict[str, list[tuple[zipfile.ZipInfo, str]]] = {}
    for entry in entries:
        if found := _MODEL.search(entry.filename):
            of_model.setdefault(found[1], []).append((entry, found[2]))
    if not of_model:
        raise PackageError(
            f"{name} has no compiled model: pass a .pt2 file that AOTInductor wrote "
            "(torch.export.save writes one without code)."
        )
    if len(of_model) > MAX_MODELS:
        raise PackageError(f"{name} holds more than {MAX_MODELS} models: it is not read.")
    budget = _Budget(archive, name)
    shared = [entry for entry in entries if not _MODEL.search(entry.filename)]
    for model, own in of_model.items():
        package = Package(
            file=file,
            model=model,
            bytes=size,
            files=tuple(_files(own, shared)),
        )
        yield _contents(package, own, budget)


class _Budget:
    """Reads texts, and refuses what unpacks to more than a package may hold."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._archive = archive
        self._name = name
        self._left = MAX_TEXT

    def text(self, entry: zipfile.ZipInfo) -> str:
        with self._archive.open(entry) as file:
            data = file.read(self._left + 1)  # the size that the entry claims may be a lie
        self._left -= len(data)
        if self._left < 0:
            limit = MAX_TEXT // 1024**2
            raise PackageError(f"{self._name} holds more than {limit} MB of code: it is not read.")
        return data.decode("utf-8", "replace")


def _files(
    own: list[tuple[zipfile.ZipInfo, str]], shared: list[zipfile.ZipInfo]
) -> Iterator[PackageFile]:
    for entry, path in own:
        yield PackageFile(path=path, kind=_kind(path), bytes=entry.file_size)
    for entry in shared:
        path = entry.filename.partition("/")[2] or entry.filename
        yield PackageFile(path=path, kind=_kind(path), bytes=entry.file_size)


def _kind(path: str) -> FileKind:
    name, suffix = PurePosixPath(path).name, PurePosixPath(path).suffix
    if suffix in (".cpp", ".cc"):
        return "kernels" if name.endswith(".kernel.cpp") else "wrapper"
    if "/weights/" in f"/{path}" or "/constants/" in f"/{path}" or name.endswith("_weights.bin"):
        return "weights"
    by_suffix: dict[str, FileKind] = {
        ".so": "library",
        ".dylib": "library",
        ".pyd": "library",
        ".o": "binary",
        ".cubin": "binary",
        ".hsaco": "binary",
        ".spv": "binary",
        ".json": "metadata",
    }
    return by_suffix.get(suffix, "other")


def _contents(
    package: Package, own: list[tuple[zipfile.ZipInfo, str]], budget: _Budget
) -> Contents:
    texts = {"wrapper": "", "kernels": ""}
    facts: dict[str, str] = {}
    for entry, path in own:
        kind = _kind(path)
        if kind in texts:
            texts[kind] += budget.text(entry)
        elif path.endswith("_metadata.json"):
            facts |= _facts(budget.text(entry))
    wrapper = texts["wrapper"]
    fields = _fields(wrapper)
    command = _COMMAND.search(wrapper)
    known = msgspec.structs.replace(
        package,
        constants=tuple(map(_constant, fields["constants"])),
        inputs=tuple(_string(item.get("name", "")) for item in fields["inputs"]),
        outputs=tuple(_string(item.get("name", "")) for item in fields["outputs"]),
        facts=facts,
        flags=tuple(dict.fromkeys(filter(_FLAG.fullmatch, command[1].split()))) if command else (),
    )
    return Contents(known, wrapper, tuple(_kernels(wrapper, texts["kernels"])))


def _facts(text: str) -> dict[str, str]:
    """What a file of metadata says, numbers and texts alike as text."""
    try:
        known = msgspec.json.decode(text, type=dict[str, str | int | float | bool | None])
    except (msgspec.DecodeError, RecursionError):
        return {}
    return {key: str(value) for key, value in known.items() if value not in (None, "")}


def _fields(wrapper: str) -> dict[str, list[dict[str, str]]]:
    """What the constructor sets of inputs, outputs and constants, as it is written there."""
    found: dict[str, dict[int, dict[str, str]]] = {"constants": {}, "inputs": {}, "outputs": {}}
    for match in _FIELD.finditer(wrapper):
        found[match[1]].setdefault(int(match[2]), {})[match[3]] = match[4]
    return {what: [rows[at] for at in sorted(rows)] for what, rows in found.items()}


def _constant(fields: dict[str, str]) -> Constant:
    return Constant(
        name=_string(fields.get("name", "")),
        source=_string(fields.get("original_fqn", "")),
        role=_last_word(fields.get("type", "")),
        dtype=fields.get("dtype", "").removeprefix("cached_torch_dtype_"),
        shape=tuple(int(n) for n in re.findall(r"\d{1,18}", fields.get("shape", ""))),
        bytes=_integer(fields.get("data_size", "")),
        device=fields.get("device_type", "").removeprefix("cached_torch_device_type_"),
        folded=fields.get("from_folded") == "true",
    )


def _string(literal: str) -> str:
    r"""'a"b' for the C++ literal "a\"b"."""
    return re.sub(r"\\(.)", r"\1", literal.strip().removeprefix('"').removesuffix('"'))


def _last_word(text: str) -> str:
    words = re.findall(r"\w+", text)
    return words[-1] if words else ""


def _integer(text: str) -> int:
    found = re.match(r"\d{1,18}", text)
    return int(found[0]) if found else 0


def _kernels(wrapper: str, kernels: str) -> Iterator[Kernel]:
    """The kernels whose code is there, then those that are called in a library."""
    codes = {**dict(_triton(wrapper)), **dict(_functions(wrapper)), **dict(_functions(kernels))}
    called = calls(wrapper)
    externs = [name for name in called if _EXTERN.fullmatch(name)]
    for name in (*codes, *externs):
        code = codes.get(name, "")
        line, count = called.get(name, (None, 1))
        yield Kernel(
            id=0,
            name=name,
            language="triton" if "@triton" in code else "cpp" if code else "extern",
            graph=None,
            wrapper=0,
            code=code,
            line=line,
            calls=count,
        )


def _functions(text: str) -> Iterator[tuple[str, str]]:
    """The functions that a C++ file defines for the wrapper, which declares them."""
    at = 0
    while match := _FUNCTION.search(text, at):
        at = match.end()
        opened = text.find("{", at, at + _LONGEST_HEAD)
        if opened < 0 or ";" in text[at:opened]:
            continue
        end = text.find("\n}", opened)
        at = end + 2 if end >= 0 else len(text)
        yield match[1], text[match.start() : at]


def _triton(wrapper: str) -> Iterator[tuple[str, str]]:
    """Triton's kernels stand as comments in the functions that launch their binaries."""
    at = 0
    while match := _TRITON.search(wrapper, at):
        end = wrapper.find("'''", match.end())
        at = end if end >= 0 else len(wrapper)
        yield match[1], dedent(wrapper[match.end() : at]).strip("\n")


def calls(wrapper: str) -> dict[str, tuple[int, int]]:
    """What a wrapper calls: the line where it does so first, and how often.

    Lines that declare or define a function are no calls. In C++ a kernel of Triton's is called
    through a function, `call_` and its name.
    """
    found: dict[str, tuple[int, int]] = {}
    for number, line in enumerate(wrapper.split("\n"), start=1):
        declared = _DECLARED.search(line)
        limit = declared.start() if declared else len(line)
        for match in _CALL.finditer(line):
            if match.start() >= limit:
                break
            name = match[0].removeprefix("call_")
            first, count = found.get(name, (number, 0))
            found[name] = first, count + 1
    return found
