"""Arrows between rooms run one way, and reading a recording never needs torch."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dynamo_lab

ROOT = Path(dynamo_lab.__file__).parent

MAY_IMPORT = {
    "model": {"model", "errors"},
    "view": {"view", "model", "errors", "measure"},  # its statistics, which need no torch
    "render": {"render", "view", "model", "errors"},
    "capture": {"capture", "model", "errors"},
    "measure": {"measure", "model", "errors"},
}
"""What of dynamo_lab the modules of each room may name."""

NEEDS_NO_TORCH = (
    "dynamo_lab",
    "dynamo_lab.api.check",
    "dynamo_lab.api.diff",
    "dynamo_lab.api.recording",
    "dynamo_lab.__main__",
    *(
        ".".join(("dynamo_lab", *path.relative_to(ROOT).with_suffix("").parts))
        for room in ("model", "view", "render")
        for path in sorted((ROOT / room).rglob("*.py"))
    ),
)


def imports(path: Path) -> set[str]:
    """The second part of each `dynamo_lab.<room>` that a module imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("dynamo_lab.")}
    return found


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_arrows_run_one_way(room: str) -> None:
    for path in (ROOT / room).rglob("*.py"):
        assert imports(path) <= MAY_IMPORT[room], path


def test_reading_needs_no_torch() -> None:
    code = f"""
import importlib, sys
for name in {NEEDS_NO_TORCH!r}:
    importlib.import_module(name)
    assert "torch" not in sys.modules, name
    assert "IPython.terminal" not in sys.modules, name
"""
    path = os.pathsep.join([str(ROOT.parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
