"""Where ATen's kernels are, by PyTorch's own list: `native_functions.yaml`.

Every wheel has the list in `torchgen`, whichever devices it was built for; the dispatcher knows
kernels only of those. The list is written by hand and in few forms, so that no YAML parser, which
PyTorch does not depend on, is needed to read it.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.model.decompositions import Device, Native

ROOT = Path(torch.__file__).parent.parent
LIST = ROOT / "torchgen/packaged/ATen/native/native_functions.yaml"

_ENTRY = re.compile(r"^- func: ([\w.]+)\(.*(?:\n +\S.*)*", re.MULTILINE)
_DISPATCH = re.compile(r"^  dispatch:.*((?:\n    .*)*)", re.MULTILINE)
_KERNEL = re.compile(r"^    ([A-Z]\w*(?:, *[A-Z]\w*)*):", re.MULTILINE)
_DELEGATE = re.compile(r"^  structured_delegate: ([\w.]+)", re.MULTILINE)
_INNER_LOOP = re.compile(r"^  ufunc_inner_loop:", re.MULTILINE)
_GENERATED = re.compile(r"^  autogen: (.*)", re.MULTILINE)

_KEYS: dict[Device, str] = {"cpu": "CPU", "cuda": "CUDA", "mps": "MPS"}
"""PyTorch's dispatch key of each device, for dense tensors."""

_COMPOSED = frozenset(
    {
        "CompositeImplicitAutograd",
        "CompositeExplicitAutograd",
        "CompositeExplicitAutogradNonFunctional",
    }
)

_OF_INNER_LOOPS = frozenset({"CPU", "CUDA"})
"""What PyTorch generates kernels for of a function whose inner loop is all that is written."""


@functools.cache
def native_functions() -> dict[str, tuple[int, str]]:
    """For each ATen function, `add.Tensor`, the line of its entry and the entry."""
    if not LIST.is_file():
        return {}
    text = LIST.read_text(encoding="utf-8")
    found: dict[str, tuple[int, str]] = {}
    line, at = 1, 0
    for entry in _ENTRY.finditer(text):
        line, at = line + text.count("\n", at, entry.start()), entry.start()
        found[entry[1]] = (line, entry[0].rstrip())
    return found


def native_on(function: str, device: Device) -> Native:
    """Where the kernel of an ATen function, `add.Tensor`, is on a device."""
    keys = _keys().get(function)
    if keys is None:
        return "unlisted"
    if _KEYS[device] in keys:
        return "kernel"
    if keys & _COMPOSED:
        return "composed"
    return "host" if _KEYS["cpu"] in keys else "elsewhere"


@functools.cache
def _keys() -> dict[str, frozenset[str]]:
    """The dispatch keys that each function has kernels for, generated functions included."""
    entries = {name: text for name, (_, text) in native_functions().items()}
    return {
        **{name: generated for text in entries.values() for name, generated in _made_of(text)},
        **{name: _of_entry(text, entries) for name, text in entries.items()},
    }


def _made_of(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The variants that PyTorch generates of a function: they call it, on any device."""
    found = _GENERATED.search(text)
    for name in found[1].split(",") if found else ():
        yield name.strip(), frozenset({"CompositeExplicitAutograd"})


def _of_entry(text: str, entries: dict[str, str]) -> frozenset[str]:
    if delegate := _DELEGATE.search(text):  # its kernels are those of the variant with `out`
        return _of_entry(entries[delegate[1]], entries)
    found = _DISPATCH.search(text)
    generated = _OF_INNER_LOOPS if _INNER_LOOP.search(text) else frozenset[str]()
    if not found:
        return generated or frozenset({"CompositeImplicitAutograd"})  # as native/README.md has it
    listed = _KERNEL.findall(found[1])
    return generated | {key.strip() for keys in listed for key in keys.split(",")}
