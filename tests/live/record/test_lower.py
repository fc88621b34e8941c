"""Lowering for targets that are not there: structure, never generated code."""

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import dynamo_lab as lab
from dynamo_lab.errors import LoweringError, OptionError
from dynamo_lab.model.recording import Recording
from tests.live.explored import each
from tests.live.programs import PROGRAMS

GPUS = ("cuda:sm_80", "cuda:sm_90", "cuda:sm_100", "rocm:gfx942")
TARGETS = ("cpu", *GPUS, "mps")
LANGUAGES = {"cpu": "cpp", "mps": "metal", **dict.fromkeys(GPUS, "triton")}


def head(x: torch.Tensor, w: torch.Tensor, g: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    y = functional.layer_norm(x, (64,), g, b) @ w
    return torch.softmax(functional.gelu(y), -1)


def inputs() -> list[torch.Tensor]:
    sizes: list[tuple[int, ...]] = [(128, 64), (64, 64), (64,), (64,)]
    return [torch.randn(size, requires_grad=len(size) == 2) for size in sizes]


def languages(recording: Recording) -> set[str]:
    return {kernel.language for kernel in recording.kernels} - {"extern"}


@pytest.fixture(scope="module")
def lowered() -> Any:
    return lab.lower(head, *inputs(), target=TARGETS, grad=True)


@pytest.mark.slow
def test_each_target_has_its_language_forward_and_backward(lowered: Any) -> None:
    assert list(lowered) == list(TARGETS)
    for name, recording in lowered.items():
        assert recording.failure is None
        assert recording.target == name
        assert languages(recording) == {LANGUAGES[name]}
        assert {wrapper.is_backward for wrapper in recording.wrappers} == {False, True}
        assert all(k.code and k.nodes for k in recording.kernels if k.language != "extern")


def test_the_same_program_is_captured_for_all(lowered: Any) -> None:
    captured = [recording.captured_graphs()[0].nodes.name for recording in lowered.values()]
    assert len(set(captured)) == 1


def test_side_by_side_prints_each(lowered: Any) -> None:
    text = str(lowered)
    assert all(f"{name}:" in text for name in TARGETS)


def test_nothing_stays_behind(lowered: Any) -> None:
    from torch._inductor import compile_fx, config, graph

    assert not torch.cuda.is_available() or torch.version.cuda
    assert "copy_" not in vars(torch.Tensor)
    assert graph.GraphLowering.compile_to_module.__module__ == graph.__name__
    assert not config.force_disable_caches
    assert compile_fx.compile_fx.__module__ == compile_fx.__name__
    y = torch.compile(lambda x: x * 2)(torch.ones(3))
    assert y.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("target", ["cuda:sm_90", "mps"])
@pytest.mark.parametrize("name", each())
def test_the_model_list_is_lowered(name: str, target: str) -> None:
    fn, args, options = PROGRAMS[name]()
    recording = lab.lower(fn, *args, target=target, **options)
    assert recording.failure is None
    assert not [note.message for note in recording.notes if note.level == "failure"]
    if recording.captured_graphs():
        assert recording.kernels


def test_convolutions_and_constants_are_moved() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.conv(x).transpose(0, 1) * torch.tensor([1.0, 2.0]).reshape(1, 2, 1, 1)

    for target in ("cuda:sm_90", "mps"):
        recording = lab.lower(Net(), torch.randn(2, 3, 8, 8), target=target, grad=False)
        assert recording.failure is None
        devices = {v.device.partition(":")[0] for v in recording.graphs[-1].nodes.values}
        assert target.partition(":")[0] in devices


def test_switches_change_the_code_and_stay_in_force() -> None:
    recording = lab.lower(head, *inputs(), target="cuda:sm_90", grad=False)
    fused = len(recording.kernels)
    apart = recording.relower(max_fusion_size=1)
    assert len(apart.kernels) > fused
    looped = apart.relower(persistent_reductions=False)
    assert len(looped.kernels) >= len(apart.kernels)
    assert any("triton_red" in kernel.name for kernel in looped.kernels)
    assert looped.target == "cuda:sm_90"
    elsewhere = apart.relower(target="mps")
    assert (languages(elsewhere), elsewhere.target) == ({"metal"}, "mps")


def test_what_was_explored_can_be_lowered_again() -> None:
    recording = lab.explore(lambda x: torch.softmax(x * 2, -1), torch.randn(8, 16))
    assert recording.target == ""
    here = recording.relower()
    assert (here.target, languages(here)) == ("cpu", {"cpp"})
    assert [k.code for k in here.kernels] == [k.code for k in recording.kernels]


def test_vector_widths_change_the_code() -> None:
    codes = {
        target: lab.lower(torch.tanh, torch.randn(64), target=target, grad=False).kernels[0].code
        for target in ("cpu:avx512", "cpu:avx2", "cpu:scalar")
    }
    assert len(set(codes.values())) == 3
    assert "Vectorized" not in codes["cpu:scalar"]


def test_a_template_is_chosen_without_timing_and_the_notes_say_so() -> None:
    recording = lab.lower(
        torch.mm, torch.randn(64, 64), torch.randn(64, 64), target="cuda", mode="max-autotune"
    )
    assert [note.about for note in recording.notes] == ["autotuning"]
    assert any("tl.dot" in kernel.code for kernel in recording.kernels)


def test_breaks_do_not_stop_it_and_the_numbers_are_eager(capsys: Any) -> None:
    fn, args, _ = PROGRAMS["branch_and_print"]()
    recording = lab.lower(fn, *args, target="rocm:gfx942")
    assert len(recording.breaks) == 2
    assert len(recording.kernels) == 3
    assert "total" in capsys.readouterr().out


def test_a_block_a_script_and_a_cell_can_be_lowered_too() -> None:
    with lab.record(target="mps") as recorder:
        result = torch.compile(lambda x: x + 1)(torch.ones(4))
    assert result.tolist() == [2.0] * 4
    assert recorder.recording.target == "mps"
    assert languages(recorder.recording) == {"metal"}


def test_a_decomposition_registered_since_takes_part() -> None:
    from torch._decomp import register_decomposition
    from torch._inductor.decomposition import decompositions

    @torch.library.custom_op("dynamo_lab_tests::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @twice.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    recording = lab.lower(lambda x: twice(x) + 1, torch.randn(16), target="cuda", grad=False)
    assert "extern" in {kernel.language for kernel in recording.kernels}
    operator = torch.ops.dynamo_lab_tests.twice.default
    register_decomposition(operator, decompositions)(lambda x: x * 2)
    try:
        assert [kernel.language for kernel in recording.relower().kernels] == ["triton"]
    finally:
        decompositions.pop(operator)


def test_a_lowering_registered_since_takes_part() -> None:
    from torch._inductor import lowering

    @torch.library.custom_op("dynamo_lab_tests::thrice", mutates_args=())
    def thrice(x: torch.Tensor) -> torch.Tensor:
        return x * 3

    thrice.register_fake(torch.empty_like)
    recording = lab.lower(lambda x: thrice(x) + 1, torch.randn(16), target="mps", grad=False)
    assert "extern" in {kernel.language for kernel in recording.kernels}
    operator = torch.ops.dynamo_lab_tests.thrice.default
    fallback = lowering.lowerings[operator]
    lowering.register_lowering(operator)(lambda x: lowering.lowerings[torch.ops.aten.mul](x, 3))
    try:
        assert [kernel.language for kernel in recording.relower().kernels] == ["metal"]
    finally:
        lowering.lowerings[operator] = fallback


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"target": "cuda:sm_1"}, OptionError),
        ({"target": []}, OptionError),
        ({"mode": "fast"}, OptionError),
        ({"options": {"no_such_setting": 1}}, OptionError),
    ],
)
def test_bad_input_gets_one_sentence(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^[^\n]*\.$"):
        lab.lower(torch.tanh, torch.ones(3), **options)


def test_what_is_not_a_function_is_refused() -> None:
    with pytest.raises(OptionError, match="cannot be called"):
        lab.lower(3)  # pyright: ignore


def test_without_a_program_there_is_nothing_to_lower_again() -> None:
    with lab.record() as recorder:
        torch.compile(torch.tanh)(torch.ones(3))
    with pytest.raises(LoweringError, match="no program"):
        recorder.recording.relower()


def test_a_failing_program_is_recorded() -> None:
    def wrong(x: torch.Tensor) -> torch.Tensor:
        return x @ torch.ones(7, 7)

    recording = lab.lower(wrong, torch.ones(3, 3), target="cuda")
    assert recording.failure is not None


@pytest.mark.slow
def test_kernels_agree_with_eager_in_the_interpreter() -> None:
    pytest.importorskip("triton")
    checks = lab.lower(head, *inputs(), target="cuda:sm_90", grad=True).check_kernels()
    assert len(checks.checks) == 4
    assert {check.verdict for check in checks.checks} == {"agrees"}
    assert "agrees" in str(checks)


@pytest.mark.slow
def test_a_wrong_kernel_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    pytest.importorskip("triton")
    recording = lab.lower(lambda x: torch.exp(x) * 2, torch.randn(32), target="cuda", grad=False)
    written = recording.session.written
    for key, one in written.items():
        written[key] = replace(one, code=one.code.replace("2.0", "3.0"))
    (check,) = recording.check_kernels().checks
    assert check.verdict == "differs"


@pytest.mark.slow
def test_a_fresh_process_is_left_as_it_was() -> None:
    """Where Inductor is imported in the middle of the recording, probes come after lowering."""
    script = """
import torch, dynamo_lab as lab
f, x = (lambda x: x.sin() + 1), torch.randn(8)
first = lab.lower(f, x, target="cuda:sm_90")
from torch._inductor import compile_fx
assert type(compile_fx.compile_fx).__name__ == "function", compile_fx.compile_fx
assert [k.language for k in lab.lower(f, x, target="mps").kernels] == ["metal"]
assert [k.language for k in lab.explore(f, x).kernels] == ["cpp"]
"""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]


def test_attention_in_a_body_runs_where_it_was_and_is_lowered_for_the_target() -> None:
    from torch.utils.checkpoint import checkpoint

    def attend(q: torch.Tensor) -> torch.Tensor:
        return functional.scaled_dot_product_attention(q, q, q) * 2

    def program(q: torch.Tensor) -> Any:
        return checkpoint(attend, q, use_reentrant=False)

    query = torch.randn(1, 2, 16, 8, requires_grad=True)
    recording = lab.lower(program, query, target="cuda:sm_90", grad=True)
    assert recording.failure is None
    assert any("efficient_attention" in kernel.name for kernel in recording.kernels)


def test_a_forbidden_attention_is_not_chosen() -> None:
    from torch.nn.attention import SDPBackend, sdpa_kernel

    query = torch.randn(1, 2, 16, 8)
    with sdpa_kernel(SDPBackend.MATH):
        recording = lab.lower(
            lambda q: functional.scaled_dot_product_attention(q, q, q), query, target="cuda"
        )
    assert not any("efficient_attention" in kernel.name for kernel in recording.kernels)


@pytest.mark.slow
def test_a_fix_is_tried_for_the_target_that_was_chosen_last() -> None:
    def branch(x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        if y.sum() > 0:
            y = y * 2
        return y.softmax(-1)

    first = lab.lower(branch, torch.ones(4, 4), target="cuda:sm_90")
    again = first.relower(target="mps")
    assert languages(again.breaks[0].try_fix().recording) == {"metal"}
    explored = lab.explore(branch, torch.ones(4, 4)).relower(target="cuda:sm_90")
    assert languages(explored.breaks[0].try_fix().recording) == {"triton"}


def test_a_package_is_not_made_for_a_target() -> None:
    exported = torch.export.export(nn.Linear(4, 4), (torch.randn(2, 4),))
    with pytest.raises(OptionError, match="package"), lab.record(target="cuda:sm_90"):
        torch._inductor.aoti_compile_and_package(exported)


@pytest.mark.parametrize(
    ("target", "dtype", "kind"),
    [
        ("cuda:sm_80", torch.float16, "flash"),
        ("cuda:sm_90", torch.float16, "cudnn"),
        ("cuda:sm_100", torch.bfloat16, "cudnn"),
        ("cuda:sm_90", torch.float32, "efficient"),
        ("rocm:gfx942", torch.float16, "flash"),
    ],
)
@pytest.mark.parametrize("grad", [False, True])
def test_attention_is_the_kernel_that_the_target_prefers(
    target: str, dtype: torch.dtype, kind: str, grad: bool
) -> None:
    query = torch.randn(2, 4, 32, 64, dtype=dtype, requires_grad=grad)
    recording = lab.lower(
        lambda q: functional.scaled_dot_product_attention(q, q, q), query, target=target, grad=grad
    )
    assert recording.failure is None
    kinds = {k.name.rpartition("product_")[2].partition("_attention")[0] for k in recording.kernels}
    assert kind in kinds
