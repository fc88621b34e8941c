"""Where nodes come from: lines of the reader, else the modules that they are in."""

from collections.abc import Iterable
from typing import NamedTuple

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.places import Line, Places, entity
from dynamo_lab.view.core.words import listed

_SHOWN = 4
Nodes = Iterable[tuple[int, int]]
"""Nodes as pairs of a graph and an index."""


class Origin(NamedTuple):
    """Where one result comes from; `line` is the text of the reader's line, `entity` any line's."""

    where: str
    entity: str
    line: str
    is_module: bool


def where_of(nodes: Nodes, recording: Recording, places: Places) -> str:
    """'line 3', or '0 (Linear)' of a model that no line of the reader's own calls."""
    nodes = tuple(nodes)
    lines = _lines(nodes, recording, places)
    if any(not places.is_library(line) for line in lines):
        return places.where_all(lines)
    return modules_of(nodes, recording) or places.where_all(lines)


def origin_of(nodes: Nodes, recording: Recording, places: Places) -> Origin:
    """The reader's line that a result is of, else its module, else a library's line."""
    nodes = tuple(nodes)
    lines = _lines(nodes, recording, places)
    own = next((line for line in lines if not places.is_library(line)), None)
    modules = "" if own else modules_of(nodes, recording)
    line = own or next(iter(lines), None)
    if line is None:
        return Origin(modules, "", "", is_module=bool(modules))
    if modules:
        return Origin(modules, entity(line), "", is_module=True)
    return Origin(places.where(line), entity(line), places.text(line).strip(), is_module=False)


def modules_of(nodes: Nodes, recording: Recording) -> str:
    """'0 (Linear) and 2 (ReLU)': the modules that nodes are in; empty if in none."""
    tables = ((recording.graphs[graph].nodes, node) for graph, node in nodes)
    modules = dict.fromkeys(
        (path, table.module_types.get(path, ""))
        for table, node in tables
        if (path := table.strings[table.module[node]])
    )
    named = [f"{path} ({kind})" if kind else path for path, kind in modules]
    return listed(named, _SHOWN) if named else ""


def _lines(nodes: Nodes, recording: Recording, places: Places) -> list[Line]:
    """The line of each stack that nodes have, a library's where none is the reader's."""
    stacks = dict.fromkeys(recording.graphs[graph].nodes.stack[node] for graph, node in nodes)
    return [line for stack in stacks if stack >= 0 and (line := places.own_line(stack))]
