"""Packages that are made here: recorded as they are compiled, and run from Python and C++."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils import cpp_extension

import dynamo_lab as lab
from dynamo_lab.view import build

pytestmark = [pytest.mark.live, pytest.mark.slow]

EXAMPLE = Path(__file__).parents[2] / "notebooks" / "run_in_cpp"
PAGE = EXAMPLE.parent / "docs" / "views" / "package.md"


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(16, 32)
        self.outer = torch.nn.Linear(32, 4)
        self.register_buffer("scale", torch.full((4,), 2.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.nn.functional.gelu(self.inner(x))
        return self.outer(hidden).softmax(-1) * self.scale


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, torch.Tensor, Path, lab.Recording]:
    torch.manual_seed(0)
    model, x = Model().eval(), torch.randn(8, 16)
    path = tmp_path_factory.mktemp("package") / "model.pt2"
    return model, x, path, lab.package(model, x, path=path)


@pytest.mark.slow
def test_every_stage_is_recorded(made: Any) -> None:
    recording = made[-1]
    assert recording.failure is None
    assert not recording.notes
    stages = [graph.stage for graph in recording.graphs]
    assert [stage for stage in stages if stage != "joint"] == [
        "dynamo",
        "pre_grad",
        "forward",
        "post_grad",
    ]
    assert not recording.frames
    assert [pipeline.phase for pipeline in recording.pipelines] == [
        "pre_grad",
        "joint",
        "post_grad",
    ]


def test_kernels_stand_in_the_cpp_wrapper_and_lead_to_the_lines(made: Any) -> None:
    recording = made[-1]
    [wrapper] = recording.wrappers
    assert "AOTInductorModel" in wrapper.code
    lines = wrapper.code.split("\n")
    generated = [kernel for kernel in recording.kernels if kernel.language == "cpp"]
    assert len(generated) >= 2
    for kernel in recording.kernels:
        assert f"{kernel.name}(" in lines[kernel.line - 1]
        assert 'extern "C"' not in lines[kernel.line - 1]
        assert kernel.nodes
    assert all(kernel.code for kernel in generated)
    view = build(recording)
    own = {line.text.strip() for s in view.sources for line in s.lines if line.kernels}
    assert any("softmax" in text for text in own)


def test_constants_are_the_parameters_but_those_in_the_code(made: Any) -> None:
    model, _, _, recording = made
    [package] = recording.packages
    carried = {constant.source: constant for constant in package.constants}
    weight = carried["inner.weight"]
    assert (weight.shape, weight.bytes, weight.folded) == ((32, 16), 32 * 16 * 4, False)
    missing = {item.name for item in package.inlined}
    assert {*carried, *missing} == {*dict(model.named_parameters()), "scale"}
    assert "scale" in missing  # four numbers, written into a kernel
    rows = build(recording).packages[0].constants
    assert all(row.entity for row in rows)
    assert package.facts["AOTI_DEVICE_KEY"] == "cpu"


def test_what_was_recorded_is_what_a_reader_finds_in_the_file(made: Any, tmp_path: Path) -> None:
    _, _, path, recording = made
    opened = lab.open_package(path)
    names = {kernel.name for kernel in recording.kernels}
    assert {kernel.name for kernel in opened.kernels} == names
    assert opened.packages[0].constants == recording.packages[0].constants
    recording.save(tmp_path / "run.json.gz")
    assert lab.load(tmp_path / "run.json.gz").packages == recording.packages


def test_the_package_gives_what_eager_gives(made: Any) -> None:
    model, x, path, _ = made
    torch.testing.assert_close(torch._inductor.aoti_load_package(str(path))(x), model(x))


def test_the_page_puts_other_weights_into_a_package(
    made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, x, path, _ = made
    part = PAGE.read_text(encoding="utf-8").partition("## New weights")[2]
    code = part.partition("```python\n")[2].partition("```")[0]
    shutil.copy(path, tmp_path / "model.pt2")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"torch": torch, "other": with_other_weights(model)}
    exec(code, names)
    torch.testing.assert_close(names["loaded"](x), names["other"](x))
    assert not torch.allclose(names["loaded"](x), model(x), atol=1e-3)


def with_other_weights(model: Any) -> Model:
    """Another model of which only what is not in the code differs: that cannot be replaced."""
    torch.manual_seed(1)
    other = Model().eval()
    other.outer.bias = model.outer.bias
    return other


@pytest.mark.slow
def test_strict_has_frames_and_sizes_may_vary(tmp_path: Path) -> None:
    model, x = Model().eval(), torch.randn(8, 16)
    shapes = ({0: torch.export.Dim("batch", min=2, max=64)},)
    path = tmp_path / "strict.pt2"
    recording = lab.package(model, x, path=path, strict=True, dynamic_shapes=shapes)
    assert recording.failure is None
    assert not recording.notes
    assert recording.frames
    assert "strict=True" in build(recording).packages[0].sentences[-1]
    more = torch.randn(5, 16)
    torch.testing.assert_close(torch._inductor.aoti_load_package(str(path))(more), model(more))


@pytest.mark.slow
def test_a_program_that_packages_by_itself_is_recorded_too(tmp_path: Path) -> None:
    code = f"""
import torch, dynamo_lab as lab
with lab.record() as recorder:
    with torch.no_grad():
        exported = torch.export.export(torch.nn.Linear(16, 16), (torch.randn(2, 16),))
    path = torch._inductor.aoti_compile_and_package(
        exported, package_path={str(tmp_path / "own.pt2")!r}
    )
recording = recorder.recording
assert not recording.notes, recording.notes
assert [graph.stage for graph in recording.graphs][0] == "dynamo", recording
assert recording.kernels and recording.packages[0].constants
"""
    # in a process of its own: here Inductor was imported long ago
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_model_that_cannot_be_exported_is_a_recorded_failure(tmp_path: Path) -> None:
    class Branches(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.sin() if x.sum() > 0 else x.cos()

    recording = lab.package(Branches(), torch.randn(3), path=tmp_path / "model.pt2")
    assert recording.failure is not None
    assert not recording.packages
    assert build(recording).summary.failure


@pytest.mark.slow
def test_two_models_in_one_package_are_told_apart(tmp_path: Path) -> None:
    from torch._inductor.package.package import package_aoti

    settings = {"aot_inductor.package": True}
    files: dict[str, Any] = {}
    with lab.record() as recorder:
        for name, model in (("small", torch.nn.Linear(16, 16)), ("large", Model())):
            with torch.no_grad():
                exported = torch.export.export(model.eval(), (torch.randn(3, 16),))
            inner = exported.module(check_guards=False)
            x = (torch.randn(3, 16),)
            files[name] = torch._inductor.aot_compile(inner, x, options=settings)
        package_aoti(str(tmp_path / "two.pt2"), files)
    recording = recorder.recording
    assert not recording.notes
    packages = {package.model: package for package in recording.packages}
    assert packages["small"].wrapper != packages["large"].wrapper
    assert {constant.source for constant in packages["small"].constants} == {"weight", "bias"}
    assert {item.name for item in packages["large"].inlined} == {"outer.bias", "scale"}
    kernels = {kernel.wrapper for kernel in recording.kernels}
    assert kernels == {package.wrapper for package in recording.packages}


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")
@pytest.mark.release
@pytest.mark.parametrize("build", ["cmake", "c++"])
def test_the_example_in_cpp_gives_what_eager_gives(made: Any, tmp_path: Path, build: str) -> None:
    model, x, path, _ = made
    program = built_by_cmake(tmp_path) if build == "cmake" else built_by_hand(tmp_path)
    torch.save([x], tmp_path / "inputs.pt")
    told = ran(program, path, tmp_path / "inputs.pt", tmp_path / "outputs.pt")
    assert "[8, 4]" in told
    [output] = torch.load(tmp_path / "outputs.pt")
    torch.testing.assert_close(output, model(x))
    done = subprocess.run([program, "nope.pt2", "a", "b"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr

    other = with_other_weights(model)
    torch.save(dict(other.state_dict()), tmp_path / "weights.pt")
    files = (path, tmp_path / "inputs.pt", tmp_path / "outputs.pt", tmp_path / "weights.pt")
    ran(program, *files)
    [output] = torch.load(tmp_path / "outputs.pt")
    torch.testing.assert_close(output, other(x))
    assert not torch.allclose(output, model(x), atol=1e-3)
    torch.save({"inner.weight": other.inner.weight.detach()}, tmp_path / "weights.pt")
    done = subprocess.run([program, *files], capture_output=True, text=True)
    assert done.returncode == 1
    assert "has no" in done.stderr


def built_by_cmake(folder: Path) -> Path:
    if shutil.which("cmake") is None:
        pytest.skip("there is no cmake")
    prefix = f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}"
    configure = ["cmake", "-S", str(EXAMPLE), "-B", str(folder / "build"), prefix]
    done = subprocess.run(configure, capture_output=True, text=True)
    if "CUDA cannot be found" in done.stderr:
        pytest.skip("PyTorch was built for CUDA, and its cmake file wants the CUDA toolkit")
    assert done.returncode == 0, done.stdout + done.stderr
    ran("cmake", "--build", folder / "build")
    return folder / "build" / "run_package"


def built_by_hand(folder: Path) -> Path:
    program = folder / "run_package"
    include = [f"-I{path}" for path in cpp_extension.include_paths()]
    library = cpp_extension.library_paths()[0]
    link = [f"-L{library}", f"-Wl,-rpath,{library}", "-ltorch", "-ltorch_cpu", "-lc10"]
    ran("c++", "-std=c++20", *include, EXAMPLE / "main.cpp", "-o", program, *link)
    return program


def ran(*command: object) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
