"""Kernels compiled for a GPU that is not here, as files, and what is said to be missing."""

import json
from pathlib import Path

import pytest
import torch

import dynamo_lab as lab
from dynamo_lab.errors import AssemblyError

pytest.importorskip("triton")


def f(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return torch.relu(x @ w) + 1


@pytest.fixture(scope="module")
def lowered() -> lab.Recording:
    return lab.lower(f, torch.randn(16, 16), torch.randn(16, 16), target="cuda:sm_90", grad=False)


def test_each_kernel_has_its_text_its_assembly_and_its_binary(
    lowered: lab.Recording, tmp_path: Path
) -> None:
    parts = lowered.write_kernels(tmp_path / "parts")
    (kernel,) = parts.kernels
    assert {file.rpartition(".")[2] for file in kernel.files} == {"py", "ptx", "cubin"}
    assert all((tmp_path / "parts" / file).stat().st_size for file in kernel.files)
    ptx = (tmp_path / "parts" / f"{kernel.name}.ptx").read_text()
    assert f".entry {kernel.entry}(" in ptx
    assert ".target sm_90" in ptx
    assert (tmp_path / "parts" / f"{kernel.name}.cubin").read_bytes()[:4] == b"\x7fELF"
    assert kernel.block_sizes["XBLOCK"] > 0
    assert kernel.threads % 32 == 0
    wrapper = (tmp_path / "parts" / parts.wrappers[0]).read_text()
    assert kernel.name in wrapper
    kept = json.loads((tmp_path / "parts" / "parts.json").read_text())
    assert kept["missing"] == [*parts.missing]


def test_what_is_missing_is_named(lowered: lab.Recording, tmp_path: Path) -> None:
    told = "\n".join(lowered.write_kernels(tmp_path).missing)
    assert "1 library kernel, extern_kernels.mm" in told
    alone = lab.lower(torch.sin, torch.ones(8), target="rocm:gfx942", grad=False)
    parts = alone.write_kernels(tmp_path / "amd")
    assert "library kernel" not in "\n".join(parts.missing)
    assert {file.rpartition(".")[2] for file in parts.kernels[0].files} == {"py", "amdgcn", "hsaco"}


def test_a_wrapper_in_cpp_is_told_from_the_program_of_aotinductor(tmp_path: Path) -> None:
    options = {"cpp_wrapper": True}
    x, w = torch.randn(16, 16), torch.randn(16, 16)
    lowered = lab.lower(f, x, w, target="cuda:sm_90", grad=False, options=options)
    parts = lowered.write_kernels(tmp_path)
    text = (tmp_path / parts.wrappers[0]).read_text()
    assert "#include" in text
    assert "aoti_torch_cuda_mm_out(" in text
    assert f"call_{parts.kernels[0].name}(" in text
    told = "\n".join(parts.missing)
    assert "compiles its kernels when it is first called" in told
    assert "in Python" not in told


def test_what_is_not_for_a_gpu_or_was_loaded_is_refused(
    lowered: lab.Recording, tmp_path: Path
) -> None:
    with pytest.raises(AssemblyError, match="lower the program for a GPU"):
        lab.lower(torch.sin, torch.ones(8), target="cpu").write_kernels(tmp_path)
    lowered.save(tmp_path / "run.json.gz")
    with pytest.raises(AssemblyError, match="from a file"):
        lab.load(tmp_path / "run.json.gz").write_kernels(tmp_path)
