"""How a kernel walks through memory: what decides which loop is for SIMD, for tiles, for blocks.

In come kernels and their code; out come the names of loops, and values that are to be moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import EFFECTS, WRITES, Body, Value
from dynamo_lab.compiler.index import Index, Size

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from dynamo_lab.compiler.kernel import Kernel

FAR = 8
"""Elements from one turn to the next from which a step leaves the cache line."""


def name_of(loop: Index) -> str:
    """The name of a loop variable; none where the loop turns once."""
    alone = loop.alone()
    return alone.name if alone else ""


@dataclass(frozen=True)
class Turns:
    """A loop: its variable goes from 0 to `size` in steps."""

    name: str
    size: Size
    step: int = 1

    def text(self, index: Callable[[Size], str]) -> str:
        """Its size, as a factor or a side of a comparison."""
        return f"({index(self.size)})" if isinstance(self.size, Index) else str(self.size)

    def whole(self, index: Callable[[Size], str]) -> str:
        """What stands in the parentheses of a loop over all of it."""
        ahead = f"{self.name}++" if self.step == 1 else f"{self.name} += {self.step}"
        return f"long {self.name} = 0; {self.name} < {self.text(index)}; {ahead}"

    def within(self, index: Callable[[Size], str], count: int) -> str:
        """The same of a loop over `count` turns from `<name>_0`, or as many as are left."""
        end, size = f"{self.name}_0 + {count}", self.text(index)
        if isinstance(self.size, int) and self.size % count == 0:
            last = end
        else:
            last = f"({end} < {size} ? {end} : {size})"
        return f"long {self.name} = {self.name}_0; {self.name} < {last}; {self.name}++"


def loops_of(loops: Sequence[Index], sizes: Sequence[Size]) -> list[Turns]:
    """The loops that turn more than once."""
    pairs = zip(loops, sizes, strict=True)
    return [Turns(name_of(loop), size) for loop, size in pairs if name_of(loop)]


def columns_of(kernel: Kernel) -> str:
    """The last outer loop, if most of what is reduced walks it in steps of one."""
    if not (kernel.inner and kernel.outer):
        return ""
    inner, outer = name_of(kernel.inner[-1]), name_of(kernel.outer[-1])
    reads = [
        at
        for section in kernel.sections
        if section.level == "inner"
        for _, at in section.body.loads()
        if at.uses(inner)
    ]
    by_column = sum(at.factor_of(outer) == 1 for at in reads) * 2 > len(reads)
    return outer if by_column and not any(at.factor_of(inner) == 1 for at in reads) else ""


def walked_across(kernel: Kernel) -> str:
    """The outer loop that some load walks in steps of one while the innermost jumps."""
    if kernel.reduces or len(kernel.outer) < 2:
        return ""
    last = name_of(kernel.outer[-1])
    for section in kernel.sections:
        for _, at in section.body.loads():
            if abs(ix.hint(at.factor_of(last) or 0)) > FAR:
                for loop in kernel.outer[:-1]:
                    if at.factor_of(name_of(loop)) == 1:
                        return name_of(loop)
    return ""


def read_across(kernel: Kernel, across: str) -> list[tuple[Value, Index, Size]]:
    """The loads that walk one loop in steps of one and jump along the last.

    Each with the place where both are 0, and the elements of a jump. Those that a mask keeps away
    are not among them.
    """
    loops = {name_of(loop): loop for loop in kernel.outer}
    last = name_of(kernel.outer[-1])
    found: list[tuple[Value, Index, Size]] = []
    for value in kernel.sections[0].body.values:
        if value.op != "load" or value.args[2] is not None or value.args[0] in kernel.outs:
            continue
        at: Index = value.args[1]
        step = at.factor_of(last)
        if at.factor_of(across) == 1 and step is not None and abs(ix.hint(step)) > FAR:
            found.append((value, at - loops[across] - loops[last] * step, step))
    return found


def keeps_apart(body: Body, loop: Turns) -> bool:
    """Do different turns of this loop write different elements, whatever an index says?

    They do where the loop is a digit of what is written: each turn is a stride further, and all
    else is either less than the stride or a multiple of all turns' strides.
    """
    at: Index = next(value.args[1] for value in body.values if value.op in WRITES)
    stride, below = 0, 0
    for monomial, factor in at.terms.items():
        if len(monomial) == 1 and monomial[0].name == loop.name:
            stride = factor
    if stride <= 0 or not isinstance(loop.size, int):
        return at.factor_of(loop.name) not in (None, 0)
    for monomial, factor in at.terms.items():
        if not monomial or monomial[0].name == loop.name or factor % (stride * loop.size) == 0:
            continue
        top = monomial[0].top if len(monomial) == 1 else None
        if factor < 0 or not isinstance(top, int):
            return False
        below += factor * top
    return below < stride


def unmoved_by(body: Body, loops: Collection[str]) -> list[Value]:
    """The values that do not change while these loops turn: computed before them.

    A C compiler would often see that itself, but not where a thread's function has lost `restrict`.
    """
    moved: set[Value] = set()
    found: list[Value] = []
    for value in body.values:
        own = {
            atom.name for arg in value.args if isinstance(arg, Index) for atom in arg.deep_atoms()
        }
        needs = {part for part in values_in(value) if part.body is body}
        if value.op in EFFECTS or own & set(loops) or needs & moved:
            moved.add(value)
        elif value.op != "const":
            found.append(value)
    return found


def values_in(value: Value) -> list[Value]:
    """The values that it is computed from, those of its index expressions too."""
    found: list[Value] = []
    for arg in value.args:
        if isinstance(arg, Value):
            found.append(arg)
        elif isinstance(arg, Index):
            found += [atom.args[0] for atom in arg.deep_atoms() if atom.kind == "value"]
    return found
