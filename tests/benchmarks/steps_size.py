"""The size of 100,000 steps of a real analysis, in memory and in a saved recording."""

import tempfile
import tracemalloc
from pathlib import Path

import msgspec

from dynamo_lab.measure.statistics import spread
from dynamo_lab.model.core.codec import save
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.steps import StepTable
from tests.benchmarks.core.ratio import Line, options, report
from tests.benchmarks.core.steps import filmed

BUDGET = 50e6
STEPS = 100_000
LAYERS = 400


def main() -> None:
    """Measure and print."""
    options(__doc__, rounds=1)
    data = msgspec.json.encode(filmed(LAYERS, STEPS).film)
    tracemalloc.start()
    again = msgspec.json.decode(data, type=StepTable)  # anew, so that it shares nothing with others
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
    print(report(f"{len(again):,} steps", lines, rounds=1))


if __name__ == "__main__":
    main()
