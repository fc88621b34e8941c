"""Programs that AOTInductor makes no package of, each for one cause.

A source defines `record(lab)`, which catches what is raised, and `package(**changed)`, the call;
a mended one passes `changed`, or replaces a part of the source.
"""

from __future__ import annotations

from typing import NamedTuple

_PROGRAM = """
import contextlib
import os
import pathlib
import torch
import torch._inductor

here = pathlib.Path(__file__).parent

class Model(torch.nn.Module):
    def forward(self, x):
        {body}

def given():
    exported = torch.export.export(Model(), (torch.ones(4, 8),))
    {before}
    return dict(exported_program=exported, package_path=str(here / "model.pt2"), {asked})

def package(**changed):
    return torch._inductor.aoti_compile_and_package(**{{**given(), **changed}}){fault}

def record(lab):
    with lab.record() as recorder, contextlib.suppress(Exception):
        package()
    return recorder.recording
"""


_QUANTIZED = "torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).dequantize()"


class Unpacked(NamedTuple):
    """A program, a part of what its finding says, and what to put in place of what to mend it."""

    source: str
    said: str
    mended: tuple[str, str]


UNBUILT = 'inductor_configs={"aot_inductor.package_cpp_only": True}'
"""Asks for a package of the sources, which no C++ compiler builds first, for ten seconds."""


def _made(asked: str = "", body: str = "return x.sin() + 1", before: str = "") -> str:
    fault = "" if "# fault" in body else "  # fault"
    return _PROGRAM.format(body=body, before=before, asked=asked, fault=fault)


FAULTS: dict[str, Unpacked] = {
    "compiler": Unpacked(
        _made('inductor_configs={"cpp.cxx": (None, "no-such-compiler")}'),
        "None of the C++ compilers that were named works: (None, 'no-such-compiler').",
        ("no-such-compiler", "g++"),
    ),
    "setting": Unpacked(
        _made('inductor_configs={"cpp.max_horizontal_fusion_sizes": 8}'),
        "Inductor has no setting `cpp.max_horizontal_fusion_sizes`.",
        ("fusion_sizes", "fusion_size"),
    ),
    "output_path": Unpacked(
        _made('inductor_configs={"aot_inductor.output_path": "model.so"}'),
        "The setting `aot_inductor.output_path` is not for packages.",
        ('inductor_configs={"aot_inductor.output_path": "model.so"}', ""),
    ),
    "ending": Unpacked(
        _made().replace("model.pt2", "model.so"),
        "has to end in `.pt2`, and `model.so` does not.",
        ("model.so", "model.pt2"),
    ),
    "folder": Unpacked(
        _made(UNBUILT).replace('here / "model.pt2"', 'here / "new" / "model.pt2"'),
        "The folder that `model.pt2` was to be written to does not exist.",
        ("def package", 'os.makedirs(here / "new", exist_ok=True)\n\ndef package'),
    ),
    "not_exported": Unpacked(
        _made(before="exported = Model()"),
        "A package is made of an exported program, and this is of class `Model`.",
        ("exported = Model()", ""),
    ),
    "no_example": Unpacked(
        _made(before="exported.example_inputs = None"),
        "The exported program has no example inputs",
        ("exported.example_inputs = None", "exported.example_inputs = ((torch.ones(4, 8),), {})"),
    ),
    "text": Unpacked(
        _made(body='return x + 1, "sunny"'),
        "The program returns the text 'sunny', and a package returns tensors and numbers.",
        (', "sunny"', ""),
    ),
    "operator": Unpacked(
        _made(body=f"return {_QUANTIZED}  # fault"),
        "AOTInductor stopped while it compiled `aten.quantize_per_tensor.default`: KeyError",
        (_QUANTIZED, "(x / 0.1).round()"),
    ),
}

CLEAN = _made('inductor_configs={"cpp.simdlen": None}').replace("  # fault", "")
