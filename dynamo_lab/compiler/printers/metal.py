"""A kernel as Metal: a thread for each element, or a simdgroup of 32 threads for each row.

The lanes of a simdgroup walk a row in steps of 32 and join what they found at its end; what a row
keeps between its rounds lies in memory of each lane's own. Values of the outer level are computed
by every lane and stored by the first.

Metal has no float64: a kernel that computes with it is refused. Complex numbers are not in the
loop IR. A number of the run time is handed over as a float if all that is done with it is a
conversion to float32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import torch

from dynamo_lab.compiler.body import Value
from dynamo_lab.compiler.operators import HALVES
from dynamo_lab.compiler.printers.metal_text import JOIN, LANES, MEMORY, REGISTER, Launch, constant
from dynamo_lab.compiler.printers.printer import Statements, first
from dynamo_lab.compiler.work import Unsupported

if TYPE_CHECKING:
    from dynamo_lab.compiler.body import Body
    from dynamo_lab.compiler.kernel import Kernel, Section


class MetalPrinter(Statements):
    """Prints one kernel. A reader who wants other Metal overrides a method.

    Raises:
        Unsupported: the kernel computes with float64.
    """

    target: ClassVar[Literal["metal"]] = "metal"
    types, memory = REGISTER, MEMORY

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        _refuse_doubles(kernel)
        self.launch = Launch(kernel.space.outer_size, LANES if kernel.reduces else 1)

    def text(self) -> str:
        """The whole function; `PRELUDE` has to stand before it, and `launch` says how it starts."""
        self._outer_loops()
        for section in self.kernel.sections:
            if self.reads_back(section.body):
                self.write("simdgroup_barrier(mem_flags::mem_device);")
            self._section(section)
            stores = (value for value in section.body.values if value.op == "store")
            self.written |= {value.args[0] for value in stores} - self.kernel.scratch.keys()
        given = [f"    {parameter}" for parameter in self.parameters()]
        head = f"kernel void {self.kernel.name}(\n" + ",\n".join(given) + ") {"
        return self.whole(head.splitlines(), "}")

    def parameters(self) -> list[str]:
        """Its parameters: memory, sizes, numbers, the flag of a bad index, which thread it is."""
        kernel = self.kernel
        return [
            *(f"device const {self.memory_of(name)}* {name}" for name in kernel.ins),
            *(f"device {self.memory_of(name)}* {name}" for name in kernel.outs),
            *(f"constant long& {name}" for name in kernel.sizes),
            *(f"constant {REGISTER[dtype]}& {name}" for name, dtype in kernel.scalars.items()),
            *(["device int* out_of_range"] if kernel.checks else []),
            "uint thread_at [[thread_position_in_grid]]",
            *(["uint lane [[thread_index_in_simdgroup]]"] if kernel.reduces else []),
        ]

    # ---- loops

    def _outer_loops(self) -> None:
        kernel = self.kernel
        each = f" / {LANES}" if kernel.reduces else ""
        self.write(f"const long x_at = thread_at{each};")
        self.write(f"if (x_at >= {self.index(kernel.space.outer_size)}) return;")
        for name, text in self.positions("x_at", kernel.outer, kernel.space.outer):
            self.write(f"const long {name} = {text};")
        for name, dtype in kernel.scratch.items():
            row = kernel.space.inner_size
            assert isinstance(row, int), "only a row of known length is kept"
            self.write(f"{MEMORY[dtype]} {name}[{-(-row // LANES)}];  // this lane's part")

    def _section(self, section: Section) -> None:
        if section.level == "outer":
            self._body(section.body, "if (lane == 0) " if self.kernel.reduces else "")
            return
        for value in section.reductions:
            self.names[value] = name = self.new_name("acc")
            start = constant(first(value.args[0], value.dtype), value.dtype)
            self.write(f"{REGISTER[value.dtype]} {name} = {start};")
        self._row(section)
        for value in section.reductions:
            how, _, buffer, at = value.args
            name = self.names[value]
            self.write(f"{name} = {how}_of_lanes({name});")
            if buffer in self.kernel.live:
                self.write(f"if (lane == 0) {self._stored(buffer, self.index(at), name)}")

    def _row(self, section: Section) -> None:
        space = self.kernel.space
        row = self.index(space.inner_size)
        self.write(f"for (long r_at = lane; r_at < {row}; r_at += {LANES}) {{")
        self.depth += 1
        for name, text in self.positions("r_at", self.kernel.inner, space.inner):
            self.write(f"const long {name} = {text};")
        self._body(section.body, "")
        self.depth -= 1
        self.write("}")

    # ---- values

    def _body(self, body: Body, guard: str) -> None:
        """All values, then the stores: what is stored may be read by a value before."""
        stores: list[tuple[str, str]] = []
        for value in body.values:
            if value.op == "store":
                buffer, at, what = value.args
                place = f"r_at / {LANES}" if buffer in self.kernel.scratch else self.index(at)
                line = guard + self._stored(buffer, place, self.names[what])
                stores.append((line, value.origin))
            elif value.op == "reduce":
                how, what = value.args[:2]
                joined = JOIN[how].format(a=self.names[value], x=self.names[what])
                self.write(joined, value.origin)
            else:
                self.bind(value)
        if self.overwrites(body) and guard:  # in a row, a lane has its elements for itself
            self.write("simdgroup_barrier(mem_flags::mem_device);")
        for line, origin in stores:
            self.write(line, origin)

    def constant(self, value: Value) -> str:
        """A number with its own type."""
        return constant(value.args[0], value.dtype)

    def cast(self, name: str, dtype: torch.dtype) -> str:
        """A value converted; one of few bits is rounded to them."""
        return f"{MEMORY[dtype]}({name})"

    def load(self, value: Value) -> str:
        """The element of a buffer, as a value of its type."""
        buffer, at, mask = value.args
        place = f"r_at / {LANES}" if buffer in self.kernel.scratch else self.index(at)
        kind, read = REGISTER[value.dtype], f"{buffer}[{place}]"
        if mask is None:
            return f"{kind}({read})" if value.dtype in HALVES else read
        return f"{self.names[mask]} ? {kind}({read}) : {kind}(0)"

    def _stored(self, buffer: str, place: str, name: str) -> str:
        half = self.kernel.buffers[buffer].dtype in HALVES
        return f"{buffer}[{place}] = {f'{self.memory_of(buffer)}({name})' if half else name};"


def _refuse_doubles(kernel: Kernel) -> None:
    given = [kernel.buffers[name].dtype for name in (*kernel.ins, *kernel.outs)]
    computed = [value.dtype for value in kernel.values if value.op != "scalar"]
    kept = [
        value
        for value in kernel.values
        if not (value.op == "cast" and value.dtype is torch.float32)
        and any(
            isinstance(arg, Value) and arg.op == "scalar" and arg.dtype is torch.float64
            for arg in value.args
        )
    ]
    if kept or torch.float64 in (*given, *computed):
        raise Unsupported("Metal has no float64")
