"""What differs between two programs of one graph: texts of kernels, fusion and memory."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING

from dynamo_lab.compiler.groups import Group

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynamo_lab.compiler.program import Program

_MOST_PAIRS = 12


@dataclass(frozen=True)
class Difference:
    """One program beside another. Its text has all that differs.

    Attributes:
        kernels: how many each has.
        calls: how many calls of ATen.
        fusion: the groups that only one has, "-" before one that is gone.
        texts: by kernel, its text before and after; empty where there is none.
        bytes: of the memory that each allocates in a call, for the sizes that it was compiled with.
    """

    kernels: tuple[int, int]
    calls: tuple[int, int]
    fusion: tuple[str, ...]
    texts: dict[str, tuple[str, str]]
    bytes: tuple[int, int]

    @classmethod
    def of(cls, before: Program, after: Program) -> Difference:
        """What became of the first in the second."""
        texts = [dict(zip(_names(p), p.sources, strict=True)) for p in (before, after)]
        names = dict.fromkeys([*texts[0], *texts[1]])
        pairs = {name: (texts[0].get(name, ""), texts[1].get(name, "")) for name in names}
        return cls(
            (len(before.kernels), len(after.kernels)),
            (len(before.fallbacks), len(after.fallbacks)),
            tuple(_fusion(before, after)),
            {name: pair for name, pair in pairs.items() if pair[0] != pair[1]},
            (allocated(before), allocated(after)),
        )

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.fusion or self.texts or self.bytes[0] != self.bytes[1])

    def __str__(self) -> str:
        if not self:
            return "The same kernels, fusion and memory."
        counts = (("kernels", self.kernels), ("calls of ATen", self.calls), ("bytes", self.bytes))
        lines = [f"{name}: {a:,} -> {b:,}" for name, (a, b) in counts if a != b]
        lines += [f"  {line}" for line in self.fusion]
        for name, (a, b) in self.texts.items():
            lines += ["", *unified_diff(a.splitlines(), b.splitlines(), name, name, lineterm="")]
        return "\n".join(lines).lstrip("\n")


def allocated(program: Program) -> int:
    """The bytes that a call allocates for buffers of kernels, without memory that is taken over."""
    made = (event.buffer for event in program.wrapper.events if event.kind == "allocate")
    return sum(program.graph.buffers[name].bytes for name in made)


def _names(program: Program) -> list[str]:
    return [kernel.name for kernel in program.kernels]


def _fusion(before: Program, after: Program) -> Iterator[str]:
    old, new = _groups(before), _groups(after)
    yield from (f"- {one}" for one in old if one not in new)
    yield from (f"+ {one}" for one in new if one not in old)
    forced = [str(verdict) for verdict in after.schedule.verdicts if verdict.despite]
    yield from (f"! {one}" for one in forced[:_MOST_PAIRS])


def _groups(program: Program) -> list[str]:
    return [str(unit) for unit in program.schedule.units if isinstance(unit, Group)]
