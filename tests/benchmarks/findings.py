"""What the findings cost beside the recording that they are of.

The recorded compile of an encoder layer, and what all rules take to read it: medians of several.
A rule that compiled something would show in the second number.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

import torch

import dynamo_lab as lab
from dynamo_lab.view.core import links
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.regions import Regions
from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.findings import build

if TYPE_CHECKING:
    from collections.abc import Callable

BUDGET = 0.05
ROUNDS = 5


def main() -> None:
    """Print the two times and their ratio."""
    layer = torch.nn.TransformerEncoderLayer(64, 4, batch_first=True, dropout=0.0)
    x = torch.randn(2, 16, 64)
    recordings: list[lab.Recording] = []
    recorded = _seconds(lambda: recordings.append(lab.explore(layer, x, backend="aot_eager")))
    recording = recordings[-1]
    places, ancestry = Places(recording), Ancestry(links.build(recording))
    regions = Regions(recording, places)
    found = _seconds(lambda: build(Facts(recording, places, regions, ancestry)))
    share = found / recorded
    print(f"recording {recorded:.3f} s, findings {found * 1000:.2f} ms: {share:.2%} of it")
    print("within the budget" if share <= BUDGET else f"OVER THE BUDGET of {BUDGET:.0%}")


def _seconds(work: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
