"""The address of a thing on a page: what stands after the `#`, as in `page.html#kernel=3&line=12`.

The front-end reads and writes them too: tests/cases/journey.json checks both.
"""

from urllib.parse import quote

from dynamo_lab.view.view import View


def address_of(view: View, entity: str) -> str:
    """The entity of a view, for its page: 'line=8', 'line=8&columns=4-20', 'kernel=3&line=12'."""
    kind, first, *rest = entity.split(":")
    second = int(rest[0]) if rest else -1
    if kind == "line":
        return _line(view, int(first), second)
    if kind == "expression":
        one = view.expressions.shown[int(first)]
        below = f"{one.end_line}:" if one.end_line > one.line else ""
        return f"{_line(view, one.source, one.line)}&columns={one.column}-{below}{one.end_column}"
    if kind == "node":
        graph = next(one for one in view.graphs if one.id == int(first))
        return f"graph={first}&node={quote(graph.name[second], safe='')}"
    if kind == "statement":
        return f"kernel={first}&line={second}"
    return f"{kind}={first}"


def _line(view: View, source: int, number: int) -> str:
    main = view.sources[view.main_source].id if view.sources else -1
    return f"line={number}" + ("" if source == main else f"&source={source}")
