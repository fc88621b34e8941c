"""Assembly: what a kernel becomes below its code, down to machine instructions."""

from typing import Annotated

from msgspec import Struct

from dynamo_lab.model.core.references import Plain, Ref, line_of
from dynamo_lab.model.targets import Chip


class Level(Struct, frozen=True, array_like=True):
    """One form of a kernel: "TTIR", "TTGIR", "LLVM IR", "PTX", "SASS", "AMDGCN", "x86-64", ...

    `lines` are pairs (line of `text`, line of the kernel's code), both from 1; a line without a
    pair belongs to none.
    """

    name: str
    text: str
    lines: tuple[
        tuple[
            Annotated[int, line_of("Level.text", "lines of {0.name}")],
            Annotated[int, line_of("kernels[Assembly.kernel].code", "lines of the kernel")],
        ],
        ...,
    ] = ()


class Resources(Struct, frozen=True, kw_only=True):
    """The GPU resources of one block of a kernel, from its assembler; None where not reported.

    `registers` are of one thread (AMD's vector registers), `scalar_registers` of one wavefront.
    `shared`, `spills` and `stack` are bytes; spills and stack are of one thread. `occupancy` is the
    share of a unit's warps that can be resident at once, and `limit` what keeps it from being 1.
    """

    threads: int | None = None
    registers: int | None = None
    scalar_registers: int | None = None
    shared: int | None = None
    spills: int | None = None
    stack: Annotated[int | None, Plain("bytes of a thread's stack")] = None
    occupancy: float | None = None
    limit: str = ""


class Assembly(Struct, frozen=True, kw_only=True):
    """A kernel assembled for a target. `chosen` says with which block sizes, and who chose them."""

    kernel: Annotated[int, Ref("kernels")]
    target: str
    levels: tuple[Level, ...]
    resources: Resources = Resources()
    chosen: str = ""


class Binary(Struct, frozen=True, kw_only=True):
    """A kernel that was compiled for a GPU: its files, and how it is launched.

    `entry` is the function in them, `grid` Inductor's rule for how many blocks there are. The
    `block_sizes` are the first of `tried` that autotuning would try. `threads` are of a block,
    `shared` its bytes of shared memory. `arguments` are names and types in their order.
    """

    name: str
    entry: str
    files: tuple[str, ...]
    block_sizes: dict[str, int]
    tried: Annotated[int, Plain("how many")]
    threads: int
    shared: int
    grid: str
    arguments: dict[str, str]


class Parts(Struct, frozen=True, kw_only=True):
    """What was compiled ahead of a device, into a folder, and what a program there needs besides.

    `wrappers` are the files that call the kernels, in Python.
    """

    target: str
    release: str
    kernels: tuple[Binary, ...]
    wrappers: tuple[str, ...]
    missing: tuple[str, ...]

    def __str__(self) -> str:
        sizes = [f"{one.name}: {', '.join(one.files)}" for one in self.kernels]
        return "\n".join([f"for {self.target}:", *sizes, *self.wrappers, "missing:", *self.missing])


def occupancy(
    chip: Chip, threads: int, registers: int, shared: int, is_amd: bool
) -> tuple[float, str]:
    """The share of a unit's warps that a kernel can fill, and what limits it.

    It is the fewest blocks that any of these allows, times the warps in a block, over the warps
    that a unit holds: threads, blocks, shared memory (with the 1 KiB that CUDA reserves per block),
    and registers, which are allocated per warp: on NVIDIA's chips 256 at a time to four warps at
    a time, on AMD's 8 per lane at a time out of 512 in each of four SIMDs.

    Sources: NVIDIA, CUDA Occupancy Calculator; AMD, "CDNA3 instruction set architecture" 3.6 and
    LLVM's AMDGPU usage guide, "Kernel descriptor".
    """
    warps_in_block = -(-threads // chip.warp)
    warps_in_unit = chip.threads_per_unit // chip.warp
    if is_amd:
        by_lane = _rounded(registers, 8)
        warps = min(512 // by_lane, warps_in_unit // 4) * 4
        kept = 0
    else:
        warps = chip.registers_per_unit // _rounded(registers * chip.warp, 256) // 4 * 4
        kept = 1024
    allowed = {
        "registers": warps // warps_in_block,
        "the number of blocks": chip.blocks_per_unit,
        "threads": chip.threads_per_unit // (warps_in_block * chip.warp),
    }
    if shared:
        allowed["shared memory"] = chip.shared_per_unit // _rounded(shared + kept, 128)
    limit = min(allowed, key=lambda name: allowed[name])
    share = allowed[limit] * warps_in_block / warps_in_unit
    return share, "" if share >= 1 else limit


def _rounded(amount: int, to: int) -> int:
    return max(1, -(-amount // to)) * to
