"""Programs that recompile, and what their authors write once they followed the advice."""

import enum
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import torch
import torch._dynamo
from torch import nn

Calls = Iterable[tuple[Any, ...]]


class Trial(NamedTuple):
    """Calls that recompile, and the same where text without code was followed.

    Without `mended` nothing can be done: each of the calls needs its own code.
    """

    kind: str
    fn: Callable[..., Any]
    calls: Callable[[], Calls]
    mended: Callable[[], Calls] | None = None
    mended_fn: Callable[..., Any] | None = None
    options: tuple[tuple[str, bool], ...] = ()


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


TRIALS = {
    "made in inference mode": Trial(
        "inference",
        lambda x: x * 2,
        lambda: [(torch.ones(4),), made_in_inference_mode()],
        mended=lambda: [made_in_inference_mode(), made_in_inference_mode()],
    ),
    "size": Trial("size", after_max, lambda: ones((4, 3), (5, 3))),
    "size, never dynamic": Trial(
        "size", after_max, lambda: ones((4, 3), (5, 3)), options=(("dynamic", False),)
    ),
    "size in a list": Trial(
        "size", times_first, lambda: [(X, [torch.ones(2, 4)]), (X, [torch.ones(3, 4)])]
    ),
    "size of one": Trial("size", after_max, lambda: ones((1,), (5,))),
    "size of one, dynamic": Trial("zero_one", after_max, lambda: ones((5,), (1,)), options=DYNAMIC),
    "size of one in a list": Trial(
        "size", times_first, lambda: [(X, [torch.ones(1)]), (X, [torch.ones(4)])]
    ),
    "size tied to another": Trial(
        "size",
        lambda x, y: x + y,
        lambda: [(torch.ones(4), torch.zeros(4)), (torch.ones(5), torch.zeros(5))],
    ),
    "size needed": Trial(
        "size", looped, lambda: ones((4,), (5,)), lambda: ones((4,), (5,)), summed, DYNAMIC
    ),
    "dtype": Trial("dtype", after_max, lambda: [(X,), (X.double(),)]),
    "dtype in a tuple": Trial(
        "dtype",
        times_first,
        lambda: [(X, (X + 1,)), (X, (X.double(),))],
        lambda: [(X, (X + 1,)), (X, (X.double().float(),))],
    ),
    "parameter frozen": Trial(
        "requires_grad", times_weight, lambda: [(X, Weighted()), (X, Weighted(trains=False))]
    ),
    "parameter trained": Trial(
        "requires_grad", times_weight, lambda: [(X, Weighted(trains=False)), (X, Weighted())]
    ),
    "gradient": Trial("requires_grad", after_max, lambda: [(X,), (X.clone().requires_grad_(),)]),
    "no gradient": Trial("requires_grad", after_max, lambda: [(X.clone().requires_grad_(),), (X,)]),
    "int": Trial("value", times, lambda: [(X, 3), (X, 4)]),
    "float": Trial("value", times, lambda: [(X, 3.0), (X, 4.0)]),
    "int of 1": Trial("value", times, lambda: [(X, 1), (X, 4)]),
    "int that makes sizes": Trial("value", filled, lambda: [(X, 3), (X, 4)]),
    "int of 1 that makes sizes": Trial("value", filled, lambda: [(X, 1), (X, 4)]),
    "int in a tuple": Trial(
        "value",
        times_first,
        lambda: [(X, (3,)), (X, (4,))],
        lambda: [(X, (torch.tensor(3),)), (X, (torch.tensor(4),))],
    ),
    "int of a module": Trial(
        "value",
        times_own,
        lambda: [(X, Scale(3)), (X, Scale(4))],
        lambda: [(X, Scale(torch.tensor(3))), (X, Scale(torch.tensor(4)))],
    ),
    "int of a class": Trial(
        "value",
        times_rate,
        lambda: with_rate(3, 4),
        lambda: with_rate(torch.tensor(3), torch.tensor(4)),
    ),
    "global int": Trial(
        "value",
        times_factor,
        lambda: with_factor(3, 4),
        lambda: with_factor(torch.tensor(3), torch.tensor(4)),
    ),
    "int of a function around it": Trial(
        "value",
        TIMES_INNER,
        lambda: WITH_INNER(3, 4),
        lambda: WITH_INNER(torch.tensor(3), torch.tensor(4)),
    ),
    "int that is needed": Trial(
        "value", repeated, lambda: [(X, 3), (X, 4)], lambda: [(X, 3), (X, 4)], powered, DYNAMIC
    ),
    "int that fills": Trial("value", full_of, lambda: [(X, 3), (X, 4)]),
    "float that is an option": Trial("value", sloped, lambda: [(X, 0.3), (X, 0.4)]),
    "int that is told apart": Trial("value", apart_at_three, lambda: [(X, 3), (X, 4)]),
    "number of a break that makes sizes": Trial(
        "value",
        of_a_size,
        lambda: [(X * 3,), (X * 4,)],
        lambda: [(X * 3,), (X * 3,)],
    ),
    "size that is told apart": Trial("size", apart_at_five, lambda: ones((5,), (6,))),
    "text": Trial("value", chosen, lambda: [(X, "a"), (X, "b")]),
    "flag": Trial("value", chosen, lambda: [(X, True), (X, False)]),
    "item": Trial(
        "value", after_item, lambda: [(X,), (X * 2,)], lambda: [(X,), (X * 2,)], after_max
    ),
    "type": Trial("type", times, lambda: [(X, 3), (X, 4.5)]),
    "type in a tuple": Trial(
        "type",
        times_first,
        lambda: [(X, (3,)), (X, (4.5,))],
        lambda: [(X, (torch.tensor(3.0),)), (X, (torch.tensor(4.5),))],
    ),
    "other type": Trial(
        "type",
        times,
        lambda: [(X, X + 1), (X, 3)],
        lambda: [(X, X + 1), (X, X + 2)],
    ),
    "enumeration": Trial("value", chosen, lambda: [(X, Color.RED), (X, Color.BLUE)]),
    "lambda": Trial(
        "object",
        applied,
        lambda: [(X, lambda x: x + 1), (X, lambda x: x + 1)],
        lambda: [(X, SHARED), (X, SHARED)],
    ),
    "list": Trial("length", added, lambda: [(X, [X, X]), (X, [X, X, X])], mended_fn=added_up),
    "list of one": Trial("length", added, lambda: [(X, [X]), (X, [X, X])]),
    "dict": Trial(
        "length", lambda x, c: sum(c.values(), x), lambda: [(X, {"a": X}), (X, {"a": X, "b": X})]
    ),
    "key": Trial(
        "key",
        by_key,
        lambda: [(X, {"a": X}), (X, {"b": X})],
        lambda: [(X, {"a": X}), (X, {"a": X})],
    ),
    "order of keys": Trial(
        "key",
        by_order,
        lambda: [(X, {"a": X, "b": X}), (X, {"b": X, "a": X})],
        lambda: [(X, {"a": X, "b": X}), (X, {"a": X, "b": X})],
    ),
    "member of a set": Trial("member", if_in, lambda: [(X, {"a"}), (X, {"b"})]),
    "alias": Trial(
        "alias",
        written,
        a_tensor_and_itself,
        lambda: [(x.clone(), y) for x, y in a_tensor_and_itself()],
    ),
    "same": Trial(
        "same",
        lambda x, y: x + y,
        lambda: [*both_ones(), (X, X)],
        lambda: [*both_ones(), (X, X.clone())],
    ),
    "a word that a break left": Trial("value", after_a_word, lambda: [(X,), (X * 2,)]),
    "marking": Trial("marking", after_max, lambda: [(X,), marked()], lambda: [marked(), marked()]),
    "none": Trial("none", lambda x, s: x * 2 if s is None else x + s, lambda: [(X, None), (X, X)]),
    "branch": Trial(
        "branch",
        by_size,
        lambda: ones((5,), (3,)),
        lambda: ones((5,), (3,)),
        by_size_computed,
        DYNAMIC,
    ),
    "sizes": Trial(
        "sizes",
        both,
        lambda: [(torch.ones(5), torch.ones(5)), (torch.ones(6), torch.ones(7))],
        options=DYNAMIC,
    ),
    "rank": Trial("rank", after_max, lambda: ones((4,), (2, 2)), lambda: ones((4,), (4,))),
    "device": Trial(
        "device", times, lambda: [(X, 2.0), (X.to("meta"), 2.0)], lambda: [(X, 2.0), (X, 2.0)]
    ),
    "stride": Trial("stride", after_max, lambda: [(torch.ones(4, 3),), (torch.ones(3, 4).t(),)]),
    "stride in a list": Trial(
        "stride",
        times_first,
        lambda: [(X, [torch.ones(4, 4)]), (X, [torch.ones(4, 4).t()])],
        lambda: [(X, [torch.ones(4, 4)]), (X, [torch.ones(4, 4).t().contiguous()])],
    ),
}
ELSEWHERE = {"grad_mode", "setting"}
"""Kinds of which the calls are made under another setting: below."""
