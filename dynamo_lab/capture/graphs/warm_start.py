"""What compile caches do for a program: compiled into empty ones, and again from what is kept.

Caches lie in folders of their own, so that neither what a machine has kept counts, nor anything is
left there. What Dynamo compiled before is forgotten.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from os import environ
from pathlib import Path
from time import perf_counter
from typing import Any

import torch

from dynamo_lab.capture.core import compat
from dynamo_lab.capture.core.undo import Undo, whole
from dynamo_lab.capture.graphs import hooks, layers
from dynamo_lab.capture.graphs.caches import AOTAUTOGRAD, FX_GRAPH, parts_of
from dynamo_lab.model.timings import LayerUse, WarmRun, WarmStart

_COUNTERS = {
    AOTAUTOGRAD: ("aot_autograd", "autograd_cache_"),
    FX_GRAPH: ("inductor", "fxgraph_cache_"),
}
_BUILT = (".so", ".cubin", ".hsaco")
_KINDS = {"hit": "hits", "miss": "misses", "bypass": "bypasses"}

Call = Callable[[], object]


_Keys = dict[str, list[dict[str, str]]]
"""The keys that each layer was asked for in a run, by their parts."""


def measured(compiled: Callable[[], Call], before: Callable[[], None]) -> WarmStart:
    """The seconds of a program's first call cold, warm, and from a saved bundle.

    Each is less a second call's, which finds everything compiled. `compiled` makes the call anew,
    and `before` is run before each.
    """

    def run() -> tuple[WarmRun, _Keys]:
        compat.forget_compiled_code()
        return _run(compiled(), before)

    compat.warm_up_inductor("cpu")
    with hooks.ARTIFACTS.get().with_fresh_cache():
        with compat.empty_compile_caches():
            cold, keys = run()
            saved = torch.compiler.save_cache_artifacts()
            hooks.CLEAR_CACHES.get()()
            warm, again = run()
        bundle, kept = None, ()
        if saved is not None:
            data, info = saved
            kept = tuple((kind, len(names)) for kind, names in info.artifacts.items() if names)
            with compat.empty_compile_caches():
                bundle = _from(data, run)
    return WarmStart(
        cold=cold,
        warm=warm,
        bundle=bundle,
        bundle_bytes=len(saved[0]) if saved else 0,
        kept=kept,
        differing=tuple(_differing(keys, again)),
    )


def _from(data: bytes, run: Callable[[], tuple[WarmRun, _Keys]]) -> WarmRun | None:
    """The run from a bundle; None of one that PyTorch saves and then refuses to load.

    It does so with a profile of dynamic sizes, where settings leave profiles no place on disk.
    """
    try:
        torch.compiler.load_cache_artifacts(data)
    except AssertionError:
        return None
    return run()[0]


def _run(call: Call, before: Callable[[], None]) -> tuple[WarmRun, _Keys]:
    """A new process's first call, as nearly as the same process can."""
    were, built = _counted(), _built()
    with _keys() as keys, layers.watched() as uncounted:
        first = _seconds(call, before)
    are, others = _counted(), uncounted()
    run = WarmRun(
        seconds=max(0.0, first - _seconds(call, before)),
        layers=tuple(
            LayerUse(layer=layer, **{name: are[layer][name] - count for name, count in old.items()})
            for layer, old in were.items()
        )
        + others,
        built=_built() - built,
    )
    return run, keys


def _seconds(call: Call, before: Callable[[], None]) -> float:
    before()
    start = perf_counter()
    call()
    return perf_counter() - start


def _counted() -> dict[str, dict[str, int]]:
    """PyTorch's own counts of each layer."""
    counters = hooks.COUNTERS.get()
    return {
        layer: {_KINDS[one]: counters[room][f"{prefix}{one}"] for one in _KINDS}
        for layer, (room, prefix) in _COUNTERS.items()
    }


def _built() -> int:
    """How many libraries and binaries of kernels lie in the folder of the caches."""
    folder = Path(environ["TORCHINDUCTOR_CACHE_DIR"])
    return sum(path.suffix in _BUILT for path in folder.rglob("*"))


@whole
def _keys() -> Iterator[_Keys]:
    """Keep what keys are made of while the block runs."""
    undo, found = Undo(), _Keys()
    try:
        for layer, row in ((AOTAUTOGRAD, hooks.AOT_KEY), (FX_GRAPH, hooks.FX_KEY)):
            if row.exists:
                asked = found.setdefault(layer, [])
                undo.replace(*row.place(), _keeping(row.get(), asked))
        if hooks.AOT_KEY_LINES.exists:  # else only for who debugs
            undo.replace(*hooks.AOT_KEY_LINES.place(), _lines)
        yield found
    finally:
        undo.run()


def _lines(pickler: Any, details: Any, _: str) -> Any:
    return pickler.debug_lines(details)


def _keeping(make: Callable[..., Any], asked: list[dict[str, str]]) -> Callable[..., Any]:
    def keeping(*args: Any, **kwargs: Any) -> Any:
        key, lines = make(*args, **kwargs)
        asked.append(dict(parts_of(lines)))
        return key, lines

    return keeping


def _differing(first: _Keys, again: _Keys) -> Generator[tuple[str, int, tuple[str, ...]]]:
    """The layer, how many of its keys are new, and the parts in which they differ."""
    for layer, asked in again.items():
        known = first.get(layer, [])
        new = [parts for parts in asked if parts not in known]
        names = {name: None for parts in new for name in _nearest(parts, known)}
        if new:
            yield layer, len(new), tuple(names)


def _nearest(parts: dict[str, str], known: Sequence[dict[str, str]]) -> list[str]:
    """The names of the parts in which a key differs from the one that is most alike."""
    differing = (
        [name for name in {**old, **parts} if old.get(name) != parts.get(name)] for old in known
    )
    return min(differing, key=len, default=[])
