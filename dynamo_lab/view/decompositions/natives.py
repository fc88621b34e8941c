"""Where ATen's kernels are for a device: how many operators have one, and which have none."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from dynamo_lab.errors import OptionError
from dynamo_lab.model.decompositions import DEVICES, Census, Device, Native, Placed, ProgramCensus

PLACES: dict[Native, str] = {
    "kernel": "a kernel of its own",
    "composed": "composed of other operators, which need theirs",
    "host": "a kernel on the CPU only",
    "elsewhere": "neither here nor on the CPU: other devices, sparse or quantized tensors",
    "unlisted": "not in PyTorch's list",
}
"""Where a kernel is, in words."""

_WITHOUT: dict[Device, str] = {
    "cpu": "",
    "cuda": "Called on such a tensor, what needs that kernel raises NotImplementedError.",
    "mps": (
        "Called on such a tensor, what needs that kernel raises NotImplementedError; with "
        "PYTORCH_ENABLE_MPS_FALLBACK=1, set before PyTorch is imported, it runs on the CPU, with "
        "copies there and back. MPSFallback.mm also sends a few there without being asked, such as "
        "embedding_renorm_: the wheel does not have that list."
    ),
}
SOURCE = (
    "By native_functions.yaml of the installed PyTorch, which lists the kernels of every device, "
    "whichever this one was built for. A kernel may refuse some types of numbers or sizes."
)
OF_PROGRAM = (
    "Each operator counts once, however often it is called. Called: what AOTAutograd traced, in "
    "the backward too if there is one. That is nearly what eager PyTorch calls: `relu_` is `relu` "
    "there, and what runs between graphs is not among it. Compiled: what is left to "
    "ATen's kernels, where Inductor writes no code."
)
LOWERED = "Compiled, those with a * need no kernel where Inductor's rule or lowering of them fits."


def refuse_unlisted(device: str) -> None:
    """Check that PyTorch's list has kernels of the device.

    Raises:
        OptionError: it has none.
    """
    if device not in DEVICES:
        known = ", ".join(f'"{name}"' for name in DEVICES)
        raise OptionError(f"PyTorch lists no kernels for {device!r}: pass one of {known}.")


class PlaceView(Struct, frozen=True, kw_only=True):
    """How many operators, and functions of PyTorch's list, have their kernel in a place."""

    place: str
    operators: int
    functions: int


class CensusView(Struct, frozen=True, kw_only=True):
    """The census of a device.

    `without` names the operators whose kernels are on the CPU alone, those of people first;
    `partly` the functions so of operators that have kernels otherwise, such as one in place.
    A name ends in * where Inductor has a rule or a lowering of it. `note` says what a call does.
    """

    title: str
    rows: tuple[PlaceView, ...]
    without: tuple[str, ...]
    partly: tuple[str, ...]
    note: str


def build(census: Census) -> CensusView:
    """The view of a census."""
    of_operator: dict[str, list[Placed]] = {}
    for function in census.functions:
        of_operator.setdefault(operator_of(function.name), []).append(function)
    best: dict[str, Native] = {name: _best(functions) for name, functions in of_operator.items()}
    hosted = [name for name, native in best.items() if native == "host"]
    partly = [
        function
        for name, functions in of_operator.items()
        if best[name] != "host"
        for function in functions
        if function.native == "host"
    ]
    return CensusView(
        title=f"ATen's kernels on {census.device}, torch {census.release}",
        rows=_rows(census, Counter(best.values())),
        without=_sorted(_marked(name, of_operator[name]) for name in hosted),
        partly=_sorted(_marked(one.name, [one]) for one in partly),
        note=_WITHOUT[census.device],
    )


class ProgramPlaceView(Struct, frozen=True, kw_only=True):
    """How many operators of a program have their kernel in a place, and how many once compiled."""

    place: str
    called: int
    compiled: int


class ProgramCensusView(Struct, frozen=True, kw_only=True):
    """The census of a program. `lacking` has a heading and the names for each kind of lack."""

    title: str
    rows: tuple[ProgramPlaceView, ...]
    lacking: tuple[tuple[str, tuple[str, ...]], ...]
    note: str


_LACKS: dict[Native, str] = {
    "host": "a kernel on the CPU only",
    "elsewhere": "none there, and none on the CPU",
    "unlisted": "not in PyTorch's list, so unknown",
}


def build_program(census: ProgramCensus) -> ProgramCensusView:
    """The view of a program's census."""
    called, compiled = Counter(census.called.values()), Counter(census.compiled.values())
    ways = (
        ("Called by the program", census.called),
        ("Called by the compiled program", census.compiled),
    )
    found = [
        (f"{way}, {lack}", tuple(name for name, one in natives.items() if one == native))
        for native, lack in _LACKS.items()
        for way, natives in ways
    ]
    lacking = tuple((heading, names) for heading, names in found if names)
    return ProgramCensusView(
        title=f"ATen's kernels on {census.device} for {census.title}, torch {census.release}",
        rows=tuple(
            ProgramPlaceView(place=place, called=called[native], compiled=compiled[native])
            for native, place in PLACES.items()
            if called[native] or compiled[native]
        ),
        lacking=lacking,
        note=_said(census, lacks=bool(lacking)),
    )


def _said(census: ProgramCensus, *, lacks: bool) -> str:
    if not census.called:
        return "No operator was traced: there is nothing to say of this program."
    return _WITHOUT[census.device] if lacks else ""


def operator_of(function: str) -> str:
    """The operator of a function of the list: "logit" of "logit_", "add" of "add.out"."""
    name = function.partition(".")[0]
    in_place = name.endswith("_") and not name.endswith("__")
    return name[:-1] if in_place else name


_ORDER: tuple[Native, ...] = ("kernel", "host", "composed", "elsewhere", "unlisted")
"""What an operator counts as by its functions: variants that are composed call the others."""


def _best(functions: Sequence[Placed]) -> Native:
    found = {one.native for one in functions}
    return next(native for native in _ORDER if native in found)


def _rows(census: Census, operators: Counter[Native]) -> tuple[PlaceView, ...]:
    functions = Counter(one.native for one in census.functions)
    return tuple(
        PlaceView(place=place, operators=operators[native], functions=functions[native])
        for native, place in PLACES.items()
        if functions[native]
    )


def _marked(name: str, functions: Sequence[Placed]) -> str:
    return f"{name}*" if any(one.is_lowered for one in functions) else name


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: (name.startswith("_"), name)))
