"""What `torch.export` made of the models, in a sentence each."""

import re
from collections.abc import Iterator

from dynamo_lab.model.core.conditions import telling
from dynamo_lab.model.packages import AskedDim, DimFact, Export, PackageFailure
from dynamo_lab.model.recording import Failure, Recording
from dynamo_lab.view.breaks.exceptions import cause
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import listed, plural

_MOST = 3
_MORE = '! For more information, run with TORCH_LOGS="+dynamic"'
_EVENTS = ("constant", "equal", "guard")
_COMPLAINT = re.compile(
    r"(?:Constraints violated|Specializations unexpectedly required) \((.+?)\)!"
)
_TRACER = "torch/_dynamo/functional_export.py"


def is_all(recording: Recording, places: Places) -> bool:
    """Whether nothing but exports was compiled: a strict one has a frame of PyTorch's own."""
    files = (recording.sources[places.spans[f.span].source].path for f in recording.frames)
    return bool(recording.exports) and all(path.endswith(_TRACER) for path in files)


def sentences(recording: Recording, places: Places) -> Iterator[str]:
    """One for each of the first exports that the program asked for."""
    own = [one for one in recording.exports if counts(one, recording)]
    for one in own[:_MOST]:
        yield _failed(one, recording, places) if one.error else _done(one, recording)
    if len(own) > _MOST:
        yield f"{plural(len(own) - _MOST, 'more export')} followed."


def unpacked(recording: Recording, places: Places) -> Iterator[str]:
    """One for each of the first packages that the program asked for in vain."""
    for one in recording.package_failures[:_MOST]:
        at = next((f", at {places.where_span(s)}" for s in (one.at, one.span) if s is not None), "")
        told = f"The package was not made: {cause(one.error, one.message).rstrip('.')}{at}."
        failure = recording.failure
        went_on = failure is not None and failure.caught
        yield f"{told} The program caught this and went on." if went_on else told


def counts(one: Export, recording: Recording) -> bool:
    """Whether an export is the program's own; what a library tries and catches is not."""
    return not one.within or (bool(one.error) and ended(one, recording))


def ended(one: Export, recording: Recording) -> bool:
    """Whether the exception of an export ended the program."""
    failure = recording.failure
    return failure is not None and not failure.caught and is_of(one, failure)


def is_of(one: Export | PackageFailure, failure: Failure) -> bool:
    """Whether a failure is an export's; PyTorch adds a sentence on what to try at its end."""
    return failure.type == one.error and failure.message.startswith(one.message)


def size_of(dim: AskedDim | DimFact) -> str:
    """'size 0 of `x`'."""
    return f"size {dim.axis} of `{dim.input}`"


def named(dim: AskedDim | DimFact) -> str:
    """'`b` (size 0 of `x`)'; 'size 0 of `x`' where it has no name."""
    size = size_of(dim)
    return size if dim.dim in ("AUTO", "DYNAMIC", "") else f"`{dim.dim}` ({size})"


def complained(one: Export) -> tuple[AskedDim, ...]:
    """The sizes that PyTorch says cannot vary as they were asked to."""
    found = _COMPLAINT.search(one.message)
    names = found[1].split(", ") if found else []
    return tuple(dim for dim in one.dims if dim.dim in names or _source(dim) in names)


def blamed(one: Export) -> DimFact | None:
    """What was assumed of such a size: that it is constant, another size, or else a condition."""
    sizes = {(dim.input, dim.axis) for dim in complained(one)}
    about = [fact for fact in one.facts if (fact.input, fact.axis) in sizes]
    return min(about, key=_severity, default=None)


def _severity(fact: DimFact) -> tuple[int, int]:
    """A condition on the one size before those on several."""
    return _EVENTS.index(fact.event), fact.value.count(".shape[")


def _source(dim: AskedDim) -> str:
    """PyTorch's name of a size: "L['x'].size()[0]"."""
    name = re.match(r"\w+", dim.input)
    rest = dim.input[name.end() :] if name else ""
    return f"L['{name[0] if name else ''}']{rest}.size()[{dim.axis}]"


def why(one: Export, places: Places) -> str:
    """The error in a line, and the user's line that it is about."""
    told = cause(one.error, one.message).removeprefix("UserError: ")  # its name tells nothing
    text = told.rstrip(".").removesuffix(_MORE)
    fact = blamed(one)
    at = one.at if one.at is not None else fact and fact.span
    return f"{text}, at {places.where_span(at)}" if at is not None else text


def _failed(one: Export, recording: Recording, places: Places) -> str:
    told = f"`torch.export` of `{one.model}` failed: {why(one, places)}."
    return told if ended(one, recording) else f"{told} The program caught this and went on."


def _done(one: Export, recording: Recording) -> str:
    graph = recording.graphs[one.graph] if one.graph is not None else None
    size = f" of {plural(graph.operators, 'operator')}" if graph is not None else ""
    open_ones = listed([named(dim) for dim in one.dims if dim.varies], 4)
    fixed = listed([size_of(dim) for dim in one.dims if dim.varies is False], 4)
    varies = f" It keeps open {open_ones}." if open_ones else ""
    assumed = listed([f"`{told}`" for told in _assumed(one)], _MOST)
    holds = f" It assumes that {assumed}." if assumed else ""
    constant = f" Fixed to the example's, though asked to vary: {fixed}." if fixed else ""
    return f"`torch.export` captured `{one.model}` as one graph{size}.{varies}{holds}{constant}"


def _assumed(one: Export) -> list[str]:
    """The conditions on the sizes that stay open."""
    still_open = {(dim.input, dim.axis) for dim in one.dims if dim.varies}
    guards = (fact for fact in one.facts if fact.event == "guard")
    return telling(fact.value for fact in guards if (fact.input, fact.axis) in still_open)
