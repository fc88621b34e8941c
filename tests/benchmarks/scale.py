"""How time grows with a recording: each thing one does with it, at n, 2n and 4n nodes.

Seconds of the processor: whatever else runs meanwhile counts less.
"""

import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dynamo_lab.measure.statistics import spread
from tests.benchmarks.core.ratio import Line, announce, options, ratio, report, take_turns, timed

SIZES = (12_500, 25_000, 50_000)
BUDGET = 2.0
"""Seconds for the largest of them."""

GROWTH = 2.5
"""Twice as many nodes take at most so many times as long: memory gets slower as it fills."""


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=3).rounds
    with tempfile.TemporaryDirectory() as folder:
        works = [_works(size, Path(folder) / f"{size}") for size in SIZES]
        names = list(works[0])
        gc.freeze()  # the recordings of the other sizes are no part of the work
        measures = [timed(work[name], time.process_time) for name in names for work in works]
        times = take_turns(measures, rounds, announce(rounds))
    lines: list[Line] = []
    for at, name in enumerate(names):
        small, middle, large = times[at * 3 : at * 3 + 3]
        lines += [
            Line(name=name, value=spread(large), budget=BUDGET),
            Line(name="  n to 2n", value=ratio(small, middle), unit="x", budget=GROWTH),
            Line(name="  2n to 4n", value=ratio(middle, large), unit="x", budget=GROWTH),
        ]
    print(report(f"{SIZES[-1]:,} nodes", lines, rounds))


def _works(nodes: int, path: Path) -> dict[str, Callable[[], object]]:
    """What one does with a recording of so many nodes, by name."""
    import dynamo_lab as lab
    from dynamo_lab.api.recording import Recording
    from dynamo_lab.live.session import Session
    from dynamo_lab.view import build
    from tests.benchmarks.core.synthetic import recording

    made = Recording.of(recording(nodes), Session())
    file, page = path.with_suffix(".json"), path.with_suffix(".html")
    made.save(file)
    return {
        "save": lambda: made.save(file),
        "load": lambda: lab.load(file),
        "view.build": lambda: build(made),
        "print": lambda: str(made),
        "to_html": lambda: made.to_html(page),
        "find": lambda: made.find("op:mm module:layers.1"),
        "diff": lambda: lab.diff(made, made),
    }


if __name__ == "__main__":
    main()
