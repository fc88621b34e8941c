"""The steps in a terminal: as a listing, and one step as a full screen."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dynamo_lab.model.steps import Symbolic
from dynamo_lab.render.terminal.core.parts import Page, caret, grid, heading, indented, line, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view import View
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.steps.playback import Moment, Playback
from dynamo_lab.view.steps.steps import NodeRow, StepsView
from dynamo_lab.view.steps.variables import kind_in_words

_LEFT = 0.52  # of a screen's width, for code and bytecode
_DEEPEST = 6  # inlined calls that are named
_FACTS = 3  # effects of a step, listed below
_CODE_LINES = 4  # on each side of the current one
_COMMAND = "dynamo-lab step RECORDING"


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """How many steps there are; all of them if requested."""
    steps = view.steps
    if steps is None:
        if page.everything:
            yield heading("Steps", "none were recorded")
            yield line(
                ("dynamo-lab explore SCRIPT --steps, or %%compile --steps, records them", "dim")
            )
        return
    count = len(Playback(steps))
    yield heading("Steps", f"{count:,} in {plural(len(steps.takes), 'analysis', 'analyses')}")
    if page.everything:
        yield from listing(steps)
    else:
        yield line((f"{_COMMAND} steps through them, forwards and backwards", "dim"))


def listing(steps: StepsView) -> Iterator[RenderableType]:
    """Every step, one per line, by attempt."""
    playback = Playback(steps)
    for take in steps.takes:
        yield Text()
        yield heading(take.title)
        ending = ""
        for step in range(take.first, take.end):
            moment = playback.moment(step)
            yield from _row(moment)
            ending = moment.events[-1].text if moment.events else ""
        if ending != take.ending:
            yield line((take.ending, "bold"), wrap=True)
    if steps.cut:
        yield line((steps.cut, "bold yellow"), wrap=True)


def _row(moment: Moment) -> Iterator[RenderableType]:
    depth = "  " * (len(moment.calls) - 1)
    at = moment.instruction
    where = f"{at.line}" if at.line > 0 else ""
    yield line(
        (f"{moment.step + 1:>6} ", "dim"),
        (f"{where:>5} ", "cyan"),
        (f"{depth}{at.opname} ", "bold"),
        (one_line(at.argument), ""),
        (f"  {_stack_line(moment.stack)}", "dim"),
    )
    for fact, style in _done(moment):
        yield line((" " * 14 + depth, ""), (fact, style))


def _stack_line(stack: Sequence[Symbolic]) -> str:
    return f"[{', '.join(one_line(short(value)) for value in stack)}]" if stack else ""


def short(value: Symbolic) -> str:
    """A value in a few words."""
    return value.text or kind_in_words(value.kind).partition(",")[0]


def _done(moment: Moment) -> Iterator[tuple[str, str]]:
    """What a step did besides moving values, each with a style."""
    for row in moment.nodes:
        if row.added.step == moment.step:
            yield f"+ node  {_node_text(row)}", "green"
    guards = [guard for guard in moment.guards if guard.step == moment.step]
    for guard in guards:
        if guard.source:
            yield f"+ guard {guard.kind} {one_line(guard.source)}", "blue"
    if unnamed := [one_line(guard.kind) for guard in guards if not guard.source]:
        yield f"+ guards on PyTorch's own state: {', '.join(unnamed)}", "blue"
    for event in moment.events:
        if event.kind != "checkpoint":
            style = "bold yellow" if event.kind in ("break", "restart") else "magenta"
            yield one_line(event.text), style


def _node_text(row: NodeRow) -> str:
    node = row.added
    value = f": {node.value}" if node.value else ""
    return one_line(f"{'  ' * node.depth}{node.name}{value} = {node.text}")


def screen(view: View, moment: Moment, count: int, width: int, height: int) -> RenderableType:
    """One step, as a screen: code and bytecode left, what Dynamo knows right."""
    left = int(width * _LEFT)
    rows = max(height - 6, 10)
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(width=left, no_wrap=True, overflow="ellipsis")
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    code = list(_code(view, moment, left))
    bytecode = _bytecode(moment, max(rows - len(code) - 1, 4))
    table.add_row(Group(*code, Text(), *bytecode), Group(*_knowledge(moment, rows)))
    return Group(*_head(view, moment, count, width), table, *_foot(moment))


def _head(view: View, moment: Moment, count: int, width: int) -> Iterator[RenderableType]:
    done = round((moment.step + 1) / count * (width - 2))
    yield line(
        (f"step {moment.step + 1:,} of {count:,}  ", "bold"),
        (moment.take.title, "bold cyan"),
        (f"  {_calls(moment.calls)}" if len(moment.calls) > 1 else "", "dim"),
    )
    yield line(("━" * done, "cyan"), ("─" * (width - 2 - done), "dim"))


def _calls(calls: Sequence[str]) -> str:
    shown = calls if len(calls) <= _DEEPEST else [calls[0], "…", *calls[-_DEEPEST + 2 :]]
    return " > ".join(one_line(name) for name in shown)


def _code(view: View, moment: Moment, width: int) -> Iterator[RenderableType]:
    at = moment.instruction
    source = view.sources[moment.code.source] if moment.code.source < len(view.sources) else None
    lines = [] if source is None else [row for row in source.lines if at.line > 0]
    near = [row for row in lines if abs(row.number - at.line) <= _CODE_LINES]
    yield line((f"{moment.code.name}  {moment.code.where}", "dim"))
    for row in near:
        is_current = row.number == at.line
        style = "bold" if is_current else "dim"
        yield line((f"{'→' if is_current else ' '}{row.number:>4}  ", style), (row.text, style))
        if is_current and at.column >= 0:
            end = at.end_column if at.end_line in (at.line, -1) else len(row.text)
            for mark in caret(row.text, at.column, end, "", "bold cyan", width - 7):
                yield Text("       ").append_text(mark)
    if not near:
        yield line(("       generated by Dynamo: not a line of yours", "dim"))


def _bytecode(moment: Moment, rows: int) -> Iterator[RenderableType]:
    instructions = moment.code.instructions
    current = instructions.index(moment.instruction)
    first = max(0, min(current - rows // 2, len(instructions) - rows))
    for index, item in enumerate(instructions[first : first + rows], first):
        is_current = index == current
        yield line(
            ("→ " if is_current else "  ", "bold cyan"),
            (f"{item.opname:<26} ", "bold" if is_current else ""),
            (one_line(item.argument), "" if is_current else "dim"),
        )


def _knowledge(moment: Moment, rows: int) -> Iterator[RenderableType]:
    """Stack, locals, graph and guards, each with a share of the rows."""
    share = max((rows - 4) // 4, 2)
    stack = [("", value) for value in reversed(moment.stack)]
    yield from _pane("stack, top first", [_value(*row) for row in stack[:share]])
    known = sorted(moment.variables, key=lambda local: (not local.is_new, _is_inner(local.name)))
    own = [local for local in known if not _is_inner(local.name)]
    variables = [_value(local.name, local.value, local.is_new) for local in own[:share]]
    yield from _pane("locals", variables)
    nodes = [
        line((_node_text(row), "bold green" if row.added.step == moment.step else ""))
        for row in moment.nodes[-share:]
    ]
    yield from _pane(f"graph, {plural(len(moment.nodes), 'node')} so far", nodes)
    guards = [
        line(
            (f"{guard.kind} ", "bold blue" if guard.step == moment.step else "dim"),
            (one_line(guard.source), ""),
        )
        for guard in moment.guards[-share:]
    ]
    yield from _pane(f"guards, {len(moment.guards)} so far", guards)


def _is_inner(name: str) -> bool:
    """Whether Dynamo created this variable, for a function that resumes another."""
    return name.startswith(("__nested_", "__is_tracing_", "___stack"))


def _pane(title: str, rows: Iterable[Text]) -> Iterator[RenderableType]:
    yield line((title, "bold underline"))
    for row in list(rows) or [line(("nothing", "dim"))]:
        yield indented(row)


def _value(name: str, value: Symbolic, is_new: bool = False) -> Text:
    kind = kind_in_words(value.kind)
    return line(
        (f"{one_line(name)} = " if name else "", "bold green" if is_new else ""),
        (one_line(value.text) or kind, "green" if is_new else ""),
        (f"  {kind}" if value.text else "", "dim"),
        (f"  {one_line(value.source)}" if value.source else "", "cyan"),
    )


_KEYS = (
    ("← →", "step"), ("↓ o", "over"), ("↑ u", "out"), ("b B", "break"), ("n N", "node"),
    ("g G", "guard"), ("a A", "analysis"), ("Home End", ""), ("q", "quit"),
)  # fmt: skip


def _foot(moment: Moment) -> Iterator[RenderableType]:
    facts = dict(_done(moment))
    if moment.step == moment.take.end - 1:
        facts[moment.take.ending] = "bold yellow"
    yield Text()
    yield from [line(fact) for fact in list(facts.items())[-_FACTS:]] or [text("")]
    yield grid(("left",), [[Text("  ").join(_key(*key) for key in _KEYS)]])


def _key(keys: str, meaning: str) -> Text:
    return line((keys, "bold"), (f" {meaning}" if meaning else "", "dim"))
