"""Baselines: the hand-written implementations of a case, and which of them can run here."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import CaseError
from dynamo_lab.measure import cpp
from dynamo_lab.measure.cases import load_module

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dynamo_lab.measure.cases import Case

LANGUAGES = {"cpp": "C++", "triton": "Triton", "metal": "Metal"}
"""What is in a file's name, and what it is called."""


@dataclass(frozen=True)
class Baseline:
    """One implementation of a case, in a file."""

    case: Case
    language: str
    path: Path

    @property
    def title(self) -> str:
        """Its language as usually written."""
        return LANGUAGES[self.language]

    @property
    def code(self) -> str:
        """Its source."""
        return self.path.read_text(encoding="utf-8")

    def load(self) -> Callable[..., Any]:
        """Its `run`, which takes what the case's eager reference takes.

        Raises:
            CaseError: it does not build, or has no `run`.
        """
        if self.language == "cpp":
            return cpp.load(self.path, self.case)
        run = getattr(load_module(self.path), "run", None)
        if run is None:
            raise CaseError(f"{self.path.name} has no entry `run`")
        return run


def baselines_of(case: Case) -> tuple[Baseline, ...]:
    """The implementations next to a case."""
    stem = case.path.name.removesuffix("_case.py")
    found = ((language, case.path.parent.glob(f"{stem}_{language}.*")) for language in LANGUAGES)
    return tuple(
        Baseline(case, language, path) for language, paths in found for path in sorted(paths)
    )


def why_not(language: str, device: str) -> str:
    """Why an implementation in a language cannot run on tensors of a device; empty if it can."""
    kind = device.partition(":")[0]
    if language == "cpp":
        if kind != "cpu":
            return "it runs on the CPU"
        return "" if cpp.compiler() else "there is no C++ compiler: install g++, or set CXX"
    if language == "metal":
        return "" if kind == "mps" else "it needs a Mac's GPU"
    return _why_not_triton(kind)


def _why_not_triton(kind: str) -> str:
    if importlib.util.find_spec("triton") is None:
        return "Triton is not installed"
    if kind in ("cuda", "xpu") or os.environ.get("TRITON_INTERPRET") == "1":
        return ""
    return "it needs a GPU"
