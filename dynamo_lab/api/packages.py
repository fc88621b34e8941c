"""Ahead-of-time compilation: make a package and record it, or open one that was made elsewhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dynamo_lab.api.recording import Recording
from dynamo_lab.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path


def package(
    model: Any,
    *args: Any,
    path: str | Path = "model.pt2",
    dynamic_shapes: Any = None,
    strict: bool = False,
    options: dict[str, Any] | None = None,
    **kwargs: Any,
) -> Recording:
    """Compile a module ahead of time to a package (AOTInductor), and return the recording.

    The package runs without Python: notebooks/run_in_cpp loads one in C++. A failure does not
    stop the recording: it is its `failure`.

    Args:
        model: An nn.Module, or what `torch.export.export` returned for one.
        *args: Arguments to export it for; none if it is exported already.
        path: Where to write the package; its name must end in ".pt2".
        dynamic_shapes: As for `torch.export.export`: which sizes may vary.
        strict: Whether Dynamo captures the graph, instead of running the module in Python.
        options: Inductor's options, as for `torch.compile`.
        **kwargs: Keyword arguments to export it for.

    Raises:
        OptionError: `model` is not a module, or `path` cannot hold a package.
    """
    where = os.fspath(path)
    if not where.endswith(".pt2"):
        raise OptionError(f'A package is a file whose name ends in ".pt2", and {where!r} does not.')
    if not os.path.isdir(os.path.dirname(os.path.abspath(where))):
        raise OptionError(f"{where!r} cannot be written: there is no such folder.")
    from torch.export import ExportedProgram
    from torch.nn import Module

    if not isinstance(model, Module | ExportedProgram):
        raise OptionError(
            f"{model!r:.80} cannot be exported: pass an nn.Module, with arguments to export it "
            "for, or what torch.export.export returned."
        )
    from dynamo_lab.api.explore import record
    from dynamo_lab.capture.packages.packages import compile_package

    chosen: dict[str, Any] = {
        "dynamic_shapes": dynamic_shapes,
        "strict": strict,
        "options": options,
    }
    with record(os.path.basename(where)) as recorder:
        recorder.options.update({k: repr(v) for k, v in chosen.items() if v})
        try:
            compile_package(model, args, kwargs, where, **chosen)
        except Exception as error:
            recorder.fail(error)
    return recorder.recording


def open_package(path: str | Path) -> Recording:
    """The contents of a package made anywhere: its C++, its kernels, constants and facts.

    Nothing in it is run, and PyTorch need not be installed.

    Raises:
        PackageError: there is no such file, it is damaged, or it is not an AOTInductor package.
    """
    from dynamo_lab.capture.packages.archive import read
    from dynamo_lab.model.kernels import Kernel, Wrapper

    kernels: list[Kernel] = []
    wrappers: list[Wrapper] = []
    packages: list[Any] = []
    for number, found in enumerate(read(path)):
        model = found.package.model
        wrappers.append(
            Wrapper(id=number, graph=None, compile_id=model, is_backward=False, code=found.wrapper)
        )
        packages.append(replace(found.package, wrapper=number))
        for kernel in found.kernels:
            kernels.append(replace(kernel, id=len(kernels), wrapper=number))
    return Recording(
        title=os.path.basename(os.fspath(path)),
        kernels=tuple(kernels),
        wrappers=tuple(wrappers),
        packages=tuple(packages),
    )
