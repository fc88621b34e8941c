"""Whether a film's columns and rows refer only to what exists."""

from collections.abc import Iterator, Sequence

from dynamo_lab.model.steps import Film, unpack

_COLUMNS = ("below", "held", "call", "instruction", "stack", "bound")


def problems(film: Film, frames: int, spans: int) -> Iterator[str]:
    """What does not hold, as phrases; `frames` and `spans` are how many the recording has."""
    broken = [name for name in _COLUMNS if len(getattr(film, name)) % 4]
    if broken:
        yield f"film.{broken[0]} is no column of numbers"
        return
    yield from _columns(film)
    yield from _rows(film, frames, spans)


def _columns(film: Film) -> Iterator[str]:
    call, instruction = unpack(film.call), unpack(film.instruction)
    stack, bound = unpack(film.stack), unpack(film.bound)
    below, held = unpack(film.below), unpack(film.held)
    steps = len(call)
    if len(instruction) != steps or len(stack) != steps or len(below) != len(held):
        yield "the film's columns differ in length"
        return
    if len(bound) % 3:
        yield "film.bound is not made of three columns"
        return
    yield from _within("film.call", call, len(film.calls))
    yield from _within("film.stack", stack, len(below), lowest=-1)
    yield from _within("film.held", held, len(film.values))
    yield from _within("film.bound", bound[0::3], steps)
    yield from _within("film.bound", bound[1::3], len(film.strings))
    yield from _within("film.bound", bound[2::3], len(film.values), lowest=-1)
    if any(not -1 <= cell < index for index, cell in enumerate(below)):
        yield "film.below does not lead to an empty stack"
    yield from _instructions(film, call, instruction)


def _instructions(film: Film, call: Sequence[int], instruction: Sequence[int]) -> Iterator[str]:
    codes = [row.code for row in film.calls]
    yield from _within("film.calls", codes, len(film.codes))
    lengths = [len(code.instructions) for code in film.codes]
    if not all(0 <= code < len(lengths) for code in codes):
        return
    for at, row in zip(instruction, call, strict=True):
        if 0 <= row < len(codes) and not 0 <= at < lengths[codes[row]]:
            yield f"film.instruction is {at}, but its code has {lengths[codes[row]]}"
            return


def _rows(film: Film, frames: int, spans: int) -> Iterator[str]:
    steps = len(film)
    yield from _within("film.values", [v.node for v in film.values], len(film.nodes), lowest=-1)
    yield from _within("film.codes", [code.span for code in film.codes], spans)
    yield from _within("film.takes", [take.frame for take in film.takes], frames)
    if any(not -1 <= row.parent < index for index, row in enumerate(film.calls)):
        yield "film.calls do not lead to a frame"
    yield from _takes(film)
    for name in ("nodes", "guards", "events"):
        at = [row.step for row in getattr(film, name)]
        yield from _within(f"film.{name}", at, steps + 1)
        if at != sorted(at):
            yield f"film.{name} are not in the order of their steps"


def _takes(film: Film) -> Iterator[str]:
    """Takes follow each other and cover every step, so that a step is always in one."""
    end = 0
    for index, take in enumerate(film.takes):
        if take.first != end or take.end < end:
            yield f"film.takes[{index}] has steps that are not its own"
            return
        end = take.end
    if end != len(film):
        yield "the film's last steps are in no take"


def _within(place: str, numbers: Sequence[int], size: int, lowest: int = 0) -> Iterator[str]:
    if numbers and not (min(numbers) >= lowest and max(numbers) < size):
        stray = next(number for number in numbers if not lowest <= number < size)
        yield f"{place} is {stray}, but there are {size}"
