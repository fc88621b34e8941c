"""Where nodes come from: lines of the reader, else the modules that they are in."""

from collections.abc import Iterable

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import listed

_SHOWN = 4


def where_of(nodes: Iterable[tuple[int, int]], recording: Recording, places: Places) -> str:
    """'line 3', or 'fn.0 (Linear)' of a model that no line of the reader's own calls."""
    known = [(recording.graphs[graph].nodes, node) for graph, node in nodes]
    stacks = dict.fromkeys(table.stack[node] for table, node in known)
    lines = [line for stack in stacks if stack >= 0 and (line := places.own_line(stack))]
    if any(not places.is_library(line) for line in lines):
        return places.where_all(lines)
    modules = dict.fromkeys(
        (path, table.module_types.get(path, ""))
        for table, node in known
        if (path := table.strings[table.module[node]])
    )
    named = [f"{path} ({kind})" if kind else path for path, kind in modules]
    return listed(named, _SHOWN) if named else places.where_all(lines)
