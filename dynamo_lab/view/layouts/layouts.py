"""A network in several ways as rows: what each costs, and what became of layouts in it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from dynamo_lab.measure.statistics import ratio, spread
from dynamo_lab.model.layouts.trial import Trial, WayName, WayTrial
from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core.words import plural, seconds, size
from dynamo_lab.view.layouts import reading, words
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
        where=f"{trial.machine}, {plural(threads, 'thread')}; timed in turns",
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
        time=seconds(spread(one.seconds).median) if one.seconds else "not timed",
        told=_told(one, trial),
        kernels=f"{len(recording.kernels)}" if recording else "",
        copied=size(sum(conv.copied for conv in found)) if recording else "",
        difference=_difference(one),
        facts=tuple(_facts(one, recording, found)),
        convolutions=tuple(_rows(found, recording)) if recording else (),
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


def _facts(
    one: WayTrial, recording: Recording | None, found: Sequence[Convolution]
) -> Iterator[str]:
    if one.groups is not None:
        joined = tuple(words.grouped("oneDNN Graph joined", one.groups))
        yield from joined or ("oneDNN Graph joined nothing.",)
    if recording is None:
        return
    told = (words.told(choice, found) for choice in recording.layout_choices)
    for sentence, count in Counter(told).items():
        yield f"{sentence}{f' So in {count} graphs.' if count > 1 else ''}"
    yield from dict.fromkeys(map(_concat, reading.concats(recording)))
    done = reading.rewritten(recording)
    yield from words.frozen(done)
    if one.name == "frozen" and not done.packed:
        yield "No weight was packed for oneDNN."


def _concat(one: Concat) -> str:
    where = f" ({one.where})" if one.where else ""
    return f"Concatenation{where}: {words.joined(one)}"


def _rows(found: tuple[Convolution, ...], recording: Recording) -> Iterator[ConvolutionView]:
    choices = {choice.graph: choice for choice in recording.layout_choices}
    told = [(_alike(conv), words.astray(conv, choices.get(conv.graph))) for conv in found]
    for (conv, why), count in Counter(told).items():
        yield ConvolutionView(
            where=f"{conv.where}{f' x {count}' if count > 1 else ''}",
            sizes=f"{_sizes(conv.shape)} by {_sizes(conv.weight)}",
            layout=conv.order if conv.given == conv.order else f"{conv.given} -> {conv.order}",
            copied=size(conv.copied) if conv.copied else "",
            told=why,
        )


def _alike(conv: Convolution) -> Convolution:
    """The same wherever it is in the graphs."""
    return conv._replace(graph=0, node=0)


def _sizes(shape: tuple[str, ...]) -> str:
    return f"[{', '.join(shape)}]"
