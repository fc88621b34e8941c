# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""What a training step takes on a Cortex-M7: `python -m tests.benchmarks.tiny.board [NETWORK ...]`.

The networks and schemes of `python -m tests.benchmarks.tiny` in int8, and a small transformer in
float32, as C for Arm's MPS2 board. It is linked with 256,000 bytes of memory and 1,000,000 of
flash, stack and C library included: the linker refuses what does not fit. QEMU, which has no
clock of the board, trains two steps, and their losses are compared with PyTorch's. Flash is code,
constants and what memory begins with; memory is the arena, all that is updated, and the C
library's; the stack is added up of the compiler's `-fstack-usage`: the step's frame and the
deepest call of its own functions below it, without those of libm.
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

import dynamo_lab as lab
from dynamo_lab.render.tables import table
from dynamo_lab.tiny.networks import Transformer
from tests.benchmarks.tiny.__main__ import SCHEMES, update_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.tiny.plan import Plan

MEMORY, FLASH, RATE, STEPS = 256_000, 1_000_000, 0.05, 2
CHIP = "-mcpu=cortex-m7 -mfpu=fpv5-sp-d16 -mfloat-abi=hard -mthumb -std=gnu99 -O2"
WAYS = "-fno-strict-aliasing -ffp-contract=off -ffunction-sections -fdata-sections"
LINK = "-Wl,--gc-sections --specs=rdimon.specs -nostartfiles -T mps2.ld"
HEAD = (
    *("network", "numbers", "text", "data", "bss", "flash", "memory", "stack of a step"),
    *("losses in QEMU", "in PyTorch"),
)


class Sizes(NamedTuple):
    """Bytes of a program, as `size` has them, and of the stack of a step."""

    text: int
    data: int
    bss: int
    stack: int


def plans(names: list[str]) -> Iterator[tuple[str, Plan, Any]]:
    for name in names or [*SCHEMES, "transformer"]:
        torch.manual_seed(0)
        options: dict[str, Any] = {"memory": None, "channels": "largest"}
        if name in SCHEMES:
            make, scheme = SCHEMES[name]
            model, sample = make(), (torch.randn(1, 3, 128, 128), torch.tensor([1]))
            options |= {"update": update_of(model, scheme), "dtype": "int8"}
        else:
            model, sample = Transformer(), (torch.randn(1, 16, 8), torch.tensor([1]))
        yield name, lab.tiny(model, sample, **options), sample


def built(folder: Path) -> Sizes:
    """The program, in the memory and the flash of a small chip."""
    board = folder / "mps2.ld"
    code, memory = (f"LENGTH = {count}" for count in (FLASH, MEMORY))
    text = board.read_text().replace("LENGTH = 4M", code, 1).replace("LENGTH = 4M", memory, 1)
    board.write_text(text)
    rate = f'-DRATE="{RATE}"'
    sources = ["main.c", "step.c", "mps2.c", "-lm", "-o", "train.elf"]
    command = [*f"arm-none-eabi-gcc {CHIP} {WAYS} {LINK} -fstack-usage".split(), rate, *sources]
    subprocess.run(command, cwd=folder, check=True)
    told = subprocess.run(
        ["arm-none-eabi-size", "train.elf"], cwd=folder, check=True, capture_output=True, text=True
    ).stdout
    text_bytes, data, bss = map(int, told.splitlines()[1].split()[:3])
    return Sizes(text_bytes, data, bss, stack(folder))


def stack(folder: Path) -> int:
    """The step's own frame and the largest chain of frames below it.

    Of a function that the compiler split, the part is called by the rest; of its clones the
    largest counts.

    Raises:
        AssertionError: a frame's size is not known when it is compiled.
    """
    frames: dict[str, int] = {}
    for line in next(folder.glob("*step.su")).read_text().splitlines():
        place, count, kind = line.split("\t")
        assert kind == "static", line
        name, *suffix = place.rpartition(":")[2].split(".")
        before = frames.get(name, 0)
        frames[name] = before + int(count) if "part" in suffix else max(before, int(count))
    text = (folder / "step.c").read_text()
    bodies = dict(re.findall(r"^[\w *]*?(\w+)\([^;{}]*\) \{\n(.*?)^\}", text, re.M | re.S))

    def deepest(name: str) -> int:
        below = {one for one in re.findall(r"(\w+)\(", bodies.get(name, "")) if one in bodies}
        return frames.get(name, 0) + max(map(deepest, below - {name}), default=0)

    return deepest("train_in_place")


def trained(folder: Path, record: bytes) -> list[float]:
    """The losses that the board prints."""
    (folder / "samples.bin").write_bytes(record * STEPS)
    board = ["qemu-system-arm", "-M", "mps2-an500", "-nographic", "-kernel", "train.elf"]
    done = subprocess.run(
        [*board, "-semihosting-config", "enable=on,target=native"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return [struct.unpack("f", struct.pack("f", float(line)))[0] for line in done.stdout.split()]


def row(name: str, plan: Plan, sample: Any) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root)
        plan.to_c(folder)
        sizes = built(folder)
        found = trained(folder, plan.record(*sample))
    wanted = [plan.step(*sample, lr=RATE).item() for _ in range(STEPS)]
    bytes_of = (*sizes[:3], sizes.text + sizes.data, sizes.data + sizes.bss, sizes.stack)
    told = "the same bits" if found == wanted else " ".join(f"{one:.7f}" for one in wanted)
    return (
        name,
        plan.facts.dtype,
        *(f"{count:,}" for count in bytes_of),
        " ".join(f"{one:.7f}" for one in found),
        told,
    )


def main() -> None:
    torch.set_num_threads(1)
    rows = [row(*one) for one in plans(sys.argv[1:])]
    print("\n".join(table([HEAD, *rows])))


if __name__ == "__main__":
    main()
