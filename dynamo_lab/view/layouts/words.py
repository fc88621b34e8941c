"""What a recording says of layouts, in sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator

from dynamo_lab.model.layouts.choices import LayoutChoice, Rule
from dynamo_lab.view.core.words import plural
from dynamo_lab.view.layouts.reading import Concat, Convolution, Rewritten

RULES: dict[Rule, str] = {
    "off": "`layout_optimization` is off",
    "forced": "`force_layout_optimization` is on",
    "none": "there is no convolution in the graph",
    "oneDNN": "all convolutions are on a CPU with oneDNN, where PyTorch always chooses it",
    "estimate": "PyTorch's estimate from the operations of convolutions is that it is no slower",
    "unopposed": "none of PyTorch's reasons against it in training holds",
    "unknown": "PyTorch gives no reason, and none of its rules that are known here says so",
}

_OTHER_DIMENSIONS = "Inductor asks for channels last of convolutions over two dimensions alone."


def verdict_on(choice: LayoutChoice, found: Iterable[Convolution]) -> str:
    """'Channels last is chosen for 2 convolutions', of those that were `found` in the recording.

    Of those over one or three dimensions Inductor asks for no layout, whatever is chosen.
    """
    verdict = "Channels last is chosen" if choice.chosen else "Channels last is not chosen"
    if not choice.convolutions:
        return verdict
    every = plural(choice.convolutions, "convolution")
    others = sum(conv.graph == choice.graph and len(conv.shape) != 4 for conv in found)
    if not choice.chosen or not others:
        return f"{verdict} for {every}"
    return f"{verdict} for {choice.convolutions - others or 'none'} of {every}"


def reason_for(choice: LayoutChoice) -> str:
    """Why, without an end."""
    return f'PyTorch: "{choice.said}"' if choice.rule == "said" else RULES[choice.rule]


def told(choice: LayoutChoice, found: Iterable[Convolution]) -> str:
    """Both in a sentence."""
    end = "." if choice.rule == "said" else ":"
    return f"{verdict_on(choice, found)}{end} {reason_for(choice)}."


def astray(conv: Convolution, choice: LayoutChoice | None) -> str:
    """Why a result is in its layout, where the choice for its graph alone does not say so."""
    if conv.order in ("either", "unknown"):
        return ""
    if choice is None:
        return "What was chosen for its graph is not known."
    if len(conv.shape) != 4:
        return _OTHER_DIMENSIONS if choice.chosen else ""
    if (conv.order == "channels last") == choice.chosen:
        return ""
    if not choice.chosen and conv.given == "channels last":
        return "Not chosen: its input is in channels last already."
    return "Not what was chosen: why is not known."


def joined(one: Concat) -> str:
    """What a concatenation is made by."""
    if one.form == "ConcatKernel":
        return f"ConcatKernel: {_placed(one)}."
    if one.form == "Pointwise":
        return "one loop picks each element from its part (pointwise_cat)."
    return f"{one.form or 'unknown'}, {one.outcome}."


def _placed(one: Concat) -> str:
    """How the parts get to their place."""
    if not one.copied:
        return "parts are computed where they belong in one buffer, none is copied"
    if one.copied >= one.parts:
        return "all parts are copied to where they belong in one buffer"
    copied = f"{one.copied} {'is' if one.copied == 1 else 'are'} copied"
    return f"of {one.parts} parts {copied} to the place in one buffer, the rest computed there"


def frozen(done: Rewritten) -> Iterator[str]:
    """What freezing made of a graph."""
    yield from grouped("Folded into weights", done.folded)
    if done.packed:
        yield f"Packed for oneDNN: the weights of {_counted(done.packed)}."
    yield from grouped("oneDNN's kernels hold", done.fused)


def grouped(what: str, groups: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """'oneDNN's kernels hold 2 x convolution + relu.'; nothing where there are none."""
    if names := tuple(" + ".join(group) for group in groups):
        yield f"{what} {_counted(names)}."


def _counted(names: tuple[str, ...]) -> str:
    """'convolution + relu, 3 x linear'."""
    counts = Counter(names).items()
    return ", ".join(name if count == 1 else f"{count} x {name}" for name, count in counts)
