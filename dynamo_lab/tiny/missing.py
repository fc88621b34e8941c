"""What to do about operators that int8, or C, has no form of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_FOLD = (
    "Fold BatchNorm into the convolution before it: "
    "torch.nn.utils.fuse_conv_bn_eval(convolution, norm) is a convolution that does both."
)
_OTHERS = "Write that part of the model with other operators"


def remedy(missing: Iterable[str], otherwise: str) -> str:
    """What helps: statistics that are frozen can be folded; else another model, or `otherwise`."""
    is_norm = ["batch_norm" in one for one in missing]
    parts = [_FOLD] * any(is_norm) + [f"{_OTHERS}{otherwise}"] * (not all(is_norm))
    return " ".join(parts)
