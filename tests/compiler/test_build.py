"""Machine code: kept, shared, bounded, and a clear sentence where nothing can make it."""

from __future__ import annotations

import ctypes
import importlib
import os
import platform
import runpy
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pytest
import torch
from msgspec import structs

import dynamo_lab as lab
from dynamo_lab import compiler
from dynamo_lab.compiler import build as building
from dynamo_lab.compiler.backend import compiled
from dynamo_lab.compiler.build import BuildError, NoCCompiler, build
from dynamo_lab.compiler.program import Program
from dynamo_lab.view import build as view

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.live

SOURCE = "void kernel_of_this_file(float* x) { x[0] = %s; }\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DYNAMO_LAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(building, "_made", {})
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
    monkeypatch.setattr(building, "_made", {})
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("compiled again"))
    build([SOURCE % 3])


def test_who_begins_goes_on_and_who_needs_it_waits(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    going, made = threading.Event(), vars(building)["_mapped"]

    def mapped(source: str) -> Any:
        assert going.wait(60)
        return made(source)

    monkeypatch.setattr(building, "_mapped", mapped)
    building.begin([SOURCE % 14])
    assert list(cache.iterdir()) == []
    going.set()
    (run,) = build([SOURCE % 14])
    memory = ctypes.c_float(0)
    run(ctypes.byref(memory))
    assert memory.value == 14


@pytest.mark.slow
def test_several_processes_make_one_library(cache: Path) -> None:
    code = f"from dynamo_lab.compiler.build import build; build([{SOURCE % 4!r}])"
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert [path.suffix for path in cache.iterdir()] == [".so"]


def test_a_text_that_is_no_c_is_shown(cache: Path) -> None:
    for _ in range(2):  # it is asked again, and does not answer what it answered before
        with pytest.raises(BuildError, match="refused a kernel") as caught:
            build(["void kernel_of_this_file() { nonsense; }"])
        assert not vars(building)["_made"]
    assert "nonsense" in caught.value.source
    assert str(cache) not in str(caught.value)
    assert list(cache.iterdir()) == []


def test_what_was_made_is_kept_where_another_is_refused(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread that waits for the same texts is told what became of them."""
    good, bad = SOURCE % 15, "void kernel_of_this_file() { nonsense; }"
    going, made = threading.Event(), vars(building)["_mapped"]
    monkeypatch.setattr(building, "_mapped", lambda source: going.wait(60) and made(source))
    waited = building.begin([good, bad])
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(build, [good, bad]) for _ in range(2)]
        going.set()
        assert [type(one.exception()) for one in asked] == [BuildError, BuildError]
    assert list(vars(building)["_made"]) == [good]
    assert build([good]) == [waited[good].result()]


def test_where_no_process_forks_the_compiler_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "register_at_fork", raising=False)  # as on Windows
    assert runpy.run_path(building.__file__)["NAME"] == building.NAME


def test_an_interrupt_leaves_what_is_being_made(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = building.begin([SOURCE % 16])[SOURCE % 16]
    with monkeypatch.context() as patch:
        patch.setattr(waited, "result", MagicMock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            build([SOURCE % 16])
    assert build([SOURCE % 16]) == [waited.result()]


def test_a_refused_kernel_is_known_by_its_nodes_or_left_to_python(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.sin().sum() + x.cumsum(0)

    monkeypatch.setattr(building, "prelude", lambda: "#error no\n")
    x = torch.randn(5)
    torch.compiler.reset()
    with pytest.raises(BuildError, match=r"refused the kernel of \w*sin\w*, \w*sum"):
        torch.compile(f, backend="lab")(x)
    torch.compiler.reset()
    config: Any = importlib.import_module("torch._dynamo.config")
    with config.patch(suppress_errors=True):
        assert torch.equal(torch.compile(f, backend="lab")(x), f(x))


def refused(x: torch.Tensor) -> torch.Tensor:
    y = x.tanh() * 3
    return y.sum()


@pytest.mark.parametrize("of", ["forward", "backward"])
def test_a_kernel_that_is_refused_in_a_call_has_its_line_and_is_a_finding(
    of: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.compiler.reset()
    run: Any = torch.compile(refused, backend="lab")

    def ends() -> None:
        found = run(torch.randn(5, requires_grad=True)) if of == "backward" else None
        monkeypatch.setattr(building, "prelude", lambda: "#error no\n")
        found.backward() if found is not None else run(torch.randn(5))

    with pytest.raises(BuildError), lab.record() as recorder:
        ends()
    recording, first = recorder.recording, refused.__code__.co_firstlineno
    assert recording.failure
    assert recording.spans[recording.failure.span or 0].line in (first + 1, first + 2)
    (found,) = (one for one in view(recording).findings.found if one.rule == "not-compiled")
    assert found.sentence.startswith("Compiling `refused` failed: BuildError: The C compiler")
    assert "aot_eager" in found.remedy
    eager = structs.replace(recording.failure, type="RuntimeError")
    other = structs.replace(recording, failure=eager)  # the program's own error is none
    assert not [one for one in view(other).findings.found if one.rule == "not-compiled"]


def test_without_a_compiler_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    building.compiler.cache_clear()
    try:
        with pytest.raises(NoCCompiler, match="install gcc or clang"):
            building.compiler()
    finally:
        building.compiler.cache_clear()


def test_what_it_says_to_do_without_a_compiler_works_without_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(building, "compiler", lambda: pytest.fail("asked for a compiler"))
    programs = list[Program]()
    x = torch.randn(5)
    torch.compiler.reset()
    for language, word in (("c", "void"), ("triton", "@triton.jit"), ("metal", "kernel void")):
        with compiled(programs.append):
            run = torch.compile(torch.sin, backend="lab", options={"target": language})
            assert torch.equal(run(x), x.sin())
        assert word in programs[-1].sources[0]
        torch.compiler.reset()


def test_an_unknown_target_is_refused() -> None:
    torch.compiler.reset()
    with pytest.raises(Exception, match="its targets are c, triton, metal"):
        torch.compile(torch.cos, backend="lab", options={"target": "cuda"})(torch.randn(5))
    with pytest.raises(Exception, match="has no option 'max_autotune'"):
        torch.compile(torch.cos, backend="lab", options={"max_autotune": True})(torch.randn(5))


def test_a_library_that_another_process_took_away_is_made_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, found = vars(building)["_library"], list[Any]()

    def library(source: str) -> Path:
        path = made(source)
        found.append(path)
        if len(found) == 1:
            path.unlink()
        return path

    monkeypatch.setattr(building, "_library", library)
    (run,) = build([SOURCE % 13])
    memory = ctypes.c_float(0)
    run(ctypes.byref(memory))
    assert memory.value == 13
    assert len(found) == 2


@pytest.mark.skipif(shutil.which("clang") is None, reason="needs clang")
@pytest.mark.parametrize("links", [True, False])
def test_clang_builds_with_and_without_a_library_of_openmp(
    links: bool, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "clang")
    if not links:
        monkeypatch.setattr(building, "_links", lambda _: False)
    building.compiler.cache_clear()
    building.options.cache_clear()
    torch.compiler.reset()
    try:
        if not links:
            assert "-fopenmp-simd" in building.options()
        x = torch.randn(300, 65)
        run = torch.compile(kinds, backend="lab")
        torch.testing.assert_close(run(x), kinds(x), rtol=1e-5, atol=1e-5)
        assert list(cache.glob("*.so"))
    finally:
        building.compiler.cache_clear()
        building.options.cache_clear()


def kinds(x: torch.Tensor) -> list[torch.Tensor]:
    return [x.softmax(-1), x.half() + 1, x.bfloat16().exp(), x.amax(0), x.sum(), x > 0]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="AVX-512 is x86-64's")
def test_vectors_are_as_wide_as_the_machines() -> None:
    """GCC takes half of AVX-512's unless asked: Inductor, which takes them whole, was faster."""
    text = "void f(float* restrict x) { for (int i = 0; i < 4096; i++) x[i] += 1; }"
    asked = ["-march=skylake-avx512" if o == "-march=native" else o for o in building.options()]
    command = [*building.compiler(), *asked, "-S", "-x", "c", "-", "-o", "-"]
    assert (
        "%zmm"
        in subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    )


def test_the_cache_is_bounded(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build([SOURCE % 5])
    (one,) = cache.glob("*.so")
    monkeypatch.setattr(building, "MOST_BYTES", one.stat().st_size * 3)
    monkeypatch.setattr(building, "LOOK_AGAIN_BYTES", 1)
    for number in range(6, 12):
        build([SOURCE % number])
    assert len(list(cache.glob("*.so"))) <= 3


def test_what_a_process_left_when_it_was_killed_goes(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.mkdir()
    going = vars(building)["_placed"](cache / "killed.so")
    left = going.__enter__().parent
    monkeypatch.setattr(building, "LOOK_AGAIN_BYTES", 1)
    build([SOURCE % 17])
    assert left.exists()  # another process may be at it
    old = time.time() - 4000
    os.utime(left, (old, old))
    build([SOURCE % 18])
    assert not left.exists()
    assert [path.suffix for path in cache.iterdir()] == [".so", ".so"]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_compiler_without_shuffles_turns_blocks_by_loops(
    dtype: torch.dtype, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GCC before 12 has no `__builtin_shufflevector`."""
    asked = "__has_builtin(__builtin_shufflevector)"
    text = building.prelude()
    assert asked in text
    monkeypatch.setenv("DYNAMO_LAB_CACHE", str(tmp_path))
    monkeypatch.setattr(building, "_made", {})
    monkeypatch.setattr(building, "prelude", lambda: text.replace(asked, "0"))
    x = torch.randn(77, 131, dtype=dtype)
    turned = "void kernel_of_this_file(const {t}* restrict x, {t}* restrict y) {{\n"
    turned += "  turned_{n}(x, 131, y, 77, 131, 77);\n}}\n"
    name, size = ("float", 4) if dtype is torch.float32 else ("double", 8)
    (run,) = building.build([turned.format(t=name, n=size)])
    run.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    y = torch.empty(131, 77, dtype=dtype)
    run(x.data_ptr(), y.data_ptr())
    assert torch.equal(y, x.t())


def test_the_threads_are_pytorchs() -> None:
    x, before = torch.randn(300, 300), torch.get_num_threads()
    lab = torch.compile(lambda x: x.tanh() + 1, backend="lab")
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            torch.testing.assert_close(lab(x), x.tanh() + 1)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("fn", [lambda x: x.exp().sum(-1), lambda x: x.softmax(-1)])
def test_threads_share_few_rows_or_each_row(fn: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """A parallel region in another, be it serial, would start new threads at every call."""
    x, before = torch.randn(3, 40_000), torch.get_num_threads()
    lab = torch.compile(fn, backend="lab")
    try:
        for threads in (1, 3, 4):
            torch.set_num_threads(threads)
            torch.testing.assert_close(lab(x), fn(x))
    finally:
        torch.set_num_threads(before)
    (program,) = compiler.programs(fn, x)
    rows, columns = program.sources[0].split("else {")
    assert rows.count("omp parallel") == 1
    assert "    #pragma omp parallel" in rows
    assert all("for simd" in line for line in columns.splitlines() if "omp parallel" in line)
