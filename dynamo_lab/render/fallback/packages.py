"""Packages in the script-free HTML."""

from collections.abc import Iterator, Sequence

from dynamo_lab.render.markup import Markup, details, join, pre, prose, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.packages import ConstantView, PackageView

_ROWS = 200


def blocks(view: View) -> Iterator[Markup]:
    """A block for each package."""
    return map(_package, view.packages)


def _package(package: PackageView) -> Markup:
    facts = [
        tag("tr", tag("td", label), tag("td", shortened(value, 300)))
        for label, value in package.facts
    ]
    files = [
        f"{file.size:>9}  {clipped(file.path, 100)}  {file.what}\n"
        for file in package.files[:_ROWS]
    ]
    return join(
        tag("p", tag("b", shortened(package.title, 200))),
        *(tag("p", prose(shortened(text, 600))) for text in package.sentences),
        tag("table", *facts),
        *_constants(plural(len(package.constants), "constant"), package.constants),
        *_constants(f"{len(package.inlined):,} not stored", package.inlined),
        details(plural(len(package.files), "file"), pre(*files)),
    )


def _constants(title: str, items: Sequence[ConstantView]) -> Iterator[Markup]:
    if items:
        lines = [
            f"{item.size:>9}  {clipped(item.name, 80)}: {clipped(item.value, 60)}  {item.role}\n"
            for item in items[:_ROWS]
        ]
        left = len(items) - len(lines)
        yield details(title, pre(*lines, *([f"… {left:,} more\n"] if left else [])))
