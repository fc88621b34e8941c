"""Breaks, each with its place, its reason, what to do, and the graphs on both sides."""

import re
from collections.abc import Iterator, Sequence, Set

from msgspec import Struct

from dynamo_lab.model.breaks import Break
from dynamo_lab.model.core.sources import Span
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.breaks import backwards, libraries, numpy_draws, printing, raised
from dynamo_lab.view.breaks.advice import Rule, advice_for, rule_of
from dynamo_lab.view.breaks.around import is_in_loop, joins, only_assigns
from dynamo_lab.view.breaks.explanations import explanation_of, reason_of, tidy
from dynamo_lab.view.breaks.fixes import Fix, fixes_of
from dynamo_lab.view.breaks.makers import made_there, within
from dynamo_lab.view.breaks.math_calls import advice_on
from dynamo_lab.view.core.names import frame_names
from dynamo_lab.view.core.places import Places, entity
from dynamo_lab.view.core.words import begun


class StackLine(Struct, frozen=True, kw_only=True):
    """A line of the user's stack, outermost first. `entity` is "line:<source>:<number>"."""

    label: str
    function: str
    text: str
    entity: str


class ExampleView(Struct, frozen=True, kw_only=True):
    """Our example of the kind: a small program with this break, and the same without it."""

    before: str
    after: str


class BreakView(Struct, frozen=True, kw_only=True):
    """One break, ready to be shown. Texts are plain, never markup; views count breaks from 1.

    `before` and `after` are graph ids. `times` counts the compilations that broke there,
    `heading` is the title where it stands alone.
    """

    id: int
    title: str
    where: str
    text: str
    column: int
    end_column: int
    effect: str
    frame: str
    reason: str
    explanation: str
    advice: tuple[str, ...]
    context: str
    registry_id: str
    link: str
    stack: tuple[StackLine, ...]
    before: int | None = None
    after: tuple[int, ...] = ()
    times: int = 1
    example: ExampleView | None = None
    fixes: tuple[Fix, ...] = ()
    heading: str = ""


def build(recording: Recording, places: Places, called: Set[int]) -> tuple[BreakView, ...]:
    """The breaks in the order they happened; `called` as of `called_frames`."""
    names = frame_names(recording)
    return tuple(_view(item, recording, places, names, called) for item in recording.breaks)


def _view(
    item: Break, recording: Recording, places: Places, names: Sequence[str], called: Set[int]
) -> BreakView:
    made = made_there(item, places)
    rule = made or rule_of(item)
    span = recording.spans[item.span]
    line = places.line_of(item.span)
    column, end_column = columns(span, places.text(line))
    fixes = fixes_of(recording, item, called)
    can_choose = any(fix.name == "torch.where" for fix in fixes)
    advice = _advice(item, made, places, has_fix=bool(fixes), can_choose=can_choose)
    told = printing.advice_on(item, recording, called, advice_on(item, recording, advice))
    told = numpy_draws.advice_on(item, recording, told)
    told = raised.advice_on(item, recording, places, backwards.advice_on(item, recording, told))
    return BreakView(
        id=item.id,
        title=rule.title,
        where=places.where(line),
        text=places.text(line),
        column=column,
        end_column=end_column,
        effect=item.effect,
        frame=names[item.frame],
        reason=begun(reason_of(item)),
        explanation=begun(tidy(explanation_of(item), line[1], places.text(line))),
        advice=tuple(map(begun, told)),
        context=item.context,
        registry_id=item.registry_id,
        # The recording may be anyone's file: a URL of another scheme could be a script.
        link=item.link if item.link.startswith("https://") else "",
        stack=_stack(item, places),
        before=item.graph_before,
        after=tuple(_graphs_of(recording, item.resume_frames)),
        times=item.times,
        example=_example(rule, advice),
        fixes=fixes,
        heading=begun(rule.title),
    )


def _advice(
    item: Break, made: Rule | None, places: Places, *, has_fix: bool, can_choose: bool
) -> tuple[str, ...]:
    if made:
        return made.advice
    is_asked = "graph_break()" in item.gb_type  # of which the advice says so already
    known = () if is_asked or has_fix else within(item, places)
    if known:
        return known
    statement = _statement(item, places)
    if statement == "sometimes" and can_choose:
        statement = ""  # the `if` is to become a choice: there is a fix that says how
    told = advice_for(item, _is_in_library(item, places), statement, _joins(item, places))
    return (*libraries.advice_on(item, places), *told)


def _example(rule: Rule, advice: Sequence[str]) -> ExampleView | None:
    """Where the advice is the rule's: what to write for an `assert` is no example of a choice."""
    if rule.example is None or not set(advice) & set(rule.advice):
        return None
    return ExampleView(before=rule.example.before, after=rule.example.after)


def _is_in_library(item: Break, places: Places) -> bool:
    """Whether the innermost line, which caused the break, is a library's."""
    lines = places.lines_of(item.stack)
    return places.is_library(lines[-1] if lines else places.line_of(item.span))


def _joins(item: Break, places: Places) -> bool:
    """Whether an `and` or `or` is at the innermost line; it may be, where it is not known."""
    lines = places.lines_of(item.stack)
    source, number = lines[-1] if lines else places.line_of(item.span)
    return joins(places.whole(source), number, places.text((source, number)))


def _statement(item: Break, places: Places) -> str:
    """What the innermost line decides, empty for nothing special.

    "assert", "while", "raise", "leave" (a loop), or "sometimes" to assign something.
    """
    lines = places.lines_of(item.stack)
    source, number = lines[-1] if lines else places.line_of(item.span)
    text = places.text((source, number))
    found = re.match(r"\s*(assert|while|if)\b", text)
    if not found or found[1] != "if":
        return found[1] if found else ""
    then = text.partition(":")[2].strip() or places.text((source, number + 1))
    if re.match(r"\s*raise\b", then):
        return "raise"
    left = re.match(r"\s*(break|return)\b", then)
    is_leaving = left and (left[1] == "break" or is_in_loop(places.whole(source), number))
    if is_leaving:
        return "leave"
    return "sometimes" if only_assigns(places.whole(source), number) else ""


def columns(span: Span, text: str) -> tuple[int, int]:
    """The span's columns on its first line, -1 where they are not known."""
    if span.column < 0:
        return -1, -1
    goes_on = span.end_line > span.line or span.end_column <= span.column
    return span.column, len(text.rstrip()) if goes_on else span.end_column


def _stack(item: Break, places: Places) -> tuple[StackLine, ...]:
    """The calls that led to it, without what PyTorch runs of its own to call a module."""
    every = places.stack_spans[item.stack] if item.stack is not None else (item.span,)
    spans = [span for span in every if not _is_plumbing(span, places)] or every
    return tuple(
        StackLine(
            label=places.where_named(places.line_of(span)),
            function=places.function(span),
            text=places.text(places.line_of(span)).strip(),
            entity=entity(places.line_of(span)),
        )
        for span in spans
    )


def _is_plumbing(span: int, places: Places) -> bool:
    line = places.line_of(span)
    path = places.sources[line[0]].path.replace("\\", "/")
    is_of_module = path.endswith("torch/nn/modules/module.py")
    return places.is_call(line) or (is_of_module and places.function(span) in _MODULE_CALL)


_MODULE_CALL = {"_wrapped_call_impl", "_call_impl", "inner"}


def _graphs_of(recording: Recording, frames: Sequence[int]) -> Iterator[int]:
    for index in frames:
        for attempt in recording.frames[index].attempts:
            if attempt.graph is not None and attempt.outcome == "compiled":
                yield attempt.graph
