# pyright: reportUnknownMemberType=false
# torch annotates its functions only in part.
"""How large a film is: 100,000 steps of a real analysis, in memory and in a saved recording."""

import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec

from dynamo_lab.bench._ratio import Line, options, report, spread
from dynamo_lab.model.codec import save
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.steps import Film

BUDGET = 50e6
STEPS = 100_000
LAYERS = 400  # of a transformer


def main() -> None:
    """Measure and print."""
    options(__doc__, rounds=1)
    film = _film()
    data = msgspec.json.encode(film)
    tracemalloc.start()
    again = msgspec.json.decode(data, type=Film)  # anew, so that it shares nothing with others
    memory = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.json.gz"
        save(Recording(title="film", film=again), path)
        compressed = path.stat().st_size
    lines = [
        Line(name="in memory", value=spread([memory]), unit="B", budget=BUDGET),
        Line(name="compressed", value=spread([compressed]), unit="B"),
    ]
    print(report(f"A film of {len(film):,} steps", lines, rounds=1))


def _film() -> Film:
    import torch
    from torch import nn

    import dynamo_lab

    layers = (nn.TransformerEncoderLayer(32, 2, 64) for _ in range(LAYERS))
    compiled: Any = torch.compile(nn.Sequential(*layers), backend="eager")
    with dynamo_lab.record(detail="steps", max_steps=STEPS) as recorder:
        compiled(torch.randn(4, 2, 32))
    film = recorder.recording.film
    assert film is not None
    assert len(film) == STEPS, f"only {len(film)} steps: take more layers"
    return film


if __name__ == "__main__":
    main()
