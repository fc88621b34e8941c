"""What `import dynamo_lab` takes where torch is imported already, in fresh processes."""

from dynamo_lab.measure.statistics import spread
from tests.benchmarks.core.children import measure
from tests.benchmarks.core.ratio import Line, announce, options, report

BUDGET = 0.15

_IMPORT = """
import time, torch
start = time.perf_counter()
import dynamo_lab
print(time.perf_counter() - start)
"""


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=10).rounds
    progress = announce(rounds)
    values: list[float] = []
    for number in range(rounds):
        progress(number)
        values.append(measure("-c", _IMPORT))
    line = Line(name="import dynamo_lab", value=spread(values), budget=BUDGET)
    print(report("Import, after torch", [line], rounds))


if __name__ == "__main__":
    main()
