"""Targets: the devices that code can be generated for, present or not."""

from typing import Literal

from msgspec import Struct

TargetKind = Literal["cpu", "cuda", "rocm", "mps"]


class Chip(Struct, frozen=True, kw_only=True):
    """A GPU's limits, from its manufacturer.

    Sizes are bytes; registers have 32 bits. `units` are NVIDIA's multiprocessors, AMD's compute
    units, Apple's cores; all `_per_unit` limits are for one. `warp` is the number of threads in a
    warp or wavefront.

    Sources: NVIDIA, CUDA C++ Programming Guide, "Technical specifications per compute capability";
    AMD, "Accelerator and GPU hardware specifications" of the ROCm documentation; Apple's and the
    manufacturers' product pages for units and memory.
    """

    name: str
    units: int
    warp: int = 32
    registers_per_unit: int = 65536
    threads_per_unit: int = 2048
    threads_per_block: int = 1024
    blocks_per_unit: int = 32
    shared_per_block: int = 48 << 10
    shared_per_block_at_most: int = 48 << 10
    shared_per_unit: int = 64 << 10
    l2: int = 0
    memory: int = 0


class Target(Struct, frozen=True, kw_only=True):
    """A device to generate code for: "cpu", "cpu:avx2", "cuda:sm_90", "rocm:gfx942" or "mps"."""

    name: str
    kind: TargetKind
    architecture: str = ""
    chip: Chip | None = None

    @property
    def device(self) -> str:
        """PyTorch's device type: ROCm's is "cuda" too."""
        return "cuda" if self.kind == "rocm" else self.kind

    @property
    def title(self) -> str:
        """The name with the chip that represents the architecture: 'cuda:sm_90 (NVIDIA H100)'."""
        return f"{self.name} ({self.chip.name})" if self.chip else self.name

    @property
    def compute_capability(self) -> int:
        """The capability as Triton writes it: 90 for "sm_90"."""
        major, minor = self.capability
        return 10 * major + minor

    @property
    def capability(self) -> tuple[int, int]:
        """NVIDIA's compute capability: (9, 0) for "sm_90"; AMD's major version with 0, else zeros.

        It is what `torch.cuda.get_device_capability` returns there.
        """
        digits = self.architecture.removeprefix("sm_").removesuffix("a")
        if self.kind == "cuda":
            return int(digits[:-1]), int(digits[-1])
        if self.kind == "rocm":
            return int(self.architecture.removeprefix("gfx")[:-2]), int(self.architecture[-2], 16)
        return 0, 0


def _nvidia(
    name: str, units: int, threads: int, blocks: int, shared: int, l2: int, gb: int
) -> Chip:
    """An NVIDIA chip; a block may use a unit's shared memory except for one KiB."""
    return Chip(
        name=f"NVIDIA {name}",
        units=units,
        threads_per_unit=threads,
        blocks_per_unit=blocks,
        shared_per_unit=shared << 10,
        shared_per_block_at_most=(shared - 1) << 10,
        l2=l2 << 20,
        memory=gb << 30,
    )


def _amd(name: str, units: int, lds: int, l2: int, gb: int) -> Chip:
    return Chip(
        name=f"AMD {name}",
        units=units,
        warp=64,
        shared_per_block=lds << 10,
        shared_per_block_at_most=lds << 10,
        shared_per_unit=lds << 10,
        l2=l2 << 20,
        memory=gb << 30,
    )


_CHIPS: dict[TargetKind, dict[str, Chip | None]] = {
    "cpu": {"avx512": None, "avx2": None, "neon": None, "scalar": None},
    "cuda": {
        "sm_80": _nvidia("A100", 108, 2048, 32, 164, 40, 80),
        "sm_86": _nvidia("RTX 3090", 82, 1536, 16, 100, 6, 24),
        "sm_89": _nvidia("L40S", 142, 1536, 24, 100, 96, 48),
        "sm_90": _nvidia("H100", 132, 2048, 32, 228, 50, 80),
        "sm_100": _nvidia("B200", 148, 2048, 32, 228, 126, 180),
        "sm_120": _nvidia("RTX 5090", 170, 1536, 24, 100, 96, 32),
    },
    "rocm": {
        "gfx90a": _amd("Instinct MI250X", 104, 64, 8, 64),
        "gfx942": _amd("Instinct MI300X", 304, 64, 4, 192),
        "gfx950": _amd("Instinct MI350X", 256, 160, 4, 288),
    },
    "mps": {},
}

_DEFAULTS = {"cuda": "sm_90", "rocm": "gfx942"}
_APPLE = Chip(name="Apple M3 Max, 40 cores", units=40, shared_per_block=32 << 10)


def known() -> tuple[str, ...]:
    """The names of all targets, "cpu" first: the widest vectors that this machine has."""
    names = [f"{kind}:{arch}" for kind, chips in _CHIPS.items() for arch in chips]
    return ("cpu", *names, "mps")


def parse(name: str) -> Target | None:
    """The target of this name, or None if there is none; "cuda" alone is "cuda:sm_90"."""
    kind, _, architecture = name.strip().lower().partition(":")
    if kind not in _CHIPS:
        return None
    architecture = architecture or _DEFAULTS.get(kind, "")
    if kind == "mps" or not architecture:
        chip = _APPLE if kind == "mps" else None
        return None if architecture else Target(name=kind, kind=kind, chip=chip)
    chips = _CHIPS[kind]
    if architecture not in chips:
        return None
    chip = chips[architecture]
    return Target(name=f"{kind}:{architecture}", kind=kind, architecture=architecture, chip=chip)
