"""What a node produces, in a few characters: 'f32[8, 8]'."""

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
