"""Whether the facts of decompositions refer only to each other as they should."""

from collections.abc import Iterator

from dynamo_lab.model.decompositions import TARGETS, Decompositions
from dynamo_lab.model.recording import Recording


def problems(recording: Recording) -> Iterator[str]:
    """Each reference that does not hold, as a phrase that names its place."""
    facts = recording.decompositions
    for place, index, table, size in _references(recording, facts):
        if not 0 <= index < size:
            yield f"decompositions.{place} is {index}, but there are {size} {table}"
    for position, call in enumerate(facts.calls):
        if len(call.ways) not in (0, len(TARGETS)):
            yield f"decompositions.calls[{position}] has {len(call.ways)} ways"


def _references(recording: Recording, facts: Decompositions) -> Iterator[tuple[str, int, str, int]]:
    """Each index with its place, the table that it is of, and how long that is."""
    calls, steps, rules = len(facts.calls), len(facts.steps), len(facts.rules)
    for position, traced in enumerate(facts.traced):
        place = f"traced[{position}]"
        yield f"{place}.call", traced.call, "calls", calls
        if traced.rule is not None:
            yield f"{place}.rule", traced.rule, "rules", rules
        if traced.graph is None:
            size = 0
        else:
            yield f"{place}.graph", traced.graph, "graphs", len(recording.graphs)
            is_known = 0 <= traced.graph < len(recording.graphs)
            size = len(recording.graphs[traced.graph].nodes) if is_known else 0
        for node in traced.nodes:
            yield f"{place}.nodes", node, "nodes", size
    for position, call in enumerate(facts.calls):
        for way in call.ways:
            if way.step is not None:
                yield f"calls[{position}].ways", way.step, "steps", steps
    for position, step in enumerate(facts.steps):
        yield f"steps[{position}].call", step.call, "calls", calls
        yield f"steps[{position}].rule", step.rule, "rules", rules
        for row in step.rows:
            yield f"steps[{position}].rows", row.call, "calls", calls


def chains(recording: Recording) -> dict[str, list[tuple[int, ...]]]:
    """For each set, the calls that each call becomes: these must end."""
    facts = recording.decompositions
    made = [tuple(row.call for row in step.rows) for step in facts.steps]
    return {
        f"calls become (to {target})": [
            () if not call.ways or (step := call.ways[at].step) is None else made[step]
            for call in facts.calls
        ]
        for at, target in enumerate(TARGETS)
    }
