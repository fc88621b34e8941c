"""Packages: the exported graph, and the file that AOTInductor made from it."""

import os
import tempfile
import threading
from collections.abc import Callable, Generator
from typing import Any

import torch
from msgspec.structs import replace
from torch import fx

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.graphs.graphs import GraphProbes
from dynamo_lab.capture.graphs.nodes import tensor_value
from dynamo_lab.capture.packages import hooks
from dynamo_lab.capture.packages.archive import read
from dynamo_lab.model.packages import Inlined


def compile_package(
    model: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    path: str,
    *,
    dynamic_shapes: Any,
    strict: bool,
    options: dict[str, Any] | None,
) -> None:
    """Export the model, unless it is exported already, and have AOTInductor write its package.

    A package of this name is replaced when the new one is complete.
    """
    write = hooks.PACKAGE.get()
    if not isinstance(model, torch.export.ExportedProgram):
        with torch.no_grad():
            model = torch.export.export(
                model, args, kwargs, dynamic_shapes=dynamic_shapes, strict=strict
            )
    around, name = os.path.split(os.path.realpath(path))
    with tempfile.TemporaryDirectory(dir=around, prefix=".") as folder:
        draft = os.path.join(folder, name)  # a package holds its own name
        write(model, package_path=draft, inductor_configs=dict(options or {}))
        os.replace(draft, os.path.join(around, name))


class PackageProbes:
    """Records what is compiled ahead of time."""

    def __init__(
        self, recorder: Recorder, graphs: GraphProbes, packaged: Callable[[Any, int], None]
    ) -> None:
        self._recorder = recorder
        self._packaged = packaged
        self._graphs = graphs
        self._local = threading.local()
        self._held: dict[int, dict[str, str]] = {}  # by the wrapper of the model

    def install(self, patches: Patches) -> None:
        """Watch the way from an exported graph to a package."""
        patches.hook(hooks.EXPORTED, self.exported)
        patches.hook(hooks.TRACED, self.traced)
        patches.hook(hooks.PACKED, self.packed)  # names above it are bound already

    def exported(self, model: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """Inductor gets a graph; it calls itself with other settings."""
        if not _is_ahead_of_time() or getattr(self._local, "inside", False):
            yield
            return
        self._local.inside = True
        try:
            self._packaged(model, self._graphs.record(model, "dynamo").id)
            held = dict(_held(model))
            yield
            if self._recorder.wrappers:
                self._held[self._recorder.wrappers[-1].id] = held
        except Exception as error:
            self._recorder.fail(error, caught=True)
            raise
        finally:
            self._local.inside = False

    def traced(self, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """AOTAutograd traces it into ATen operators, for inference."""
        result = yield
        if _is_ahead_of_time():
            self._graphs.record(result[0], "forward")

    def packed(self, archive_file: Any, *_: Any, **__: Any) -> Generator[None, Any, None]:
        """The package is written."""
        yield
        if not isinstance(archive_file, str | os.PathLike):
            return  # a buffer of the program's
        for contents in read(archive_file):
            wrapper = self._wrapper(contents.wrapper)
            held = self._held.get(wrapper, {}) if wrapper is not None else {}
            carried = {constant.source for constant in contents.package.constants}
            missing = tuple(Inlined(*item) for item in held.items() if item[0] not in carried)
            package = replace(contents.package, wrapper=wrapper, inlined=missing)
            self._recorder.packages.append(package)

    def _wrapper(self, written: str) -> int | None:
        """The recorded wrapper that a file of the package holds, and more after it."""
        known = reversed(self._recorder.wrappers)
        return next((one.id for one in known if one.code.strip() in written), None)


def _is_ahead_of_time() -> bool:
    return hooks.VIRTUALIZED.get().aot_compilation is True


def _held(model: fx.GraphModule) -> Generator[tuple[str, str], None, None]:
    """The parameters and buffers that an exported graph reads, each with what it holds."""
    for node in model.graph.nodes:
        if node.op == "get_attr":
            value = _attribute(model, str(node.target))
            if isinstance(value, torch.Tensor):
                yield str(node.target), tensor_value(value).text


def _attribute(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name, None)
    return module
