"""Passes as text, for the renderers that show text."""

from typing import NamedTuple

from dynamo_lab.render.graph_text import statement
from dynamo_lab.render.text import one_line
from dynamo_lab.view.passes.diffs import DiffLine, Hunk
from dynamo_lab.view.passes.passes import PassView


class Row(NamedTuple):
    """A line of a diff: its sign, the node as code, its value, and a note."""

    sign: str
    code: str
    value: str
    note: str


def row(line: DiffLine) -> Row:
    """A node of a diff, with control characters escaped."""
    code = statement(line.name, line.op, line.target, line.arguments)
    return Row(line.sign, one_line(code), one_line(line.value), line.note)


def skipped(hunk: Hunk) -> str:
    """The line for omitted nodes, with the body they belong to."""
    of = f"in {one_line(hunk.body)} " if hunk.body else ""
    return f"⋮ {of}{hunk.skipped:,} unchanged" if hunk.skipped else f"⋮ {of}".rstrip(" ⋮")


def title(item: PassView) -> str:
    """The title, indented by the passes it ran inside, and the body it ran on."""
    body = f" on {item.body}" if item.body else ""
    return one_line(f"{'  ' * item.depth}{item.title}{body}")


def costs(item: PassView) -> str:
    """What a pass won, in a line; empty where that is not known."""
    return ", ".join(f"{cost.name} {cost.text}" for cost in item.costs)
