"""A kernel's assembly, with what it takes of the chip in words."""

from collections.abc import Iterator
from itertools import chain

from msgspec import Struct

from dynamo_lab.model.assembly import Assembly, Resources
from dynamo_lab.view.core.words import percent, plural


class LevelView(Struct, frozen=True, kw_only=True):
    """One level. `lines` is flat: line of `text`, line of the kernel, and so on, from 1."""

    name: str
    text: str
    lines: tuple[int, ...]


class AssemblyView(Struct, frozen=True, kw_only=True):
    """A kernel assembled for one target; `resources` says what one block takes."""

    kernel: int
    target: str
    levels: tuple[LevelView, ...]
    resources: tuple[str, ...]
    chosen: str


def assembly_view(assembly: Assembly) -> AssemblyView:
    """What is shown of an assembly."""
    return AssemblyView(
        kernel=assembly.kernel,
        target=assembly.target,
        levels=tuple(
            LevelView(name=one.name, text=one.text, lines=tuple(chain.from_iterable(one.lines)))
            for one in assembly.levels
        ),
        resources=tuple(_words(assembly.resources)),
        chosen=assembly.chosen,
    )


def _words(found: Resources) -> Iterator[str]:
    if found.registers is not None:
        more = found.scalar_registers
        scalar = "" if more is None else f", {more:,} scalar ones a wavefront"
        yield f"{plural(found.registers, 'register')} a thread{scalar}"
    if found.shared is not None:
        yield f"{_bytes(found.shared)} of shared memory a block"
    if found.spills is not None:
        yield f"{_bytes(found.spills)} spilled a thread" if found.spills else "nothing spilled"
    if found.stack:
        yield f"{_bytes(found.stack)} of stack a thread"
    if found.threads is not None:
        yield f"{plural(found.threads, 'thread')} a block"
    if found.occupancy is not None:
        limit = f", limited by {found.limit}" if found.limit else ""
        yield f"occupancy {percent(found.occupancy)}{limit}"


def _bytes(count: int) -> str:
    return f"{count / 1024:g} KiB" if count >= 1024 and count % 512 == 0 else plural(count, "byte")
