"""Whether a benchmark's facts refer only to facts that exist."""

from collections.abc import Iterator

from dynamo_lab.model.benchmarks import Benchmark
from dynamo_lab.model.recording import Recording


def problems(recording: Recording) -> Iterator[str]:
    """Each index of the benchmark that points nowhere, as a phrase that names its place."""
    found = recording.benchmark
    if found is None:
        return
    ways = range(len(found.ways))
    for table in ("series", "comparisons", "kernels", "overheads"):
        for at, row in enumerate(getattr(found, table)):
            if row.way not in ways:
                yield f"benchmark.{table}[{at}].way is {row.way}"
    for at, timed in enumerate(found.kernels):
        if timed.kernel not in range(len(recording.kernels)):
            yield f"benchmark.kernels[{at}].kernel is {timed.kernel}"
    yield from _eager(recording, found)


def _eager(recording: Recording, found: Benchmark) -> Iterator[str]:
    for at, call in enumerate(found.eager_calls):
        if call.graph is None:
            continue
        if call.graph not in range(len(recording.graphs)):
            yield f"benchmark.eager_calls[{at}].graph is {call.graph}"
        elif call.node not in range(len(recording.graphs[call.graph].nodes.name)):
            yield f"benchmark.eager_calls[{at}].node is {call.node}"
    for at, group in enumerate(found.groups):
        for field, table in (("kernels", found.kernels), ("eager", found.eager_calls)):
            for position in getattr(group, field):
                if position not in range(len(table)):
                    yield f"benchmark.groups[{at}].{field} holds {position}"
