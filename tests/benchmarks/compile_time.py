"""Seconds of compiling: what a finding foretells, against the program that was mended.

Each program has one fault and a mended twin. Both are recorded in this process with empty caches,
after a small compilation that pays for what is done once.
"""

from collections.abc import Callable
from typing import Any

import torch
from msgspec import Struct

import dynamo_lab as lab
from dynamo_lab.capture.core.compat import empty_compile_caches, warm_up_inductor
from dynamo_lab.measure.statistics import spread
from dynamo_lab.render.tables import table
from dynamo_lab.view import build
from tests.benchmarks.core.ratio import machine, options

X = torch.ones(16, 16)


class Case(Struct, frozen=True):
    """A program with a fault, and the same without it, each made anew for a round."""

    name: str
    faulty: Callable[[], Callable[..., torch.Tensor]]
    mended: Callable[[], Callable[..., torch.Tensor]]


def products(times: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """A loop of kernels between products, which are fused with nothing."""

    def run(x: torch.Tensor) -> torch.Tensor:
        for i in range(times):
            x = (torch.sin(x) + i) @ x
        return x

    return run


def pointwise(times: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """A loop that becomes one kernel, however long."""

    def run(x: torch.Tensor) -> torch.Tensor:
        for i in range(times):
            x = torch.sin(x) * 1.5 + i
        return x

    return run


class Block(torch.nn.Module):
    """A block of a small model."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.up = torch.nn.LayerNorm(16), torch.nn.Linear(16, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Norm, product, activation and the sum with the input."""
        return x + torch.nn.functional.gelu(self.up(self.norm(x)))


def region() -> torch.nn.Module:
    """The same block, marked as a region."""
    compiler: Any = torch.compiler
    forward = compiler.nested_compile_region(Block.forward)
    return type("Region", (Block,), {"forward": forward})()


def blocks(make: Callable[[], torch.nn.Module]) -> Callable[[torch.Tensor], torch.Tensor]:
    """Twelve blocks one after another."""
    net = torch.nn.Sequential(*(make() for _ in range(12)))

    def run(x: torch.Tensor) -> torch.Tensor:
        return net(x)

    return run


CASES = (
    Case("32 products", lambda: products(32), lambda: products(1)),
    Case("64 pointwise steps", lambda: pointwise(64), lambda: pointwise(1)),
    Case("12 blocks, a region", lambda: blocks(Block), lambda: blocks(region)),
)


def seconds(fn: Callable[..., torch.Tensor]) -> tuple[float, float | None]:
    """What compiling took, and what the first finding about it foretells without the fault."""
    with empty_compile_caches():
        view = build(lab.explore(fn, X))
    about = [one for one in view.findings.found if one.question == "compile_time"]
    gain = about[0].gain if about else None
    return view.timeline.seconds, gain.after if gain else None


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=3).rounds
    warm_up_inductor("cpu")
    rows: list[list[str]] = []
    for case in CASES:
        before, foretold, after = list[float](), list[float](), list[float]()
        for _ in range(rounds):
            spent, told = seconds(case.faulty())
            before.append(spent)
            foretold += [] if told is None else [told]
            after.append(seconds(case.mended())[0])
        rows.append([case.name, *(_median(values) for values in (before, foretold, after))])
    head = ["program", "with the fault s", "foretold s", "mended s"]
    print("\n".join([*table([head, *rows], right=(1, 2, 3)), machine()]))


def _median(values: list[float]) -> str:
    return f"{spread(values).median:.2f}" if values else "unknown"


if __name__ == "__main__":
    main()
