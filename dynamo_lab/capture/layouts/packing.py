"""Freezing without what oneDNN makes of it."""

from collections.abc import Iterator
from typing import Any

from dynamo_lab.capture.core.undo import Undo, whole
from dynamo_lab.capture.layouts import hooks


@whole
def nothing_packed() -> Iterator[None]:
    """In the block no weight is packed for oneDNN; so nothing is fused into its kernels either.

    The setting for it, `cpp.weight_prepack`, is read once in a process, when the patterns are
    registered. So they stay, and what they find is left alone.
    """
    undo = Undo()
    owner, name = hooks.GRAPH_ENTRY.place()
    apply = getattr(owner, name)

    def left_alone(entry: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(entry.handler, "__module__", "") == hooks.ONEDNN_PASSES:
            return None
        return apply(entry, *args, **kwargs)

    undo.replace(owner, name, left_alone)
    try:
        yield
    finally:
        undo.run()
