"""A training plan: what each pass won, four bars, and what lies in memory over the step."""

from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.model.tiny import StepMeasure, TinyBar, TinyPlan
from dynamo_lab.render.terminal.core.parts import (
    Page,
    grid,
    heading,
    indented,
    line,
    listing,
    more,
    plain,
    text,
)
from dynamo_lab.render.text import one_line, shortened
from dynamo_lab.view.core.words import flops, percent, plural, size
from dynamo_lab.view.tiny.tiny import (
    KINDS,
    TrainingLife,
    TrainingPlanView,
    TrainingView,
    told,
    took,
)

_WIDTH = 100
_BAR = 36
_PARTS = (
    ("weights", "█", "cyan"),
    ("state", "▓", "blue"),
    ("sample", "▞", "green"),
    ("activations", "▒", "yellow"),
    ("gradients", "░", "magenta"),
)


def plan_text(plan: TinyPlan) -> str:
    """The plan as plain text."""
    return plain(plan_rows(plan, _WIDTH), _WIDTH)


def plan_rows(plan: TinyPlan, width: int) -> Iterator[RenderableType]:
    """What is updated, the passes, the bars and the arena."""
    yield Text(_head(plan), style="bold")
    yield text(_updated(plan))
    yield Text("")
    yield from listing(*_passes(plan), width)
    yield Text("")
    yield from listing(("left", "left", "right", "wrap"), list(_bar_rows(plan)), width)
    yield _legend()
    yield Text("")
    yield text(_arena(plan))
    yield text(_order(plan))


_INT8 = "sizes as int8 would need them (a byte an element, four of a bias"
_COUNTED = {
    "float32": "sizes in float32",
    "int8": f"{_INT8}); the step itself computes in float32",
    "mixed": f"{_INT8} and of a gradient); the step itself computes in float32",
}
_COUNTED_INT8 = (
    "it computes in int8; until quantize sizes are those that int8 would need (a byte an element, "
    "four of a bias), from there as they are"
)
_HEAD = ("pass", "peak", "operations", "products")
_TIME = "step, one thread"


def _head(plan: TinyPlan) -> str:
    limit = "" if plan.limit is None else f", limit {size(plan.limit)}"
    return f"Training step in {size(plan.bytes)}{limit}"


def _updated(plan: TinyPlan) -> str:
    share = plan.updated / plan.parameters if plan.parameters else 0
    return (
        f"{plural(plan.updated_tensors, 'parameter')} updated, {percent(share)} of the model's "
        f"numbers; {_COUNTED_INT8 if plan.dtype == 'int8' else _COUNTED[plan.precision]}"
    )


def _passes(plan: TinyPlan) -> tuple[tuple[str, ...], list[tuple[Text, ...]]]:
    """How the columns are set, and the rows: a time only where one was measured."""
    measures = [one.after for one in plan.passes]
    is_timed = any(measure.seconds is not None for measure in measures)
    head = (*_HEAD, *([_TIME] if is_timed else []), "")
    rows = [tuple(Text(word, style="dim") for word in head)]
    if plan.passes:
        first = plan.passes[0].before
        rows.append(_measure_row("joint graph", first, "as AOTAutograd makes it", is_timed))
    for one, measure in zip(plan.passes, measures, strict=True):
        rows.append(_measure_row(one.name, measure, one.sentence, is_timed))
    return ("left", *["right"] * (len(head) - 2), "wrap"), rows


def _measure_row(
    name: str, measure: StepMeasure, sentence: str, is_timed: bool
) -> tuple[Text, ...]:
    return (
        Text(name, style="cyan"),
        Text(size(measure.bytes)),
        Text(f"{measure.operations:,}"),
        Text("FLOP unknown" if measure.flops is None else flops(measure.flops)),
        *([Text(took(measure))] if is_timed else []),
        Text(sentence, style="dim"),
    )


def _bar_rows(plan: TinyPlan) -> Iterator[tuple[Text, ...]]:
    most = max([bar.bytes for bar in plan.bars] + [plan.limit or 0, 1])
    for bar, words in zip(plan.bars, told(plan), strict=True):
        yield Text(bar.name), _drawn(bar, most), Text(size(bar.bytes)), Text(words, style="dim")
    if plan.limit is not None:
        yield Text("limit"), _limit(plan.limit, most), Text(size(plan.limit)), Text("")


def _limit(limit: int, most: int) -> Text:
    return Text("─" * max(round(_BAR * limit / most) - 1, 0) + "┤")


def _drawn(bar: TinyBar, most: int) -> Text:
    return _parts([getattr(bar, field) for field, _, _ in _PARTS], most)


def _parts(parts: Iterable[int], most: int, pad: bool = False) -> Text:
    """Each part as long as its share, so that the ends of all parts are where they belong."""
    drawn, sum_of, at = Text(), 0, 0
    for amount, (_, sign, style) in zip(parts, _PARTS, strict=True):
        sum_of += amount
        end = round(_BAR * sum_of / most)
        drawn.append(sign * (end - at), style=style)
        at = end
    drawn = drawn if at else Text("▏")
    return drawn + Text(" " * (_BAR - len(drawn))) if pad else drawn


def _legend() -> Text:
    drawn = Text("  ")
    for field, sign, style in _PARTS:
        drawn.append(sign, style=style)
        drawn.append(f" {field}  ", style="dim")
    return drawn


def _arena(plan: TinyPlan) -> str:
    return (
        f"Arena {size(plan.arena)} for {size(plan.alive)} that are alive at once, during "
        f"{plan.peak_at}; beside it {size(plan.resident)} of updated parameters and state, and "
        f"{size(plan.frozen)} that are only read"
    )


def _order(plan: TinyPlan) -> str:
    if plan.order_bound >= plan.alive:
        return "No order of these operations needs less."
    return f"The best order was not found: none needs less than {size(plan.order_bound)}."


_BRIEF = 8
_COMMAND = "dynamo-lab show --section memory"
_STYLES = {kind: part for kind, part in zip(KINDS, _PARTS, strict=True)}


def answers(training: TrainingView) -> Iterator[RenderableType]:
    """What a reader wants to know first: under the summary's sentence."""
    rows = [
        (Text("" if at else answer.name, style="dim"), text(one_line(fact.text.replace("`", ""))))
        for answer in training.plan.answers
        for at, fact in enumerate(answer.facts)
    ]
    yield indented(grid(("left", "wrap"), rows))


def section(training: TrainingView, page: Page) -> Iterator[RenderableType]:
    """The step's bars, the operations around its peak and what is alive there; in full all."""
    plan = training.plan
    yield heading("Memory", "of a training step")
    for sentence in plan.sentences:
        yield text(sentence.replace("`", ""))
    yield from listing(("left", "left", "right", "wrap"), list(_view_bars(plan)), page.width)
    yield _legend()
    if not plan.steps:
        return
    yield from _steps(plan, page)
    lives = plan.lives if page.everything else _at_peak(plan)
    yield line((f"Alive at step {plan.peak + 1}" if not page.everything else "All values", "bold"))
    shown = lives if page.everything else lives[:_BRIEF]
    for life in shown:
        yield indented(_life(life))
    if len(shown) < len(lives):
        yield more(len(lives) - len(shown), "values", _COMMAND)


def _view_bars(plan: TrainingPlanView) -> Iterator[tuple[Text, ...]]:
    most = max([bar.bytes for bar in plan.bars] + [plan.limit or 0, 1])
    for bar in plan.bars:
        name, words = Text(one_line(bar.name)), Text(bar.told, style="dim")
        yield name, _parts(bar.parts, most), Text(bar.size), words
    if plan.limit is not None:
        yield Text("limit"), _limit(plan.limit, most), Text(plan.limit_text), Text("")


def _steps(plan: TrainingPlanView, page: Page) -> Iterator[RenderableType]:
    first = 0 if page.everything else max(0, min(plan.peak - 3, len(plan.steps) - _BRIEF))
    shown = plan.steps[first:] if page.everything else plan.steps[first : first + _BRIEF]
    for number, step in enumerate(shown, first):
        yield indented(
            line(
                (f"{number + 1:>4} {step.phase:<9}", "dim"),
                (f"{step.size:>8}  ", "bold" if number == plan.peak else ""),
            )
            + _parts(step.parts, max(1, plan.steps[plan.peak].bytes), pad=True)
            + Text(f"  {one_line(step.name)}", style="bold" if number == plan.peak else "")
        )
    if len(shown) < len(plan.steps):
        yield indented(more(len(plan.steps) - len(shown), "operations", _COMMAND))


def _at_peak(plan: TrainingPlanView) -> tuple[TrainingLife, ...]:
    alive = [life for life in plan.lives if life.start <= plan.peak <= life.end]
    return tuple(sorted(alive, key=lambda life: -life.bytes))


def _life(life: TrainingLife) -> Text:
    _, sign, style = _STYLES[life.kind]
    when = f"{life.start + 1}-{life.end + 1}" if life.end > life.start else f"{life.start + 1}"
    return line(
        (f"{when:>9}  ", "dim"),
        (f"{life.size:>8}  ", ""),
        (f"{sign} ", style),
        (one_line(life.name), ""),
        (f"  {life.kind}", "dim"),
        (f"  {shortened(life.place, 60)}" if life.place else "", "dim"),
    )
