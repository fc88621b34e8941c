"""A program that was tried in several precisions."""

from msgspec import Struct


class Operator(Struct, frozen=True, kw_only=True):
    """An operator that was called: of which type its result is, and from which line.

    `file` is empty and `line` 0 where no line outside of libraries called it. `times` counts the
    calls in one call of the program, `bytes` those that all of them wrote.
    """

    name: str
    dtype: str
    file: str = ""
    line: int = 0
    times: int = 1
    bytes: int = 0


class ModuleError(Struct, frozen=True, kw_only=True):
    """How far a module's result is from that in float64, in units in the last place of float32.

    One such unit is the distance of the float64 result, as float32, to the next one. `module` is a
    path, empty for the whole program; elements that are not finite are in neither number.
    """

    module: str
    median: float
    largest: float


class Way(Struct, frozen=True, kw_only=True):
    """A precision. `same` says that its results are those of "highest", bit by bit.

    `kernels` are those of its compilation; with `reused` there was none, as Dynamo's guards accept
    what was compiled for a precision before it. `peak` is the most memory of a compiled call, in
    bytes, None if it is not known. `seconds` are of the compiled program, one for each round;
    `eager_seconds` of the eager one. `error` is why it could not run, `refused` why it could not be
    compiled.
    """

    name: str
    dtype: str = ""
    same: bool = False
    errors: tuple[ModuleError, ...] = ()
    operators: tuple[Operator, ...] = ()
    kernels: tuple[str, ...] = ()
    reused: bool = False
    refused: str = ""
    peak: int | None = None
    seconds: tuple[float, ...] = ()
    eager_seconds: tuple[float, ...] = ()
    error: str = ""


class Trial(Struct, frozen=True, kw_only=True):
    """A program on this machine, in each precision. The first is "highest".

    `unlike` is why no error is known: the program gives others when it is called again.
    """

    device: str
    unlike: str = ""
    ways: tuple[Way, ...] = ()
