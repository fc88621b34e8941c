"""The layers of caches that PyTorch does not count: profiles of dynamic sizes, and Triton's own."""

from collections.abc import Callable, Iterator
from os import environ
from pathlib import Path
from typing import Any

import torch

from dynamo_lab.capture.core.undo import Undo, whole
from dynamo_lab.capture.graphs import hooks
from dynamo_lab.model.timings import LayerUse

PGO = "profile of dynamic sizes (PGO)"
TRITON = "Triton's cache"


@whole
def watched() -> Iterator[Callable[[], tuple[LayerUse, ...]]]:
    """What these layers gave while the block runs, as far as it can be known."""
    undo, built = Undo(), triton_groups()
    looked: dict[str, int] = {"hits": 0, "misses": 0, "bypasses": 0}
    try:
        if hooks.PGO_STATE.exists and hooks.PGO_LOOKUP.exists:
            undo.replace(*hooks.PGO_LOOKUP.place(), _counting(hooks.PGO_LOOKUP.get(), looked))
        yield lambda: tuple(_uses(looked, triton_groups() - built))
    finally:
        undo.run()


def _counting(look: Callable[[], Any], looked: dict[str, int]) -> Callable[[], Any]:
    """The lookup, counted where it is one: later calls give what the first one found."""

    def counting() -> Any:
        is_first = hooks.PGO_STATE.get() is None
        found = look()
        if is_first:
            looked["hits" if found else "misses" if _keeps_profiles() else "bypasses"] += 1
        return found

    return counting


def _keeps_profiles() -> bool:
    """Whether profiles have a key, which is a job's name, and a place."""
    key = hooks.PGO_KEY.get()()
    return key is not None and (
        hooks.PGO_PATH.get()(key) is not None or bool(hooks.PGO_REMOTE.get()())
    )


def _uses(looked: dict[str, int], built: int) -> Iterator[LayerUse]:
    if hooks.PGO_STATE.exists and hooks.PGO_LOOKUP.exists:
        yield LayerUse(layer=PGO, **looked)
    if torch.cuda.is_available():
        # kernels are compiled in other processes: what they found there, nobody says
        yield LayerUse(layer=TRITON, hits=None, misses=built, bypasses=None)


def triton_groups() -> int:
    """How many compiled kernels Triton's cache has, in the folder where this process has it."""
    folder = environ.get("TRITON_CACHE_DIR")
    return sum(1 for _ in Path(folder).rglob("__grp__*.json")) if folder else 0
