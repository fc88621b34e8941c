"""An edited kernel: the diff, what the compiler said under its line, the verdict, the times."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from dynamo_lab.model.kernels import Diagnostic
from dynamo_lab.render.terminal.core.parts import MARGIN, grid, heading, line, text
from dynamo_lab.render.text import one_line, visible
from dynamo_lab.view.kernels.edits import EditView

_CONTEXT = 2
_MOST = 10
_LONGEST = 30
_TONES = {
    "right": "bold green",
    "unknown": "bold yellow",
    "wrong": "bold red",
    "failed": "bold red",
    "not built": "bold red",
}
_SEVERITIES = {"error": "red", "warning": "yellow", "note": "dim"}
_RATIOS = {"good": "green", "bad": "red", "": "dim"}


def edited(view: EditView) -> RenderableType:
    """One edit, as far as it came."""
    return Group(*_sections(view))


def _sections(view: EditView) -> Iterator[RenderableType]:
    yield heading(f"Edited {view.name}", f"kernel {view.kernel}")
    yield from _diff(view)
    yield Text()
    yield line((view.sentence, _TONES[view.verdict]), wrap=True)
    for told in (view.worst, view.compared):
        if told:
            yield line((told, "" if told is view.worst else "dim"), wrap=True)
    yield from _diagnostics(view)
    if view.timings:
        yield Text()
        rows = [
            (
                text(one.what),
                text(one.original),
                text(one.edited),
                text(one.ratio, _RATIOS[one.tone]),
            )
            for one in view.timings
        ]
        head = (Text(), text("original", "dim"), text("edited", "dim"), Text())
        yield grid(("left", "right", "right", "left"), [head, *rows])


def _diff(view: EditView) -> Iterator[RenderableType]:
    """The lines that differ, each with its number in the text it is of, and some around them."""
    old, now = view.before.split("\n"), view.after.split("\n")
    width = len(str(max(len(old), len(now))))
    if not any(run.sign != "=" for run in view.edits):
        yield text("No line differs.", "dim")
    for at, run in enumerate(view.edits):
        if run.sign != "=":
            yield from _run("-", old, range(run.a, run.a_end), width)
            yield from _run("+", now, range(run.b, run.b_end), width)
            continue
        head = _CONTEXT if at > 0 else 0
        tail = _CONTEXT if at < len(view.edits) - 1 else 0
        kept = range(run.b, run.b_end)
        if len(kept) <= head + tail + 1:
            yield from (_row(" ", i, now[i], width) for i in kept)
            continue
        yield from (_row(" ", i, now[i], width) for i in kept[:head])
        yield text(f"{' ' * width}   …", "dim")
        yield from (_row(" ", i, now[i], width) for i in kept[len(kept) - tail :])


def _run(sign: str, rows: list[str], lines: range, width: int) -> Iterator[Text]:
    yield from (_row(sign, i, rows[i], width) for i in lines[:_LONGEST])
    if len(lines) > _LONGEST:
        yield text(f"{' ' * width} {sign} … {len(lines) - _LONGEST:,} more lines", "dim")


def _row(sign: str, at: int, content: str, width: int) -> Text:
    style = {"-": "red", "+": "green"}.get(sign, "dim")
    return line((f"{at + 1:>{width}} ", "dim"), (f"{sign} {visible(content)}", style))


def _diagnostics(view: EditView) -> Iterator[RenderableType]:
    rows = view.after.split("\n")
    for one in view.diagnostics[:_MOST]:
        yield from _diagnostic(one, rows)
    if len(view.diagnostics) > _MOST:
        yield text(f"{MARGIN}… {len(view.diagnostics) - _MOST:,} more", "dim")


def _diagnostic(one: Diagnostic, rows: list[str]) -> Iterator[RenderableType]:
    style = _SEVERITIES[one.severity]
    where = "" if one.line is None else f"line {one.line}: "
    yield line(
        (MARGIN + where, "bold"),
        (f"{one.severity}: ", style),
        (one_line(one.message), ""),
        wrap=True,
    )
    if one.line is None or one.severity == "note" or not 0 < one.line <= len(rows):
        return
    content = rows[one.line - 1]
    yield line((MARGIN * 2 + visible(content), "dim"))
    if one.column:
        before = len(visible(content[: one.column - 1]))
        yield line((MARGIN * 2 + " " * before + "^", style))
