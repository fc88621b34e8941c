"""What a case is, how it is found, and what is said of one that is not right."""

from __future__ import annotations

import ast

import pytest
import torch

from dynamo_lab.errors import CaseError
from dynamo_lab.measure import cpp
from dynamo_lab.measure.baselines import LANGUAGES, baselines_of, why_not
from dynamo_lab.measure.cases import all_cases, find_case, load_case

CASES = all_cases()
NEEDS_COMPILER = pytest.mark.skipif(bool(why_not("cpp", "cpu")), reason="needs a C++ compiler")

CASE = """
import torch
from dynamo_lab.measure.cases import Case

case = Case(
    name="double", title="twice", teaches="nothing", eager=lambda x: 2 * x,
    inputs=lambda device, dtype, count: (torch.randn(count, device=device, dtype=dtype),),
    sizes={"small": {"count": 7}}, tolerance={"float32": (0, 0), "float64": (0, 0)},
    flops=lambda x: x.numel(),
    arguments=lambda x: {"x": x, "out": torch.empty_like(x), "count": x.numel()},
)
"""
DOUBLE = """
#include <cstdint>
extern "C" void run(const float* x, float* out, int64_t count) {
    for (int64_t i = 0; i < count; ++i) out[i] = 2 * x[i];
}
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A reader's case with one implementation, in a folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def make(source=DOUBLE):
        (tmp_path / "double_case.py").write_text(CASE)
        (tmp_path / "double_cpp.cpp").write_text(source)
        return find_case(str(tmp_path / "double_case.py"))

    return make


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
class TestContract:
    def test_it_is_named_as_its_files_and_says_what_it_teaches(self, case):
        assert case.path.name == f"{case.name}_case.py"
        assert case.path.parent.name == case.name
        assert case.title
        assert case.teaches

    def test_it_imports_torch_and_our_case_alone(self, case):
        for node in ast.walk(ast.parse(case.path.read_text())):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} == {"torch"}
            elif isinstance(node, ast.ImportFrom):
                assert node.module in ("dynamo_lab.measure.cases", "torch")

    def test_it_is_written_in_every_language(self, case):
        found = baselines_of(case)
        assert [one.language for one in found] == list(LANGUAGES)
        assert {one.path.name.partition(".")[0] for one in found} == {
            f"{case.name}_{language}" for language in LANGUAGES
        }

    def test_its_inputs_are_the_same_each_time(self, case):
        first, second = case.make("cpu", "float32", "small"), case.make("cpu", "float32", "small")
        torch.testing.assert_close(first, second, rtol=0, atol=0)

    def test_its_work_is_counted(self, case):
        inputs = case.make("cpu", "float32", "small")
        work = case.work(*inputs)
        written = tensors_in(case.eager(*inputs))
        assert work.bytes_written == sum(tensor.nbytes for tensor in written)
        assert work.bytes_read == sum(tensor.nbytes for tensor in tensors_in(inputs))
        assert work.flops > 0
        assert {"small", "usual"} <= set(case.sizes)


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for item in value for tensor in tensors_in(item)]


class TestFinding:
    def test_a_name_that_there_is_not(self):
        with pytest.raises(CaseError, match=r"no case 'softmin'.*softmax"):
            find_case("softmin")

    def test_a_file_that_there_is_not(self):
        with pytest.raises(CaseError, match="check the path"):
            find_case("nowhere/my_case.py")

    def test_a_file_without_a_case(self, tmp_path):
        (tmp_path / "my_case.py").write_text("case = 3")
        with pytest.raises(CaseError, match="defines no case"):
            load_case(tmp_path / "my_case.py")

    def test_a_file_that_raises(self, tmp_path):
        (tmp_path / "my_case.py").write_text("import nothing_of_this_name")
        with pytest.raises(CaseError, match="raised ModuleNotFoundError"):
            load_case(tmp_path / "my_case.py")

    def test_a_size_and_a_dtype_that_there_are_not(self):
        case = find_case("adam")
        with pytest.raises(CaseError, match="no size 'huge': pass small"):
            case.make(size="huge")
        with pytest.raises(CaseError, match="not made in 'int8': pass float32"):
            case.make(dtype="int8")


@NEEDS_COMPILER
class TestCpp:
    def test_a_readers_case_runs(self, mine):
        case = mine()
        (found,) = baselines_of(case)
        x = torch.randn(5)
        assert torch.equal(found.load()(x), 2 * x)

    def test_it_is_built_once(self, mine, monkeypatch):
        (found,) = baselines_of(mine())
        found.load()
        built: list[str] = []
        run = cpp.subprocess.run
        monkeypatch.setattr(cpp.subprocess, "run", lambda c, **k: (built.extend(c), run(c, **k))[1])
        found.load()
        assert "-E" in built  # what it includes is read again
        assert "-shared" not in built

    def test_what_the_compiler_says_is_told(self, mine):
        (found,) = baselines_of(mine(DOUBLE.replace("2 * x[i]", "two * x[i]")))
        with pytest.raises(CaseError, match=r"(?s)double_cpp.cpp does not build.*:4:\d+:.*two"):
            found.load()

    def test_a_file_without_run(self, mine):
        (found,) = baselines_of(mine("int main() { return 0; }"))
        with pytest.raises(CaseError, match="has no entry"):
            found.load()

    def test_a_parameter_that_the_case_does_not_give(self, mine):
        (found,) = baselines_of(mine(DOUBLE.replace("count", "length")))
        with pytest.raises(CaseError, match=r"asks for 'length'.*x, out, count"):
            found.load()(torch.randn(3))

    def test_a_parameter_that_is_not_understood(self, mine):
        (found,) = baselines_of(mine(DOUBLE.replace("int64_t count", "std::size_t count")))
        with pytest.raises(CaseError, match="std::size_t count` of `run` is not understood"):
            found.load()

    def test_tensors_of_another_type_or_layout(self, mine):
        (found,) = baselines_of(mine())
        run = found.load()
        with pytest.raises(CaseError, match="takes `x` as float32 on the CPU, not float64"):
            run(torch.randn(3, dtype=torch.float64))
        with pytest.raises(CaseError, match="takes `x` contiguous"):
            run(torch.randn(6)[::2])


def test_without_a_compiler_it_says_so(monkeypatch):
    monkeypatch.setattr(cpp.shutil, "which", lambda _: None)
    assert "install g++" in why_not("cpp", "cpu")


def test_a_language_is_skipped_by_ability():
    assert why_not("metal", "cpu")
    assert why_not("cpp", "cuda")
    assert why_not("metal", "mps") == ""
