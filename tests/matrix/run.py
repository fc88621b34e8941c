"""What the installed PyTorch shows of each row."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch

import dynamo_lab as lab
from tests.matrix.row import OTHERWISE, Found

if TYPE_CHECKING:
    from pathlib import Path

    from tests.matrix.row import Row


def release() -> str:
    """The minor release of the installed PyTorch: "2.13"."""
    return ".".join(torch.__version__.split(".")[:2])


def found(row: Row, folder: Path) -> Found:
    """Run a row's program, from a file of its own, and say what is to be seen of it."""
    lacked = next((name for name in row.needs if not exists(name)), "")
    if lacked:
        return Found("absent", f"no `torch.{lacked}`")
    missing = [name for name in row.packages if importlib.util.find_spec(name) is None]
    if missing:
        return Found("not run", f"needs the package {missing[0]}")
    if row.cuda and not torch.cuda.is_available():
        return Found("not run", "needs a GPU")
    recording, error = _recorded(row, folder)
    seen = _seen(row, recording)
    if error and seen.text.startswith(OTHERWISE):
        told = str(error).strip().partition("\n")[0]
        return Found("not run", f"the program raised {type(error).__name__}: {told}")
    return seen


def _seen(row: Row, recording: lab.Recording | None) -> Found:
    """What is to be seen; a recording that lacks what is asked of it is otherwise than others."""
    if recording is None:
        return Found("not shown", f"{OTHERWISE}: nothing was recorded")
    try:
        return row.seen(recording)
    except (IndexError, KeyError, AttributeError, ValueError) as error:
        return Found("not shown", f"{OTHERWISE}: {type(error).__name__}: {error}")


def _recorded(row: Row, folder: Path) -> tuple[lab.Recording | None, Exception | None]:
    """The recording of the program, if there is one, and what it raised."""
    text = row.program.lstrip()
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    torch.compiler.reset()
    module: Any = ModuleType("program")
    module.torch, module.lab = torch, lab
    sys.modules["program"] = module  # where Dynamo looks for the globals of what it inlines
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(text, str(path), "exec"), vars(module))
        except Exception as error:
            recorder = getattr(module, "recorder", None)
            return recorder and recorder.recording, error
        finally:
            del sys.modules["program"]
    return module.rec, None


def exists(name: str) -> bool:
    """Whether this PyTorch has a name below `torch`, whose modules need not be imported."""
    at: Any = torch
    path = "torch"
    for part in name.split("."):
        path = f"{path}.{part}"
        if not hasattr(at, part) and not _imports(path):
            return False
        at = getattr(at, part)
    return True


def _imports(path: str) -> bool:
    try:
        importlib.import_module(path)
    except ImportError:
        return False
    return True
