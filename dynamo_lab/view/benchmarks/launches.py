"""What a call of each variant starts on a GPU: what CUDA graphs save, in launches and in time."""

from collections.abc import Iterator

from dynamo_lab.measure.statistics import digits, spread
from dynamo_lab.model.benchmarks import Benchmark, Launches
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.benchmarks.comparing import compare
from dynamo_lab.view.core.words import listed, plural
from dynamo_lab.view.lowering.cudagraphs import launches as foretold
from dynamo_lab.view.timings.durations import interval_text, median_text


def saved(recording: Recording, found: Benchmark) -> Iterator[tuple[int, str]]:
    """For each variant with CUDA graphs, its position, and it beside the one without.

    That is the first variant that was compiled and whose call starts none.
    """
    counted = {at: way.launches for at, way in enumerate(found.ways) if way.launches}
    plain = [at for at, own in counted.items() if found.ways[at].kind == "compiled"
             and not own.graphs]  # fmt: skip
    if not plain:
        return
    base = plain[0]
    for at, own in counted.items():
        if own.graphs:
            name, other = found.ways[at].name, found.ways[base].name
            yield (
                at,
                (
                    f"A call of {name} starts {_started(own)}; of {other} "
                    f"{_started(counted[base])}.{_time(found, at, base)}{_foretold(recording)}"
                ),
            )


def _started(own: Launches) -> str:
    kinds = ((own.graphs, "CUDA graph"), (own.kernels, "kernel"), (own.copies, "copy"))
    parts = [plural(count, name, "copies" if name == "copy" else "") for count, name in kinds
             if count]  # fmt: skip
    return listed(parts, last="and")


def _time(found: Benchmark, at: int, base: int) -> str:
    """The times of both, where they were taken in turns with warm caches, in the last phase."""
    phases = [one.phase for one in found.series if one.way == at and one.cache == "warm"]
    if not phases:
        return ""
    timed = {
        one.way: one
        for one in found.series
        if (one.phase, one.cache) == (phases[-1], "warm") and one.seconds
    }
    if at not in timed or base not in timed:
        return ""
    own, other = (median_text(spread(timed[way].seconds)) for way in (at, base))
    took = f" It takes {own} against {other}"
    times = compare(timed[base], timed[at])
    if times is None:
        return f"{took}."
    if not times.differs:
        return f"{took}: {times.sentence}."
    return f"{took}: {digits(times.value, times)} times as fast ({interval_text(times)})."


def _foretold(recording: Recording) -> str:
    """What the recording of the variant without them foretold, all its graphs together.

    Of a function that was compiled anew, a call runs only some of them.
    """
    ids = [recording.graphs[one.graph].compile_id for one in recording.cuda_graphs]
    known = [foretold(one) for one in recording.cuda_graphs]
    anew = any(not compile_id.endswith("/0") for compile_id in ids)
    if not known or anew or not all(before for before, _ in known):
        return ""
    before, after = (sum(counts) for counts in zip(*known, strict=True))
    return f" Foretold: {after} in place of {plural(before, 'kernel')}, without copies."
