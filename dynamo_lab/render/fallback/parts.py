"""The sections of the script-free HTML: a title and blocks that may be cut one by one."""

from collections.abc import Iterable, Iterator, Sized
from functools import partial
from textwrap import dedent

from rich.cells import cell_len

from dynamo_lab.render.colours import coloured
from dynamo_lab.render.excerpt import (
    fault_of,
    regions,
    sides_of,
    sources_to_show,
    times_of,
)
from dynamo_lab.render.fallback import (
    artifacts,
    autograd,
    bisections,
    code,
    compiler,
    decompositions,
    fusion,
    kernels,
    logs,
    lowering,
    modules,
    packages,
    passes,
    timings,
)
from dynamo_lab.render.fallback.attention import attention
from dynamo_lab.render.fallback.benchmarks import benchmarks
from dynamo_lab.render.fallback.choices import choices
from dynamo_lab.render.fallback.fast_path import fast_path
from dynamo_lab.render.fallback.help import with_reading
from dynamo_lab.render.fallback.tiny import tiny
from dynamo_lab.render.graph_text import GraphText, Row
from dynamo_lab.render.markup import Block, Markup, details, join, pre, prose, table, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View
from dynamo_lab.view.breaks.breaks import BreakView
from dynamo_lab.view.breaks.stories import StoryView, causes_first
from dynamo_lab.view.core.words import listed, percent, plural, seconds
from dynamo_lab.view.graphs.graphs import GraphView
from dynamo_lab.view.graphs.outline import OutlineRow, outline
from dynamo_lab.view.guards.changes import ChangesView
from dynamo_lab.view.guards.costs import GuardCostView
from dynamo_lab.view.guards.guards import CauseView, RecompileView
from dynamo_lab.view.guards.refusals import RefusalView
from dynamo_lab.view.guards.remedy import Remedy

_NODES = 120
_CODE = 6_000
_MODULES = 24
_BREAKS = 8


def opened(view: View) -> Iterator[tuple[str, Iterable[Block]]]:
    """What a reader sees at once: what was asked for, the run's map, a line for each break."""
    yield "Bench", with_reading("bench", benchmarks.verdicts(view))
    yield "Memory", with_reading("memory", tiny.blocks(view))
    yield "Why wrong", bisections.blocks(view)
    yield "Map", code.run_map(view, regions(view))
    order = causes_first(view.stories)
    breaks = [partial(_break, view.breaks[at], view.stories[at]) for at in order[:_BREAKS]]
    yield _counted("Breaks", view.breaks), with_reading("breaks", breaks)


def sections(view: View) -> Iterator[tuple[str, Iterable[Block]]]:
    """What is folded, the most informative first."""
    order = causes_first(view.stories)
    breaks = (partial(_break, view.breaks[at], view.stories[at]) for at in order[_BREAKS:])
    yield "The other breaks", breaks
    lines = code.code(view, sources_to_show(view, libraries=False))
    yield "Code", with_reading("code", lines)
    yield "Package", with_reading("package", packages.blocks(view))
    yield _counted("Kernels", view.kernels.kernels), with_reading("kernels", kernels.blocks(view))
    yield "Times", benchmarks.blocks(view)
    texts = GraphText(view)
    graphs = (partial(_graph, graph, texts) for graph in _by_interest(view.graphs))
    yield "Graphs", with_reading("graphs", graphs)
    yield "Model", with_reading("modules", modules.blocks(view))
    yield "Autograd", with_reading("autograd", autograd.blocks(view))
    rewrites = [one for one in view.passes.passes if one.did]
    yield _counted("Passes", rewrites), with_reading("passes", passes.blocks(view))
    yield (
        _counted("Lowering", view.lowering.buffers),
        with_reading("lowering", lowering.blocks(view)),
    )
    yield "Compiler", with_reading("compiler", compiler.blocks(view))
    yield _counted("Choices", view.choices), with_reading("choices", choices.blocks(view))
    yield _counted("Attention", view.attentions), with_reading("attention", attention.blocks(view))
    yield _counted("Fast path", view.fast_paths), with_reading("fast_path", fast_path.blocks(view))
    trees = decompositions.blocks(view.decompositions)
    yield "Decompositions", with_reading("decompositions", trees)
    yield "Fusion and memory", with_reading("fusion", fusion.blocks(view))
    recompiles = (partial(_recompile, item) for item in view.guards.recompiles)
    yield "Refused calls", (partial(_refusal, item) for item in view.guards.refusals)
    yield "Recompilations", with_reading("guards", recompiles)
    yield "Time of guards", (partial(_guard_cost, item) for item in view.guards.costs[:_MODULES])
    yield "Compile time", with_reading("timeline", timings.blocks(view))
    yield "Steps", with_reading("steps", _steps(view))
    yield "Dynamic shapes", with_reading("shapes", _shapes(view))
    yield _counted("Logs", view.logs.records), with_reading("logs", logs.blocks(view))
    yield _counted("Artifacts", view.artifacts), with_reading("artifacts", artifacts.blocks(view))
    yield "Notes", (partial(_note, f"{note.about}: {note.message}") for note in view.notes)


def _counted(title: str, rows: Sized) -> str:
    return f"{title} ({len(rows):,})" if len(rows) else title


def _break(item: BreakView, story: StoryView) -> Markup:
    head = join(
        tag("b", f"Break {item.id + 1}: {shortened(item.title, 200)}", **coloured("warning")),
        f" · {shortened(item.where, 200)} · {item.effect}",
        *([f" · {times_of(item)}"] if item.times > 1 else []),
        *([f" · {shortened(item.registry_id, 20)}"] if item.registry_id else []),
    )
    why = clipped((item.explanation or item.reason).strip(), 1_500)
    advice = [tag("li", prose(shortened(text, 600))) for text in item.advice[:6]]
    todo = [tag("p", tag("b", "What to do")), tag("ul", *advice)] if advice else []
    reason = [tag("p", prose(story.because))] if story.because else [*_paragraphs(why), *todo]
    return details(
        head,
        pre(clipped(item.text.strip(), 400)),
        *reason,
        *_story(story),
        *([_stack(item)] if len(item.stack) > 1 else []),
    )


def _story(story: StoryView) -> Iterator[Markup]:
    """What the interpreter had captured, did and resumed, and what that costs."""
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
    """The captured graphs first, then what they became."""
    return sorted(graphs, key=lambda graph: (graph.stage != "dynamo", graph.id))


def _graph(graph: GraphView, texts: GraphText) -> Markup:
    rows = texts.brief(graph, 12, _NODES)
    width = min(88, max((cell_len(row.code) for row in rows), default=0))
    lines = [_row(row, width) for row in rows]
    left = len(graph.name) - sum(row.nodes for row in rows)
    if left > 0:
        lines.append(f"… {left:,} more nodes\n")
    modules = outline(graph) if left > 0 else ()
    tree = [pre(*map(_module, modules[:_MODULES]))] if len(modules) > 1 else []
    work = tag("p", tag("small", graph.arithmetic))
    return details(f"{graph.title}: {shortened(graph.subtitle, 200)}", work, *tree, pre(*lines))


def _module(row: OutlineRow) -> str:
    """A row of the outline of a graph that is too long to print."""
    name = shortened(f"{row.name} to {row.last}" if row.last else row.name, 80)
    alike = f"{row.alike} equal ones, each" if row.alike > 1 else ""
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


def _recompile(item: RecompileView) -> Markup:
    failures = [f"{shortened(a, 40)}: {shortened(b, 600)}" for a, b in item.failures[:8]]
    causes = [_cause(cause) for cause in item.causes[:8]] or [tag("li", f) for f in failures]
    return join(
        tag("p", tag("b", shortened(item.title, 200)), f" · {shortened(item.compile_id, 40)}"),
        tag("ul", *causes),
        *([tag("p", prose(item.advice))] if item.advice else []),
        *([_changes(item.changes)] if item.changes else []),
    )


def _refusal(item: RefusalView) -> Markup:
    where = [f" · {shortened(item.where, 200)}"] if item.where else []
    told = [tag("p", prose(shortened(text, 600))) for text in (item.text, *item.reasons)]
    head = tag("p", tag("b", shortened(item.title, 200)), *where)
    return join(head, *told, *_remedies(item.remedies))


def _guard_cost(item: GuardCostView) -> Markup:
    rows = [
        (seconds(row.seconds), percent(row.share), shortened(row.name, 160)) for row in item.rows
    ]
    told = [tag("p", prose(shortened(text, 300))) for text in (item.sum, *item.filters) if text]
    return join(
        tag("p", tag("b", shortened(item.title, 200)), f" · {item.compile_id} · {item.sentence}"),
        *([table(("a check", "share", "value"), rows)] if rows else []),
        *told,
    )


def _steps(view: View) -> Iterator[Markup]:
    """Only the analyses: stepping through them needs scripts."""
    if view.steps is None:
        return
    for take in view.steps.takes:
        head = tag("b", shortened(take.title, 200))
        steps = plural(take.end - take.first, "step")
        yield tag("p", head, f" · {steps} · ", prose(shortened(take.ending, 600)))
    if view.steps.cut:
        yield tag("p", prose(view.steps.cut))


def _cause(cause: CauseView) -> Markup:
    where = f" · PyTorch names {shortened(cause.where, 120)}" if cause.where else ""
    ids = f" · rules out {listed([shortened(i, 40) for i in cause.earlier])}"
    made = [tag("li", prose(shortened(cause.text, 400)), tag("small", where, ids))]
    return join(*made, *_remedies(cause.remedies))


def _remedies(remedies: Iterable[Remedy]) -> Iterator[Markup]:
    for remedy in remedies:
        yield tag("p", prose(shortened(remedy.text, 600)))
        if remedy.code:
            yield pre(clipped(remedy.code, 400))


def _changes(changes: ChangesView) -> Markup:
    facts = [*changes.symbols[:8], f"graph: {changes.summary}", changes.kernels]
    facts_text = shortened("; ".join(fact for fact in facts if fact), 600)
    rows = [f"{sign} {clipped(row, 160)}\n" for sign, row in changes.graph]
    head = tag("p", f"Since {shortened(changes.against, 40)}: ", prose(facts_text))
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
