"""Choices on what the program calls: attention, modules with a fast path, regions of autocast."""

from collections import Counter
from collections.abc import Iterable, Iterator

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.attention.attention import AttentionView
from dynamo_lab.view.attention.choices import ChoiceView, KernelChoiceView
from dynamo_lab.view.choices.choice import ChoiceRow
from dynamo_lab.view.core.origins import origin_of, where_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import first_up, listed
from dynamo_lab.view.fast_path.fast_path import FastPathView
from dynamo_lab.view.precision.regions import Cast, Region, regions

_NOT_ASKED = "Not known: PyTorch's rules were not asked for the device that it runs on."
_FIRST = "It is the first that PyTorch tries here, and it may run."
_ASKED = "The program asks for it. Which operators it casts is PyTorch's own list."
_AROUND = (
    "It was on where the compiled code was called: products give fewer bits than they are given."
)
_KEPT = "Each operator in it gives the type that it is given, unless it is called for a cast."


def of_attention(call: AttentionView) -> ChoiceRow:
    """Which kernel a call of attention is, and why none of those that are tried before."""
    choice = next((one for one in call.choices if one.target == call.here), None)
    before = [] if choice is None else list(_before(choice))
    is_flex = not call.choices
    return ChoiceRow(
        kind="attention",
        choice="flex_attention" if is_flex else _kernel(call, choice),
        reason=call.became if is_flex else _reason(call, choice, before),
        effect="" if is_flex else " ".join(filter(None, (call.origin, call.became))),
        remedy=next((one.remedy for one in before if one.remedy), ""),
        where=call.where,
        line=call.line,
        code=call.code,
        nodes=(call.node,),
        tab="attention",
    )


def _kernel(call: AttentionView, choice: ChoiceView | None) -> str:
    """The one that is in the code; where there is none of it, the one of PyTorch's rules."""
    if call.ran or choice is None:
        return call.ran or "not known"
    return f"by PyTorch's rules {choice.sentence}"


def _before(choice: ChoiceView) -> Iterator[KernelChoiceView]:
    """Those that PyTorch tries before the one that runs, or all where none does."""
    for verdict in choice.verdicts:
        if verdict.state == "runs":
            return
        yield verdict


def _reason(
    call: AttentionView, choice: ChoiceView | None, before: Iterable[KernelChoiceView]
) -> str:
    if choice is None:
        return _NOT_ASKED
    if call.differs:
        return f"Not known: PyTorch's rules say {choice.sentence}."
    told = [f"{first_up(one.name)}: {one.told}" for one in before]
    return " ".join(told) or _FIRST


def of_fast_path(row: FastPathView) -> ChoiceRow:
    """Whether a module took its fast path."""
    is_taken = row.state == "taken"
    return ChoiceRow(
        kind="fast path",
        choice=f"{row.name}: {row.state}",
        reason="All of PyTorch's conditions for it hold." if is_taken else row.told,
        effect=row.told if is_taken else "",
        remedy=row.remedy,
        where=row.where,
        line=row.line,
        code=row.code,
        count=row.count,
        tab="fast_path",
    )


def of_precision(recording: Recording, places: Places) -> Iterator[ChoiceRow]:
    """Each region of autocast, and what it casts."""
    for region in regions(recording):
        inside = [(region.graph, node) for node in region.inside]
        origin = origin_of(inside, recording, places)
        entered = () if region.node < 0 else (region.node,)
        lit = dict.fromkeys((*entered, *(cast.node for cast in region.casts)))
        yield ChoiceRow(
            kind="precision",
            choice=_region(region),
            reason=_ASKED if entered else _AROUND,
            effect=_casts(region.casts) or _KEPT,
            where=where_of(inside, recording, places),
            line=origin.entity,
            nodes=tuple(f"node:{region.graph}:{node}" for node in lit),
            tab="graphs",
        )


def _region(region: Region) -> str:
    if region.node < 0:
        return f"autocast around the call{f', to {region.dtype}' if region.dtype else ''}"
    if not region.enabled:
        return f"autocast on {region.device} is off"
    return f"autocast on {region.device} to {region.dtype or 'its default type'}"


def _casts(casts: Iterable[Cast]) -> str:
    """'bf16 where more bits are given: 2 x linear.', then those that give more."""
    names: dict[tuple[str, bool], list[str]] = {}
    for cast in sorted(casts, key=lambda cast: not cast.is_narrower):
        names.setdefault((cast.dtype, cast.is_narrower), []).append(cast.name)
    return " ".join(
        f"{dtype} where {'more bits' if is_narrower else 'fewer'} are given: {_named(found)}."
        for (dtype, is_narrower), found in names.items()
    )


def _named(names: Iterable[str]) -> str:
    counts = Counter(names).items()
    return listed([name if times == 1 else f"{times} x {name}" for name, times in counts], 6)
