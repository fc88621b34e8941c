"""What is done once for a process is counted: builds of headers and hashes, no times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.live

TWICE = """
import json
import torch
import dynamo_lab as lab
from dynamo_lab.view.timings.one_off import one_off

def first(x):
    return x.sin() + 1

def second(x):
    return x.cos() * 2

recorded = [lab.explore(fn, torch.ones(16)) for fn in (first, second)]
print(json.dumps([sorted({one.name for one in one_off(each)}) for each in recorded]))
"""


def _done_once(folder: Path) -> list[set[str]]:
    around = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache")}
    ran = subprocess.run(
        [sys.executable, "-c", TWICE], env=around, cwd=folder, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return [set(names) for names in json.loads(ran.stdout.splitlines()[-1])]


@pytest.mark.slow
def test_a_second_compilation_of_a_process_pays_no_headers_and_hashes(tmp_path: Path) -> None:
    cold, again = _done_once(tmp_path)
    assert "compile_file" in cold
    hashes = cold - {"compile_file"}
    assert hashes
    assert again == set()
    first, second = _done_once(tmp_path)  # of another process, with the same caches
    assert hashes <= first
    assert second == set()
