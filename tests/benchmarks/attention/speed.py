# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# torch annotates its functions only in part.
"""FlashAttention-2 on a CUDA device: TFLOP/s and share of the measured peak.

By length and head size, causal and not, forward and backward, in bfloat16, 16,384 tokens and 2,048
channels in all, as in the paper (https://arxiv.org/abs/2307.08691, section 4.1). The peak is what
matrix products of that type reached on this device (`dynamo_lab.limits`). PyTorch 2.2 announced
"2x" over its kernel before and "50 to 73 % of the theoretical maximum", on an A100: its blog post
of January 2024. Times of the device are in turns with those of memory-efficient attention, the
ratio is of these two. Needs a CUDA device: `python -m tests.benchmarks.attention`.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from statistics import median
from typing import Any

import torch
from msgspec import Struct
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from dynamo_lab.measure.limits import limits_of
from dynamo_lab.render.tables import table
from tests.benchmarks.core.ratio import announce, machine, options, ratio, take_turns

TOKENS, CHANNELS = 16_384, 2_048
LENGTHS = (512, 1_024, 2_048, 4_096, 8_192, 16_384)
HEADS = (64, 128)
_FORWARD, _BACKWARD = 2, 5
"""Matrix products of length by length by head size: two, and five in the backward."""

_SECONDS = 0.02
KERNELS = {"flash": SDPBackend.FLASH_ATTENTION, "efficient": SDPBackend.EFFICIENT_ATTENTION}


class Case(Struct, frozen=True, kw_only=True):
    """One row of the table."""

    length: int
    head: int
    causal: bool

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Batch, heads, length, head size."""
        return TOKENS // self.length, CHANNELS // self.head, self.length, self.head

    def flop(self, products: int) -> float:
        """Floating-point operations: half of them where what is ahead is hidden."""
        batch, heads, length, head = self.shape
        return 2.0 * products * batch * heads * length**2 * head / (2 if self.causal else 1)


def cases() -> Iterator[Case]:
    """Every length with every head size, causal and not."""
    for head, causal, length in product(HEADS, (False, True), LENGTHS):
        yield Case(length=length, head=head, causal=causal)


def measures(case: Case, backend: SDPBackend) -> tuple[Callable[[], float], Callable[[], float]]:
    """What measures a forward, and a backward, in seconds of the device."""
    made = (torch.randn(case.shape, device="cuda", dtype=torch.bfloat16) for _ in range(4))
    query, key, value, gradient = made
    inputs = (query.requires_grad_(), key.requires_grad_(), value.requires_grad_())

    def attend() -> torch.Tensor:
        return scaled_dot_product_attention(*inputs, is_causal=case.causal)

    with sdpa_kernel([backend]):
        out = attend()

    def forward() -> object:
        with sdpa_kernel([backend]):
            return attend()

    def backward() -> object:
        return torch.autograd.grad(out, inputs, gradient, retain_graph=True)

    return _seconds(forward), _seconds(backward)


def _seconds(work: Callable[[], object]) -> Callable[[], float]:
    loops = 1
    while (taken := _timed(work, loops)) < _SECONDS / 2:
        loops *= max(2, min(64, int(_SECONDS / max(taken, 1e-6))))
    return lambda: _timed(work, loops) / loops


def _timed(work: Callable[[], object], loops: int) -> float:
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(loops):
        work()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / 1e3


def row(case: Case, rounds: int, peak: float) -> tuple[str, ...]:
    """Of one case: TFLOP/s and share of the peak, and the ratio to the other kernel."""
    flash, efficient = (measures(case, backend) for backend in KERNELS.values())
    cells: list[str] = []
    for products, pair in ((_FORWARD, 0), (_BACKWARD, 1)):
        times = take_turns((flash[pair], efficient[pair]), rounds)
        reached = case.flop(products) / median(times[0])
        faster = ratio(times[0], times[1])
        cells += [
            f"{reached / 1e12:.0f}",
            f"{reached / peak:.0%}" if peak else "unknown",
            f"{faster.median:.2f} ({faster.low:.2f} to {faster.high:.2f})",
        ]
    name = f"{case.length:,} {'causal' if case.causal else ''}".strip()
    return (name, str(case.head), *cells)


def report(rows: Sequence[tuple[str, ...]], rounds: int, peak: float) -> str:
    """The table, with where it was measured."""
    head = ("length", "head", "forward TFLOP/s", "of peak", "times as fast as efficient",
            "backward TFLOP/s", "of peak", "times as fast as efficient")  # fmt: skip
    measured: Any = torch.cuda.get_device_name()
    said = f"{measured}, {peak / 1e12:.0f} TFLOP/s in matrix products of bfloat16, {machine()}"
    return "\n".join([f"FlashAttention ({rounds} rounds)", *table([head, *rows]), said])


def main() -> None:
    """Measure and print."""
    asked = options(__doc__, rounds=11)
    if not torch.cuda.is_available():
        sys.exit("It needs a CUDA device: there is none here.")
    peak = limits_of("cuda").flops.get("bfloat16", 0.0)
    every = list(cases())
    tell = announce(len(every))
    rows: list[tuple[str, ...]] = []
    for at, case in enumerate(every):
        tell(at)
        rows.append(row(case, asked.rounds, peak))
    print(report(rows, asked.rounds, peak))
