"""What the ranks of a job run: a function, a script or the text of a cell."""

from __future__ import annotations

import importlib
import inspect
import linecache
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from dynamo_lab.errors import OptionError
from dynamo_lab.record.cells import build_frame
from dynamo_lab.record.script import Script

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAIN = "__mp_main__"
"""The name under which a rank runs the file of `__main__`, as `multiprocessing` does."""


class Work(Struct, frozen=True, kw_only=True):
    """What a rank runs. `limit` are the seconds that it has, `backend` its process group's.

    `is_profiled`: PyTorch's profiler runs around it. `changes` are settings of DDP that it is tried
    with.

    "function": `name` in `module`, or in the file `path`, with the folders of `search_path`.
    "script": the file `path`, with `arguments`.
    "cell": `text`, called `path`, in which `modules` are known by name; if `compiled` is given, its
    statements run as one frame, with these options of `torch.compile`.
    """

    kind: Literal["function", "script", "cell"]
    title: str
    backend: str = "gloo"
    limit: float = 60.0
    is_profiled: bool = False
    module: str = ""
    name: str = ""
    path: str = ""
    search_path: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    text: str = ""
    label: str = ""
    modules: dict[str, str] = {}
    changes: dict[str, Any] = {}
    compiled: dict[str, Any] | None = None


def work_of(
    what: Callable[[], Any] | str | Path, arguments: tuple[str, ...] = (), **settings: Any
) -> Work:
    """The work of running a function or a script.

    Raises:
        OptionError: other processes could not find it.
    """
    if isinstance(what, str | Path):
        script = Script(str(what), arguments)  # which refuses one that is not there
        path = str(Path(script.path).resolve())
        return Work(kind="script", title=Path(path).name, path=path, arguments=arguments,
                    **settings)  # fmt: skip
    if not callable(what):
        raise OptionError(f"{what!r:.80} is no program: pass a function, or the path of a script.")
    return _of_function(what, settings)


def work_here(fn: Callable[[], Any], **settings: Any) -> Work:
    """The work of running a function in this process, which need not find it by its name."""
    title = getattr(fn, "__qualname__", type(fn).__name__)
    return Work(kind="function", title=title, backend="fake", **settings)


def _of_function(fn: Callable[[], Any], settings: dict[str, Any]) -> Work:
    module, name = getattr(fn, "__module__", None), getattr(fn, "__qualname__", "")
    home = sys.modules.get(module or "")
    if home is None or "<" in name or _found(home, name) is not fn:
        raise OptionError(
            f"{name or type(fn).__name__} cannot be found by other processes: pass a function that "
            "is defined at the top of a module."
        )
    path = ""
    if module == "__main__":
        path = str(getattr(home, "__file__", "") or "")
        if not Path(path).is_file():
            raise OptionError(
                f"{name} is defined in a notebook, where other processes cannot find it: put what "
                "it needs into one cell under `%%record --ranks 2`, or into a file."
            )
        path = str(Path(path).resolve())
    return Work(
        kind="function", title=name, module=module or "", name=name, path=path,
        search_path=tuple(sys.path), **settings,
    )  # fmt: skip


def work_of_cell(
    text: str, label: str, path: str, namespace: Mapping[str, Any], **settings: Any
) -> Work:
    """The work of running a cell, which knows the modules that the notebook has imported."""
    modules = {
        name: value.__name__
        for name, value in namespace.items()
        if isinstance(value, types.ModuleType) and not name.startswith("_")
    }
    return Work(kind="cell", title=label, text=text, label=label, path=path, modules=modules,
                search_path=tuple(sys.path), **settings)  # fmt: skip


def run(work: Work) -> int:
    """Run it in this process: the exit code that it has of itself.

    Raises:
        Exception: what the program raises.
    """
    if work.kind == "script":
        script = Script(work.path, work.arguments)
        script.run(raises=True)
        return script.code
    sys.path[:] = work.search_path
    if work.kind == "function":
        _function(work)()
    else:
        _run_cell(work)
    return 0


def _function(work: Work) -> Callable[[], Any]:
    if not work.path:
        return _found(importlib.import_module(work.module), work.name)
    import runpy

    module = types.ModuleType(MAIN)
    sys.modules[MAIN] = module
    vars(module).update(runpy.run_path(work.path, run_name=MAIN))
    return _found(module, work.name)


def _found(home: Any, name: str) -> Any:
    for part in name.split("."):
        home = inspect.getattr_static(home, part, None)
    return home


def _run_cell(work: Work) -> None:
    lines = [line + "\n" for line in work.text.split("\n")]
    linecache.cache[work.path] = (len(work.text), None, lines, work.path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for name, module in work.modules.items():
        namespace[name] = importlib.import_module(module)
    if work.compiled is None:
        exec(compile(work.text, work.path, "exec"), namespace)
        return
    frame = build_frame(work.text, work.path, namespace)
    exec(frame.definitions, namespace)
    if frame.code is None:
        return
    import torch

    compiled: Any = torch.compile(  # pyright: ignore[reportUnknownMemberType]
        frame.function(namespace), **work.compiled
    )
    compiled(*(namespace[name] for name in frame.parameters))
