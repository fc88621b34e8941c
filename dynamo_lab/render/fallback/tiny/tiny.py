"""A planned training step in the script-free HTML: bars, and what lies in memory over the step."""

from collections.abc import Iterator, Sequence

from dynamo_lab.render.colours import coloured
from dynamo_lab.render.markup import Block, Markup, details, join, pre, prose, table, tag
from dynamo_lab.render.text import clipped, shortened
from dynamo_lab.view import View
from dynamo_lab.view.tiny.tiny import KIND_NAMES, KINDS, TrainingPlanView

COLOURS = {"weight": "r0", "state": "r3", "sample": "r7", "activation": "r4", "gradient": "r2"}
"""As in the live view: told apart by who sees no red, or no green."""

_SIGNS = "█▓▞▒░"
_BAR = 40
_ROWS = 120


def answers(view: View) -> Iterator[Markup]:
    """What a reader wants to know first: under the summary's sentence."""
    if view.training is not None:
        for answer in view.training.plan.answers:
            rows = [tag("li", prose(shortened(fact.text, 400))) for fact in answer.facts]
            yield tag("p", tag("b", answer.name))
            yield tag("ul", *rows)


def blocks(view: View) -> Iterator[Block]:
    """The bars, what is alive at the worst moment, and the whole step."""
    if view.training is None:
        return
    plan = view.training.plan
    yield join(*(tag("p", prose(sentence)) for sentence in plan.sentences))
    yield _bars(plan)
    if not plan.steps:
        return
    alive = [life for life in plan.lives if life.start <= plan.peak <= life.end]
    largest = sorted(alive, key=lambda life: -life.bytes)[:12]
    rows = [
        (one.size, one.kind, clipped(one.name, 60), shortened(one.place, 80)) for one in largest
    ]
    yield table((f"at step {plan.peak + 1}", "", "", ""), rows)
    yield details("memory during each operation", pre(*_steps(plan)))


def _bars(plan: TrainingPlanView) -> Markup:
    most = max([bar.bytes for bar in plan.bars] + [plan.limit or 0, 1])
    lines: list[str] = []
    for bar in plan.bars:
        drawn = _drawn(bar.parts, most)
        lines.append(join(f"{bar.name:<20}{bar.size:>9}  ", drawn, f"  {bar.told}\n"))
    if plan.limit is not None:
        line = "─" * max(round(_BAR * plan.limit / most) - 1, 0)
        lines.append(f"{'limit':<20}{plan.limit_text:>9}  {line}┤\n")
    legend = [
        join(tag("span", sign, **coloured(COLOURS[kind])), f" {KIND_NAMES[kind]}  ")
        for kind, sign in zip(KINDS, _SIGNS, strict=True)
    ]
    return pre(*lines, *legend)


def _drawn(parts: Sequence[int], most: int) -> Markup:
    sum_of, at, drawn = 0, 0, list[str]()
    for amount, kind, sign in zip(parts, KINDS, _SIGNS, strict=True):
        sum_of += amount
        end = round(_BAR * sum_of / most)
        if end > at:
            drawn.append(tag("span", sign * (end - at), **coloured(COLOURS[kind])))
        at = end
    return join(*drawn)


def _steps(plan: TrainingPlanView) -> Iterator[str]:
    most = max(1, plan.steps[plan.peak].bytes)
    for number, step in list(enumerate(plan.steps, 1))[:_ROWS]:
        filled = "█" * round(_BAR * step.bytes / most)
        yield f"{number:>4}  {step.size:>8}  {filled:<{_BAR}}  {clipped(step.name, 60)}\n"
    if len(plan.steps) > _ROWS:
        yield f"… {len(plan.steps) - _ROWS:,} more\n"
