"""Shaders that PyTorch generates, with its own headers, as C++: what a compiler says of them."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import torch

from tests.kernels.metal_on_cpu import INCLUDES, Library

_FLAGS = ["-w", "-fsingle-precision-constant", "-I", str(Path(torch.__file__).parent / "include")]
"""A number such as 2.0 has 32 bits in Metal."""

_BEGIN = "#include <of_torch>\n"


def library(source: str, folder: Path) -> Library:
    """A shader that can be run. Reductions cannot: only some threads of a group call them."""
    return Library(_BEGIN + source, folder, _FLAGS)


def mistakes(sources: Sequence[str]) -> str:
    """What the compiler refuses in shaders, with the line of each; empty where nothing."""
    headers, bodies = dict[str, None](), list[str]()
    for at, source in enumerate(sources):
        lines = source.splitlines()
        headers |= {line: None for line in lines if line.startswith("#include")}
        body = "\n".join("" if line.startswith("#include") else line for line in lines)
        bodies.append(f'namespace shader_{at} {{\n#line 1 "shader {at}"\n{body}\n}}')
    command = ["c++", "-std=c++20", "-fsyntax-only", *_FLAGS, "-I", str(INCLUDES), "-x", "c++", "-"]
    text = "\n".join([_BEGIN, *headers, *bodies])
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.stderr
