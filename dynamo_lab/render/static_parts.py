"""The sections of the script-free HTML, each a title and blocks that may be cut one by one."""

from collections.abc import Iterable, Iterator, Sequence, Sized
from textwrap import dedent

from rich.cells import cell_len

from dynamo_lab.render import (
    static_autograd,
    static_decompositions,
    static_kernels,
    static_lowering,
)
from dynamo_lab.render import static_passes as passes
from dynamo_lab.render.excerpt import (
    SIGNS,
    fault_of,
    is_telling,
    legend,
    map_text,
    mark_name,
    marks_by_line,
    nearby,
    regions,
    sides_of,
    sources_to_show,
    times_of,
)
from dynamo_lab.render.graph_text import GraphText, Row
from dynamo_lab.render.markup import Markup, details, join, pre, prose, tag
from dynamo_lab.render.text import clipped, shortened, visible
from dynamo_lab.view import View
from dynamo_lab.view.breaks import BreakView
from dynamo_lab.view.changes import ChangesView
from dynamo_lab.view.code import LineView, Mark, SourceView
from dynamo_lab.view.graphs import GraphView
from dynamo_lab.view.guards import CauseView
from dynamo_lab.view.outline import OutlineRow, outline
from dynamo_lab.view.run_map import MapRow
from dynamo_lab.view.stories import StoryView
from dynamo_lab.view.words import listed, plural

# Of middle lightness: they stand out from white and from black.
_REGIONS = ("#2a9fd6", "#b868d9", "#3fa45b", "#d9822b", "#7b83eb", "#c9a227")
_LINES = 200
_WIDEST = 400
_NODES = 120
_CODE = 6_000
_MODULES = 24


def sections(view: View) -> Iterator[tuple[str, Iterable[Markup]]]:
    """Title and blocks, the most telling first."""
    numbers = regions(view)
    yield "Code", _code(sources_to_show(view, libraries=False), numbers)
    yield "Map", _map(view, numbers)
    told = zip(view.breaks, view.stories, strict=False)
    yield _counted("Breaks", view.breaks), (_break(item, story) for item, story in told)
    yield _counted("Kernels", view.kernels.kernels), static_kernels.blocks(view)
    texts = GraphText(view)
    yield "Graphs", (_graph(graph, texts) for graph in _by_interest(view.graphs))
    yield "Autograd", static_autograd.blocks(view)
    yield _counted("Passes", [p for p in view.passes.passes if p.did]), passes.blocks(view)
    yield _counted("Lowering", view.lowering.buffers), static_lowering.blocks(view)
    yield "Decompositions", static_decompositions.blocks(view.decompositions)
    yield "Recompilations", _recompiles(view)
    yield "Steps", _steps(view)
    yield "Dynamic shapes", _shapes(view)
    yield "Notes", (_note(f"{note.about}: {note.message}") for note in view.notes)


def _counted(title: str, rows: Sized) -> str:
    return f"{title} ({len(rows):,})" if len(rows) else title


def _code(sources: Sequence[SourceView], numbers: dict[int, int]) -> Iterator[Markup]:
    yield from (_source(source, numbers) for source in sources)
    if parts := legend(sources):
        yield tag("p", tag("small", " · ".join(parts), style="opacity:.7"))


def _source(source: SourceView, numbers: dict[int, int]) -> Markup:
    marks = marks_by_line(source)
    rows = list(nearby(source, marks))
    number = max((len(str(item.number)) for item in rows), default=1)
    region = max((len(str(numbers.get(item.region, " "))) for item in rows), default=1)
    made: list[str] = []
    previous = rows[0].number if rows else 0
    for item in rows[:_LINES]:
        if item.number > previous + 1:
            made.append("⋮\n")
        previous = item.number
        graph = numbers.get(item.region)
        gutter = f"{graph or '':>{region}}  {item.number:>{number}}  "
        made.append(_line(item, gutter, graph))
        made += (_caret(item, mark, len(gutter) + 1) for mark in marks.get(item.number, ()))
    if len(rows) > _LINES:
        made.append(f"… {len(rows) - _LINES:,} more lines\n")
    return join(tag("p", tag("b", shortened(source.label, 200))), pre(*made))


def _line(item: LineView, gutter: str, graph: int | None) -> Markup:
    colour = f"color:{_REGIONS[(graph - 1) % len(_REGIONS)]}" if graph is not None else ""
    code: str = clipped(item.text, _WIDEST)
    if item.state in ("eager", "skipped"):
        code = tag("span", code, style="opacity:.65")
    return join(tag("b", SIGNS[item.state], style=colour), gutter, code, "\n")


def _caret(item: LineView, mark: Mark, indent: int) -> Markup:
    text = item.text[:_WIDEST]
    is_known = 0 <= mark.column < len(text)
    start = mark.column if is_known else len(text) - len(text.lstrip())
    end = mark.end_column if is_known and mark.end_line == mark.line else len(text.rstrip())
    space = " " * (indent + cell_len(visible(text[:start])))
    carets = "^" * max(1, cell_len(visible(text[start:end])))
    label = f"{carets} {mark_name(mark)}: {shortened(mark.label, 200)}"
    if mark.kind == "specialised":
        return join(space, label, "\n")
    return join(space, tag("b", label, style="color:#c08a00"), "\n")


def _map(view: View, numbers: dict[int, int]) -> Iterator[Markup]:
    if not is_telling(view):
        return
    rows = view.run_map[:_LINES]
    names = [f"{'  ' * row.depth}{_SIGN[row.kind == 'break']}{row.name}" for row in rows]
    width = min(48, max(cell_len(name) for name in names))
    told = zip(rows, names, strict=True)
    made: list[str] = [_map_row(row, name, width, numbers) for row, name in told]
    if len(view.run_map) > _LINES:
        made.append(f"… {len(view.run_map) - _LINES:,} more rows\n")
    yield pre(*made)


_SIGN = {True: "\N{DOWNWARDS ZIGZAG ARROW} ", False: ""}


def _map_row(row: MapRow, name: str, width: int, numbers: dict[int, int]) -> Markup:
    name = clipped(name, 48)
    number = numbers.get(row.graphs[-1]) if row.graphs else None
    colour = f"color:{_REGIONS[(number - 1) % len(_REGIONS)]}" if number is not None else ""
    colour = "color:#c08a00" if row.kind == "break" else colour
    graph = f"graph {number}" if number is not None else ""
    kind = "" if row.kind == "break" else row.kind
    facts = (row.file, row.lines, graph, kind, map_text(row))
    aside = " · ".join(shortened(fact, 200) for fact in facts if fact)
    return join(tag("b", name, style=colour), " " * (width - cell_len(name)), f"  {aside}\n")


def _break(item: BreakView, story: StoryView) -> Markup:
    head = tag(
        "p",
        tag("b", f"break {item.id + 1}: {shortened(item.title, 200)}", style="color:#c08a00"),
        f" · {shortened(item.where, 200)} · {item.effect}",
        *([f" · {times_of(item)}"] if item.times > 1 else []),
        *([f" · {shortened(item.registry_id, 20)}"] if item.registry_id else []),
    )
    why = clipped((item.explanation or item.reason).strip(), 1_500)
    advice = [tag("li", prose(shortened(text, 600))) for text in item.advice[:6]]
    todo = [tag("p", tag("b", "What to do")), tag("ul", *advice)] if advice else []
    reason = [tag("p", prose(story.because))] if story.because else [*_paragraphs(why), *todo]
    return join(
        head,
        pre(clipped(item.text.strip(), 400)),
        *reason,
        *_story(story),
        *([_stack(item)] if len(item.stack) > 1 else []),
    )


def _story(story: StoryView) -> Iterator[Markup]:
    """What the interpreter had, did and went on with, and what that costs."""
    after = f" After it: {sides_of(story.after)}." if story.after else ""
    yield tag("p", prose(f"{story.then}{after}"))
    if story.cost:
        yield tag("p", tag("b", "Cost "), prose(" ".join(story.cost)))
    if fault := fault_of(story):
        yield tag("p", tag("small", shortened(fault, 300)))


def _paragraphs(text: str) -> Iterator[Markup]:
    """Paragraphs; what PyTorch indented is code."""
    for part in text.split("\n\n"):
        yield pre(dedent(part).rstrip()) if part.startswith("  ") else tag("p", prose(part))


def _stack(item: BreakView) -> Markup:
    rows = [f"{shortened(at.label, 120)}  {shortened(at.text, 200)}\n" for at in item.stack[-12:]]
    return details("called from", pre(*rows))


def _by_interest(graphs: Iterable[GraphView]) -> list[GraphView]:
    """What was captured first, then what it became."""
    return sorted(graphs, key=lambda graph: (graph.stage != "dynamo", graph.id))


def _graph(graph: GraphView, texts: GraphText) -> Markup:
    rows = texts.brief(graph, 12, _NODES)
    width = min(88, max((cell_len(row.code) for row in rows), default=0))
    lines = [_row(row, width) for row in rows]
    left = len(graph.name) - sum(row.nodes for row in rows)
    if left > 0:
        lines.append(f"… {left:,} more nodes\n")
    modules = outline(graph) if left > 0 else ()
    told = [pre(*map(_module, modules[:_MODULES]))] if len(modules) > 1 else []
    return details(f"{graph.title}: {shortened(graph.subtitle, 200)}", *told, pre(*lines))


def _module(row: OutlineRow) -> str:
    """A row of the outline of a graph that is too long to print."""
    name = shortened(f"{row.name} to {row.last}" if row.last else row.name, 80)
    alike = f"{row.alike} alike, each" if row.alike > 1 else ""
    parts = [
        name or "(the graph)",
        shortened(row.type, 80),
        alike,
        plural(row.operators, "operator"),
    ]
    return f"{'  ' * row.depth}{'  '.join(part for part in parts if part)}\n"


def _row(row: Row, width: int) -> str:
    code = clipped(row.code, 88)
    aside = "  ".join(part for part in (clipped(row.value, 60), clipped(row.where, 60)) if part)
    return f"{code}{' ' * max(0, width - cell_len(code))}  {aside}".rstrip() + "\n"


def _recompiles(view: View) -> Iterator[Markup]:
    for item in view.guards.recompiles:
        failures = [f"{shortened(a, 40)}: {shortened(b, 600)}" for a, b in item.failures[:8]]
        told = [_cause(cause) for cause in item.causes[:8]] or [tag("li", f) for f in failures]
        yield join(
            tag("p", tag("b", shortened(item.title, 200)), f" · {shortened(item.compile_id, 40)}"),
            tag("ul", *told),
            *([tag("p", prose(item.advice))] if item.advice else []),
            *([_changes(item.changes)] if item.changes else []),
        )


def _steps(view: View) -> Iterator[Markup]:
    """The analyses alone: stepping through them needs scripts."""
    if view.steps is None:
        return
    for take in view.steps.takes:
        head = tag("b", shortened(take.title, 200))
        steps = plural(take.end - take.first, "step")
        yield tag("p", head, f" · {steps} · ", prose(shortened(take.ending, 600)))
    if view.steps.cut:
        yield tag("p", prose(view.steps.cut))


def _cause(cause: CauseView) -> Markup:
    where = f" · {shortened(cause.where, 120)}" if cause.where else ""
    ids = f" · rules out {listed([shortened(i, 40) for i in cause.earlier])}"
    made = [tag("li", prose(shortened(cause.text, 400)), tag("small", where, ids))]
    for remedy in cause.remedies:
        made.append(tag("p", prose(shortened(remedy.text, 600))))
        if remedy.code:
            made.append(pre(clipped(remedy.code, 400)))
    return join(*made)


def _changes(changes: ChangesView) -> Markup:
    facts = [*changes.symbols[:8], f"graph: {changes.summary}", changes.kernels]
    told = shortened("; ".join(fact for fact in facts if fact), 600)
    rows = [f"{sign} {clipped(row, 160)}\n" for sign, row in changes.graph]
    head = tag("p", f"Since {shortened(changes.against, 40)}: ", prose(told))
    return join(head, *([details("what changed in the graph", pre(*rows))] if rows else []))


def _shapes(view: View) -> Iterator[Markup]:
    for item in view.shapes.symbols:
        name = f"{item.name} = {item.value}" if item.value else item.name
        facts = [f"was {item.hint}" if item.hint else "known at run time", item.range, item.where]
        stands_for = listed(item.stands_for)
        aside = " · ".join(shortened(fact, 200) for fact in (stands_for, *facts) if fact)
        pinned = [
            tag("li", prose(shortened(f.text, 400)), f" · {shortened(f.where, 120)}")
            for f in item.pinned
        ]
        head = f" {shortened(item.compile_id, 40)} · {aside}"
        yield join(
            tag("p", tag("b", shortened(name, 120)), head),
            *([tag("ul", *pinned)] if pinned else []),
        )
    for fact in view.shapes.others:
        yield tag("p", prose(shortened(fact.text, 600)), f" · {shortened(fact.where, 120)}")


def _note(text: str) -> Markup:
    return tag("p", tag("small", shortened(text, 600)))
