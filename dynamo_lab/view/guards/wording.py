"""What a guard demands, in words: of a tensor, and of PyTorch's global settings."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from dynamo_lab.view.guards.failing import device_of

_TENSOR = re.compile(
    r"^check_tensor\(.*, (?P<type>[\w.]+), (?P<keys>DispatchKeySet\(.*?\)), (?P<dtype>torch\.\w+), "
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


def _tensor(found: re.Match[str]) -> str:
    device = device_of(found["keys"])
    index = f":{found['index']}" if device and _OF_INDEX.match(found["index"]) else ""
    parts = [
        found["type"],
        found["dtype"],
        f"shape {_open(found['size'])}",
        f"stride {_open(found['stride'])}",
        f"on {device}{index}" if device else "on a device that is not known",
        f"requires_grad {found['grad']}",
    ]
    return ", ".join(parts)


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
