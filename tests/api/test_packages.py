"""Packages that were made anywhere: read as text, within bounds, and never run."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

import dynamo_lab as lab
from dynamo_lab.__main__ import main
from dynamo_lab.capture.packages import archive
from dynamo_lab.errors import OptionError, PackageError
from dynamo_lab.model.packages import Constant

if TYPE_CHECKING:
    from pathlib import Path

WRAPPER = r"""
extern "C"  void  cpp_fused_gelu_0(float* in_out_ptr0,
                       float* out_ptr0);
static inline void call_triton_poi_fused_1(
    const in_ptr0_type_& in_ptr0
){
    /*
    async_compile.triton('triton_poi_fused_1', '''
    @triton.jit
    def triton_poi_fused_1(in_ptr0, xnumel, XBLOCK : tl.constexpr):
        pass
    ''', device_str='cuda')
    */
}
AOTInductorModel::AOTInductorModel() {
    inputs_info_[0].name = "arg5_1";
    constants_info_[0].name = "a_weight";
    constants_info_[0].dtype = cached_torch_dtype_float32;
    constants_info_[0].device_type = cached_torch_device_type_cpu;
    constants_info_[0].data_size = 2048;
    constants_info_[0].from_folded = false;
    constants_info_[0].type = static_cast<int32_t>(torch::aot_inductor::ConstantType::Parameter);
    constants_info_[0].shape = {32, 16};
    constants_info_[0].original_fqn = "a.\"weight\"";
    constants_info_[1].name = "_FOLDED_CONST_0";
    constants_info_[1].dtype = cached_torch_dtype_bfloat16;
    constants_info_[1].from_folded = true;
    constants_info_[1].shape = {};
    outputs_info_[0].name = "output0";
}
void AOTInductorModel::run_impl() {
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cpu_addmm_out(buf0, a_bias, arg5_1));
    cpp_fused_gelu_0((float*)(buf1.data_ptr()), (float*)(buf2.data_ptr()));
    call_triton_poi_fused_1(buf1, this->device_idx_, stream);
    AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_cpu_addmm_out(buf3, buf2, buf1));
    cpp_fused_gelu_0((float*)(buf3.data_ptr()), (float*)(buf4.data_ptr()));
}
// Compile cmd
// g++ /home/me/c1.wrapper.cpp -O1 -march=native -I/home/me/include -o /home/me/c1.o
"""
KERNEL = """
extern "C"  void  cpp_fused_gelu_0(float* in_out_ptr0,
                       float* out_ptr0)
{
    {
        out_ptr0[0] = in_out_ptr0[0];
    }
}
"""
PLACE = "model/data/aotinductor/model"


def written(path: Path, files: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(name, content)
    return path


@pytest.fixture
def package(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        f"{PLACE}/c1.wrapper.cpp": WRAPPER,
        f"{PLACE}/c2.kernel.cpp": KERNEL,
        f"{PLACE}/c1.wrapper_metadata.json": '{"AOTI_DEVICE_KEY": "cpu", "AOTI_WIDTH": 8}',
        f"{PLACE}/c1.wrapper.so": b"\x7fELF" * 10,
        f"{PLACE}/c3.cubin": b"cubin",
        "model/archive_format": "pt2",
    }
    return written(tmp_path / "model.pt2", files)


def test_kernels_are_read_with_their_code_and_the_lines_that_call_them(package: Path) -> None:
    recording = lab.open_package(package)
    lines = WRAPPER.split("\n")
    told = {k.name: (k.language, k.calls, lines[(k.line or 0) - 1]) for k in recording.kernels}
    assert told["cpp_fused_gelu_0"][:2] == ("cpp", 2)
    assert told["triton_poi_fused_1"][:2] == ("triton", 1)
    assert told["aoti_torch_cpu_addmm_out"][:2] == ("extern", 2)
    for name, (_, _, line) in told.items():
        assert f"{name}(buf" in line or f"{name}((float*)(buf1" in line
    codes = {kernel.name: kernel.code for kernel in recording.kernels}
    assert codes["triton_poi_fused_1"].startswith("@triton.jit\ndef triton_poi_fused_1")
    assert codes["cpp_fused_gelu_0"] == KERNEL.strip()


def test_constants_are_what_the_constructor_says(package: Path) -> None:
    [found] = lab.open_package(package).packages
    weight, folded = found.constants
    assert weight == Constant(
        name="a_weight",
        source='a."weight"',
        role="Parameter",
        dtype="float32",
        shape=(32, 16),
        bytes=2048,
        device="cpu",
    )
    assert (folded.folded, folded.shape, folded.source) == (True, (), "")
    assert (found.inputs, found.outputs) == (("arg5_1",), ("output0",))
    assert found.facts == {"AOTI_DEVICE_KEY": "cpu", "AOTI_WIDTH": "8"}
    assert found.flags == ("-O1", "-march=native")  # and not where it was built
    kinds = {file.path: file.kind for file in found.files}
    assert kinds == {
        "c1.wrapper.cpp": "wrapper",
        "c2.kernel.cpp": "kernels",
        "c1.wrapper_metadata.json": "metadata",
        "c1.wrapper.so": "library",
        "c3.cubin": "binary",
        "archive_format": "other",
    }


def test_a_file_of_several_models_is_a_package_each(tmp_path: Path) -> None:
    path = written(
        tmp_path / "two.pt2",
        {
            "data/aotinductor/encoder/c.wrapper.cpp": WRAPPER,
            "data/aotinductor/decoder/c.wrapper.cpp": WRAPPER,
        },
    )
    recording = lab.open_package(path)
    assert [item.model for item in recording.packages] == ["encoder", "decoder"]
    assert {kernel.wrapper for kernel in recording.kernels} == {0, 1}
    recording.save(tmp_path / "two.json")
    assert lab.load(tmp_path / "two.json") == recording


def test_the_command_shows_it_and_keeps_it(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, kept = tmp_path / "out.html", tmp_path / "out.json"
    assert main(["package", str(package), "--html", str(page), "--json", str(kept)]) == 0
    assert 'a."weight"' in capsys.readouterr().out
    assert "<html" in page.read_text(encoding="utf-8")
    assert main(["show", str(kept), "--section", "package"]) == 0
    assert main(["package", str(tmp_path / "nope.pt2")]) == 2


def test_reading_imports_no_torch(package: Path) -> None:
    code = (
        "import sys, dynamo_lab\n"
        f"print(dynamo_lab.open_package({str(package)!r}))\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


class TestHostile:
    def test_names_that_lead_elsewhere_are_text(self, tmp_path: Path) -> None:
        names = ["../../../../etc/passwd", "/root/x", "C:\\x", "</script>\x1b[31m"]
        files: dict[str, str | bytes] = {f"{PLACE}/{name}.cubin": b"" for name in names}
        path = written(tmp_path / "model.pt2", files)
        before = sorted(tmp_path.rglob("*"))
        recording = lab.open_package(path)
        assert len(recording.packages[0].files) == len(names)
        assert "\x1b" not in str(recording)
        assert sorted(tmp_path.rglob("*")) == before

    def test_a_bomb_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archive, "MAX_TEXT", 100_000)
        path = written(tmp_path / "model.pt2", {f"{PLACE}/c.wrapper.cpp": b" " * 10_000_000})
        assert path.stat().st_size < 100_000
        with pytest.raises(PackageError, match="MB of code: it is not read"):
            lab.open_package(path)

    def test_too_many_files_are_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(archive, "MAX_FILES", 3)
        path = written(tmp_path / "model.pt2", {f"{PLACE}/{i}.cubin": b"" for i in range(4)})
        with pytest.raises(PackageError, match="more than the 3 files"):
            lab.open_package(path)

    @pytest.mark.parametrize(
        "text",
        [
            "constants_info_[999999].shape = {" + "9" * 5000 + "};",
            'constants_info_[0].name = "\\',
            'extern "C" void f(' * 2000,
            "async_compile.triton('a', '''" * 2000,
            "aoti_torch_cpu_x(" * 2000,
            "\x00\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
        ],
    )
    def test_code_that_is_none_reads_as_text(self, tmp_path: Path, text: str) -> None:
        path = written(tmp_path / "model.pt2", {f"{PLACE}/c.wrapper.cpp": text})
        recording = lab.open_package(path)
        recording.save(tmp_path / "out.json")
        assert lab.load(tmp_path / "out.json") == recording
        assert str(recording)

    @pytest.mark.parametrize(
        "piece",
        [
            "constants_info_[0].a = ",
            'extern "C" void f(',
            'extern "C" void f(\n',
            'extern "C" void f(){',
            'extern "C" void f(){\n',
            "async_compile.triton('a', '''",
            "aoti_torch_cpu_x(",
            "static f(",
            "a",
            "a.",
        ],
    )
    def test_the_time_it_takes_grows_with_the_file_alone(self, tmp_path: Path, piece: str) -> None:
        """Two million characters: what took their square would not end."""
        text = piece * (2_000_000 // len(piece))
        path = written(tmp_path / "model.pt2", {f"{PLACE}/c.wrapper.cpp": text})
        [kept] = archive.read(path)
        assert sum(len(kernel.code) for kernel in kept.kernels) <= len(text)

    @pytest.mark.parametrize("facts", ["[1]", "{", '{"a": {"b": 1}}', "[" * 5000])
    def test_facts_that_are_none_are_passed_over(self, tmp_path: Path, facts: str) -> None:
        path = written(tmp_path / "model.pt2", {f"{PLACE}/c_metadata.json": facts})
        assert lab.open_package(path).packages[0].facts == {}

    def test_damage_is_said(self, package: Path, tmp_path: Path) -> None:
        whole = package.read_bytes()
        for at in range(0, len(whole), 7):
            damaged = bytearray(whole)
            damaged[at] ^= 0xFF
            package.write_bytes(bytes(damaged))
            with contextlib.suppress(PackageError):
                lab.open_package(package)
        package.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(PackageError, match="is damaged or not a package"):
            lab.open_package(package)
        with pytest.raises(PackageError, match="has no compiled model"):
            lab.open_package(written(tmp_path / "exported.pt2", {"archive_format": "pt2"}))
        with pytest.raises(PackageError, match="There is no file"):
            lab.open_package(tmp_path / "nope.pt2")
        with pytest.raises(PackageError, match="cannot be read"):
            lab.open_package(tmp_path)


@pytest.mark.parametrize(
    ("model", "path", "sentence"),
    [
        (3, "model.pt2", "cannot be exported: pass an nn.Module"),
        (None, "model.zip", 'whose name ends in ".pt2"'),
        (None, "no/where/model.pt2", "there is no such folder"),
    ],
)
def test_what_cannot_be_packaged_is_refused_at_once(
    model: object, path: str, sentence: str
) -> None:
    with pytest.raises(OptionError, match=sentence):
        lab.package(model, path=path)
