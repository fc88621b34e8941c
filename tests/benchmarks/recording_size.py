"""How large a saved recording is: GPT-2 small, and what it costs a cell that its notebook keeps it.

The seconds are of the process's own CPU time, beside those of recording the program's compilation.
"""

import tempfile
import time
from functools import partial
from pathlib import Path

import torch
from torch import nn

import dynamo_lab
from dynamo_lab.api.recording import Recording
from dynamo_lab.measure.statistics import spread
from dynamo_lab.model.core import kept
from dynamo_lab.model.core.codec import save
from tests.benchmarks.core.ratio import Line, options, report

BUDGET = 1e6


def cell() -> Recording:
    """A program as small as a cell's."""
    program = nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 64), nn.GELU(), nn.Softmax(-1))
    return dynamo_lab.explore(program, torch.randn(128, 64))


def blocks(layers: int) -> Recording:
    """Layers of a transformer, with their backward."""
    layer = nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True)
    program = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
    return dynamo_lab.explore(program, torch.randn(2, 32, 64), grad=True)


def keeping(rounds: int) -> list[Line]:
    """Seconds, bytes and share of the cell's time, for two sizes of program."""
    lines: list[Line] = []
    programs = (("a cell", cell), ("6 layers, training", partial(blocks, 6)))
    for name, program in programs:
        start = time.process_time()
        recording = program()
        compiled = time.process_time() - start
        taken: list[float] = []
        for _ in range(rounds):
            start = time.process_time()
            kept.packed({"own": recording})
            taken.append(time.process_time() - start)
        size = kept.size(kept.packed({"own": recording}))
        lines += [
            Line(name=f"{name}: keeping it", value=spread(taken)),
            Line(name="its bytes", value=spread([size]), unit="B", budget=kept.LIMIT),
            Line(name="of the cell's time", value=spread([t / compiled for t in taken]), unit=""),
        ]
    return lines


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=5).rounds
    print(report("Kept in the notebook, CPU time", keeping(rounds), rounds))
    from tests.benchmarks.core.gpt2 import recorded_gpt2

    recording = recorded_gpt2()
    with tempfile.TemporaryDirectory() as folder:
        sizes: list[int] = []
        for name in ("run.json", "run.json.gz"):
            save(recording, Path(folder) / name)
            sizes.append((Path(folder) / name).stat().st_size)
    nodes = sum(len(graph.nodes) for graph in recording.graphs)
    lines = [
        Line(name="JSON", value=spread([sizes[0]]), unit="B"),
        Line(name="compressed", value=spread([sizes[1]]), unit="B", budget=BUDGET),
    ]
    title = f"Recording of GPT-2 small: {nodes:,} nodes in {len(recording.graphs)} graphs"
    print(report(title, lines, rounds=1))


if __name__ == "__main__":
    main()
