"""How many bytes tensors take, by the names that PyTorch's C++ has for their types."""

from collections.abc import Sequence
from math import prod

_BYTES = {
    "bool": 1, "byte": 1, "char": 1, "short": 2, "half": 2, "bfloat16": 2, "int": 4, "float": 4,
    "long": 8, "double": 8, "complexhalf": 4, "complexfloat": 8, "complexdouble": 16,
}  # fmt: skip
"""The bytes of an element."""


def bytes_of(sizes: Sequence[Sequence[int]], dtypes: Sequence[str]) -> int | None:
    """The bytes of tensors; None where a type's size is not known."""
    if len(dtypes) != len(sizes):
        return None
    each = [_element(kind) for kind in dtypes]
    if None in each:
        return None
    return sum(prod(one) * (element or 0) for one, element in zip(sizes, each, strict=True))


def _element(dtype: str) -> int | None:
    plain = dtype.lower()
    return 1 if plain.startswith("float8") else _BYTES.get(plain)
