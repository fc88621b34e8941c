"""Choices on what the compiler makes: layouts, concatenations, freezing, lists, integer kernels."""

from collections import Counter
from collections.abc import Iterator, Sequence

from dynamo_lab.model.layouts.choices import LayoutChoice
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.choices.choice import ChoiceRow, Kind
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.origins import origin_of, where_of
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import first_up, listed, plural, size
from dynamo_lab.view.fusion.foreach import ForeachView
from dynamo_lab.view.fusion.fusion import FusionsView
from dynamo_lab.view.layouts import reading, words
from dynamo_lab.view.layouts.reading import Convolution
from dynamo_lab.view.precision.unrounded import unrounded
from dynamo_lab.view.quantization.products import Product, products

_SILENT = "PyTorch gives none."
_FROZEN = "The graph was frozen: its weights are constants."


def of_rounding(recording: Recording, places: Places, ancestry: Ancestry) -> Iterator[ChoiceRow]:
    """The results of half precision that a kernel reads as they are, in float32."""
    for kernel, dtype, results in unrounded(recording, ancestry):
        nodes = [(kernel.graph or 0, node) for node, _ in results]
        counted = Counter(name for _, name in results).items()
        named = (name if times == 1 else f"{times} x {name}" for name, times in counted)
        yield ChoiceRow(
            kind="precision",
            choice=f"`{kernel.name}` reads {plural(len(nodes), 'result')} of {dtype} unrounded",
            reason="Inductor computes half precision in float32, and rounds what it stores.",
            effect=f"Eager rounds to {dtype} after {listed(list(named), 6)}: last bits may differ.",
            remedy="`torch._inductor.config.emulate_precision_casts = True` rounds as eager does.",
            where=where_of(nodes, recording, places),
            line=origin_of(nodes, recording, places).entity,
            nodes=tuple(f"node:{graph}:{node}" for graph, node in nodes),
            tab="kernels",
        )


def of_quantization(recording: Recording, places: Places) -> Iterator[ChoiceRow]:
    """The kernel of each product of integers, and the products of floats beside them."""
    for one in products(recording):
        told = _product(one), _chosen_by(one)
        yield _of_node("quantization", *told, (one.graph, one.node), recording, places)


def _of_node(
    kind: Kind,
    choice: str,
    reason: str,
    node: tuple[int, int],
    recording: Recording,
    places: Places,
) -> ChoiceRow:
    """A choice on what became of one node of a graph."""
    origin = origin_of([node], recording, places)
    return ChoiceRow(
        kind=kind,
        choice=choice,
        reason=reason,
        where=origin.where,
        line=origin.entity,
        code=origin.line,
        nodes=(f"node:{node[0]}:{node[1]}",),
        tab="lowering",
    )


def _product(one: Product) -> str:
    if one.kernel:
        by = f" by {one.weight}" if one.weight else ""
        return f"`{one.kernel}`: {one.given}{by}, to {one.dtype or 'a type that is not known'}"
    if one.is_integer:
        return f"product in {one.dtype}: its {one.weight} operand is made {one.dtype} before"
    return f"product of floats, in {one.dtype}"


def _chosen_by(one: Product) -> str:
    if one.pattern:
        return f"Inductor's pattern `{one.pattern}` for quantized graphs matched."
    if one.kernel:
        return "The program calls it, or what quantized it: no pattern of Inductor's put it there."
    if one.is_integer:
        return "Not known: none of Inductor's patterns for quantized graphs matched it."
    return "Its operands are float in memory; why they were not quantized is not recorded."


def of_layouts(recording: Recording, places: Places) -> Iterator[ChoiceRow]:
    """Whether the convolutions of each graph are in channels last, and what that copies."""
    asked = [choice for choice in recording.layout_choices if choice.convolutions]
    found = list(reading.convolutions(recording, places)) if asked else []
    for choice in asked:
        own = [conv for conv in found if conv.graph == choice.graph]
        nodes = [(conv.graph, conv.node) for conv in own]
        origin = origin_of(nodes, recording, places)
        yield ChoiceRow(
            kind="layout",
            choice=words.verdict_on(choice, own),
            reason=f"{first_up(words.reason_for(choice))}.",
            effect=_laid_out(own, choice),
            where=where_of(nodes, recording, places),
            line=origin.entity,
            code=origin.line if len({conv.where for conv in own}) == 1 else "",
            nodes=tuple(f"node:{graph}:{node}" for graph, node in nodes),
            tab="lowering",
        )


def _laid_out(convolutions: Sequence[Convolution], choice: LayoutChoice) -> str:
    counts = Counter[reading.Order](conv.order for conv in convolutions)
    told = [f"{plural(count, 'result')} {_ORDERS[order]}." for order, count in counts.items()]
    if copied := sum(conv.copied for conv in convolutions):
        told.append(f"Each call copies {size(copied)} to bring inputs and weights into a layout.")
    strays = Counter(filter(None, (words.astray(conv, choice) for conv in convolutions)))
    told += [f"{plural(count, 'result')}: {why}" for why, count in strays.items()]
    return " ".join(told)


_ORDERS: dict[reading.Order, str] = {
    "channels last": "in channels last",
    "contiguous": "in the order of its sizes",
    "either": "of sizes for which both are the same",
    "other": "in another order",
    "unknown": "in an order that is not known",
}


def of_concatenations(recording: Recording, places: Places) -> Iterator[ChoiceRow]:
    """How each concatenation is made."""
    for one in reading.concats(recording, places):
        told = first_up(words.joined(one)), _SILENT
        yield _of_node("concatenation", *told, (one.graph, one.node), recording, places)


def of_freezing(recording: Recording) -> Iterator[ChoiceRow]:
    """What became of constant weights."""
    for sentence in words.frozen(reading.rewritten(recording)):
        yield ChoiceRow(kind="freezing", choice=sentence, reason=_FROZEN, tab="passes")


def of_lists(fusions: FusionsView) -> Iterator[ChoiceRow]:
    """What became of the lists of tensors that an optimizer's step runs side by side."""
    for schedule in fusions.schedules:
        if (lists := schedule.foreach) is not None:
            yield ChoiceRow(
                kind="lists of tensors",
                choice=lists.sentences[0],
                reason=" ".join(lists.sentences[1:]),
                effect=_refused(lists),
                where=lists.where,
                line=lists.entity,
                tab="fusion",
            )


def _refused(lists: ForeachView) -> str:
    """How many pairs were, and the first of them."""
    found = [pair for pair in lists.pairs if pair.state == "refused"]
    if not found:
        return ""
    told = f"{plural(len(found), 'pair')} of {len(lists.pairs)} refused"
    return f"{told}: {found[0].one} with {found[0].other}. {found[0].sentence}"
