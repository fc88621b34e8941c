"""Packages: what is in them, and how to run one."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import Page, grid, heading, indented, line, more, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.packages import ConstantView, PackageView

_BRIEF = 12


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Each package: sentences, facts, constants and files."""
    if not view.packages:
        if page.everything:
            yield heading("Package", "none")
            yield text("Nothing was compiled ahead of time: `lab.package(model, x)` does it.")
        return
    for package in view.packages:
        yield heading("Package", one_line(package.title))
        yield from _package(package, page)


def instead(view: View, title: str) -> Iterator[RenderableType]:
    """Why a requested section is empty, if that is because of a package."""
    if view.packages and not view.frames:
        yield heading(title, "none")
        yield text(view.packages[0].origin)


def _package(package: PackageView, page: Page) -> Iterator[RenderableType]:
    for sentence in package.sentences:
        yield text(sentence)
    yield grid(
        ("left", "wrap"), [(text(label, "dim"), text(value)) for label, value in package.facts]
    )
    if package.constants:
        yield Text()
        yield from _constants("constants", package.constants, page)
    if package.inlined:
        yield Text()
        yield from _constants("not stored", package.inlined, page)
    if page.everything:
        yield Text()
        yield text("files", "bold")
        rows = [
            (text(file.size), text(one_line(file.path)), text(file.what, "dim"))
            for file in package.files
        ]
        yield indented(grid(("right", "left", "wrap"), rows))
    yield Text()
    yield line(
        ("torch._inductor.aoti_load_package(", "dim"),
        (repr(package.title), "dim"),
        (") runs it in Python", "dim"),
    )


def _constants(title: str, items: Sequence[ConstantView], page: Page) -> Iterator[RenderableType]:
    yield text(title, "bold")
    shown = items if page.everything else items[:_BRIEF]
    rows = [
        (
            text(one_line(item.name)),
            text(one_line(item.value)),
            text(item.size),
            text(one_line(item.role), "dim"),
        )
        for item in shown
    ]
    yield indented(grid(("left", "left", "right", "wrap"), rows))
    if len(items) > len(shown):
        yield more(len(items) - len(shown), title, "dynamo-lab show --section package")
