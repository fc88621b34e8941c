"""Formulas: floating-point operations of the operators that libraries compute.

As in `torch.utils.flop_counter`, from the shapes of tensors: a multiplication and an addition
count as two, a bias as zero, and attention as if nothing were masked.
"""

import re
from collections.abc import Callable, Sequence
from math import prod

from msgspec import Struct

Shape = Sequence[int]


class Call(Struct, frozen=True, kw_only=True):
    """A call of an operator: shapes of its tensors by position, and its arguments as text.

    A position that holds no tensor is None in `shapes`; `results` are the tensors it returns.
    """

    shapes: tuple[tuple[int, ...] | None, ...]
    arguments: tuple[str, ...]
    results: tuple[tuple[int, ...], ...]

    def shape(self, position: int) -> tuple[int, ...]:
        """The shape of the tensor at a position.

        Raises:
            ValueError: there is no tensor.
        """
        found = self.shapes[position] if position < len(self.shapes) else None
        if found is None:
            raise ValueError(position)
        return found


def flops_of(operator: str, call: Call) -> int | None:
    """The operations of "aten.mm.default" and the like; None where no formula is known."""
    formula = _formula(operator)
    if formula is None:
        return None
    try:
        return formula(call)
    except (ValueError, IndexError):  # a call that does not fit the formula
        return None


def is_known(operator: str) -> bool:
    """Whether there is a formula for an operator."""
    return _formula(operator) is not None


_WHOLE = re.compile(r"(u?int|[iu]\d|bool|b8)")


def is_floating(dtype: str) -> bool:
    """Whether a type computes in floating point, and not in whole numbers as "i64" or "int8"."""
    return not _WHOLE.match(dtype.removeprefix("torch."))


_PRODUCT = re.compile(
    r"mm|mv\b|dot\b|conv|attention|linear|linalg|lstm|gru\b|rnn|fft|solve|cholesky"
)


def may_be_product(operator: str) -> bool:
    """Whether an operator may compute products: known ones, their like, and what is not ATen's."""
    is_own = operator.startswith(("aten.", "prims.", "operator.", "_operator."))
    return is_known(operator) or not is_own or bool(_PRODUCT.search(operator))


def positional(text: str) -> tuple[str, ...]:
    """The arguments of a call, as text, one by one."""
    found, depth, start = list[str](), 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            found.append(text[start:at].strip())
            start = at + 1
    found.append(text[start:].strip())
    return tuple(found)


def _formula(operator: str) -> Callable[[Call], int] | None:
    """That of an operator without its overload, or of a function as it is called in Python."""
    return _FORMULAS.get(operator.rpartition(".")[0]) or _CAPTURED.get(operator)


def _mm(call: Call) -> int:
    return _product(call.shape(0), call.shape(1))


def _addmm(call: Call) -> int:
    return _product(call.shape(1), call.shape(2))


def _product(left: Shape, right: Shape) -> int:
    """A matrix product, or a batch of them."""
    return 2 * prod(left) * right[-1]


def _linear(call: Call) -> int:
    """Every element of the result is the product of two rows, or of a row and a column."""
    return 2 * prod(call.results[0]) * call.shape(0)[-1]


def _convolution(call: Call) -> int:
    transposed = call.arguments[6] == "True"
    return _convolved(call.shape(0), call.shape(1), call.results[0], transposed)


def _fused_convolution(call: Call) -> int:
    return _convolved(call.shape(0), call.shape(1), call.results[0], False)


def _transposed_convolution(call: Call) -> int:
    return _convolved(call.shape(0), call.shape(1), call.results[0], True)


def _convolved(x: Shape, weight: Shape, out: Shape, transposed: bool) -> int:
    """Each point of the result (of the input, if transposed) takes the whole filter.

    Raises:
        ValueError: there is no batch.
    """
    if len(x) != len(weight):
        raise ValueError(x)
    return 2 * x[0] * prod((x if transposed else out)[2:]) * prod(weight)


def _convolution_backward(call: Call) -> int:
    """The same count for the gradient of the input, and for that of the weight, if requested."""
    grad, x, weight = call.shape(0), call.shape(1), call.shape(2)
    transposed = call.arguments[7] == "True"
    asked = call.arguments[10].strip("[]").split(", ")
    return asked[:2].count("True") * _convolved(x, weight, grad, transposed)


def _attention(call: Call) -> int:
    """The scores, and their product with the values."""
    queries, keys, values = call.shape(0), call.shape(1), call.shape(2)
    return 2 * prod(queries[:-1]) * keys[-2] * (queries[-1] + values[-1])


def _any_attention(call: Call) -> int:
    """The same where batches, or the heads of keys and values, are repeated."""
    out, queries, keys, values = call.results[0], call.shape(0), call.shape(1), call.shape(2)
    return 2 * prod(out[:-1]) * keys[-2] * (queries[-1] + values[-1])


def _attention_backward(call: Call) -> int:
    """The scores again, and the gradients of both products by both factors."""
    queries, keys, values = call.shape(1), call.shape(2), call.shape(3)
    return 2 * prod(queries[:-1]) * keys[-2] * (3 * queries[-1] + 2 * values[-1])


_ATTENTION = (
    "efficient_attention",
    "flash_attention",
    "cudnn_attention",
    "flash_attention_for_cpu",
)

_FUNCTIONS: dict[str, Callable[[Call], int]] = {
    **dict.fromkeys(("mm", "bmm", "matmul", "linear"), _linear),
    **dict.fromkeys(("addmm", "baddbmm"), _addmm),
    **{f"conv{n}d": _fused_convolution for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": _transposed_convolution for n in (1, 2, 3)},
    "scaled_dot_product_attention": _any_attention,
}
"""By name, what Python and ATen call alike."""

_FORMULAS: dict[str, Callable[[Call], int]] = {
    **{f"aten.{name}": formula for name, formula in _FUNCTIONS.items()},
    "aten.mm": _mm,
    "aten.bmm": _mm,
    "aten._scaled_mm": _mm,
    "aten.addmm": _addmm,
    "aten.baddbmm": _addmm,
    "aten.convolution": _convolution,
    "aten._convolution": _convolution,
    "aten.convolution_overrideable": _convolution,
    "aten.cudnn_convolution": _fused_convolution,
    "aten._slow_conv2d_forward": _fused_convolution,
    "aten.convolution_backward": _convolution_backward,
    "mkldnn._convolution_pointwise": _fused_convolution,
    "mkldnn._linear_pointwise": _linear,
    "mkl._mkl_linear": _linear,
    **{f"aten._scaled_dot_product_{name}": _attention for name in _ATTENTION},
    **{f"aten._scaled_dot_product_{name}_backward": _attention_backward for name in _ATTENTION},
}

_CAPTURED = {
    "operator.matmul": _linear,
    **dict.fromkeys(("mm", "bmm", "matmul"), _linear),  # methods of tensors
    **{f"torch.{name}": formula for name, formula in _FUNCTIONS.items()},
    **{f"torch._C._nn.{name}": formula for name, formula in _FUNCTIONS.items()},
}
"""Functions as Dynamo captures them, which have no overload yet."""
