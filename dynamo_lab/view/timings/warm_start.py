"""What a warm start would take: measured, or foretold from the parts that a hit skips."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import LayerUse, Timing, WarmStart
from dynamo_lab.view.core.words import listed, plural, seconds, size, unique
from dynamo_lab.view.timings.caches import AOTAUTOGRAD, FX_GRAPH, part_in_words

_BY_AOT = ("create_aot_dispatcher_function", "compile_fx.<locals>.bw_compiler")
_BY_FX = ("fx_codegen_and_compile",)
_KINDS = {
    "inductor": ("graph of Inductor", "graphs of Inductor"),
    "aot_autograd": ("graph of AOTAutograd", "graphs of AOTAutograd"),
    "autotune": ("result of autotuning", "results of autotuning"),
    "pgo": ("profile of dynamic sizes", "profiles of dynamic sizes"),
    "precompile": ("precompiled function", "precompiled functions"),
}


class WarmStartView(Struct, frozen=True, kw_only=True):
    """What compiling takes with full caches. `details` are sentences on what they gave.

    `is_measured`: else it is foretold. Empty where neither is known.
    """

    sentence: str = ""
    is_measured: bool = False
    details: tuple[str, ...] = ()


def build(recording: Recording, whole: float) -> WarmStartView:
    """The measured one, else what the recording foretells of `whole` seconds of compiling."""
    if recording.warm_start is not None:
        found = recording.warm_start
        details = tuple(_details(found))
        return WarmStartView(sentence=_sentence(found), is_measured=True, details=details)
    skipped = skipped_seconds(recording)
    if skipped <= 0 or whole <= 0:
        return WarmStartView()
    return WarmStartView(
        sentence=(
            f"A warm start would take at least {seconds(max(0.0, whole - skipped))} instead of "
            f"{seconds(whole)}, foretold: the phases that a hit skips are left out. "
            "Loading what is kept comes on top of it."
        )
    )


def skipped_seconds(recording: Recording) -> float:
    """The seconds of phases that hits would skip, of graphs that nothing keeps from a cache."""
    kept = {layer: _kept(recording, layer) for layer in (AOTAUTOGRAD, FX_GRAPH)}
    chosen = {
        at
        for at, one in enumerate(recording.timings)
        if (one.name in _BY_AOT and one.compile_id in kept[AOTAUTOGRAD] & kept[FX_GRAPH])
        or (one.name in _BY_FX and one.compile_id in kept[FX_GRAPH])
    }
    timings = recording.timings
    return sum(timings[at].seconds for at in chosen if not _is_within(at, chosen, timings))


def _is_within(at: int, chosen: set[int], timings: tuple[Timing, ...]) -> bool:
    seen = {at}
    while (at := timings[at].parent) >= 0 and at not in seen:
        if at in chosen:
            return True
        seen.add(at)
    return False


def _kept(recording: Recording, layer: str) -> set[str]:
    """The compilations of which this cache would keep every graph."""
    asked = [check for check in recording.caches if check.layer == layer]
    refused = {check.compile_id for check in asked if check.outcome != "kept"}
    return {check.compile_id for check in asked} - refused


def _sentence(found: WarmStart) -> str:
    bundle = f", {seconds(found.bundle.seconds)} from a saved bundle" if found.bundle else ""
    return (
        f"Compiling takes {seconds(found.cold.seconds)} with empty caches, "
        f"{seconds(found.warm.seconds)} with full ones{bundle}: measured in this process, once "
        "each. A new process also imports PyTorch and its compilers."
    )


def _details(found: WarmStart) -> Iterator[str]:
    for layer in found.warm.layers:
        yield f"{layer.layer}, warm: {_uses(layer)}."
    for layer, count, parts in found.differing:
        why = listed(unique(map(part_in_words, parts))) or "an unknown part"
        yield f"{plural(count, 'key')} of the {layer} differed from the first run's in {why}."
    if found.bundle is not None:
        for layer in found.bundle.layers:
            yield f"{layer.layer}, from the bundle: {_uses(layer)}."
        yield _bundle(found)


def _uses(layer: LayerUse) -> str:
    counted = (
        ("hits", layer.hits, ("hit",)),
        ("misses", layer.misses, ("miss", "misses")),
        ("bypasses", layer.bypasses, ("bypass", "bypasses")),
    )
    told = [plural(count, *names) for _, count, names in counted if count]
    unknown = [name for name, count, _ in counted if count is None]
    if not unknown:
        return listed(told) or "not asked"
    none = [name for name, count, _ in counted if count == 0]
    known = listed(told) or f"no {listed(none)}"
    return f"{known}; {listed(unknown)} unknown"


def _bundle(found: WarmStart) -> str:
    kinds = [_kind(kind, count) for kind, count in found.kept]
    held = f"A saved bundle, {size(found.bundle_bytes)}, has {listed(kinds) or 'nothing'}"
    lacking = found.bundle.built if found.bundle else 0
    if not lacking:
        return f"{held}."
    return f"{held}; it lacks {plural(lacking, 'built kernel library', 'built kernel libraries')}."


def _kind(kind: str, count: int) -> str:
    return plural(count, *_KINDS[kind]) if kind in _KINDS else f"{count:,} of {kind}"
