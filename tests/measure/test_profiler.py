"""Launches on a GPU, told by the names that a profile has for calls of its driver."""

from __future__ import annotations

from dynamo_lab.measure.devices import device_named
from dynamo_lab.measure.profiler import counted, launches_of
from dynamo_lab.model.benchmarks import Launches

NAMES = (
    "aten::add", "cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx",
    "hipExtModuleLaunchKernel", "hipModuleLaunchKernel", "cudaGraphLaunch", "cudaMemcpyAsync",
    "cudaMemsetAsync", "cudaDeviceSynchronize", "cudaStreamIsCapturing", "Memcpy DtoD",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "triton_poi_fused_add_0",
)  # fmt: skip


def test_what_starts_something_is_counted_and_nothing_else() -> None:
    assert counted(NAMES) == Launches(kernels=6, graphs=1, copies=2)
    assert counted(NAMES[:1]) is None


def test_of_a_processor_there_are_none() -> None:
    assert launches_of(lambda: None, device_named("cpu")) is None
