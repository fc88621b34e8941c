"""How often a program differs significantly from itself, and from one that is a tenth slower.

Both programs do matrix products; the slower one does eleven where the other does ten. What counts
is how many of the trials end with "not distinguishable", on the machine as it is.
"""

from collections.abc import Callable

import torch

from dynamo_lab.measure.devices import device_named
from dynamo_lab.measure.rounds import Plan, take_turns
from dynamo_lab.measure.statistics import ratio
from dynamo_lab.render.tables import table
from tests.benchmarks.core.ratio import machine, options

_PLAN = Plan(round_seconds=0.005)


def products(count: int, a: torch.Tensor, b: torch.Tensor) -> Callable[[], None]:
    """A program of `count` products of square matrices."""

    def run() -> None:
        for _ in range(count):
            torch.mm(a, b)

    return run


def is_different(count: int, device: str) -> tuple[bool, float]:
    """Whether ten products and `count` of them differ significantly, and their ratio."""
    size = 128 if device == "cpu" else 1024
    a, b = torch.randn(size, size, device=device), torch.randn(size, size, device=device)
    ways = {"one": products(10, a, b), "other": products(count, a, b)}
    found = take_turns(ways, device_named(device), _PLAN)
    told = ratio(found["one"].seconds, found["other"].seconds)
    return told.differs, 1 / told.value


def main() -> None:
    """Print in how many of the trials two programs differ significantly."""
    asked = options(__doc__, 50)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rows = [("", "trials", "different", "ratios")]
    for name, count in (("the same program twice", 10), ("a tenth slower", 11)):
        found = [is_different(count, device) for _ in range(asked.rounds)]
        ratios = sorted(value for _, value in found)
        apart = sum(differs for differs, _ in found)
        spread = f"{ratios[0]:.3f} to {ratios[-1]:.3f}"
        rows.append((name, str(len(found)), str(apart), spread))
    print("\n".join([*table(rows, right=(1, 2)), f"{device}, {machine()}"]))


if __name__ == "__main__":
    main()
