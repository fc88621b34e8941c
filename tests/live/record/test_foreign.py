"""Programs of other shape, lowered for GPUs: nothing of the host is in what is written."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import torchgen
import yaml
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import dynamo_lab as lab
from dynamo_lab.capture.targets.attention import attention_on
from dynamo_lab.model.recording import Recording
from dynamo_lab.record.lower import find_target
from tests.live.foreign.attentions import divided
from tests.live.foreign.every import FOREIGN

HOST = re.compile(r"_for_cpu|mkldnn|onednn|fbgemm|cpp_fused|async_compile\.cpp|device=.cpu")
GPUS = ("cuda:sm_90", "rocm:gfx942", "mps")
QUICK = ("attention_divided_half", "group_norm", "rms_norm_trained", "cell_gru", "random")


REFUSED = {
    ("mps", "double"): "mps has no float64, which",  # and PyTorch refuses such tensors there
    # as on the CPU: PyTorch's own error, and since 2.15 this one
    ("mps", "attention_trained"): "list index out of range|name 'sym_3' is not defined",
}
"""What PyTorch itself does not compile for a device, and how it says so."""


def every() -> list[Any]:
    """Each program for each GPU: some always, all before a release."""
    return [pytest.param(gpu, name, marks=marked(gpu, name)) for gpu in GPUS for name in FOREIGN]


def marked(gpu: str, name: str) -> tuple[Any, ...]:
    if name in QUICK or (gpu, name) in REFUSED:
        return ()
    return (pytest.mark.long,)


def written(recording: Recording) -> str:
    return "\n".join(one.code for one in (*recording.kernels, *recording.wrappers))


def called(recording: Recording) -> list[str]:
    return [kernel.name for kernel in recording.kernels if kernel.language == "extern"]


@pytest.mark.parametrize(("target", "name"), every())
def test_nothing_of_the_host_is_written(target: str, name: str) -> None:
    fn, args, options = FOREIGN[name]()
    recording = lab.lower(fn, *args, target=target, **options)
    if refused := REFUSED.get((target, name)):
        assert recording.failure is not None
        assert re.search(refused, recording.failure.message)
        return
    assert recording.failure is None
    assert not [note.message for note in recording.notes if note.level == "failure"]
    assert not HOST.findall(written(recording))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("target", GPUS)
def test_attention_by_hand_is_the_target_s(target: str, dtype: torch.dtype) -> None:
    inputs = [torch.randn(2, 4, 32, 64).to(dtype) for _ in range(3)]
    recording = lab.lower(divided, *inputs, target=target, grad=False)
    assert recording.failure is None
    assert not HOST.findall(written(recording))
    fused = any("attention" in name for name in called(recording))
    assert fused == (dtype is torch.float16 and target != "mps")  # without TF32, as on the GPU


@pytest.mark.parametrize("head", [6, 16])
@pytest.mark.parametrize("target", ["cuda:sm_80", "mps"])
def test_a_mask_of_booleans_leaves_out_what_it_hides(target: str, head: int) -> None:
    query, mask = torch.randn(2, 4, 16, head), torch.ones(16, 16, dtype=torch.bool).tril()
    with sdpa_kernel(SDPBackend.MATH):
        attention = attention_on(find_target(target))
        assert attention is not None
        found = attention(query.requires_grad_(), query, query, mask)
    plain = torch.softmax((query @ query.mT / head**0.5).masked_fill(~mask, -torch.inf), -1)
    torch.testing.assert_close(found, plain @ query)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("mask_half", "_cudnn_attention"),
        ("heads_grouped_half", "_cudnn_attention"),
        ("mask_efficient", "_efficient_attention"),
        ("grid_sampled_aligned", "cudnn_grid_sampler"),
    ],
)
def test_the_gpu_s_libraries_are_called_where_an_h100_calls_them(name: str, part: str) -> None:
    fn, args, options = FOREIGN[name]()
    names = called(lab.lower(fn, *args, target="cuda:sm_90", **options))
    assert any(part in one for one in names)


def test_cudnn_hides_with_the_lowest_number_of_float16() -> None:
    fn, args, options = FOREIGN["mask_half"]()
    recording = lab.lower(fn, *args, target="cuda:sm_90", **options)
    assert "-65504.0" in written(recording)
    assert '"-inf"' not in written(recording)


@pytest.mark.parametrize(("keys", "is_padded"), [(8, False), (16, False), (12, True), (5, True)])
def test_a_mask_is_padded_where_its_rows_are_not_aligned(keys: int, is_padded: bool) -> None:
    query, key, mask = torch.randn(2, 4, 8, 64), torch.randn(2, 4, keys, 64), torch.randn(8, keys)
    recording = lab.lower(
        F.scaled_dot_product_attention, query, key, key, mask, target="cuda:sm_80", grad=False
    )
    names = " ".join(kernel.name for kernel in recording.kernels)
    assert "_efficient_attention" in names
    assert ("constant_pad_nd" in names) == is_padded


def test_a_convolution_reads_a_part_of_an_image_whose_channels_come_last_as_such() -> None:
    image = torch.randn(1, 8, 12, 12).to(memory_format=torch.channels_last)[:, :, 2:10, 2:10]
    weight = torch.randn(8, 8, 3, 3)
    recording = lab.lower(
        lambda x, w: F.conv2d(x, w).relu(), image, weight, target="cuda:sm_90", grad=False
    )
    assert re.search(r"assert_\w+\(buf\d+, \(1, 8, 6, 6\), \(288, 1, 48, 8\)", written(recording))


def test_group_norm_copies_channels_that_come_last() -> None:
    fn, args, options = FOREIGN["group_norm_last"]()
    recording = lab.lower(fn, *args, target="cuda:sm_90", **options)
    assert any("clone" in kernel.name for kernel in recording.kernels)


@pytest.mark.slow
def test_gradients_of_linear_layers_and_pools_are_metal_s() -> None:
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 5))
    inputs = torch.randn(2, 3, 8, 8)
    names = called(lab.lower(model, inputs, target="mps", grad=True))
    assert any("linear_backward" in name for name in names)
    assert any("max_pool2d_backward" in name for name in names)
    assert any("addmm" in name for name in names)  # forward they are composed, by Inductor
    names = called(lab.lower(model, inputs, target="cuda:sm_90", grad=True))
    assert not any("linear_backward" in name or "max_pool2d" in name for name in names)


@pytest.mark.parametrize("name", ["linear", "max_pool2d", "_fused_rms_norm"])
def test_what_metal_has_a_kernel_for_is_what_pytorch_says(name: str) -> None:
    path = Path(torchgen.__file__).parent / "packaged/ATen/native/native_functions.yaml"
    functions = yaml.safe_load(path.read_text())
    (found,) = (f for f in functions if f["func"].startswith(f"{name}("))
    kernels = {key.strip() for keys in found["dispatch"] for key in keys.split(",")}
    assert {"MPS", "CompositeImplicitAutograd"} <= kernels


def test_recurrent_cells_are_the_gpu_s_own() -> None:
    fn, args, options = FOREIGN["cell_lstm_trained"]()
    names = called(lab.lower(fn, *args, target="cuda:sm_90", **options))
    assert any("_thnn_fused_lstm_cell.default" in name for name in names)
    assert any("_thnn_fused_lstm_cell_backward_impl" in name for name in names)


def test_a_product_that_a_clock_would_decide_on_says_so_and_both_ways_are_shown() -> None:
    recording = lab.lower(
        nn.Linear(515, 257), torch.randn(1030, 515), target="cuda:sm_90", grad=False
    )
    (note,) = (note for note in recording.notes if note.about == "padding")
    assert "1030x515 by 515x257" in note.message
    assert note.graph is not None
    assert note.node is not None
    padded = recording.relower(options={"force_shape_pad": True})
    assert len(padded.kernels) > len(recording.kernels)
    assert not [note for note in padded.notes if note.about == "padding"]


def test_a_product_that_need_not_be_padded_says_nothing() -> None:
    recording = lab.lower(
        nn.Linear(512, 256), torch.randn(1024, 512), target="cuda:sm_90", grad=False
    )
    assert not recording.notes


@pytest.mark.filterwarnings("ignore:.*CUDA is not available")
@pytest.mark.parametrize(("device", "count"), [("cuda", 1), ("cpu", 0)])
def test_a_cast_for_the_device_that_the_host_does_not_make_is_said(device: str, count: int) -> None:
    def program(x: Tensor) -> Tensor:
        with torch.autocast(device, dtype=torch.bfloat16):
            return x @ x

    recording = lab.lower(program, torch.randn(64, 64), target="cuda:sm_90", grad=False)
    assert recording.failure is None
    notes = [note for note in recording.notes if note.about == "autocast"]
    assert len(notes) == count
    assert all(note.node is not None and "casts nothing" in note.message for note in notes)


def test_fake_tensors_lie_on_the_host_again() -> None:
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

    before = FakeTensor.__dict__["__new__"], FakeTensor.__dict__["__torch_dispatch__"]
    lab.lower(lambda x: x + torch.arange(4), torch.ones(4), target="cuda:sm_90", grad=False)
    assert (FakeTensor.__dict__["__new__"], FakeTensor.__dict__["__torch_dispatch__"]) == before
    assert not torch.ops.aten.scaled_dot_product_attention.default.py_kernels
    with FakeTensorMode():
        assert torch.arange(4).device.type == "cpu"
        assert not torch.arange(4).is_cuda


def test_the_device_that_a_program_asks_for_is_the_target_s() -> None:
    def program(x: Tensor) -> Tensor:
        return x.half().to(torch.arange(3).type_as(x)) + torch.ones(4, 3, device=x.device)

    recording = lab.lower(program, torch.randn(4, 3), target="cuda:sm_90", grad=False)
    assert recording.failure is None
    assert len(recording.kernels) == 1
    assert "device_put" not in written(recording)
