"""Peak memory of compiling: by how much it rose, and in which phases."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import CompileMemory
from dynamo_lab.view.core.words import size

_MOST = 8


class CompileMemoryView(Struct, frozen=True, kw_only=True):
    """What compiling did to the process's peak; `rows` are phases and the bytes in them alone.

    All is empty where the system does not say.
    """

    sentence: str = ""
    rows: tuple[tuple[str, int, str], ...] = ()
    note: str = ""


_NOTE = (
    "All that is resident counts, libraries that compiling loads too. A peak never falls: what "
    "fits under an earlier one is not seen. Compiler processes are not in it"
)


def build(recording: Recording) -> CompileMemoryView:
    """The phases that raised it most."""
    found = recording.compile_memory
    if found is None:
        return CompileMemoryView()
    grew = sum(by for phase, by in found.grew if recording.timings[phase].parent < 0)
    own = by_phase(recording, found)
    child = (
        f"; the largest that this one waited for took {size(found.child)}" if found.child else ""
    )
    return CompileMemoryView(
        sentence=_sentence(found, grew),
        rows=tuple((name, by, size(by)) for name, by in own[:_MOST]),
        note=f"{_NOTE}{child}.",
    )


def _sentence(found: CompileMemory, grew: int) -> str:
    if grew <= 0:
        return (
            "Compiling did not raise this process's peak of resident memory, which was "
            f"{size(found.before)} before."
        )
    return (
        f"While it compiled, this process's peak of resident memory rose by {size(grew)}, to "
        f"{size(found.peak)}."
    )


def by_phase(recording: Recording, found: CompileMemory) -> Sequence[tuple[str, int]]:
    """Phases by name with the bytes that rose in them and in none of those nested, most first."""
    own = dict(found.grew)
    for phase, by in found.grew:
        parent = recording.timings[phase].parent
        if parent in own:
            own[parent] -= by
    names = defaultdict[str, int](int)
    for phase, by in own.items():
        names[recording.timings[phase].name] += max(0, by)
    return sorted(((n, by) for n, by in names.items() if by), key=lambda item: -item[1])
