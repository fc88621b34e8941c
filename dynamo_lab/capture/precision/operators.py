"""Each operator that a call runs, with the type of its result and the line that called it."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import torch

from dynamo_lab.capture.core.callers import caller
from dynamo_lab.capture.core.hooks import DISPATCH_MODE
from dynamo_lab.model.precision.trial import Operator


def operators_of(work: Callable[[], object]) -> tuple[Operator, ...]:
    """What `work` runs, alike calls from one line together, in the order of their first call."""
    counts, sizes = Counter[tuple[str, str, str, int]](), Counter[tuple[str, str, str, int]]()

    class Seen(DISPATCH_MODE.get()):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = func(*args, **(kwargs or {}))
            tensors = [value for value in _flat(result) if isinstance(value, torch.Tensor)]
            if tensors and not func.is_view:
                key = (func.name().partition(".")[0], _type(tensors[0]), *caller())
                counts[key] += 1
                sizes[key] += sum(tensor.nbytes for tensor in tensors)
            return result

    with Seen():
        work()
    return tuple(
        Operator(name=key[0], dtype=key[1], file=key[2], line=key[3], times=times, bytes=sizes[key])
        for key, times in counts.items()
    )


def _flat(result: Any) -> Iterable[Any]:
    return result if isinstance(result, tuple | list) else (result,)


def _type(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
