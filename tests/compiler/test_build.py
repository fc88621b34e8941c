"""Machine code: kept, shared, bounded, and a clear sentence where nothing can make it."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from dynamo_lab.compiler import build as building
from dynamo_lab.compiler.build import BuildError, NoCCompiler, build

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.live

SOURCE = "void kernel_of_this_file(float* x) { x[0] = %s; }\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DYNAMO_LAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(building, "_loaded", {})
    return tmp_path / "cache"


def test_equal_texts_are_compiled_once(cache: Path) -> None:
    first, second, other = build([SOURCE % 1, SOURCE % 1, SOURCE % 2])
    assert first is second
    memory = ctypes.c_float(0)
    other(ctypes.byref(memory))
    assert memory.value == 2
    assert len(list(cache.glob("*.so"))) == 2
    assert [path.suffix for path in cache.iterdir()] == [".so", ".so"]


def test_a_library_that_is_kept_is_not_made_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build([SOURCE % 3])
    monkeypatch.setattr(building, "_loaded", {})
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("compiled again"))
    build([SOURCE % 3])


def test_several_processes_make_one_library(cache: Path) -> None:
    code = f"from dynamo_lab.compiler.build import build; build([{SOURCE % 4!r}])"
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert [path.suffix for path in cache.iterdir()] == [".so"]


def test_a_text_that_is_no_c_is_shown(cache: Path) -> None:
    with pytest.raises(BuildError, match="refused a kernel") as caught:
        build(["void kernel_of_this_file() { nonsense; }"])
    assert "nonsense" in caught.value.source
    assert str(cache) not in str(caught.value)
    assert list(cache.iterdir()) == []


def test_without_a_compiler_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    building.compiler.cache_clear()
    try:
        with pytest.raises(NoCCompiler, match="install gcc or clang"):
            building.compiler()
    finally:
        building.compiler.cache_clear()


def test_the_cache_is_bounded(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build([SOURCE % 5])
    (one,) = cache.glob("*.so")
    monkeypatch.setattr(building, "MOST_BYTES", one.stat().st_size * 3)
    for number in range(6, 12):
        build([SOURCE % number])
    assert len(list(cache.glob("*.so"))) <= 3
