"""The state of a search in a file: scores that were measured, and the last generation."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from dynamo_lab.errors import OptionError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SchemeAsData = tuple[int, tuple[float, ...]]


class State(msgspec.Struct, kw_only=True):
    """What is kept: `of` is a digest of all that scores and schemes depend on."""

    of: str
    scores: dict[str, float] = msgspec.field(default_factory=dict)
    schemes: list[SchemeAsData] = msgspec.field(default_factory=list)
    generation: int = 0


def loaded(path: Path | None, of: str) -> State:
    """The state in a file, a new one where there is none.

    Raises:
        OptionError: the file is no state, or that of another search.
    """
    if path is None or not path.exists():
        return State(of=of)
    try:
        found = msgspec.json.decode(path.read_bytes(), type=State)
    except (OSError, msgspec.DecodeError) as error:
        raise OptionError(f"{path} is no state of a search: {error}.") from error
    if found.of != of:
        raise OptionError(
            f"{path} is the state of another search: its model, data, memory limit or settings "
            "were others. Give another file, or remove it to begin anew."
        )
    return found


def save(state: State, path: Path | None) -> None:
    """Write it, whole or not at all.

    Raises:
        OutputError: the file cannot be written.
    """
    if path is None:
        return
    beside = path.with_name(f"{path.name}.part")
    try:
        beside.write_bytes(msgspec.json.encode(state))
        beside.replace(path)
    except OSError as error:
        raise OutputError(f"The search's state cannot be written to {path}: {error}.") from error


def digest(parts: Iterable[Any]) -> str:
    """Of tensors and of what prints the same each time."""
    found = hashlib.sha256()
    for part in parts:
        if isinstance(part, torch.Tensor):
            text = f"{part.dtype} {tuple(part.shape)}"
            found.update(text.encode() + part.detach().cpu().contiguous().numpy().tobytes())
        else:
            found.update(repr(part).encode())
        found.update(b"\0")
    return found.hexdigest()
