"""The text of checks that guards do not carry themselves: those of tensors and of global state."""

from collections.abc import Iterable, Iterator
from typing import Any

_TENSOR = "check_tensor("
_STATE = {
    "___check_global_state()": "GLOBAL_STATE",
    "___check_torch_function_mode_stack()": "TORCH_FUNCTION_STATE",
}
_ALIASING = "check_no_aliasing("


class CodeParts:
    """The checks of one compilation, as Dynamo lists them once they are built."""

    def __init__(self, parts: Iterable[str]) -> None:
        self._texts: dict[tuple[str, str], str] = {}
        self.aliasing: list[str] = []
        for part in parts:
            if part.startswith(_ALIASING):
                self.aliasing.append(part)
            elif key := _key(part):
                self._texts[key] = part

    def of(self, guard: Any, source: str) -> Iterator[str]:
        """The check of a tensor, or of the state; then what the guard says of itself."""
        if text := self._texts.get((guard.create_fn_name(), source)):
            yield text
        yield from guard.code_list or ()


def _key(part: str) -> tuple[str, str] | None:
    """The kind of guard that a text is of, and the value that it checks."""
    if part.startswith(_TENSOR):
        before = part.removeprefix(_TENSOR).partition(", DispatchKeySet(")[0]
        return "TENSOR_MATCH", before.rpartition(", ")[0]
    kind = _STATE.get(part.partition(" ")[0])
    return (kind, "") if kind else None
