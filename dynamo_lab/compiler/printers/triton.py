"""A kernel as Triton: a program for each XBLOCK of outer positions, all elements side by side.

A reduction takes its row as one block where the row is short, and otherwise in chunks of RBLOCK,
whose partial results stay a block until the last chunk. A row of the kernel's own is kept in
registers in the first case, in memory of the caller's in the second. A reduction to one number is
one program: nothing splits it.

Values have the shape [XBLOCK] in a kernel that reduces nothing, else [XBLOCK, RBLOCK] or one that
broadcasts to it. Every type of the loop IR is printed; complex numbers are in none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import torch

from dynamo_lab.compiler import index as ix
from dynamo_lab.compiler.body import EFFECTS
from dynamo_lab.compiler.layout import flatten
from dynamo_lab.compiler.parts import COLUMNS, ONE_BLOCK, SIDE_BY_SIDE
from dynamo_lab.compiler.printers.printer import Printer, first
from dynamo_lab.compiler.printers.triton_text import JOIN, REDUCE, TYPES, Launch, constant
from dynamo_lab.compiler.printers.walks import columns_of, name_of, walked_across

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dynamo_lab.compiler.body import Body, Value
    from dynamo_lab.compiler.index import Index, Size
    from dynamo_lab.compiler.kernel import Kernel, Section

ELEMENTS = 1024
"""What a program computes side by side, if its row is not longer."""
MOST_WARPS = 32
TILE = 64
"""Rows and columns of a block that reads along one loop and writes along another."""


class TritonPrinter(Printer):
    """Prints one kernel. A reader who wants other Triton overrides a method."""

    target: ClassVar[Literal["triton"]] = "triton"
    divides = "//"
    indent = "    "
    types = TYPES
    chooses = "tl.where({0}, {1}, {2})"

    most_in_block, elements = ONE_BLOCK, ELEMENTS

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        size = kernel.space.inner_size
        self.row = size
        self.reduces = kernel.reduces
        columns = min(self.most_in_block, COLUMNS) // SIDE_BY_SIDE
        held = columns if columns_of(kernel) else self.most_in_block
        self.is_one_block = isinstance(size, int) and size <= held
        self.tile = _tile_of(kernel)
        """The loop that is the second dimension of a block, where no row is."""
        self.one = "[1, 1]" if self.reduces or self.tile else "[1]"
        self.is_long = _is_long(kernel)
        """Are positions 64 bits wide? Quotients of 32 take a GPU a fraction of the time."""
        self.mask = "x_in"
        """The mask of the section that is being printed."""
        self.kept: dict[str, str] = {}
        """Rows in registers: what an earlier section stored into a buffer."""
        loops = list(zip(kernel.outer, kernel.space.outer, strict=True))
        self.across = [pair for pair in loops if name_of(pair[0]) != self.tile or not self.tile]
        self.down = [pair for pair in loops if pair not in self.across]
        """The outer loops: those of the first dimension of a block, and that of a tile."""
        self.inner = list(zip(kernel.inner, kernel.space.inner, strict=True))
        self.launch = Launch(
            ix.product(size for _, size in self.across),
            self._blocks(),
            {} if self.is_one_block else self._rows(),
            self._options(),
            self.down[0][1] if self.down else None,
        )

    def text(self) -> str:
        """The whole function; `PRELUDE` has to stand before it, and `launch` says how it starts."""
        self._outer_loops()
        if self.reduces and self.is_one_block:
            self._inner_loops("tl.arange(0, RBLOCK)", self.inner)
        for section in self.kernel.sections:
            self._section(section)
        blocks = [f"{name}: tl.constexpr" for name in self.launch.constexprs]
        given = [self._annotated(name) for name in self._parameters()]
        head = f"def {self.kernel.name}({', '.join([*given, *blocks])}):"
        return self.whole(["@triton.jit", head])

    # ---- how it is started

    def _parameters(self) -> list[str]:
        kernel = self.kernel
        rows = [] if self.is_one_block else list(kernel.scratch)
        return [*kernel.ins, *kernel.outs, *kernel.sizes, *kernel.scalars, *rows]

    def _annotated(self, name: str) -> str:
        """A number says its type: Triton takes a float of Python's for a float32 otherwise."""
        dtype = self.kernel.scalars.get(name)
        return name if dtype is None else f"{name}: {TYPES[dtype]}"

    def _rows(self) -> dict[str, tuple[torch.dtype, ix.Size]]:
        space = self.kernel.space
        elements = ix.product([space.outer_size, space.inner_size])
        return {name: (dtype, elements) for name, dtype in self.kernel.scratch.items()}

    def _blocks(self) -> dict[str, int]:
        if self.tile:
            return {"XBLOCK": TILE, "RBLOCK": TILE}
        if not self.reduces:
            return {"XBLOCK": self.elements}
        row = 1 << (ix.hint(self.row) - 1).bit_length() if self.is_one_block else self.elements
        across = 1 if self.kernel.space.outer_size == 1 else max(1, self.elements // row)
        if columns_of(self.kernel):
            across = SIDE_BY_SIDE
            row = row if self.is_one_block else max(1, self.elements // SIDE_BY_SIDE)
        return {"XBLOCK": min(across, SIDE_BY_SIDE), "RBLOCK": row}

    def _options(self) -> dict[str, Any]:
        """A warp for each 256 elements, and no product fused with a sum, as in eager.

        A bad index stops the kernel, as eager's do; integers wrap around.
        """
        warps = min(max(math.prod(self._blocks().values()) // 256, 1), MOST_WARPS)
        checks = {"debug": True, "sanitize_overflow": False} if self.kernel.checks else {}
        return {"num_warps": warps, "enable_fp_fusion": False, **checks}

    # ---- loops

    def _outer_loops(self) -> None:
        for name in self.kernel.sizes:  # their products may be larger than 32 bits
            self.write(f"{name} = tl.cast({name}, tl.int64)")
        program = "tl.program_id(0)" + (".to(tl.int64)" if self.is_long else "")
        if self.down:
            self.write(f"down = tl.cdiv({self.index(self.down[0][1])}, RBLOCK)")
            at = f"{program} % down * RBLOCK + tl.arange(0, RBLOCK)"
            program = f"({program} // down)"
        column = "[:, None]" if self.reduces or self.tile else ""
        self.write(f"x_at = {program} * XBLOCK + tl.arange(0, XBLOCK){column}")
        self.write(f"x_in = x_at < {self.index(self.launch.programs)}")
        self._positions("x_at", self.across)
        if self.down:
            self._inner_loops(at, self.down)

    def _positions(self, flat: str, loops: Sequence[tuple[Index, Size]]) -> None:
        for name, text in self.positions(flat, [v for v, _ in loops], [n for _, n in loops]):
            self.write(f"{name} = {text}")

    def _inner_loops(self, at: str, loops: Sequence[tuple[Index, Size]]) -> None:
        self.write(f"r_at = ({at}){'.to(tl.int64)' if self.is_long else ''}[None, :]")
        self.write(f"r_in = r_at < {self.index(ix.product(size for _, size in loops))}")
        self.write("both_in = x_in & r_in")
        self._positions("r_at", loops)

    def _section(self, section: Section) -> None:
        if self.reads_back(section.body):
            self.write("tl.debug_barrier()  # reads what other threads of the program wrote")
        is_inner = section.level == "inner"
        self.mask = "both_in" if is_inner or self.tile else "x_in"
        if is_inner and not self.is_one_block:
            self._chunks(section)
        else:
            self._body(section.body)
            for value in section.reductions:
                joined = self._joinable(value, value.args[1])
                row = f"tl.where(both_in, {joined}, {_first(value, self.one)})"
                self.bind(value, self._result(value, REDUCE[value.args[0]].format(x=row)))
        self.mask = "x_in"
        for value in section.reductions:
            if value.args[2] in self.kernel.live:
                self._write(value.args[2], value.args[3], self.names[value], value.origin)
        self.written |= self._stored(section)

    def _stored(self, section: Section) -> set[str]:
        found = {value.args[0] for value in section.body.values if value.op == "store"}
        return found - self.kept.keys()

    def _chunks(self, section: Section) -> None:
        for value in section.reductions:
            self.names[value] = name = self.new_name("acc")
            self.write(f"{name} = {_first(value, '[XBLOCK, RBLOCK]')}")
        self.write(f"for r_first in range(0, {self.index(self.row)}, RBLOCK):")
        self.depth += 1
        self._inner_loops("r_first + tl.arange(0, RBLOCK)", self.inner)
        self._body(section.body)
        for value in section.reductions:
            name, joined = self.names[value], self._joinable(value, value.args[1])
            text = JOIN[value.args[0]].format(a=name, x=joined)
            self.write(f"{name} = tl.where(both_in, {text}, {name})", value.origin)
        self.depth -= 1
        for value in section.reductions:
            text = REDUCE[value.args[0]].format(x=self.names[value])
            self.bind(value, self._result(value, text))

    def _joinable(self, reduction: Value, part: Value) -> str:
        name = self.names[part]
        return f"{name}.to(tl.int32)" if reduction.dtype is torch.bool else name

    def _result(self, reduction: Value, text: str) -> str:
        """The result in its own type: a sum of few bits comes as int32."""
        return f"{text} != 0" if reduction.dtype is torch.bool else self.cast(text, reduction.dtype)

    # ---- values

    def _body(self, body: Body) -> None:
        """All values, then the stores: what is stored may be read by a value before."""
        for value in body.values:
            if value.op not in EFFECTS:
                self.bind(value, self.value(value))
        if self.overwrites(body):
            self.write("tl.debug_barrier()  # all have read what is written now")
        kept: dict[str, str] = {}
        for value in body.values:
            if value.op == "accumulate":
                buffer, at, what = value.args
                place = f"{buffer} + ({self._target(at)})"
                # of the mask's shape: the interpreter adds what is one value for all only once
                added = f"tl.where({self.mask}, {self.names[what]}, 0)"
                self.write(f"tl.atomic_add({place}, {added}, {self.mask})", value.origin)
            elif value.op == "store":
                buffer, at, what = value.args
                if self.mask == "both_in" and self.is_one_block and self.reduces:
                    kept[buffer] = self.names[what]
                if buffer not in self.kernel.scratch:
                    self._write(buffer, at, self.names[what], value.origin)
                elif not self.is_one_block:
                    row = self._row_of_its_own()
                    stored = f"tl.store({buffer} + ({row}), {self.names[what]}, {self.mask})"
                    self.write(stored, value.origin)
        self.kept |= kept

    def bind(self, value: Value, text: str) -> None:
        """Give a value a name."""
        name = self.new_name("t")
        self.write(f"{name} = {text}", value.origin)
        self.names[value] = name

    def constant(self, value: Value) -> str:
        """A number as a block of one element, so that it has its own type."""
        return constant(value.args[0], value.dtype, self.one)

    def position(self, at: Index) -> str:
        """An index expression as a number of 64 bits."""
        return f"({self._address(at)}).to(tl.int64)"

    def scalar(self, value: Value) -> str:
        """A number of the run time, as a block of one element."""
        return f"tl.full({self.one}, {value.args[0]}, {TYPES[value.dtype]})"

    def checked(self, at: str, size: str, mask: str | None) -> str:
        """An index read from a tensor: the kernel stops where it is out of range."""
        asked = self.mask if mask is None else f"{self.mask} & {mask}"
        return f"checked({at}, {size}, {asked})"

    def cast(self, name: str, dtype: torch.dtype) -> str:
        """A value converted."""
        return f"{name}.to({TYPES[dtype]})"

    def load(self, value: Value) -> str:
        """The elements of a buffer at all positions."""
        buffer, at, mask = value.args
        if buffer in self.kept:
            return self.kept[buffer]
        if buffer in self.kernel.scratch:
            return f"tl.load({buffer} + ({self._row_of_its_own()}), {self.mask}, 0)"
        used = [self._walked(at)] if self._walked(at) else []
        condition = " & ".join([*used, *([self.names[mask]] if mask is not None else [])])
        masked = f", {condition}, 0" if condition else ""
        address = self._address(at)
        if mask is not None:  # it may vary where the address does not
            address = f"tl.where({self.names[mask]}, {address}, 0)"
        return f"tl.load({buffer} + ({address}){masked})"

    def _write(self, buffer: str, at: Index, name: str, origin: str) -> None:
        self.write(f"tl.store({buffer} + ({self._target(at)}), {name}, {self.mask})", origin)

    def _target(self, at: Index) -> str:
        """Where each position writes, a block as its mask is: there may be only one position."""
        is_block = any(atom.kind == "loop" for atom in at.deep_atoms())
        return self._address(at) if is_block else f"{self._address(at)} + 0 * x_at"

    def _row_of_its_own(self) -> str:
        row = self.index(flatten(self.kernel.inner, self.kernel.space.inner))
        return f"x_at * {self.index(self.row)} + {row}"

    def _address(self, at: Index) -> str:
        """An index as a block, also where it is the same for all positions."""
        text = self.index(at)
        is_block = any(atom.kind in ("loop", "value") for atom in at.deep_atoms())
        return text if is_block else f"tl.full({self.one}, {text}, tl.int64)"

    def _walked(self, at: Index) -> str:
        """The mask of the loops that an index depends on."""
        x, r = (_uses(at, loops) for loops in (self.across, [*self.inner, *self.down]))
        return "both_in" if x and r else "x_in" if x else "r_in" if r else ""


def _uses(at: Index, loops: Iterable[tuple[Index, Size]]) -> bool:
    return any(loop.alone() and at.uses(str(loop)) for loop, _ in loops)


def _tile_of(kernel: Kernel) -> str:
    """The loop that is read in steps of one, where what is written is not: both are then."""
    across = "" if kernel.base else walked_across(kernel)
    sizes = zip(kernel.outer, kernel.space.outer, strict=True)
    found = next((ix.hint(size) for loop, size in sizes if name_of(loop) == across), 0)
    return across if across and found >= TILE // 2 else ""


def _is_long(kernel: Kernel) -> bool:
    """May a position or an address need more than 31 bits? Sizes of the run time may."""
    if kernel.sizes or kernel.work >= 1 << 30:
        return True
    memory = (kernel.buffers[name] for name in (*kernel.ins, *kernel.outs))
    return any(
        sum(abs(ix.hint(s)) * max(ix.hint(n) - 1, 0) for n, s in zip(m.size, m.stride, strict=True))
        >= 1 << 30
        for m in memory
    )


def _first(reduction: Value, shape: str) -> str:
    """What it begins with; Triton joins bools as int32."""
    dtype = torch.int32 if reduction.dtype is torch.bool else reduction.dtype
    return constant(first(reduction.args[0], dtype), dtype, shape)
