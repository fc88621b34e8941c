"""Why a compiled program is wrong, in the terminal."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import TONES, Page, grid, heading, indented, line, text
from dynamo_lab.view import View
from dynamo_lab.view.bisections.bisections import BisectionView, CulpritView, TrialView

_TONES = {
    "same": "good", "rounding": "good", "eager": "warning", "bug": "bad", "crash": "bad",
    "unknown": "warning",
}  # fmt: skip
_OUTCOMES = {"right": "green", "wrong": "red", "other": "yellow"}


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """The verdict, the parts from the coarsest to the finest, and each compilation."""
    found = view.bisection
    if found is None:
        return
    yield heading("Why wrong", found.cost)
    yield text(found.title, TONES[_TONES[found.verdict]])
    yield from _said(found)
    if found.culprits:
        yield indented(grid(("left", "wrap", "wrap"), map(_culprit, found.culprits)))
    for note in found.notes:
        yield text(note, "yellow")
    if page.everything:
        yield indented(grid(("right", "wrap", "left", "right", "wrap"), _trials(found)))


def _said(found: BisectionView) -> Iterator[RenderableType]:
    yield text(found.sentence)
    if found.line:
        yield indented(line((found.line, "bold")))
    if found.because and found.because != found.sentence:
        yield text(found.because)


def _culprit(one: CulpritView) -> tuple[Text, ...]:
    return text(one.kind, "dim"), text(one.name, "bold"), text(one.text or one.detail)


def _trials(found: BisectionView) -> Iterator[tuple[Text, ...]]:
    for number, one in enumerate(found.trials, 1):
        yield _trial(number, one)


def _trial(number: int, one: TrialView) -> tuple[Text, ...]:
    return (
        text(str(number), "dim"),
        text(f"{one.what} ({one.backend})"),
        text(one.outcome, _OUTCOMES[one.outcome]),
        text(one.time),
        text(one.fault, "dim"),
    )
