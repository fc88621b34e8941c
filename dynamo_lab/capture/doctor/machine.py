"""Which requirements of recording, compiling and showing this machine has."""

import ctypes
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from dynamo_lab.model.core.host import text_of, version_of

_PATIENCE = 10.0


class Fact(NamedTuple):
    """One requirement: what was found, and what to do if it is missing.

    `is_needed` says that without it nothing can be recorded or shown.
    """

    name: str
    found: str
    advice: str = ""
    is_needed: bool = False


def facts() -> Iterator[Fact]:
    """What was found, the basics first. `found` is empty if nothing works."""
    gpu, found = _gpu(), compiler()
    yield Fact("Python", platform.python_version())
    yield Fact("PyTorch", _torch(), "install torch 2.11 to 2.15.", is_needed=True)
    yield Fact("Triton", version_of("triton"), "code for GPUs can be shown, not built.")
    yield Fact(
        "C++ compiler",
        found,
        "install g++ or clang++, or say where it is with CXX: kernels for the CPU need one.",
        is_needed=not (gpu and version_of("triton")),
    )
    yield Fact("GPU", gpu, "programs can still be lowered for one: --target cuda:sm_90.")
    yield Fact("JupyterLab", version_of("jupyterlab"), "pip install 'dynamo-lab[lab]'.")
    yield Fact("Jupyter kernel", version_of("ipykernel"), "pip install 'dynamo-lab[lab]'.")
    yield Fact("Widget", _widget(), "pip install anywidget.")
    yield Fact(
        "Front-end",
        _front_end(),
        "it is not built: npm ci && npm run build in dynamo_lab/frontend.",
        is_needed=True,
    )
    yield Fact("JupyterLab extension", _extension(), "cells are not marked: install the package.")
    yield Fact("Graphviz", _first_line("dot", "-V"), "install graphviz to write graphs as SVG.")


def _torch() -> str:
    """PyTorch's release and what it was built for, from its files."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return ""
    told = text_of(Path(spec.origin).with_name("version.py"))
    built = re.search(r"^(cuda|hip)\b[^=]*= ['\"]([\d.]+)", told, re.MULTILINE)
    kind = f"for {built[1].upper()} {built[2]}" if built else "for CPUs"
    return f"{version_of('torch')} {kind}"


def compiler() -> str:
    """The compiler that Inductor would take, if it understands a program."""
    for name in filter(None, (os.environ.get("CXX"), "g++", "clang++", "c++")):
        if shutil.which(name) and _understands(name):
            return _first_line(name, "--version")
    return ""


def _understands(compiler: str) -> bool:
    command = [compiler, "-std=c++17", "-fsyntax-only", "-x", "c++", "-"]
    program = "#include <cmath>\nint main() { return std::abs(0); }\n"
    try:
        done = subprocess.run(
            command, input=program, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _first_line(*command: str) -> str:
    """The first line that a command prints; empty where there is no such command."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return (done.stdout or done.stderr).strip().partition("\n")[0]


def _gpu() -> str:
    """The GPUs that are present, by name if the driver reports it."""
    if sys.platform == "darwin":
        return "Apple GPU (Metal)" if platform.machine() == "arm64" else ""
    named = ", ".join(_cuda_names())
    return named or ("AMD GPU" if Path("/dev/kfd").exists() else "")


def _cuda_names() -> list[str]:
    """The names of NVIDIA's GPUs, from the driver."""
    library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(library)
    except OSError:
        return []
    count = ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return []
    name = ctypes.create_string_buffer(100)
    return [
        name.value.decode() for i in range(count.value) if not driver.cuDeviceGetName(name, 100, i)
    ]


def _widget() -> str:
    version = version_of("anywidget")
    return f"anywidget {version}" if version else ""


def _front_end() -> str:
    assets = files("dynamo_lab") / "render" / "assets"
    return "built" if all((assets / name).is_file() for name in ("page.js", "style.css")) else ""


def _extension() -> str:
    place = Path(sys.prefix, "share", "jupyter", "labextensions", "dynamo-lab", "package.json")
    return "installed" if place.is_file() else ""
