"""Machine code: the C compiler that this machine has, and a cache of what it made.

In come the texts of kernels; out come functions. A library is named by the hash of its text, of
the compiler and of its options, so it never changes: it is written beside its place and moved
there, which is safe with several processes and for those that have it mapped.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import logging
import os
import platform
import re
import shutil
import subprocess
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamo_lab.compiler.printers.prelude import has_vector_functions, prelude
from dynamo_lab.errors import DynamoLabError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

log = logging.getLogger(__name__)

NAME = "kernel_of_this_file"
"""What a kernel's text calls its function, before the hash is its name."""

MOST_BYTES = 256 << 20
"""Of files kept; the ones that were used longest ago go first."""

LOOK_AGAIN_BYTES = 4 << 20
"""Written by one process before it looks again at what is kept, which takes 20 us a file."""

LONGEST_SECONDS = 3600
"""No compiler works at one kernel for so long: what is older was left by a process that ended."""

_MAKING = "making-"
_unseen = LOOK_AGAIN_BYTES


class NoCCompiler(DynamoLabError):
    """There is nothing to compile C with."""

    def __init__(self) -> None:
        super().__init__(
            "No C compiler was found: install gcc or clang, or name one in the environment "
            'variable CC. Without one, torch.compile(fn, backend="lab", options={"target": "c"}) '
            'prints the same kernels, "triton" or "metal" those of a GPU, and ATen computes; '
            'backend="aot_eager" runs the same graph by ATen alone.'
        )


class BuildError(DynamoLabError):
    """The C compiler refused a kernel.

    Attributes:
        source: what it was given, the prelude before the kernel.
        message: what it said.
        nodes: those that the kernel computes, where that is known.
        line: of the kernel's text, where it named one.
    """

    def __init__(
        self, message: str, source: str, nodes: Sequence[str] = (), stack: str = ""
    ) -> None:
        found = re.search(r"kernel\.c:(\d+):\d+: (?:fatal )?error: (.*)", message)
        first = f" in line {found[1]} of its text: {found[2]}." if found else ":"
        named = f"the kernel of {', '.join(nodes)}" if nodes else "a kernel"
        whose = f"\nOriginal traceback:\n{stack}" if stack else ""  # as FX tells a node's lines
        super().__init__(f"The C compiler refused {named}{first}\n{message}{whose}")
        self.source, self.message, self.nodes = source, message, tuple(nodes)
        self.line = int(found[1]) if found else None


@functools.cache
def compiler() -> tuple[str, ...]:
    """The command of the C compiler: `CC`, else gcc, else clang."""
    for command in (os.environ.get("CC", ""), "gcc", "clang"):
        words = tuple(command.split())
        if words and shutil.which(words[0]):
            return words
    raise NoCCompiler


@functools.cache
def options() -> tuple[str, ...]:
    """Fast, and with eager's numbers: no product is fused with a sum, integers wrap around."""
    shown = subprocess.run([*compiler(), "--version"], capture_output=True, text=True).stdout
    return (
        "-O3",
        *_of_this_machine(),
        *_threads(shown),
        *_vectors_and_link(shown),
        "-fno-math-errno",
        "-fno-trapping-math",
        "-ffp-contract=off",
        "-fwrapv",
        "-shared",
        "-fPIC",
        "-pipe",
        "-w",
        f"-DCOMPILER_{hashlib.sha256(shown.encode()).hexdigest()[:12]}",
    )


def _vectors_and_link(shown: str) -> tuple[str, ...]:
    """Glibc's functions for vectors; gcc links these alone, which takes two thirds of the time."""
    if not has_vector_functions():
        return ()
    return ("-fveclib=libmvec",) if "clang" in shown else ("-nostdlib", "-fno-use-linker-plugin")


def _libraries() -> list[str]:
    mathematics = ["-lmvec", "-lm"] if has_vector_functions() else ["-lm"]
    return [*mathematics, *(["-lgomp", "-lgcc"] if "-nostdlib" in options() else [])]


def _of_this_machine() -> tuple[str, ...]:
    """Its instructions, and its vectors whole: gcc takes half of AVX-512's unless asked."""
    is_arm = platform.machine() in ("arm64", "aarch64")
    return ("-mcpu=native",) if is_arm else ("-march=native", "-mprefer-vector-width=512")


def _threads(shown: str) -> tuple[str, ...]:
    """OpenMP; where clang has no library for it, its pragmas for vectors alone."""
    apple = platform.system() == "Darwin"
    wanted = ("-Xpreprocessor", "-fopenmp", "-lomp") if apple else ("-fopenmp",)
    if "clang" not in shown or _links(wanted):
        return wanted
    log.warning(
        "%s has no OpenMP library, so kernels run in one thread: install libomp.", compiler()[0]
    )
    return ("-fopenmp-simd",)


def _links(asked: Sequence[str]) -> bool:
    text = (
        "int f(int n) {\n#pragma omp parallel for\nfor (int i = 0; i < 2; i++) n++;\nreturn n; }\n"
    )
    with tempfile.TemporaryDirectory() as work:
        command = [*compiler(), *asked, "-shared", "-fPIC", "-x", "c", "-", "-o", f"{work}/f.so"]
        return not subprocess.run(command, input=text, capture_output=True, text=True).returncode


def folder() -> Path:
    """Where libraries are kept: `DYNAMO_LAB_CACHE`, else the user's cache."""
    chosen = os.environ.get("DYNAMO_LAB_CACHE")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(chosen) if chosen else Path(cache) / "dynamo_lab" / "kernels"


def begin(sources: Sequence[str]) -> dict[str, Future[Any]]:
    """Have the missing ones made, each text once and side by side, while the caller goes on.

    Args:
        sources: C texts that define `NAME`, without the prelude.

    Returns:
        What each text becomes, whatever other threads make of the same texts.

    Raises:
        NoCCompiler: there is none.
    """
    with _lock:
        missing = [source for source in dict.fromkeys(sources) if source not in _made]
        if missing:
            options()  # now, and not by each thread
            folder().mkdir(parents=True, exist_ok=True)
            pool = ThreadPoolExecutor(os.cpu_count() or 1)
            _made.update((source, pool.submit(_mapped, source)) for source in missing)
            pool.shutdown(wait=False)
        return {source: _made[source] for source in sources}


def build(sources: Sequence[str]) -> list[Any]:
    """The functions of these kernels, waited for where they are still being made.

    Raises:
        NoCCompiler: there is none.
        BuildError: it refused a text.
    """
    own = begin(sources)
    try:
        return [own[source].result() for source in sources]
    except BaseException:  # what failed, and that alone, is tried again when it is asked for again
        with _lock:
            for source, made in own.items():
                if made.done() and made.exception() and _made.get(source) is made:
                    del _made[source]
        raise


_made: dict[str, Future[Any]] = {}
"""Functions by the text of their kernel: a process maps each library once."""
_lock = threading.Lock()


def _forget() -> None:
    """A forked process has none of the threads that make them, nor the one that has the lock."""
    global _lock
    _made.clear()
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_forget)


def _mapped(source: str) -> Any:
    """Its function; made again where another process took the library away just now."""
    try:
        return ctypes.CDLL(str(_library(source)))[NAME]
    except OSError:
        return ctypes.CDLL(str(_library(source)))[NAME]


def _library(source: str) -> Path:
    whole = f'{prelude()}#line 1 "kernel.c"\n{source}'
    key = hashlib.sha256("\0".join([*compiler(), *options(), whole]).encode()).hexdigest()[:24]
    library = folder() / f"{key}.so"
    try:
        os.utime(library)  # so that it counts as used now
    except OSError:  # there is none
        pass
    else:
        return library
    with _placed(library) as made:
        written = made.with_name("kernel.c")
        written.write_text(whole)
        command = [*compiler(), *options(), str(written), "-o", str(made), *_libraries()]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            message = done.stderr.replace(f"{made.parent}/", "")
            raise BuildError(message.strip()[:2000], whole)
    return library


def keep(path: Path, content: bytes) -> None:
    """Put a file into the cache whole, whoever else writes the same one."""
    with _placed(path) as made:
        made.write_bytes(content)


@contextlib.contextmanager
def _placed(path: Path) -> Iterator[Path]:
    """Where to write a file that is then moved to its place in the cache."""
    with tempfile.TemporaryDirectory(prefix=_MAKING, dir=folder()) as work:
        made = Path(work, path.name)
        yield made
        size = made.stat().st_size
        made.replace(path)
    _bound(size)


def _bound(written: int) -> None:
    """Keep the cache below its size: looked at first, and whenever so much more was written.

    What processes that ended in the middle were making goes too.
    """
    global _unseen
    _unseen += written
    if _unseen < LOOK_AGAIN_BYTES:
        return
    _unseen = 0
    for left in folder().glob(f"{_MAKING}*"):
        with contextlib.suppress(OSError):  # another process has taken it away
            if time.time() - left.stat().st_mtime > LONGEST_SECONDS:
                shutil.rmtree(left)
    total = 0
    for _, size, library in sorted(_kept(), reverse=True):
        total += size
        if total > MOST_BYTES:
            Path(library).unlink(missing_ok=True)


def _kept() -> Iterator[tuple[float, int, str]]:
    """When each file of the cache was last used, its bytes and its path."""
    with os.scandir(folder()) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):  # another process has taken it away
                if entry.is_file():
                    yield entry.stat().st_mtime, entry.stat().st_size, entry.path
