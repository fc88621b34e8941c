"""What a guard demands, in words: of a tensor, and of PyTorch's global settings."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from dynamo_lab.view.guards.failing import device_of
from dynamo_lab.view.guards.readable import readable

_TENSOR = re.compile(
    r"^check_tensor\((?P<source>.*), (?P<type>[\w.]+), (?P<keys>DispatchKeySet\(.*?\)), "
    r"(?P<dtype>torch\.\w+), "
    r"device=(?P<index>\w+), requires_grad=(?P<grad>\w+), "
    r"size=(?P<size>\[.*?\]), stride=(?P<stride>\[.*?\])\)$"
)
_STATE = "___check_global_state() against "
_OF_INDEX = re.compile(r"^\d+$")


def demands(expressions: tuple[str, ...]) -> str:
    """What a guard demands of a tensor or of the settings; empty for other guards."""
    first = expressions[0] if expressions else ""
    if found := _TENSOR.match(first):
        return _tensor(found)
    if first.startswith(_STATE):
        return ", ".join(_settings(first.removeprefix(_STATE)))
    return ""


def sizes(expressions: tuple[str, ...]) -> dict[str, int]:
    """The sizes that the guard of a tensor fixes, as written in code: {"x.shape[0]": 8}."""
    found = _TENSOR.match(expressions[0]) if expressions else None
    if found is None:
        return {}
    name, given = readable(found["source"]), re.findall(r"\w+", found["size"])
    return {f"{name}.shape[{at}]": int(n) for at, n in enumerate(given) if n.isdecimal()}


def _tensor(found: re.Match[str]) -> str:
    """A tensor as one would describe it: 'x: float32 [8, 8], contiguous, CPU, no grad'."""
    device = device_of(found["keys"])
    index = f":{found['index']}" if device and _OF_INDEX.match(found["index"]) else ""
    kind = "" if found["type"] == "Tensor" else f"{found['type']} of "
    parts = [
        f"{kind}{found['dtype'].removeprefix('torch.')} {_open(found['size'])}",
        _layout(found["size"], found["stride"]),
        f"{device.upper()}{index}" if device else "on a device that is not known",
        "grad" if found["grad"] == "True" else "no grad",
    ]
    return f"{readable(found['source'])}: {', '.join(parts)}"


def _layout(size: str, stride: str) -> str:
    """'contiguous' where every stride is checked and says so, else the strides."""
    sizes, strides = (re.findall(r"\w+", text) for text in (size, stride))
    expected = 1
    for length, step in zip(reversed(sizes), reversed(strides), strict=True):
        if not step.isdecimal() or (length != "1" and int(step) != expected):
            return f"stride {_open(stride)}"
        expected = expected * int(length) if length.isdecimal() else -1
    return "contiguous"


def _open(sizes: str) -> str:
    """Sizes as a list in which an unchecked one is "any"."""
    return sizes.replace("None", "any")


def _settings(text: str) -> Iterator[str]:
    """The settings that matter most, of those that the check compares."""
    try:
        told = json.loads(text)
    except ValueError:
        return
    if not isinstance(told, dict):
        return
    state = cast("Mapping[str, Any]", told)
    for name, words in _NAMES.items():
        if isinstance(state.get(name), bool):
            yield f"{words} {'on' if state[name] else 'off'}"
    if isinstance(dtype := state.get("default_dtype"), int) and dtype in _DTYPES:
        yield f"default dtype torch.{_DTYPES[dtype]}"
    if isinstance(threads := state.get("num_threads"), int):
        yield f"{threads} thread{'s' if threads != 1 else ''}"


_NAMES = {
    "grad_mode": "grad mode",
    "deterministic_algorithms": "deterministic algorithms",
    "allow_tf32": "TF32",
    "torch_function": "torch functions",
}
_DTYPES = {5: "float16", 6: "float32", 7: "float64", 15: "bfloat16"}
"""PyTorch's numbers of dtypes (c10/core/ScalarType.h)."""
