"""Programs that recompile, and what their authors write once they followed the advice."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from tests.live.guards.recompiling import (
    DYNAMIC,
    SHARED,
    TIMES_INNER,
    WITH_INNER,
    Calls,
    Color,
    Scale,
    Weighted,
    X,
    a_tensor_and_itself,
    added,
    added_up,
    after_a_word,
    after_item,
    after_max,
    apart_at_five,
    apart_at_three,
    applied,
    below_five,
    both,
    both_ones,
    by_key,
    by_order,
    by_parity,
    by_size,
    by_size_computed,
    chosen,
    filled,
    full_of,
    if_in,
    looped,
    made_in_inference_mode,
    marked,
    of_a_size,
    on_a_side_of_a_half,
    on_a_side_of_five,
    ones,
    powered,
    repeated,
    sloped,
    summed,
    through,
    times,
    times_factor,
    times_first,
    times_held,
    times_own,
    times_rate,
    times_weight,
    with_a_text,
    with_factor,
    with_held,
    with_rate,
    written,
)


def weights(*sizes: int) -> Calls:
    """Calls of `times` with parameters of these sizes."""
    return [(torch.ones(2, 1), torch.nn.Parameter(torch.ones(size))) for size in sizes]


def layers(*sizes: int) -> Calls:
    """Calls of `through` with layers for vectors of these sizes."""
    return [(torch.ones(3, size), torch.nn.Linear(size, 2)) for size in sizes]


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
    "size of zero, by its strides": Trial(
        "empty", lambda x: x.sum(1), lambda: ones((4, 5), (4, 0)), options=DYNAMIC
    ),
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
    "int that is a tensor later": Trial(
        "type",
        times,
        lambda: [(X, 3), (X, torch.tensor(4))],
        lambda: [(X, torch.tensor(3)), (X, torch.tensor(4))],
    ),
    "int of a global module": Trial(
        "value", times_held, lambda: with_held(3, 4), lambda: with_held(*map(torch.tensor, (3, 4)))
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
    "size on the other side of a test": Trial("size", on_a_side_of_five, lambda: ones((4,), (8,))),
    "number on the other side of a test": Trial(
        "value", on_a_side_of_a_half, lambda: [(X, 0.25), (X, 0.75)]
    ),
    "number that a test asks for": Trial("value", by_parity, lambda: [(X, 4), (X, 6)]),
    "number of which came no code": Trial(
        "value",
        with_a_text,
        lambda: [(X, 3), (X, 4)],
        lambda: [(X, torch.tensor(3)), (X, torch.tensor(4))],
        times,
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
    "branch on a number": Trial("branch", below_five, lambda: [(X, 3), (X, 7)], options=DYNAMIC),
    "int of 0 that is tested": Trial("value", below_five, lambda: [(X, 0), (X, 3)]),
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
    "offset": Trial(
        "offset",
        after_max,
        lambda: [(torch.ones(9, 3)[2:7],), (torch.ones(9, 3)[:5],)],
        options=DYNAMIC,
    ),
    "offset in a list": Trial(
        "offset",
        times_first,
        lambda: [(X, [torch.ones(9, 4)[2:7]]), (X, [torch.ones(9, 4)[:5]])],
        lambda: [(X, [torch.ones(9, 4)[2:7].clone()]), (X, [torch.ones(9, 4)[:5].clone()])],
        options=DYNAMIC,
    ),
    "base": Trial(
        "base",
        after_max,
        lambda: [(torch.ones(9, 3)[2:7],), (torch.ones(5, 3),)],
        lambda: [(torch.ones(9, 3)[2:7].clone(),), (torch.ones(5, 3),)],
        options=DYNAMIC,
    ),
    "stride of a view": Trial(
        "stride",
        after_max,
        lambda: [(torch.ones(5, 3),), (torch.ones(5, 9)[:, :3],)],
        options=DYNAMIC,
    ),
    "stride in a list": Trial(
        "stride",
        times_first,
        lambda: [(X, [torch.ones(4, 4)]), (X, [torch.ones(4, 4).t()])],
        lambda: [(X, [torch.ones(4, 4)]), (X, [torch.ones(4, 4).t().contiguous()])],
    ),
    "size of a parameter": Trial("size", times, lambda: weights(5, 6)),
    "size beside a parameter's": Trial("size", through, lambda: layers(5, 6)),
}
ELSEWHERE = {"grad_mode", "setting"}
"""Kinds of which the calls are made under another setting: below."""
