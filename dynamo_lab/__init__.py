"""dynamo_lab: the compiler explorer for PyTorch, in the notebook."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynamo_lab.check import check
    from dynamo_lab.diff import diff
    from dynamo_lab.explore import explore, record
    from dynamo_lab.magic import load_ipython_extension
    from dynamo_lab.recording import Recording, load

__all__ = ["Recording", "check", "diff", "explore", "load", "load_ipython_extension", "record"]

_HOME = {
    "Recording": "dynamo_lab.recording",
    "check": "dynamo_lab.check",
    "diff": "dynamo_lab.diff",
    "explore": "dynamo_lab.explore",
    "load": "dynamo_lab.recording",
    "load_ipython_extension": "dynamo_lab.magic",
    "record": "dynamo_lab.explore",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that reading a recording does not import torch."""
    if name not in _HOME:
        raise AttributeError(f"module 'dynamo_lab' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
