"""Programs that recompile, and calls that make them."""

import enum
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
import torch._dynamo
from torch import nn

Calls = Iterable[tuple[Any, ...]]


def made_in_inference_mode() -> tuple[torch.Tensor]:
    with torch.inference_mode():
        return (torch.ones(4),)


def both_ones() -> Calls:
    return [(torch.ones(4), torch.ones(4))]


def marked() -> tuple[torch.Tensor]:
    tensor = torch.ones(4)
    torch._dynamo.maybe_mark_dynamic(tensor, 0)
    return (tensor,)


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Scale(nn.Module):
    """A number that the calls change."""

    def __init__(self, n: Any) -> None:
        super().__init__()
        self.n = n


class Weighted(nn.Module):
    def __init__(self, *, trains: bool = True, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, dtype=dtype), requires_grad=trains)


def times(x: torch.Tensor, n: Any) -> torch.Tensor:
    return x * n


def filled(x: torch.Tensor, n: Any) -> torch.Tensor:
    return x + x.new_ones(n).sum()


def times_first(x: torch.Tensor, c: Any) -> torch.Tensor:
    return x * c[0]


def times_own(x: torch.Tensor, module: Any) -> torch.Tensor:
    return x * module.n


def times_weight(x: torch.Tensor, module: Any) -> torch.Tensor:
    return x * module.weight


def through(x: torch.Tensor, module: Any) -> torch.Tensor:
    return module(x)


def added(x: torch.Tensor, parts: Any) -> torch.Tensor:
    return sum(parts, x)


def added_up(x: torch.Tensor, parts: Any) -> torch.Tensor:
    return parts.sum(0) + x


def both(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.sum() + y.sum()


def by_size(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if x.shape[0] > 4 else x


def by_size_computed(x: torch.Tensor) -> torch.Tensor:
    return x * (1 + (torch.ones(()) * x.shape[0] > 4))


def looped(x: torch.Tensor) -> torch.Tensor:
    for at in range(x.shape[0]):
        x = x + at
    return x


def summed(x: torch.Tensor) -> torch.Tensor:
    return x + x.shape[0] * (x.shape[0] - 1) // 2


def chosen(x: torch.Tensor, how: Any) -> torch.Tensor:
    return x * 2 if how in ("a", True, Color.RED) else x


def applied(x: torch.Tensor, g: Any) -> torch.Tensor:
    return g(x)


def written(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.add_(1) + y


def by_key(x: torch.Tensor, c: Any) -> torch.Tensor:
    return c["a"] + x if "a" in c else x


def after_item(x: torch.Tensor) -> torch.Tensor:
    return x * x.max().item()


def word_for(x: torch.Tensor) -> str:
    return "large" if float(x.max()) > 1 else "small"


WORD_FOR: Any = torch.compiler.disable(word_for)


def after_a_word(x: torch.Tensor) -> torch.Tensor:
    return x.sin() if WORD_FOR(x) == "large" else x.cos()


def after_max(x: torch.Tensor) -> torch.Tensor:
    return x * x.max()


class Rates:
    """A number that its class holds."""

    rate = 1


def times_rate(x: torch.Tensor, rates: Any) -> torch.Tensor:
    return x * type(rates).rate


def with_rate(*rates: Any) -> Iterator[tuple[Any, ...]]:
    for Rates.rate in rates:
        yield X, Rates()


HELD = Scale(1)


def times_held(x: torch.Tensor) -> torch.Tensor:
    return x * HELD.n


def with_held(*numbers: Any) -> Iterator[tuple[Any, ...]]:
    for HELD.n in numbers:
        yield (X,)


FACTOR: Any = 1


def times_factor(x: torch.Tensor) -> torch.Tensor:
    return x * FACTOR


def with_factor(*factors: Any) -> Iterator[tuple[Any, ...]]:
    for globals()["FACTOR"] in factors:
        yield (X,)


def around() -> tuple[Callable[..., Any], Callable[..., Iterator[tuple[Any, ...]]]]:
    """A function that reads a variable of this one, and calls of it at several values."""
    inner: Any = 1

    def times_inner(x: torch.Tensor) -> torch.Tensor:
        return x * inner

    def with_inner(*values: Any) -> Iterator[tuple[Any, ...]]:
        nonlocal inner
        for value in values:
            inner = value
            yield (X,)

    return times_inner, with_inner


TIMES_INNER, WITH_INNER = around()


def repeated(x: torch.Tensor, n: Any) -> torch.Tensor:
    for _ in range(n):
        x = x + x
    return x


def powered(x: torch.Tensor, n: Any) -> torch.Tensor:
    return x * 2**n


def full_of(x: torch.Tensor, n: Any) -> torch.Tensor:
    return x + torch.full((4,), n)


def sloped(x: torch.Tensor, n: Any) -> torch.Tensor:
    return torch.nn.functional.leaky_relu(x, n)


def apart_at_three(x: torch.Tensor, n: Any) -> torch.Tensor:
    return x + 1 if n == 3 else x * n


def apart_at_five(x: torch.Tensor) -> torch.Tensor:
    return x.view(5, 1) if x.shape[0] == 5 else x * 2


def below_five(x: torch.Tensor, n: int) -> torch.Tensor:
    return x * 2 if n < 5 else x + n


def on_a_side_of_five(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if x.shape[0] > 5 else x + 1


def on_a_side_of_a_half(x: torch.Tensor, n: Any) -> torch.Tensor:
    return x * n if n > 0.5 else x + n


def by_parity(x: torch.Tensor, n: Any) -> torch.Tensor:
    return x * n if n % 2 == 0 else x + n


def with_a_text(x: torch.Tensor, n: Any) -> tuple[torch.Tensor, str]:
    """Dynamo cannot make a text of a number that is dynamic, nor go on within a `try`."""
    try:
        return x * n, str(n)
    except ValueError:
        return x, ""


def by_order(x: torch.Tensor, c: Any) -> torch.Tensor:
    return sum((at * each for at, each in enumerate(c.values())), x)


def if_in(x: torch.Tensor, names: Any) -> torch.Tensor:
    return x * 2 if "a" in names else x


def large(x: torch.Tensor) -> int:
    return int(x.max())


LARGE: Any = torch.compiler.disable(large)


def of_a_size(x: torch.Tensor) -> torch.Tensor:
    n = LARGE(x)
    return x.sum() + x.new_ones(n)


def ones(*shapes: tuple[int, ...]) -> Calls:
    return [(torch.ones(shape),) for shape in shapes]


X = torch.ones(4)
SHARED = torch.sin
DYNAMIC = (("dynamic", True),)


def a_tensor_and_itself() -> Calls:
    x = torch.ones(3)
    return [(x, x), (torch.ones(3), torch.ones(3))]
