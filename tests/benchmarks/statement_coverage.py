"""Which share of the statements of generated kernels is tied to the nodes they are there for.

For GPT-2 and a training step of a small transformer, forward and backward, for each language that
Inductor writes. Nothing is built or run: the programs are lowered.
"""

from collections import Counter
from collections.abc import Iterable

import torch
from torch import nn

import dynamo_lab
from dynamo_lab.model.recording import Recording
from dynamo_lab.render.tables import table
from tests.benchmarks.core.gpt2 import gpt2
from tests.benchmarks.core.ratio import options

TARGETS = ("cpu", "cuda:sm_90", "mps")


def counts(recording: Recording, *, is_backward: bool) -> Counter[str]:
    """How many statements of the kernels of one direction there are, by how they are known."""
    graphs = {graph.id for graph in recording.graphs if graph.is_backward == is_backward}
    return Counter(
        statement.origin
        for kernel in recording.kernels
        if kernel.graph in graphs
        for statement in kernel.statements
    )


def covered(found: Counter[str]) -> float:
    """The share that is tied to nodes; 1 where there is no statement."""
    return 1 - found["unknown"] / (found.total() or 1)


def rows(name: str, recordings: Iterable[Recording]) -> Iterable[list[str]]:
    """A line of the table for each direction and recording that has kernels of its own."""
    for recording in recordings:
        for is_backward in (False, True):
            found = counts(recording, is_backward=is_backward)
            if found:
                direction = "backward" if is_backward else "forward"
                numbers = [f"{found[key]:,}" for key in ("emitted", "serves", "unknown")]
                yield [name, recording.target, direction, *numbers, f"{covered(found):.1%}"]


def main() -> None:
    """Measure and print."""
    options(__doc__, rounds=1)
    model, ids = gpt2(layers=2)
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    image = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
    programs = {
        "GPT-2, 2 layers": (model, ids),
        "transformer layer": (layer, torch.randn(2, 8, 32)),
        "convolutions": (image, torch.randn(2, 3, 16, 16)),
    }
    head = ["program", "target", "", "emitted", "serves", "unknown", "known"]
    found = [
        row
        for name, (fn, argument) in programs.items()
        for row in rows(name, dynamo_lab.lower(fn, argument, target=TARGETS, grad=True).values())
    ]
    print("\n".join(table([head, *found], right=(3, 4, 5, 6))))


if __name__ == "__main__":
    main()
