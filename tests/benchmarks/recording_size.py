"""How large a saved recording is: GPT-2 small, compiled and saved as `.json.gz`."""

import tempfile
from pathlib import Path

from dynamo_lab.measure.statistics import spread
from dynamo_lab.model.core.codec import save
from tests.benchmarks.core.ratio import Line, options, report

BUDGET = 1e6


def main() -> None:
    """Measure and print."""
    options(__doc__, rounds=1)
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
