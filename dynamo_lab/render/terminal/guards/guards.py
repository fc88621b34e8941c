"""Guards as counts, in full as a list, and the recompilations that their failures caused."""

from collections import Counter
from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import Page, grid, heading, indented, line, text
from dynamo_lab.render.terminal.guards import costs
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.core.words import listed, plural
from dynamo_lab.view.guards.changes import ChangesView
from dynamo_lab.view.guards.guards import CauseView, GuardView, RecompileView
from dynamo_lab.view.guards.refusals import RefusalView
from dynamo_lab.view.guards.remedy import Remedy


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Recompilations first: they matter most here."""
    guards, recompiles = view.guards.guards, view.guards.recompiles
    if not guards and not recompiles and not view.guards.refusals:
        return
    yield heading("Guards", str(len(guards)))
    yield from costs.section(view, page)
    for refusal in view.guards.refusals:
        yield from _refusal(refusal)
    for item in recompiles:
        yield from _recompile(item, page)
    if page.everything:
        names = {frame.id: frame.name for frame in view.frames}
        yield from _in_full(guards, names)
    elif guards:
        yield _counts(guards)


def _recompile(item: RecompileView, page: Page) -> Iterator[RenderableType]:
    colour = "bold red" if item.limit_hit else "bold yellow"
    yield line((one_line(item.title), colour), (f"  {item.compile_id}", "dim"))
    for cause in item.causes:
        yield from _cause(cause)
    for compile_id, failure in () if item.causes else item.failures:
        yield indented(grid(("left", "wrap"), [(text(compile_id, "dim"), text(failure))]), 4)
    if item.advice:
        yield indented(grid(("left", "wrap"), [(text("do", "bold green"), text(item.advice))]), 4)
    if item.changes is not None:
        yield from _changes(item.changes, page)


def _cause(cause: CauseView) -> Iterator[RenderableType]:
    where = f"  PyTorch names {cause.where}" if cause.where else ""  # of limits too, nobody's line
    ids = f"  rules out {listed(cause.earlier, 6)}"
    yield indented(line((_bare(cause.text), "bold"), (where, ""), (ids, "dim")), 4)
    yield from _remedies(cause.remedies, 6)


def _remedies(remedies: Iterable[Remedy], indent: int) -> Iterator[RenderableType]:
    for remedy in remedies:
        yield indented(
            grid(("left", "wrap"), [(text("do", "bold green"), text(_bare(remedy.text)))]), indent
        )
        for row in remedy.code.splitlines():
            yield indented(text(row, "cyan"), indent + 6)


def _refusal(item: RefusalView) -> Iterator[RenderableType]:
    colour = "bold red" if item.is_error else "bold yellow"
    first = f"  the first at {item.where}" if item.where else ""
    yield line((one_line(item.title), colour), (first, "dim"))
    for told in (item.text, *item.reasons):
        yield indented(text(_bare(told)), 4)
    yield from _remedies(item.remedies, 4)


def _changes(changes: ChangesView, page: Page) -> Iterator[RenderableType]:
    facts = [*changes.symbols, f"graph: {changes.summary}", changes.kernels]
    facts_text = "; ".join(_bare(fact) for fact in facts if fact)
    yield indented(
        grid(("left", "wrap"), [(text(f"since {changes.against}", "dim"), text(facts_text))]), 4
    )
    for sign, row in changes.graph if page.everything else ():
        yield indented(line((f"{sign} ", _SIGNS[sign]), (row, _SIGNS[sign])), 6)
    if page.everything and changes.left:
        yield indented(text(f"\N{HORIZONTAL ELLIPSIS} {changes.left:,} more", "dim"), 6)


_SIGNS = {"+": "green", "-": "red", "~": "yellow"}


def _bare(prose: str) -> str:
    """Prose without the backquotes around its code."""
    return prose.replace("`", "")


def _counts(guards: tuple[GuardView, ...]) -> Text:
    counts = Counter(guard.kind for guard in guards).most_common(6)
    shown = ", ".join(f"{count:,} {one_line(kind)}" for kind, count in counts)
    left = len(guards) - sum(count for _, count in counts)
    return text(f"{shown}{f', {left:,} others' if left else ''}")


def _in_full(guards: tuple[GuardView, ...], names: dict[int, str]) -> Iterator[RenderableType]:
    on_values = [guard for guard in guards if not guard.is_state]
    compiled = ""
    for guard in on_values:
        if compiled != guard.compile_id:
            compiled = guard.compile_id
            size = plural(sum(g.compile_id == compiled for g in on_values), "guard")
            name = one_line(names.get(guard.frame, ""))
            yield line((name, "bold"), (f"  {compiled}, {size}", "dim"))
        yield from _guard(guard)
    shared = [guard for guard in guards if guard.is_state]
    for guard in shared:
        if guard is shared[0]:
            yield line(("global state", "bold"), (f"  {plural(len(shared), 'guard')}", "dim"))
        yield from _guard(guard, f"in {listed(guard.compile_ids, 6)}")


def _guard(guard: GuardView, where: str = "") -> Iterator[RenderableType]:
    yield indented(
        line((guard.kind, "cyan"), (f"  {guard.source}", ""), (f"  {where or guard.where}", "dim")),
        2,
    )
    if guard.failed:
        yield indented(text(guard.failed, "bold red"), 4)
    if guard.text:
        yield indented(text(guard.text), 4)
    for expression in guard.expressions:
        yield indented(text(expression, "dim"), 4)
