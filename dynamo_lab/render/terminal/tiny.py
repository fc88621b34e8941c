"""A training plan as a table: what each pass won, and four bars."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from dynamo_lab.model.tiny import StepMeasure, TinyBar, TinyPlan
from dynamo_lab.render.terminal.core.parts import listing, plain, text
from dynamo_lab.view.core.words import flops, percent, plural, size

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
    yield from listing(
        ("left", "right", "right", "right", "wrap"), [_COLUMNS, *_pass_rows(plan)], width
    )
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
_COLUMNS = tuple(Text(word, style="dim") for word in ("pass", "peak", "operations", "products", ""))


def _head(plan: TinyPlan) -> str:
    limit = "" if plan.limit is None else f", limit {size(plan.limit)}"
    return f"Training step in {size(plan.bytes)}{limit}"


def _updated(plan: TinyPlan) -> str:
    share = plan.updated / plan.parameters if plan.parameters else 0
    return (
        f"{plural(plan.updated_tensors, 'parameter')} updated, {percent(share)} of the model's "
        f"numbers; {_COUNTED_INT8 if plan.dtype == 'int8' else _COUNTED[plan.precision]}"
    )


def _pass_rows(plan: TinyPlan) -> Iterator[tuple[Text, ...]]:
    if plan.passes:
        yield _measure_row("joint graph", plan.passes[0].before, "as AOTAutograd makes it")
    for one in plan.passes:
        yield _measure_row(one.name, one.after, one.sentence)


def _measure_row(name: str, measure: StepMeasure, sentence: str) -> tuple[Text, ...]:
    return (
        Text(name, style="cyan"),
        Text(size(measure.bytes)),
        Text(f"{measure.operations:,}"),
        Text("FLOP unknown" if measure.flops is None else flops(measure.flops)),
        Text(sentence, style="dim"),
    )


def _bar_rows(plan: TinyPlan) -> Iterator[tuple[Text, ...]]:
    most = max([bar.bytes for bar in plan.bars] + [plan.limit or 0, 1])
    full = plan.bars[0].bytes if plan.bars else 0
    for bar in plan.bars:
        less = f"{full / bar.bytes:.1f} times less" if bar.bytes and bar is not plan.bars[0] else ""
        yield Text(bar.name), _drawn(bar, most), Text(size(bar.bytes)), Text(less, style="dim")
    if plan.limit is not None:
        length = round(_BAR * plan.limit / most)
        yield Text("limit"), Text("─" * max(length - 1, 0) + "┤"), Text(size(plan.limit)), Text("")


def _drawn(bar: TinyBar, most: int) -> Text:
    """Each part as long as its share, so that the ends of all parts are where they belong."""
    drawn, sum_of, at = Text(), 0, 0
    for field, sign, style in _PARTS:
        sum_of += getattr(bar, field)
        end = round(_BAR * sum_of / most)
        drawn.append(sign * (end - at), style=style)
        at = end
    return drawn or Text("▏")


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
