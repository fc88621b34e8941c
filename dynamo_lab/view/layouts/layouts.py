"""A network in several ways as rows: what each costs, and what became of layouts in it."""

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import Struct

from dynamo_lab.measure.statistics import ratio, spread
from dynamo_lab.model.layouts.trial import LayoutChoice, Rule, Trial, WayName, WayTrial
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core import words
from dynamo_lab.view.layouts import reading
from dynamo_lab.view.layouts.reading import Concat, Convolution

TITLES: dict[WayName, str] = {
    "eager": "eager",
    "compiled": "compiled",
    "layout kept": "compiled, layout_optimization off",
    "channels last": "compiled, channels last from the start",
    "concat as loop": "compiled, force_pointwise_cat",
    "one thread": "compiled, one thread",
    "frozen": "compiled, frozen",
    "frozen, unpacked": "compiled, frozen, nothing packed",
    "oneDNN Graph": "TorchScript with oneDNN Graph",
}

RULES: dict[Rule, str] = {
    "off": "`layout_optimization` is off",
    "forced": "`force_layout_optimization` is on",
    "none": "there is no convolution in the graph",
    "oneDNN": "all convolutions are on a CPU with oneDNN, where PyTorch always chooses it",
    "estimate": "PyTorch's estimate from the operations of convolutions is that it is no slower",
    "unopposed": "none of PyTorch's reasons against it in training holds",
    "unknown": "PyTorch gives no reason, and none of its rules that are known here says so",
}


class ConvolutionView(Struct, frozen=True, kw_only=True):
    """Convolutions that are alike: sizes of input and weight, the layouts before and after."""

    where: str
    sizes: str
    layout: str
    copied: str
    told: str


class WayView(Struct, frozen=True, kw_only=True):
    """A way: its row in the table, and what is behind it, where that is not as in "compiled"."""

    name: WayName
    title: str
    problem: str = ""
    time: str = ""
    told: str = ""
    kernels: str = ""
    copied: str = ""
    difference: str = ""
    facts: tuple[str, ...] = ()
    convolutions: tuple[ConvolutionView, ...] = ()


class LayoutsView(Struct, frozen=True, kw_only=True):
    """All ways, eager first."""

    title: str
    where: str
    ways: tuple[WayView, ...]


def build(trial: Trial, recordings: Mapping[str, Recording]) -> LayoutsView:
    """The rows."""
    threads = max((one.threads for one in trial.ways), default=1)
    rows = [_way(one, trial, recordings.get(one.name)) for one in trial.ways]
    first = next((row for row in rows if row.name == "compiled"), None)
    return LayoutsView(
        title=trial.title,
        where=f"{trial.machine}, {words.plural(threads, 'thread')}; timed in turns",
        ways=tuple(_new_in(row, first) for row in rows),
    )


def _new_in(row: WayView, first: WayView | None) -> WayView:
    """Without what is the same in what is compiled as it is."""
    if first is None or row is first:
        return row
    return WayView(
        **{name: getattr(row, name) for name in row.__struct_fields__ if name not in _BEHIND},
        facts=tuple(one for one in row.facts if one not in first.facts),
        convolutions=() if row.convolutions == first.convolutions else row.convolutions,
    )


_BEHIND = ("facts", "convolutions")


def _way(one: WayTrial, trial: Trial, recording: Recording | None) -> WayView:
    row = WayView(name=one.name, title=TITLES[one.name], problem=one.problem)
    if one.problem:
        return row
    found = tuple(reading.convolutions(recording)) if recording else ()
    return WayView(
        name=one.name,
        title=row.title,
        time=words.seconds(spread(one.seconds).median) if one.seconds else "not timed",
        told=_told(one, trial),
        kernels=f"{len(recording.kernels)}" if recording else "",
        copied=words.size(sum(conv.copied for conv in found)) if recording else "",
        difference=_difference(one),
        facts=tuple(_facts(one, recording)),
        convolutions=tuple(_rows(found, one)),
    )


def _told(one: WayTrial, trial: Trial) -> str:
    """Against what is compiled as it is."""
    base = next((way for way in trial.ways if way.name == "compiled"), one)
    if one is base or not one.seconds or len(one.seconds) != len(base.seconds):
        return ""
    compared = ratio(base.seconds, one.seconds)
    return f"{compared.sentence}{' than compiled' if compared.differs else ''}"


def _difference(one: WayTrial) -> str:
    if one.name == "eager":
        return ""
    if one.difference is None:
        return "not known"
    return "none" if one.difference == 0 else f"{one.difference:.1g}"


def _facts(one: WayTrial, recording: Recording | None) -> Iterator[str]:
    for choice, count in Counter(one.choices).items():
        yield f"{_choice(choice)}{f' So in {count} graphs.' if count > 1 else ''}"
    if one.groups is not None:
        yield from (
            _groups("oneDNN Graph joined", one.groups)
            if one.groups
            else ("oneDNN Graph joined nothing.",)
        )
    if recording is None:
        return
    yield from dict.fromkeys(map(_concat, reading.concats(recording)))
    done = reading.rewritten(recording)
    yield from _groups("Folded into weights", done.folded)
    if done.packed:
        yield f"Packed for oneDNN: the weights of {_counted(done.packed)}."
    yield from _groups("oneDNN's kernels hold", done.fused)
    if one.name == "frozen" and not done.packed:
        yield "No weight was packed for oneDNN."


def _groups(what: str, groups: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    if groups:
        yield f"{what} {_counted(tuple(' + '.join(group) for group in groups))}."


def _counted(names: tuple[str, ...]) -> str:
    """'convolution + relu, 3 x linear'."""
    counts = Counter(names).items()
    return ", ".join(name if count == 1 else f"{count} x {name}" for name, count in counts)


def _choice(choice: LayoutChoice) -> str:
    count = words.plural(choice.convolutions, "convolution")
    verdict = "Channels last is chosen" if choice.chosen else "Channels last is not chosen"
    if choice.rule == "said":
        return f'{verdict} for {count}. PyTorch: "{choice.said}".'
    about = f" for {count}" if choice.convolutions else ""
    return f"{verdict}{about}: {RULES[choice.rule]}."


def _concat(one: Concat) -> str:
    where = f" ({one.where})" if one.where else ""
    if one.form == "ConcatKernel":
        how = f"{one.parts} parts are written where they belong in one buffer"
        copies = f", {one.copied} of them by a copy" if one.copied else ", none by a copy"
        return f"Concatenation{where}: ConcatKernel: {how}{copies}."
    if one.form == "Pointwise":
        return f"Concatenation{where}: one loop picks each element from its part (pointwise_cat)."
    return f"Concatenation{where}: {one.form or 'unknown'}, {one.outcome}."


def _rows(found: tuple[Convolution, ...], one: WayTrial) -> Iterator[ConvolutionView]:
    choices = {choice.chosen for choice in one.choices if choice.convolutions}
    for conv, count in Counter(found).items():
        yield ConvolutionView(
            where=f"{conv.where}{f' x {count}' if count > 1 else ''}",
            sizes=f"{_sizes(conv.shape)} by {_sizes(conv.weight)}",
            layout=conv.order if conv.given == conv.order else f"{conv.given} -> {conv.order}",
            copied=words.size(conv.copied) if conv.copied else "",
            told=_why(conv, choices),
        )


def _sizes(shape: tuple[str, ...]) -> str:
    return f"[{', '.join(shape)}]"


def _why(conv: Convolution, choices: set[bool]) -> str:
    """Why its result is in this layout, where the choice for its graph alone does not say so."""
    if len(conv.shape) != 4 or conv.order in ("either", "unknown"):
        return ""
    if len(choices) != 1:
        return "Graphs differ in the choice: which is this one's is not known."
    (chosen,) = choices
    if (conv.order == "channels last") == chosen:
        return ""
    if not chosen and conv.given == "channels last":
        return "Not chosen: its input is in channels last already."
    return "Not what was chosen: why is not known."
