"""What a node produces, in a few characters: 'f32[8, 8]', and its memory layout."""

from collections.abc import Sequence

from dynamo_lab.model.graphs import Value

_DTYPES = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "complex64": "c64",
    "complex128": "c128",
    "float8_e4m3fn": "f8e4m3",
    "float8_e5m2": "f8e5m2",
}


def value_text(value: Value) -> str:
    """'f32[8, 8]' for a tensor, with its device where it is not the CPU."""
    if not value.dtype:
        return value.text
    name = value.dtype.removeprefix("torch.")
    text = f"{_DTYPES.get(name, name)}[{', '.join(value.shape)}]"
    return text if value.device in ("", "cpu") else f"{text} {value.device}"


def layout_text(value: Value) -> str:
    """The memory layout of a tensor, empty where it is contiguous or not known."""
    if not (_numbers(value.shape) and _numbers(value.stride)):
        return ""
    sizes, strides = [*map(int, value.shape)], [*map(int, value.stride)]
    if len(sizes) != len(strides) or 0 in sizes or _is_dense(sizes, strides, range(len(sizes))):
        return ""
    if len(sizes) == 2 and _is_dense(sizes, strides, (1, 0)):
        return "transposed"
    if len(sizes) in (4, 5) and _is_dense(sizes, strides, (0, *range(2, len(sizes)), 1)):
        return "channels last" if len(sizes) == 4 else "channels last 3d"
    return f"strides ({', '.join(value.stride)})"


def _numbers(sizes: Sequence[str]) -> bool:
    """Whether all are numbers, and none longer than any size: Python converts no such text."""
    return bool(sizes) and all(size.isdecimal() and len(size) < 20 for size in sizes)


def _is_dense(sizes: Sequence[int], strides: Sequence[int], order: Sequence[int]) -> bool:
    """Whether the dimensions are stored in this order, outermost first, without gaps."""
    expected = 1
    for dimension in reversed(order):
        if sizes[dimension] != 1 and strides[dimension] != expected:
            return False
        expected *= sizes[dimension]
    return True
