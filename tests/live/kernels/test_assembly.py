"""Assembling kernels for chips that are not there: structure and lines, never exact text."""

import importlib.util
import platform
import shutil
from pathlib import Path

import pytest
import torch
from torch.nn import functional

import dynamo_lab as lab
from dynamo_lab.api.handle import answer
from dynamo_lab.errors import AssemblyError
from dynamo_lab.model import targets
from dynamo_lab.model.assembly import Assembly
from dynamo_lab.model.kernels import Kernel
from dynamo_lab.model.validate import validate

TRITON = Path(__file__).with_name("triton_kernel.txt")  # as Inductor of torch 2.13 wrote it
needs_triton = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None, reason="Triton is not installed"
)
needs_compiler = pytest.mark.skipif(
    not (shutil.which("g++") and shutil.which("objdump")), reason="there is no g++ or objdump"
)


def assembled(kernel: Kernel, target: str) -> Assembly:
    from dynamo_lab.capture.assembly.assembly import assemble

    found = targets.parse(target)
    assert found is not None
    return assemble(kernel, found)


def written(language: str, code: str) -> Kernel:
    return Kernel(id=0, name="k", language=language, graph=None, wrapper=None, code=code)  # pyright: ignore[reportArgumentType]


def lines_of(code: str, text: str) -> set[int]:
    """The lines of the kernel that hold a text."""
    return {at for at, line in enumerate(code.split("\n"), 1) if text in line}


def reached(assembly: Assembly, level: str, instruction: str) -> set[int]:
    """The lines of the kernel that the instructions of a name belong to."""
    shown = next(one for one in assembly.levels if one.name == level)
    rows = shown.text.split("\n")
    return {of for at, of in shown.lines if instruction in rows[at - 1]}


@needs_triton
@pytest.mark.parametrize("target", ["cuda:sm_80", "cuda:sm_90", "cuda:sm_100"])
def test_triton_down_to_nvidias_instructions(target: str) -> None:
    code = TRITON.read_text()
    made = assembled(written("triton", code), target)
    assert [level.name for level in made.levels][:4] == ["TTIR", "TTGIR", "LLVM IR", "PTX"]
    loads, stores = lines_of(code, "tl.load("), lines_of(code, "tl.store(")
    reductions = lines_of(code, "tl.sum(") | lines_of(code, ".max2(")
    assert reached(made, "TTIR", "tt.load") == loads
    assert reached(made, "PTX", "ld.global") == loads
    assert reached(made, "PTX", "st.global") == stores
    shuffled = reached(made, "PTX", "shfl.") | reached(made, "PTX", "redux.")
    assert shuffled == reductions  # inlined: their caller's line
    if "SASS" in {level.name for level in made.levels}:
        assert reached(made, "SASS", "STG") == stores
        assert made.resources.registers
        assert made.resources.spills == 0
        assert made.resources.occupancy == 1.0
    assert "XBLOCK" in made.chosen


@needs_triton
def test_triton_down_to_amds_instructions() -> None:
    code = TRITON.read_text()
    made = assembled(written("triton", code), "rocm:gfx942")
    assert [level.name for level in made.levels] == ["TTIR", "TTGIR", "LLVM IR", "AMDGCN"]
    assert reached(made, "AMDGCN", "_load_dword") >= lines_of(code, "tl.load(")
    assert made.resources.registers
    assert made.resources.scalar_registers
    assert made.resources.threads
    assert made.resources.occupancy == 1.0


@needs_triton
def test_noise_is_left_out() -> None:
    for level in assembled(written("triton", TRITON.read_text()), "cuda:sm_90").levels:
        for noise in ("#loc", "!dbg", ".loc", "dynamo_lab", "DWARF", ".section"):
            assert noise not in level.text


@needs_triton
def test_nothing_stays_behind() -> None:
    import sys

    from torch._inductor.runtime import triton_helpers

    before = triton_helpers.set_driver_to_gpu
    assembled(written("triton", TRITON.read_text()), "cuda:sm_90")
    assert triton_helpers.set_driver_to_gpu is before
    assert "dynamo_lab_kernel" not in sys.modules
    assert torch.cuda.is_available() == bool(torch.cuda.device_count())


@needs_triton
def test_a_kernel_that_triton_refuses() -> None:
    code = TRITON.read_text().replace("tl.load(", "tl.no_such_thing(", 1)
    with pytest.raises(AssemblyError, match="Triton does not compile k for cuda:sm_90"):
        assembled(written("triton", code), "cuda:sm_90")


@pytest.mark.parametrize(
    ("language", "target", "sentence"),
    [
        ("metal", "mps", "only on a Mac"),
        ("extern", "cpu", "no generated code"),
        ("triton", "cpu", "which is not for cpu: use cuda:sm_90"),
        ("cpp", "cuda:sm_90", "which is not for cuda:sm_90: use cpu"),
    ],
)
def test_what_has_no_assembler(language: str, target: str, sentence: str) -> None:
    with pytest.raises(AssemblyError, match=sentence):
        assembled(written(language, "code"), target)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="this is about another processor")
def test_another_processor_is_refused() -> None:
    with pytest.raises(AssemblyError, match="builds for x86_64"):
        assembled(written("cpp", "code"), "cpu:neon")


def head(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    y = functional.gelu(x)
    return torch.softmax(y * w, -1)


def inputs() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(64, 128), torch.randn(128)


@pytest.mark.slow
@needs_compiler
def test_cpp_down_to_machine_code() -> None:
    recording = lab.lower(head, *inputs(), target="cpu")
    (kernel,) = [kernel for kernel in recording.kernels if kernel.language == "cpp"]
    made = recording.assembly(kernel.id)
    (level,) = made.levels
    assert level.name == platform.machine().replace("_", "-")
    reached = {of for _, of in level.lines}
    computes = lines_of(kernel.code, ".erf()") | lines_of(kernel.code, ".exp")
    assert computes
    assert computes <= reached  # inlined from PyTorch's headers, but told where they are called
    assert max(reached) <= kernel.code.count("\n") + 1
    assert "call   omp_get_thread_num" in level.text or "omp" not in kernel.code
    with pytest.raises(AssemblyError, match="relower"):
        recording.assembly(kernel.id, "cpu:scalar")


@needs_compiler
def test_a_cpp_kernel_that_does_not_compile() -> None:
    with pytest.raises(AssemblyError, match=r"refuses the kernel: .*error"):
        assembled(written("cpp", "int main( {"), "cpu")


@needs_triton
def test_assemblies_are_kept_where_asked_for(tmp_path: Path) -> None:
    recording = lab.lower(head, *inputs(), target="cuda:sm_90", assembly=True)
    assert recording.failure is None
    assert validate(recording) is None
    triton = [kernel.id for kernel in recording.kernels if kernel.language == "triton"]
    assert [one.kernel for one in recording.assemblies] == triton
    assert recording.program() is not None
    recording.save(tmp_path / "run.json.gz")
    assert lab.load(tmp_path / "run.json.gz").assemblies == recording.assemblies
    assert lab.lower(head, *inputs(), target="cuda:sm_90").assemblies == ()


@needs_triton
def test_a_view_asks_for_another_gpu() -> None:
    recording = lab.lower(head, *inputs(), target="cuda:sm_90")
    kernel = next(kernel.id for kernel in recording.kernels if kernel.language == "triton")
    found = answer(recording, "assembly", {"kernel": kernel, "target": "rocm:gfx942"})
    assert [level["name"] for level in found["answer"]["levels"]][-1] == "AMDGCN"
    refused = answer(recording, "assembly", {"kernel": 99, "target": ""})
    assert refused["error"].startswith("There is no kernel 99")


def test_without_an_assembler_a_note_says_so() -> None:
    recording = lab.lower(head, *inputs(), target="mps", assembly=True)
    assert recording.assemblies == ()
    assert any(note.about == "assembly" and "Mac" in note.message for note in recording.notes)


COUNTED = """
.file 1 "/tmp/k.py"
.loc 1 33 12
mul.lo %r1, %r2, 4;
// begin inline asm
.loc 1 33 12
mov.u32 %r12, %r16;
.loc 1 34 12
ld.global.b32 %r12, [ %rd4 ];
// end inline asm
mov.b32 %r17, 0;
.loc 1 36 5
add.s32 %r3, %r12, 1;
"""


def test_inline_assembly_is_of_one_line_though_llvm_counts_its_instructions() -> None:
    from dynamo_lab.capture.assembly.listings import ptx_lines

    rows, lines = COUNTED.split("\n"), ptx_lines(COUNTED, "k.py")
    named = {rows[at - 1].partition(" ")[0]: of for at, of in lines.items()}
    assert named["ld.global.b32"] == named["mov.u32"] == named["mov.b32"] == 33
    assert named["add.s32"] == 36
