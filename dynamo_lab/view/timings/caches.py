"""What the compile caches would keep of a recording, and what differs from another one's keys."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import CacheCheck
from dynamo_lab.view.core.places import Line, Places, entity_if_known
from dynamo_lab.view.core.words import listed, unique

AOTAUTOGRAD = "AOTAutograd cache"
FX_GRAPH = "FX graph cache"
"""The one cache of which keys are recorded unasked."""
_SENTENCES = {
    "kept": "nothing speaks against keeping what is compiled",
    "bypassed": "would be bypassed, so that nothing is kept",
    "off": "switched off",
    "unknown": "could not be asked",
}
_WORDS = {
    "gm": "the graph",
    "example_inputs": "an input",
    "fx_kwargs": "an option of the compilation",
    "inductor_config": "a setting of Inductor",
    "torch_version": "the release of PyTorch",
    "system_info": "the machine",
    "cpp_runtime_thread_count": "the number of threads",
    "default_dtype": "the default dtype",
    "deterministic_algorithms_settings": "deterministic algorithms",
    "cuda_matmul_settings": "the precision of matrix products",
}


class CacheView(Struct, frozen=True, kw_only=True):
    """What a cache said of one graph, as a sentence; `where` is the line that it is about."""

    layer: str
    outcome: str
    compile_id: str
    sentence: str
    reason: str = ""
    where: str = ""
    entity: str = ""


def build(recording: Recording, places: Places) -> tuple[CacheView, ...]:
    """Each answer of a cache, in the order in which they were asked."""
    return tuple(_view(check, recording, places) for check in recording.caches)


def _view(check: CacheCheck, recording: Recording, places: Places) -> CacheView:
    line = line_of(check, recording, places)
    return CacheView(
        layer=check.layer,
        outcome=check.outcome,
        compile_id=check.compile_id,
        sentence=f"{check.layer}: {_SENTENCES[check.outcome]}.",
        reason=check.reason,
        where=places.where(line) if line else "",
        entity=entity_if_known(line),
    )


def line_of(check: CacheCheck, recording: Recording, places: Places) -> Line | None:
    """The reader's line of the operator that a cache refuses."""
    if check.graph is None or check.node is None:
        return None
    stack = recording.graphs[check.graph].nodes.stack[check.node]
    return places.own_line(None if stack < 0 else stack)


def key_parts(recording: Recording) -> Iterator[dict[str, str]]:
    """What each key is made of, in the order of the recording."""
    first: dict[str, str] = {}
    for check in recording.caches:
        if check.parts:
            whole = {**first, **dict(check.parts)}
            first = first or whole
            yield {name: part for name, part in whole.items() if part}
        elif first and check.outcome == "kept" and check.layer == FX_GRAPH:
            yield first


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the parts in which two keys differ."""
    names = {**one, **other}
    return tuple(name for name in names if one.get(name) != other.get(name))


def why_another_key(before: Recording, after: Recording) -> str:
    """Why the second recording's graphs would not be found under the keys of the first.

    Empty if nothing differs, or if either has no keys.
    """
    known, asked = list(key_parts(before)), list(key_parts(after))
    if not known or not asked:
        return ""
    missing = [parts for parts in asked if parts not in known]
    if not missing:
        return ""
    nearest = [min((differing(old, parts) for old in known), key=len) for parts in missing]
    names = unique(part_in_words(part) for parts in nearest for part in parts)
    return (
        f"{len(missing)} of {len(asked)} graphs would not be found in the FX graph cache after the "
        f"first: {listed(names)} differ{'s' if len(names) == 1 else ''}."
    )


def part_in_words(part: str) -> str:
    """A part of a key in words, with PyTorch's name of it."""
    around, _, inside = part.partition("[")
    words = _WORDS.get(around)
    if words is None:
        return part
    return f"{words} ({inside.rstrip(']')})" if inside else words
