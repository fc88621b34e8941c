"""Names that read well, for frames and for operators."""

import re
from collections.abc import Sequence

from dynamo_lab.model.frames import Frame

_NAMESPACES = {"aten", "prims", "higher_order", "inductor", "inductor_prims", "prim"}
_OVERLOADS = {"default", "Tensor", "Scalar", "out"}


def frame_names(frames: Sequence[Frame]) -> tuple[str, ...]:
    """Each frame's name; one that resumes another is named after it: 'f after line 4'."""
    return tuple(_frame_name(frames, frame) for frame in frames)


def _frame_name(frames: Sequence[Frame], frame: Frame) -> str:
    origin = frame
    for _ in frames:
        if origin.resumes is None:
            break
        origin = frames[origin.resumes]
    name = frame.name if origin is frame or frame.resumed_line is None else origin.name
    shown = name.rpartition("<locals>.")[2] or name
    return shown if name is frame.name else f"{shown} after line {frame.resumed_line}"


def depths(frames: Sequence[Frame]) -> tuple[int, ...]:
    """How many resumptions deep each frame continues another."""
    found: list[int] = []
    for frame in frames:
        depth, at = 0, frame
        while at.resumes is not None and depth < len(frames):
            depth, at = depth + 1, frames[at.resumes]
        found.append(depth)
    return tuple(found)


def operator_name(target: str) -> str:
    """'gelu' for 'aten.gelu.default', 'torch.nn.functional.gelu' and 'gelu' alike."""
    parts = target.removeprefix("torch.ops.").split(".")
    is_overload = len(parts) == 3 and (target.startswith("torch.ops.") or parts[2] in _OVERLOADS)
    if len(parts) > 1 and (parts[0] in _NAMESPACES or is_overload):
        return parts[1]
    return re.sub(r"^<built-in (?:function|method) (\w+).*>$", r"\1", parts[-1] or target)
