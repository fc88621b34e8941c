"""`torch.mps.compile_shader` for machines without a Mac's GPU: shaders as C++, thread by thread.

Metal's language is C++, so a compiler that is told what Metal adds (metal/metal_stdlib) builds a
shader and finds its mistakes of syntax, names and types; running it finds mistakes of what threads
share. What it does not show is how fast a shader is, or what Apple's compiler thinks of it.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

INCLUDES = Path(__file__).parent / "metal"
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-attributes", "-Wno-unknown-pragmas"]
PLACES = {
    "threadgroup_position_in_grid": ("group_x", "group_y"),
    "thread_position_in_grid": ("group_x * width + at", "group_y"),
    "thread_position_in_threadgroup": ("at", "0"),
    "thread_index_in_simdgroup": ("at % 32", "0"),
    "simdgroup_index_in_threadgroup": ("at / 32", "0"),
}


class Library:
    """A shader, built: each kernel in it is a function, as in PyTorch's."""

    def __init__(self, source: str, folder: Path, warnings: Sequence[str] = WARNINGS) -> None:
        kernels = re.findall(r"^kernel void (\w+)\((.*?)\) \{", source, re.DOTALL | re.MULTILINE)
        shared = re.sub(r"^( +)threadgroup (?=float \w+\[)", r"\1static ", source, flags=re.M)
        path = folder / "shader.cpp"
        path.write_text(shared + "".join(_entry(name, text) for name, text in kernels))
        library = path.with_suffix(".so")
        command = ["c++", "-std=c++20", "-O1", *warnings, "-I", str(INCLUDES), "-pthread"]
        command += ["-shared", "-fPIC", str(path), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        self._built = ctypes.CDLL(str(library))

    def __getattr__(self, name: str) -> Any:
        def launch(*args: Any, threads: Any, group_size: Any = 1) -> None:
            across, down = threads if isinstance(threads, tuple) else (threads, 1)
            width, height = group_size if isinstance(group_size, tuple) else (group_size, 1)
            assert across % width == 0
            assert height == 1
            packed = [_packed(argument) for argument in args]
            pointers = (ctypes.c_void_p * len(packed))(
                *(
                    p.value if isinstance(p, ctypes.c_void_p) else ctypes.addressof(p)
                    for p in packed
                )
            )
            getattr(self._built, f"launch_{name}")(pointers, across // width, down, width)

        return launch


def _packed(argument: Any) -> Any:
    """As PyTorch passes it: a whole number has 64 bits, another 32."""
    if isinstance(argument, torch.Tensor):
        return ctypes.c_void_p(argument.data_ptr())
    return ctypes.c_int64(argument) if isinstance(argument, int) else ctypes.c_float(argument)


def _entry(name: str, parameters: str) -> str:
    """A function that calls a kernel for each thread of each group."""
    values = ", ".join(_value(at, text) for at, text in enumerate(parameters.split(",")))
    return f"""
extern "C" void launch_{name}(void** given, uint groups_x, uint groups_y, uint width) {{
    for (uint group_y = 0; group_y < groups_y; ++group_y)
        for (uint group_x = 0; group_x < groups_x; ++group_x)
            together(width, [&](uint at) {{ (void)at; {name}({values}); }});
}}
"""


def _value(at: int, parameter: str) -> str:
    words = " ".join(parameter.split())
    if place := re.search(r"(uint2?) \w+ \[\[(\w+)\]\]", words):
        x, y = PLACES[place[2]]
        return f"uint2{{{x}, {y}}}" if place[1] == "uint2" else x
    kind = re.sub(r"^(device|constant) ", "", words.rpartition(" ")[0])
    if kind.endswith("&"):
        return f"*static_cast<const {kind[:-1]}*>(given[{at}])"
    return f"static_cast<{kind}>(given[{at}])"
