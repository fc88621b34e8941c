"""Where PyTorch's list says that kernels are, against its dispatcher and its generator of code."""

from pathlib import Path
from typing import Any

import pytest
import torch
import torchgen
from msgspec.structs import replace
from torchgen.gen import parse_native_yaml
from torchgen.model import DispatchKey

import dynamo_lab as lab
from dynamo_lab.capture.decompositions.natives import native_functions, native_on
from dynamo_lab.errors import OptionError

LIST = Path(torchgen.__file__).parent / "packaged/ATen/native"


def test_for_the_cpu_the_dispatcher_says_the_same_of_every_function() -> None:
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    differ = [
        name
        for name in native_functions()
        if has_kernel(f"aten::{name}", "CPU") != (native_on(name, "cpu") == "kernel")
    ]
    assert len(native_functions()) > 2000
    assert differ == []


@pytest.mark.long
def test_for_mps_and_cuda_torchgen_says_the_same_of_every_function() -> None:
    parsed = parse_native_yaml(str(LIST / "native_functions.yaml"), str(LIST / "tags.yaml"))
    of_name = {str(f.func.name): f for f in parsed.native_functions}
    keys: dict[Any, DispatchKey] = {"mps": DispatchKey.MPS, "cuda": DispatchKey.CUDA}
    for device, key in keys.items():
        index = parsed.backend_indices[key]
        for name in native_functions():
            function = of_name[name]
            delegate = function.structured_delegate
            if function.ufunc_inner_loop or (delegate and of_name[str(delegate)].ufunc_inner_loop):
                continue  # whose kernels it makes elsewhere
            has_kernel = index.has_kernel(of_name[str(delegate)] if delegate else function)
            assert (native_on(name, device) == "kernel") == has_kernel, name


def test_a_generated_variant_calls_the_function() -> None:
    assert native_on("adaptive_max_pool3d", "mps") == "host"
    assert native_on("celu.out", "mps") == "composed"
    assert native_on("no_such_function", "mps") == "unlisted"


def test_the_census_names_what_has_no_kernel() -> None:
    found = lab.atlas().on("mps")
    assert "adaptive_max_pool3d*" in found.view.without
    assert "logit_*" in found.view.partly
    assert not {"relu", "mm", "logit*"} & {*found.view.without}
    assert sum(row.functions for row in found.view.rows) == len(native_functions())
    assert "adaptive_max_pool3d*" in str(found)
    assert "<code>adaptive_max_pool3d*</code>" in found._repr_mimebundle_()["text/html"]
    assert "mps: a kernel on the CPU only" in str(lab.atlas()["aten.adaptive_max_pool3d"])
    with pytest.raises(OptionError, match="no kernels for 'tpu'"):
        lab.atlas().on("tpu")  # pyright: ignore[reportArgumentType]


def test_a_call_without_a_kernel_is_a_note_at_its_line() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.linalg.eigvals(x.relu()).abs() + 1

    recording = lab.lower(f, torch.rand(4, 4), target="mps", grad=False)
    (note,) = [note for note in recording.notes if note.about == "kernel"]
    assert "linalg_eigvals" in note.message or "linalg_eig" in note.message
    assert note.graph is not None
    of_program = lab.atlas().of(recording)
    lacking = dict(of_program.view.lacking)
    assert lacking["Called by the compiled program, a kernel on the CPU only"] == ("linalg_eig",)
    assert "linalg_eig" in lacking["Called by the program, a kernel on the CPU only"]
    assert sum(row.called for row in of_program.view.rows) > 2
    assert "ATen's kernels on mps for f" in str(of_program)
    assert "<code>linalg_eig</code>" in of_program._repr_mimebundle_()["text/html"]
    environment = replace(recording.environment, torch="2.9.0")
    with pytest.raises(OptionError, match=r"PyTorch 2\.9\.0 recorded this"):
        lab.atlas().of(replace(recording, environment=environment))


def test_a_copy_to_the_cpu_is_told_and_no_other() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.sin().to(torch.float16).cpu() + 1

    (note,) = lab.lower(f, torch.rand(4), target="cuda:sm_90", grad=False).notes
    assert note.about == "copy"
    assert "`cpu()`" in note.message
    assert note.node is not None
