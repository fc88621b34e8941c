"""The script of the pictures takes one, in both themes."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _size(path: Path) -> tuple[int, int]:
    """Width and height, as a PNG's header says."""
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", head[16:24])


@pytest.mark.browser
@pytest.mark.live
@pytest.mark.release
def test_a_picture_is_taken(tmp_path: Path, chromium: str) -> None:
    if not os.environ.get("CI"):
        pytest.importorskip("PIL", reason="needs Pillow: pip install -e '.[docs]'")
    script = ROOT / "notebooks" / "docs" / "pictures.py"
    done = subprocess.run(
        [sys.executable, str(script), "graphs", "--to", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    light, dark = tmp_path / "graphs-light.png", tmp_path / "graphs-dark.png"
    assert _size(light) == _size(dark) == (1120, 620)
    assert light.read_bytes() != dark.read_bytes()
    assert 10_000 < light.stat().st_size < 150_000
