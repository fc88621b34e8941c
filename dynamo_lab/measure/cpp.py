"""Baselines in C++: built once with the machine's compiler, called through a C prototype.

A file holds `extern "C" void run(const float* x, float* out, int64_t rows, ...)`. The names are
those of `Case.arguments`, the types say what each must be, and nothing of PyTorch is included: that
builds in a second, where PyTorch's headers take half a minute.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dynamo_lab.errors import CaseError
from dynamo_lab.measure.folders import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynamo_lab.measure.cases import Case

_PROTOTYPE = re.compile(r'^extern "C" void run\((.*?)\)\s*\{', re.DOTALL | re.MULTILINE)
_PARAMETER = re.compile(r"^(?:const )?(\w+)((?:\s*(?:const)?\s*\*)*)\s*(\w+)$")
_DTYPES = {
    "float": "float32",
    "double": "float64",
    "bool": "bool",
    "int8_t": "int8",
    "uint8_t": "uint8",
    "int32_t": "int32",
    "int64_t": "int64",
}
_NUMBERS: dict[str, Any] = {
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "bool": ctypes.c_bool,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of `run`: `float* const* means` has depth 2, `int64_t rows` has 0."""

    type: str
    depth: int
    name: str

    def packed(self, value: Any) -> Any:
        """A value as ctypes passes it.

        Raises:
            CaseError: it is of another type.
        """
        if self.depth == 0:
            return _NUMBERS[self.type](value)
        if isinstance(value, list | tuple):
            return self._array(cast("Sequence[Any]", value))
        return ctypes.c_void_p(self._pointer(value))

    def _array(self, values: Sequence[Any]) -> Any:
        """Tensors as an array of pointers, numbers as an array of numbers."""
        if self.depth == 2:
            return (ctypes.c_void_p * len(values))(*map(self._pointer, values))
        return (_NUMBERS[self.type] * len(values))(*values)

    def _pointer(self, tensor: Any) -> int:
        dtype = str(tensor.dtype).removeprefix("torch.")
        if dtype != _DTYPES[self.type] or tensor.device.type != "cpu":
            raise CaseError(
                f"it takes `{self.name}` as {_DTYPES[self.type]} on the CPU, not {dtype} on "
                f"{tensor.device.type}"
            )
        if not tensor.is_contiguous():
            raise CaseError(f"it takes `{self.name}` contiguous")
        return tensor.data_ptr()


def load(path: Path, case: Case) -> Callable[..., Any]:
    """The `run` of a C++ file as a function of the case's arguments, built if it was not.

    Raises:
        CaseError: it does not build (with what the compiler said), or its prototype is not ours.
    """
    import torch

    parameters = _parameters(path)
    library = ctypes.CDLL(str(_built(path)))
    threads = getattr(library, "omp_set_num_threads", None)  # not there without OpenMP

    def run(*inputs: Any) -> Any:
        named = case.arguments(*inputs)
        if threads is not None:
            threads(torch.get_num_threads())
        library.run(*(parameter.packed(_named(named, parameter)) for parameter in parameters))
        found = tuple(named[name] for name in case.results)
        return found[0] if len(found) == 1 else found

    return run


def compiler() -> str | None:
    """The C++ compiler's path: $CXX, or the first that is installed."""
    names = [name for name in (os.environ.get("CXX"), "g++", "clang++", "c++") if name]
    return next(filter(None, map(shutil.which, names)), None)


def _named(values: dict[str, Any], parameter: Parameter) -> Any:
    if parameter.name not in values:
        raise CaseError(
            f"its `run` asks for {parameter.name!r}, and the case's `arguments` give "
            f"{', '.join(values)}"
        )
    return values[parameter.name]


def _parameters(path: Path) -> list[Parameter]:
    source = path.read_text(encoding="utf-8")
    prototype = _PROTOTYPE.search(source)
    if prototype is None:
        raise CaseError(f'{path.name} has no entry `extern "C" void run(...) {{`')
    return [_parameter(path, text) for text in prototype[1].split(",")]


def _parameter(path: Path, text: str) -> Parameter:
    found = _PARAMETER.match(" ".join(text.split()))
    depth = found[2].count("*") if found else 0
    if found is None or found[1] not in (_DTYPES if depth else _NUMBERS) or depth > 2:
        raise CaseError(
            f"{path.name}: parameter `{text.strip()}` of `run` is not understood: it is a number, "
            f"a pointer or a pointer to pointers of {', '.join(_DTYPES)}"
        )
    return Parameter(found[1], depth, found[3])


def _built(path: Path) -> Path:
    """The shared library of a file, from the cache if it was built before on such a machine."""
    command = [_required_compiler(), *_flags(), "-I", str(path.parent), "-I", str(path.parents[1])]
    # the preprocessor's output holds all that the result depends on: what is included, and every
    # macro, so the compiler's version and the processor's instructions too
    expanded = _ran([*command, "-E", "-dD", "-P", str(path)], path)
    key = hashlib.sha256("\0".join([*command, expanded]).encode()).hexdigest()[:20]
    library = _cache() / f"{path.stem}-{key}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            unfinished = Path(folder) / library.name
            _ran([*command, "-shared", str(path), "-o", str(unfinished), *_libraries()], path)
            unfinished.replace(library)  # at once, for whoever else builds it
    return library


def _required_compiler() -> str:
    found = compiler()
    if found is None:
        raise CaseError("there is no C++ compiler: install g++ or clang++, or set CXX")
    return found


def _flags() -> list[str]:
    """As fast as this machine can, with the rounding that the source asks for."""
    is_arm = platform.machine() in ("arm64", "aarch64")
    native = ["-mcpu=native"] if is_arm else ["-march=native", "-mprefer-vector-width=512"]
    threads = ["-Xclang", "-fopenmp"] if sys.platform == "darwin" else ["-fopenmp"]
    speed = ["-O3", *native, "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"]
    return ["-std=c++20", *speed, *threads, "-fPIC", "-Wall", "-Wno-unknown-pragmas"]


def _libraries() -> list[str]:
    """Apple's compiler brings no OpenMP; PyTorch does."""
    if sys.platform != "darwin":
        return []
    import torch

    folder = Path(torch.__file__).parent / "lib"
    return [f"-L{folder}", "-lomp", f"-Wl,-rpath,{folder}"]


def _ran(command: list[str], path: Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CaseError(f"{path.name} does not build:\n{done.stderr.strip()}")
    return done.stdout


def _cache() -> Path:
    folder = cache_folder() / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:  # a cache that cannot be written is no reason to stop
        pass
    return _temporary()


@functools.cache
def _temporary() -> Path:
    return Path(tempfile.mkdtemp(prefix="dynamo_lab_kernels_"))
