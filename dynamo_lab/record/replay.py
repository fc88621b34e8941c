"""Run a program again with no lasting effects: on copies, with the same seed, tensors restored."""

from __future__ import annotations

import contextlib
import io
import random
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from dynamo_lab.capture.core.undo import whole
from dynamo_lab.record.cells import MODULE
from dynamo_lab.record.reach import names_in, reachable

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    import torch

    from dynamo_lab.record.state import State

COPIED_BYTES = 64 << 20
"""Arguments are copied before a run up to this size: a copy of more costs memory and time."""


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
def without_trace(roots: Iterable[Any]) -> Generator[State, None, None]:
    """Seed all generators; afterwards restore them and what the program can reach.

    That is tensors, containers, attributes and variables, found through functions (closures,
    globals they name), modules, containers and attributes. Printed output is not shown. What it
    yields restores all of it, and seeds again, whenever it is asked to.
    """
    import torch

    from dynamo_lab.record.state import State

    state, records = State(roots), torch.is_grad_enabled()
    generators: Any = torch.random
    with _python_generators(), generators.fork_rng(), contextlib.redirect_stdout(io.StringIO()):
        seed()
        try:
            yield state
        finally:
            torch.set_grad_enabled(records)  # an interrupt can come as `set_grad_enabled` returns
            for error in state.put_back():
                warnings.warn(f"A tensor was not restored: {error}", stacklevel=3)


@contextmanager
def _python_generators() -> Generator[None, None, None]:
    state = random.getstate()
    numpy: Any = sys.modules.get("numpy")
    numpy_state = numpy.random.get_state() if numpy else None
    try:
        yield
    finally:
        random.setstate(state)
        if numpy:
            numpy.random.set_state(numpy_state)


def seed(number: int = 0) -> None:
    """Seed PyTorch's, Python's and NumPy's generators."""
    import torch

    generators: Any = torch.random
    generators.manual_seed(number)
    random.seed(number)
    if numpy := cast("Any", sys.modules.get("numpy")):
        numpy.random.seed(number)


def stored_by(fn: Any) -> list[torch.Tensor]:
    """The tensors under a cell's names, which the notebook gets; none for a function."""
    import torch

    code = getattr(fn, "__code__", None)
    if code is None or code.co_name != MODULE:
        return []
    values = (fn.__globals__.get(name) for name in sorted(names_in(code)))
    return [value for value in values if isinstance(value, torch.Tensor)]


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
