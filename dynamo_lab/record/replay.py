"""Run a program again with no lasting effects: on copies, with the same seed, tensors restored."""

from __future__ import annotations

import contextlib
import io
import random
import sys
import warnings
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from dynamo_lab.capture.core.undo import whole
from dynamo_lab.record.cells import MODULE

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from types import CodeType

    import torch

COPIED_BYTES = 64 << 20
"""Arguments are copied before a run up to this size: a copy of more costs memory and time."""
_WALKED = 20_000  # objects searched for tensors; tensors do not count


class Numbers(Struct, frozen=True, kw_only=True):
    """Whether two runs gave the same results: None if that is not known."""

    same: bool | None
    sentence: str
    difference: float | None = None


def copies(value: Any) -> Any:
    """The value with tensors in tuples, lists and dicts cloned; itself if they are too large.

    Clones have the layout of their originals, and share memory where those share it.
    """
    import torch

    from dynamo_lab.capture.core.storages import Clones

    def copy(thing: Any) -> Any:
        if isinstance(thing, torch.Tensor):
            return clones.of(thing)
        if type(thing) in (tuple, list):
            items = cast("list[Any]", thing)
            return type(items)(copy(item) for item in items)
        if type(thing) is dict:
            pairs = cast("dict[Any, Any]", thing).items()
            return {key: copy(item) for key, item in pairs}
        return thing

    try:
        clones = Clones(_held(value))
        return value if clones.size() > COPIED_BYTES else copy(value)
    except Exception:  # a tensor that cannot be cloned: the trial then runs on the original
        return value


_LIGHT_BYTES = 256 << 20


def are_light(roots: Iterable[Any]) -> bool:
    """Whether the reachable tensors take little enough memory to be kept alive."""
    import torch

    tensors = (t for t in reachable(roots) if isinstance(t, torch.Tensor))
    return sum(t.numel() * t.element_size() for t in tensors) <= _LIGHT_BYTES


def _held(value: Any) -> Iterator[torch.Tensor]:
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif type(value) in (tuple, list, dict):
        for item in cast("dict[Any, Any]", value).values() if type(value) is dict else value:
            yield from _held(item)


@whole
def without_trace(roots: Iterable[Any]) -> Generator[None, None, None]:
    """Seed all generators; afterwards restore them and the reachable tensors.

    Tensors are found through functions (closures, globals they name), modules, containers and
    attributes. Other Python state is not restored, and printed output is not shown.
    """
    import torch

    from dynamo_lab.capture.core.storages import Tensors

    saved = Tensors(t for t in reachable(roots) if isinstance(t, torch.Tensor))
    state = random.getstate()
    numpy: Any = sys.modules.get("numpy")
    numpy_state = numpy.random.get_state() if numpy else None
    generators: Any = torch.random
    with generators.fork_rng(), contextlib.redirect_stdout(io.StringIO()):
        generators.manual_seed(0)
        random.seed(0)
        if numpy:
            numpy.random.seed(0)
        try:
            yield
        finally:
            random.setstate(state)
            if numpy:
                numpy.random.set_state(numpy_state)
            for error in saved.put_back():
                warnings.warn(f"A tensor was not restored: {error}", stacklevel=3)


def leaves(roots: Iterable[Any]) -> list[torch.Tensor]:
    """The reachable tensors that accumulate gradients, each once."""
    import torch

    found = (t for t in reachable(roots) if isinstance(t, torch.Tensor))
    return [t for t in found if t.is_leaf and t.requires_grad]


def stored_by(fn: Any) -> list[torch.Tensor]:
    """The tensors under a cell's names, which the notebook gets; none for a function."""
    import torch

    code = getattr(fn, "__code__", None)
    if code is None or code.co_name != MODULE:
        return []
    values = (fn.__globals__.get(name) for name in sorted(names_in(code)))
    return [value for value in values if isinstance(value, torch.Tensor)]


def reachable(roots: Iterable[Any]) -> Iterator[Any]:
    """Objects reachable from these: by closures, named globals, containers and attributes."""
    import torch

    seen: set[int] = set()
    walked = 0
    pending = list(roots)
    while pending and walked < _WALKED:
        thing = pending.pop()
        if id(thing) in seen or isinstance(thing, type | ModuleType | str | bytes | int | float):
            continue
        seen.add(id(thing))
        walked += not isinstance(thing, torch.Tensor)
        yield thing
        pending.extend(_parts(thing))


def _parts(thing: Any) -> list[Any]:
    import torch

    match thing:
        case torch.Tensor():
            inside = getattr(thing, "__tensor_flatten__", None)
            return [getattr(thing, name) for name in inside()[0]] if inside else []
        case torch.nn.Module():  # all its tensors are next: its objects may be too many to walk
            return [vars(thing), *_tensors_of(thing)]
        case dict():
            return list(cast("dict[Any, Any]", thing).values())
        case list() | tuple() | set():
            return list(cast("list[Any]", thing))
        case MethodType():
            return [thing.__self__, thing.__func__]
        case FunctionType():
            named = (thing.__globals__.get(name) for name in names_in(thing.__code__))
            return [*named, *_cells(thing), *(thing.__defaults__ or ())]
        case _:
            return [getattr(thing, "__dict__", None)]


def _tensors_of(module: torch.nn.Module) -> list[torch.Tensor]:
    try:
        return [*module.parameters(), *module.buffers()]
    except Exception:  # one that is not initialized yet, or overrides these methods
        return []


def _cells(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a variable that has no value yet
            yield cell.cell_contents


def names_in(code: CodeType) -> set[str]:
    """The names of globals that a code object and those in it may read."""
    nested = [constant for constant in code.co_consts if hasattr(constant, "co_names")]
    return set(code.co_names).union(*map(names_in, nested))


def compare(eager: Any, compiled: Any) -> Numbers:
    """Whether two results hold the same tensors, within the precision of their types."""
    import torch

    from dynamo_lab.capture.core.running import tensors_in

    pairs = list(tensors_in(eager)), list(tensors_in(compiled))
    if len(pairs[0]) != len(pairs[1]):
        return Numbers(same=False, sentence="The fixed program returns another number of tensors.")
    if not pairs[0]:
        return Numbers(same=None, sentence="Not compared: the program returns no tensor.")
    worst = 0.0
    for a, b in zip(*pairs, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            kinds = f"{a.dtype} {tuple(a.shape)}, now {b.dtype} {tuple(b.shape)}"
            return Numbers(same=False, sentence=f"A tensor's type or shape differs: was {kinds}.")
        worst = max(worst, _difference(a, b))
    try:
        torch.testing.assert_close(pairs[1], pairs[0], equal_nan=True)
    except AssertionError:
        sentence = f"The numbers differ from eager by up to {worst:.3g}: do not use this fix as is."
        return Numbers(same=False, sentence=sentence, difference=worst)
    sentence = f"The same numbers as eager (largest difference {worst:.3g})."
    return Numbers(same=True, sentence=sentence, difference=worst)


def _difference(a: torch.Tensor, b: torch.Tensor) -> float:
    import torch

    if not a.numel():
        return 0.0
    wide = torch.complex128 if a.is_complex() else torch.float64
    gap = (a.detach().to(wide) - b.detach().to(wide)).abs()
    return float(gap.nan_to_num(0.0).max())


def told(error: BaseException) -> str:
    """The kind of an error and the first line of its message."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"[:200]
