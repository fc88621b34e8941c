"""A view in the terminal: everything in brief, or the requested sections in full."""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from dynamo_lab.errors import OptionError
from dynamo_lab.render.terminal import (
    artifacts,
    attention,
    autograd,
    bisections,
    breaks,
    code,
    compiler,
    findings,
    logs,
    lowering,
    modules,
    packages,
    passes,
    steps,
    summary,
    timings,
)
from dynamo_lab.render.terminal.benchmarks import benchmarks
from dynamo_lab.render.terminal.choices import choices
from dynamo_lab.render.terminal.core import notes
from dynamo_lab.render.terminal.core.help import reading
from dynamo_lab.render.terminal.core.parts import Page
from dynamo_lab.render.terminal.decompositions import decompositions
from dynamo_lab.render.terminal.fast_path import fast_path
from dynamo_lab.render.terminal.frames import frames, run_map
from dynamo_lab.render.terminal.fusion import fusion, memory
from dynamo_lab.render.terminal.graphs import graphs
from dynamo_lab.render.terminal.guards import guards, symbols
from dynamo_lab.render.terminal.kernels import kernels
from dynamo_lab.view import View
from dynamo_lab.view.decompositions.trees import refuse_unknown_set

_Section = Callable[[View, Page], Iterator[RenderableType]]

SECTIONS: dict[str, _Section] = {
    "summary": summary.section,
    "findings": findings.section,
    "code": code.section,
    "run_map": run_map.section,
    "breaks": breaks.section,
    "frames": frames.section,
    "modules": modules.section,
    "graphs": graphs.section,
    "autograd": autograd.section,
    "passes": passes.section,
    "decompositions": decompositions.section,
    "lowering": lowering.section,
    "compiler": compiler.section,
    "choices": choices.section,
    "attention": attention.section,
    "fast_path": fast_path.section,
    "fusion": fusion.section,
    "memory": memory.section,
    "package": packages.section,
    "kernels": kernels.section,
    "bench": benchmarks.section,
    "why_wrong": bisections.section,
    "guards": guards.section,
    "steps": steps.section,
    "shapes": symbols.section,
    "timeline": timings.section,
    "logs": logs.section,
    "artifacts": artifacts.section,
    "notes": notes.section,
}


def render(
    view: View,
    *,
    width: int | None = None,
    color: bool = False,
    sections: Sequence[str] | None = None,
    graphs: Iterable[int] | None = None,
    to: str = "inductor",
    explain: bool = False,
    can_try: bool = False,
    can_export: bool = False,
) -> str:
    """The view as text of `width` columns (100 by default), without trailing white space.

    Args:
        view: What to show.
        width: Columns to print in.
        color: Whether to colour it with ANSI sequences.
        sections: The sections to print, each in full; by default all of them in brief.
        graphs: The ids of the graphs to print in full where graphs are printed; by default all.
        to: The set of operators to decompose to: "core_aten", "inductor", "prims".
        explain: Whether to print how to read each section.
        can_try: Whether to name the calls on `rec` that run its program again.
        can_export: Whether to name those that make an export again that failed.

    Raises:
        OptionError: there is no section or set of that name.
    """
    body = renderable(view, sections, graphs, to, explain, can_try, can_export)
    return as_text(body, width=width, color=color)


def as_text(body: RenderableType, *, width: int | None = None, color: bool = False) -> str:
    """A rich renderable as text of `width` columns (100 by default)."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=width or 100,
        force_terminal=color,
        force_jupyter=False,  # inside a notebook rich would print it immediately
        color_system="256" if color else None,
        no_color=not color,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
    console.print(body)
    return "\n".join(row.rstrip() for row in out.getvalue().rstrip().split("\n"))


def renderable(
    view: View,
    sections: Sequence[str] | None = None,
    graphs: Iterable[int] | None = None,
    to: str = "inductor",
    explain: bool = False,
    can_try: bool = False,
    can_export: bool = False,
) -> RenderableType:
    """The view for a rich Console, in its width."""
    for name in sections or ():
        if name not in SECTIONS:
            raise OptionError(f"There is no section {name!r}: pass any of {', '.join(SECTIONS)}.")
    refuse_unknown_set(to)
    only = None if graphs is None else frozenset(graphs)
    return _Fitted(view, sections, only, to, explain, can_try, can_export)


class _Fitted:
    """Draws the sections once the width is known."""

    def __init__(
        self,
        view: View,
        sections: Sequence[str] | None,
        graphs: frozenset[int] | None,
        to: str,
        explain: bool,
        can_try: bool,
        can_export: bool,
    ) -> None:
        self._view = view
        self._sections = sections
        self._graphs = graphs
        self._to = to
        self._explain = explain
        self._can_try = can_try
        self._can_export = can_export

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        page = Page(
            width=options.max_width,
            everything=self._sections is not None,
            graphs=self._graphs,
            to=self._to,
            can_try=self._can_try,
            can_export=self._can_export,
        )
        started = False
        for name in self._sections or SECTIONS:
            body = list(SECTIONS[name](self._view, page))
            if not body and page.everything:
                body = list(packages.instead(self._view, name.replace("_", " ").capitalize()))
            if body and self._explain:
                body[1:1] = reading(name, page)  # below the section's heading
            if body and started:
                yield Text()
            started = started or bool(body)
            yield Group(*body)
