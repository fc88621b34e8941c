"""What a node of a logged graph produces, from the annotation beside it."""

import ast
import re

from dynamo_lab.model.graphs import Value

_TENSOR = re.compile(r"(?<!\w)(\w+)\[([^\[\]]*)\](?:\[([^\[\]]*)\])?([\w:]*)")
_BYTES = {"f64": 8, "i64": 8, "c64": 8, "u64": 8, "c128": 16, "f32": 4, "i32": 4, "u32": 4,
          "f16": 2, "bf16": 2, "i16": 2, "u16": 2, "c32": 4}  # fmt: skip


def value_of(annotation: ast.expr | None) -> Value:
    """What an annotation says: "f32[8, s0][s0, 1]cuda:0" is dtype, shape, stride and device."""
    if not isinstance(annotation, ast.Constant) or not isinstance(annotation.value, str):
        return Value()
    text = annotation.value[:1000].encode("utf-8", "replace").decode()
    found = _TENSOR.fullmatch(text)
    if found is None:
        inner = _TENSOR.search(text)  # "DTensor(f32[8][1]cpu, ...)"
        return (
            Value(text=text, dtype=inner[1], shape=_sizes(inner[2])) if inner else Value(text=text)
        )
    shape, stride = _sizes(found[2]), _sizes(found[3] or "")
    return Value(
        text=f"{found[1]}[{', '.join(shape)}]",
        dtype=found[1],
        shape=shape,
        stride=stride,
        device=found[4],
        bytes=_bytes(found[1], shape),
    )


def _sizes(text: str) -> tuple[str, ...]:
    return tuple(size.strip() for size in text.split(",") if size.strip())


def _bytes(dtype: str, shape: tuple[str, ...]) -> int | None:
    count = _BYTES.get(dtype, 1)
    for size in shape:
        if not size.isdecimal() or len(size) > 18:
            return None
        count *= int(size)
    return count if count < 2**62 else None
