"""The first lines: the title, the numbers, and what happened in a sentence."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from dynamo_lab.render.terminal.core.parts import TONES, Page, line, text
from dynamo_lab.render.terminal.tiny import answers
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view import View


def section(view: View, page: Page) -> Iterator[RenderableType]:
    """Title and numbers, the sentence, the failure, the environment."""
    summary = view.summary
    first = Text(shortened(summary.title, 60), style="bold reverse")
    first.pad(1)
    width = first.cell_len + sum(len(c.value) + len(c.label) + 4 for c in summary.counts)
    for count in summary.counts:
        first.append("   " if width <= page.width else "  ", style="not bold not reverse")
        first.append(count.value, style=f"{TONES[count.tone]} not reverse")
        first.append(f" {count.label}", style="not bold not reverse")
    if summary.state == "recording":
        first.append("   still compiling", style="italic not bold not reverse")
    yield first
    yield Padding(text(summary.sentence), (0, max(0, page.width - page.prose), 0, 0))
    if view.training is not None:
        yield from answers(view.training)
    if summary.target:
        yield text(one_line(summary.target), "yellow")
    if summary.failure and not summary.is_failure_told:
        yield text(summary.failure, "red")
    if "…" in summary.failure and summary.failure_text:
        yield text("The whole message: rec.failure.message", "dim")
    if view.environment:
        known = dict(view.environment)
        shown = [f"{k} {known[k]}" for k in ("PyTorch", "Triton", "Python") if k in known]
        shown += [known[k] for k in ("processor", "accelerators") if k in known]
        if page.everything:
            shown = [f"{key} {value}" for key, value in view.environment]
        yield line((" · ".join(map(one_line, shown)), "dim"), wrap=page.everything)
