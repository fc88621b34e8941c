"""Cases: computations with hand-written implementations and an eager reference, to compare with.

A case is a folder with `<case>_case.py`, which defines `case`, and an implementation a file:
`<case>_triton.py`, `<case>_cpp.cpp`, `<case>_metal.py`. Ours are in `kernels/`, a user's may
be anywhere.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import CaseError
from dynamo_lab.measure.subject import named_tensors
from dynamo_lab.model.benchmarks import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SUFFIX = "_case.py"


@dataclass(frozen=True, kw_only=True)
class Case:
    """A computation in eager PyTorch, and all that is needed to compare and time others.

    `sizes` names the keywords that `inputs` takes after a device and a dtype: "small" to test,
    "usual" to time, "large" to time on a GPU. What `inputs` returns is what `eager` takes, and so
    does every implementation. `flops`, its floating-point operations, is a function of the same
    arguments (an exponential is one); the bytes that it moves at least are those of its arguments
    and its results.
    """

    name: str
    title: str
    teaches: str
    """What one learns from its implementations, in a sentence or two."""

    eager: Callable[..., Any]
    inputs: Callable[..., tuple[Any, ...]]
    sizes: Mapping[str, Mapping[str, int]]
    tolerance: Mapping[str, tuple[float, float]]
    """How far a result may be from eager's, by dtype: relative and absolute."""

    flops: Callable[..., int]
    arguments: Callable[..., dict[str, Any]]
    """What C++ is passed, by the names in its prototype: the tensors, new ones for results, and
    sizes, since C++ knows pointers only."""

    results: tuple[str, ...] = ("out",)
    """Those of `arguments` that are returned."""

    gpu_dtype: str = "bfloat16"
    """What it is timed in on a GPU; on a CPU it is float32."""

    path: Path = field(default=Path(), repr=False)
    """Its file, filled in when it is loaded."""

    def make(self, device: str = "cpu", dtype: str = "", size: str = "") -> tuple[Any, ...]:
        """The arguments of a size, the same each time.

        Raises:
            CaseError: it has no such size, or not in this dtype.
        """
        import torch

        size, dtype = size or self.usual_size(device), dtype or self.usual_dtype(device)
        if size not in self.sizes:
            raise CaseError(f"{self.name} has no size {size!r}: pass {', '.join(self.sizes)}.")
        if dtype not in self.tolerance:
            known = ", ".join(self.tolerance)
            raise CaseError(f"{self.name} is not made in {dtype!r}: pass {known}.")
        untyped: Any = torch
        with untyped.random.fork_rng():
            untyped.manual_seed(0)
            return self.inputs(device, getattr(torch, dtype), **self.sizes[size])

    def work(self, *inputs: Any) -> Work:
        """What one call does at least."""
        named = self.arguments(*inputs)
        (dtype, *_) = (str(tensor.dtype).removeprefix("torch.") for tensor in _tensors(inputs))
        return Work(
            bytes_read=sum(tensor.nbytes for tensor in _tensors(inputs)),
            bytes_written=sum(t.nbytes for t in _tensors([named[name] for name in self.results])),
            flops=self.flops(*inputs),
            dtype=dtype,
            counted="formula",
        )

    def usual_size(self, device: str) -> str:
        """What it is timed at on a device if nothing else is asked for."""
        return "large" if device != "cpu" and "large" in self.sizes else "usual"

    def usual_dtype(self, device: str) -> str:
        """What it is timed in on a device if nothing else is asked for."""
        return self.gpu_dtype if device.startswith("cuda") else "float32"


def all_cases() -> tuple[Case, ...]:
    """Our cases, by name."""
    paths = sorted(_folder().glob(f"*/*{_SUFFIX}"))
    return tuple(load_case(path) for path in paths)


def find_case(name: str) -> Case:
    """A case of ours by its name, or a user's by the path of its file.

    Raises:
        CaseError: there is none, or its file does not define one.
    """
    if name.endswith(".py"):
        return load_case(Path(name))
    path = _folder() / name / f"{name}{_SUFFIX}"
    if not path.is_file():
        known = ", ".join(
            sorted(p.name.removesuffix(_SUFFIX) for p in _folder().glob("*/*_case.py"))
        )
        raise CaseError(
            f"There is no case {name!r}: pass one of {known}, or the path of a file such as "
            f"my{_SUFFIX}."
        )
    return load_case(path)


def load_case(path: Path) -> Case:
    """The case that a file defines as `case`.

    Raises:
        CaseError: there is no such file, or it defines none.
    """
    if not path.is_file():
        raise CaseError(f"There is no case at {str(path)!r}: check the path.")
    found = getattr(load_module(path), "case", None)
    if not isinstance(found, Case):
        raise CaseError(
            f"{str(path)!r} defines no case: it needs `case = Case(...)`, with Case from "
            "dynamo_lab.measure.cases."
        )
    object.__setattr__(found, "path", path.resolve())
    return found


def load_module(path: Path) -> Any:
    """A Python file as a module under a name of its own, which hides no other.

    Raises:
        CaseError: it raised.
    """
    name = f"dynamo_lab_{path.parent.name}_{path.stem}"
    spec: Any = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses and Triton look for what a file defines
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise CaseError(f"{str(path)!r} raised {type(error).__name__}: {error}") from error
    return module


def _tensors(value: Any) -> list[Any]:
    return [tensor for _, tensor in named_tensors("", value)]


def _folder() -> Path:
    """Where ours are: in an installed wheel beside this package's code, else in the checkout."""
    package = Path(__file__).parents[1]
    installed = package / "_kernels"
    return installed if installed.is_dir() else package.parent / "kernels"
