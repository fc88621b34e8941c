"""Let Inductor see a device that this machine may lack. Nothing can run on it.

Inductor asks a device's properties, and whether it and Triton are there, before it writes code.
Here these questions are answered for a target's chip, for the length of a `with` block.
"""

import functools
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import torch

from dynamo_lab.capture.core.undo import Changes, Undo
from dynamo_lab.capture.targets import hooks
from dynamo_lab.model.targets import Target

_INDUCTOR = ("torch._inductor", "torch.utils._runtime_estimation")
_Remembering = type(functools.cache(lambda: None))


def pretend(target: Target) -> Changes[None]:
    """For the block, the target is the device that is there."""

    def make(undo: Undo) -> None:
        undo.add(_forget)
        if target.kind != "cpu":
            _convolutions(undo, target)
        match target.kind:
            case "cpu":
                _vectors(undo, target.architecture)
            case "mps":
                _metal(undo, target)
            case _:
                _gpu(undo, target)
        _forget()

    return Changes(make)


def _metal(undo: Undo, target: Target) -> None:
    units = target.chip.units if target.chip else 1
    _replace(undo, torch.backends.mps, is_available=lambda: True, get_core_count=lambda: units)
    _replace(undo, hooks.INDUCTOR_UTILS.get(), is_big_gpu=lambda *_: False)  # it would warn


def _gpu(undo: Undo, target: Target) -> None:
    cuda = hooks.CUDA.get()
    properties = _properties(target)
    device: dict[str, Any] = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "get_device_properties": lambda device=None: properties,
        "get_device_capability": lambda device=None: target.capability,
        "get_device_name": lambda device=None: properties.name,
        "is_bf16_supported": lambda *_, **__: True,
        "is_tf32_supported": lambda: target.kind == "cuda",
    }
    _replace(
        undo,
        torch.cuda,
        **device,
        _lazy_init=lambda: None,
        default_generators=(torch.Generator(),),
        _exchange_device=lambda index: index,
        _maybe_exchange_device=lambda index: index,
        get_rng_state=lambda device=None: torch.empty(0),
        set_rng_state=lambda state, device=None: None,
    )
    capability: Any = target.architecture
    if target.kind == "cuda":
        capability = target.compute_capability
    asked = {name: staticmethod(device[name]) for name in ("is_available", "current_device")}
    asked["get_device_properties"] = staticmethod(device["get_device_properties"])
    _replace(
        undo,
        cuda,
        **asked,
        get_compute_capability=staticmethod(lambda device=None: capability),
        is_triton_capable=staticmethod(lambda device=None: True),
        raise_if_triton_unavailable=staticmethod(lambda device=None: None),
    )
    _replace(undo, cuda.Worker, **{k: v for k, v in asked.items() if k[:2] != "is"})
    _replace(undo, hooks.DEVICES.get(), caching_worker_device_properties={})
    _replace(undo, torch.version, hip="6.4" if target.kind == "rocm" else None)
    if target.kind == "cuda" and torch.version.cuda is None:
        _replace(undo, torch.version, cuda="12.8")
    _triton(undo, target)
    _datasheet(undo, properties.name)


def _datasheet(undo: Undo, name: str) -> None:
    """What Inductor weighs costs by comes from PyTorch's datasheets, where the chip is in them."""

    def bandwidth() -> float:
        return hooks.DATASHEETS.get()(name).dram_bw_gbs  # one that fails weighs nothing

    if hooks.ESTIMATES.exists:
        hooks.ESTIMATES.get()  # imported later, it would keep the function below for good
    for module in _holders("get_gpu_dram_gbps"):
        _replace(undo, module, get_gpu_dram_gbps=bandwidth)


def _holders(name: str) -> list[Any]:
    """Inductor's modules that have a function, which they import by name, and those it asks."""
    modules = list(sys.modules.items())
    return [m for path, m in modules if path.startswith(_INDUCTOR) and name in vars(m)]


def _triton(undo: Undo, target: Target) -> None:
    """Triton's driver is asked for the target, which it names, and for nothing else."""
    owner = hooks.TRITON.get()
    undo.add(_restored, owner.has_triton)
    for module in (owner, *_holders("has_triton")):
        _replace(undo, module, has_triton=_has_triton)
    try:
        from triton.runtime import driver
    except ImportError:  # its source can be written without it
        return
    named = SimpleNamespace(
        get_current_target=lambda: gpu_target(target),
        get_active_torch_device=lambda: torch.device("cuda", 0),
        is_active=lambda: True,
    )
    _replace(undo, driver, _active=named)


def _has_triton(**_: bool) -> bool:
    """What stands in for PyTorch's own answer, whatever it is asked for."""
    return True


def _restored(own: Any) -> None:
    """Modules that Inductor imported meanwhile took the stand-in's name: each gets its own."""
    for module in _holders("has_triton"):
        if module.has_triton is _has_triton:
            module.has_triton = own


def gpu_target(target: Target) -> Any:
    """The target as Triton names it."""
    from triton.backends.compiler import GPUTarget

    warp = target.chip.warp if target.chip else 32
    if target.kind == "rocm":
        return GPUTarget("hip", target.architecture, warp)
    return GPUTarget("cuda", target.compute_capability, warp)


def _convolutions(undo: Undo, target: Target) -> None:
    """PyTorch asks its libraries in C++ who takes a convolution, and in which order of memory."""
    backends = hooks.CONVOLUTIONS.get()
    chosen = {"cuda": backends.Cudnn, "rocm": backends.Miopen, "mps": backends.Mps}[target.kind]

    def memory_format(image: torch.Tensor, weight: torch.Tensor, backend: Any) -> Any:
        formats = [hooks.FORMAT.get()(tensor) for tensor in (image, weight)]
        found = (one for one in formats if one is not torch.contiguous_format)
        is_double = torch.float64 in (image.dtype, weight.dtype)  # cuDNN has one order for it
        return torch.contiguous_format if is_double else next(found, torch.contiguous_format)

    _replace(
        undo,
        hooks.C.get(),
        _select_conv_backend=lambda *_, **__: chosen,
        _conv_determine_backend_memory_format=memory_format,
    )


def gpu_here() -> str:
    """The name of the target that this machine's GPU is."""
    if torch.version.hip:
        return "rocm:" + torch.cuda.get_device_properties().gcnArchName.partition(":")[0]
    major, minor = torch.cuda.get_device_capability()
    return f"cuda:sm_{major}{minor}"


def _vectors(undo: Undo, width: str) -> None:
    """The vector instructions of a CPU; asked for, they need no test of a compiler."""
    cpu_vec_isa = hooks.VECTORS.get()
    offered = {
        "avx512": cpu_vec_isa.VecAVX512,
        "avx2": cpu_vec_isa.VecAVX2,
        "neon": cpu_vec_isa.VecNEON,
    }
    if width == "scalar":
        found = []
    else:
        found = [offered[width]()] if width else _of_this_machine(cpu_vec_isa)
    undo.set(hooks.SETTINGS.get(), "cpp.vec_isa_ok", True)
    _replace(undo, cpu_vec_isa, valid_vec_isa_list=lambda: found)


def _of_this_machine(cpu_vec_isa: Any) -> list[Any]:
    """What this machine's processor says it has, the widest first, without building a test."""
    capability = torch.backends.cpu.get_cpu_capability()
    if "AVX512" in capability:
        return [cpu_vec_isa.VecAVX512(), cpu_vec_isa.VecAVX2()]
    if "AVX2" in capability:
        return [cpu_vec_isa.VecAVX2()]
    return cpu_vec_isa.valid_vec_isa_list()


def _properties(target: Target) -> SimpleNamespace:
    """The chip as `torch.cuda.get_device_properties` gives one."""
    chip = target.chip
    if chip is None:
        raise AssertionError(f"{target.name} is no GPU")
    return SimpleNamespace(
        name=chip.name,
        major=target.capability[0],
        minor=target.capability[1],
        multi_processor_count=chip.units,
        warp_size=chip.warp,
        regs_per_multiprocessor=chip.registers_per_unit,
        max_threads_per_multi_processor=chip.threads_per_unit,
        max_threads_per_block=chip.threads_per_block,
        shared_memory_per_block=chip.shared_per_block,
        shared_memory_per_block_optin=chip.shared_per_block_at_most,
        shared_memory_per_multiprocessor=chip.shared_per_unit,
        L2_cache_size=chip.l2,
        total_memory=chip.memory,
        gcnArchName=target.architecture if target.kind == "rocm" else "",
        clock_rate=0,
    )


def _replace(undo: Undo, owner: Any, **values: Any) -> None:
    for name, value in values.items():
        undo.replace(owner, name, value)


def _forget() -> None:
    for function in _remembering():
        function.cache_clear()


def _remembering() -> Iterator[Any]:
    for name in hooks.REMEMBERING:
        for value in list(vars(sys.modules[name]).values()) if name in sys.modules else ():
            owned = vars(value).values() if isinstance(value, type) else (value,)
            for item in owned:
                function = getattr(item, "__func__", item) if isinstance(value, type) else item
                if isinstance(function, _Remembering):
                    yield function
