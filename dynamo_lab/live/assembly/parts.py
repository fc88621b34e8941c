"""The kernels of a lowering as files for the device: what can be compiled ahead, without it."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dynamo_lab.errors import AssemblyError
from dynamo_lab.live.assembly.assembly import target_named
from dynamo_lab.model.assembly import Binary, Parts
from dynamo_lab.model.core.files import write_output
from dynamo_lab.view.core.words import listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dynamo_lab.live.session import Session
    from dynamo_lab.model.kernels import Kernel
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.model.targets import Target

_NAMED = 6
_CPP_WRAPPER = "CppWrapperCodeCache"
"""What builds a C++ wrapper, in the module that Inductor writes around it."""
_IN_CPP = (
    "The wrapper is that of torch.compile: C++ with the same library calls, which compiles its "
    "kernels when it is first called."
)


def write(
    recording: Recording, session: Session, folder: str | Path, target: str | None = None
) -> Parts:
    """The files written: see `dynamo_lab.Recording.write_kernels`."""
    chosen = target_named(recording, target)
    if chosen.kind not in ("cuda", "rocm"):
        raise AssemblyError(
            f"Triton compiles no kernels for {chosen.name}: lower the program for a GPU, as in "
            'dynamo_lab.lower(fn, *args, target="cuda:sm_90").'
        )
    if not session.can_assemble:
        raise AssemblyError(
            "Code from a file is not compiled here: call this where the program was lowered."
        )
    where = Path(folder)
    binaries, refused = list[Binary](), list[str]()
    for kernel in recording.kernels:
        if kernel.language == "triton":
            try:
                binaries.append(_compiled(kernel, chosen, where))
            except AssemblyError as error:
                refused.append(str(error))
    parts = Parts(
        target=chosen.name,
        release=recording.environment.torch,
        kernels=tuple(binaries),
        wrappers=tuple(_wrappers(recording, where)),
        missing=(*refused, *_missing(recording, binaries)),
    )
    write_output(where / "parts.json", msgspec.json.format(msgspec.json.encode(parts), indent=2))
    return parts


def _compiled(kernel: Kernel, target: Target, folder: Path) -> Binary:
    from dynamo_lab.capture.assembly.binaries import binary_of

    binary, files = binary_of(kernel, target)
    os.makedirs(folder, exist_ok=True)
    write_output(folder / f"{kernel.name}.py", f"{kernel.code}\n")
    for ending, content in files.items():
        write_output(folder / f"{kernel.name}.{ending}", content)
    return binary


def _wrappers(recording: Recording, folder: Path) -> Iterator[str]:
    os.makedirs(folder, exist_ok=True)
    for wrapper in recording.wrappers:
        name = f"wrapper_{wrapper.id}.py"
        write_output(folder / name, f"{wrapper.code}\n")
        yield name


def _missing(recording: Recording, binaries: Sequence[Binary]) -> Iterator[str]:
    """What is not in the folder, and a program on the device needs."""
    called = Counter(one.name for one in recording.kernels if one.language == "extern")
    if called:
        yield (
            f"{plural(len(called), 'library kernel')}, {listed([*called], _NAMED)}: they are in "
            "the device's own PyTorch."
        )
    if choosing := [one.name for one in binaries if one.tried > 1]:
        yield (
            f"The best block sizes of {listed(choosing, _NAMED)}: the device would time several, "
            "and the first are compiled."
        )
    without = [one.name for one in binaries if not any(_is_binary(file) for file in one.files)]
    if without:
        yield f"Binaries of {listed(without, _NAMED)}: Triton found no assembler for them here."
    in_cpp = any(_CPP_WRAPPER in wrapper.code for wrapper in recording.wrappers)
    yield (
        "The C++ program of AOTInductor: PyTorch writes it after it compiled and ran the kernels "
        f"on the device. {_IN_CPP if in_cpp else 'The wrapper has the same calls in Python.'}"
    )
    yield "The values of parameters and buffers: torch.save(model.state_dict(), ...)."


def _is_binary(file: str) -> bool:
    return file.endswith((".cubin", ".hsaco"))
