"""The wrapper: the Python function that allocates memory, calls kernels and ATen, and lets go.

In come the units of a schedule; out comes its text, and the function when it is run. A buffer that
is no longer needed is taken for the next of the same layout, or freed at once.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import torch

from dynamo_lab.capture.kernels.own_modules import empty_cpu, load
from dynamo_lab.compiler.groups import Group, Unit
from dynamo_lab.compiler.index import Index, Size
from dynamo_lab.compiler.lower import OpOverload
from dynamo_lab.compiler.sizes import python_text
from dynamo_lab.compiler.work import Buffer, Extern, Named, View

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import FunctionType, ModuleType

    from dynamo_lab.compiler.kernel import Kernel
    from dynamo_lab.compiler.tensors import LoweredGraph

Layout = tuple[tuple[Size, ...], tuple[Size, ...], torch.dtype, torch.device]


MemoryKind = Literal["allocate", "reuse", "view", "free"]


@dataclass(frozen=True)
class MemoryEvent:
    """What happens to a buffer before the unit at a position; after the last, at the end."""

    at: int
    kind: MemoryKind
    buffer: str
    source: str = ""
    """The buffer whose memory it takes over or shares."""


class Wrapper:
    """Writes the function of one graph.

    Attributes:
        text: the function `call(args)`.
        names: what the text calls by name, apart from kernels.
        events: what becomes of memory, in order.
        loaded: the module of its text, once `function` was asked for: who holds it can have its
            calls watched.
    """

    loaded: ModuleType

    def __init__(
        self,
        graph: LoweredGraph,
        units: Sequence[Unit],
        kernels: Mapping[int, Kernel],
        *,
        by_address: bool,
    ) -> None:
        self.graph, self.units, self.kernels = graph, units, kernels
        self._by_address = by_address
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            "torch": torch,
            "empty": torch.empty_strided,
            "empty_cpu": empty_cpu(),
            "device": torch.device,
            "inf": float("inf"),
            "nan": float("nan"),
            "refuse_index": refuse_index,
            "flag": new_flag,
            **graph.constants,
        }
        self.events: list[MemoryEvent] = []
        self._at = 0
        self._held = {*graph.inputs, *graph.constants}
        self._kept = {out.buffer for out in graph.outputs if isinstance(out, View)}
        self._given, self._taken = set(graph.constants), set[str]()
        self._last = self._last_uses()
        self._free: dict[Layout, list[str]] = defaultdict(list)
        self.text = self._written()

    def function(self, kernels: Mapping[str, Callable[..., Any]]) -> FunctionType:
        """The function, with these kernels by name; those that come later go to its globals."""
        self.loaded = load(self.text, {**self.names, **kernels})
        return vars(self.loaded)["call"]

    def _written(self) -> str:
        given = self.graph.given_sizes.items()
        self.lines += [f"{name} = {found}" for name, found in given if name != found]
        for name in self._never_written():
            self._allocate(self.graph.buffers[name])
        if self._by_address and any(kernel.checks for kernel in self.kernels.values()):
            self.lines.append("out_of_range = flag()")
        if self._by_address and self.kernels:
            self.lines.append("threads = torch.get_num_threads()")
        for at, unit in enumerate(self.units):
            self._at = at
            if isinstance(unit, Group):
                self._kernel(self.kernels[id(unit)])
            else:
                self._extern(unit)
            self._release(at)
        self.lines.append(
            f"return [{', '.join(self._argument(out) for out in self.graph.outputs)}]"
        )
        parameters = "".join(f"{name}, " for name in self.graph.parameters)
        head = [f"{parameters}= args" if parameters else "pass", "args.clear()"]
        return "\n".join(["def call(args):", *(f"    {line}" for line in head + self.lines), ""])

    def _never_written(self) -> list[str]:
        """Tensors without elements: nothing computes them, but they are returned or passed on."""
        written = set[str]().union(*(unit.writes for unit in self.units))
        needed = self._kept | self._last.keys()
        return [name for name in self.graph.buffers if name in needed - written - self._held]

    def _touched(self, unit: Unit) -> set[str]:
        if isinstance(unit, Group):
            kernel = self.kernels[id(unit)]
            return {*kernel.ins, *kernel.outs, *([kernel.base.name] if kernel.base else [])}
        return (unit.reads | unit.writes) & self.graph.buffers.keys()

    def _last_uses(self) -> dict[str, int]:
        return {name: at for at, unit in enumerate(self.units) for name in self._touched(unit)}

    def _kernel(self, kernel: Kernel) -> None:
        for name in kernel.outs:
            if kernel.base:
                self._take(name, kernel.base.name)
            elif name not in self._held:
                self._allocate(self.graph.buffers[name])
        memory, numbers = (*kernel.ins, *kernel.outs), (*kernel.sizes, *kernel.scalars)
        if not self._by_address:
            self.lines.append(f"{kernel.name}({', '.join([*memory, *numbers])})")
            return
        flags = ["out_of_range"] if kernel.checks else []
        given = [*(f"{name}.data_ptr()" for name in memory), *numbers, *flags, "threads"]
        self.lines.append(f"{kernel.name}({', '.join(given)})")
        if flags:
            self.lines.append("refuse_index(out_of_range)")

    def _allocate(self, buffer: Buffer) -> None:
        self._held.add(buffer.name)
        free = self._free[_layout(buffer)]
        if free:
            self._take(buffer.name, free.pop())
            return
        self._event("allocate", buffer.name)
        layout = f"{_sizes_text(buffer.size)}, {_sizes_text(buffer.stride)}"
        if buffer.device.type == "cpu":  # in half the time, which small kernels take themselves
            made = f"empty_cpu({layout}, {buffer.dtype})"
        else:
            made = f"empty({layout}, dtype={buffer.dtype}, device=device('{buffer.device}'))"
        self.lines.append(f"{buffer.name} = {made}")

    def _take(self, name: str, old: str) -> None:
        self._held.add(name)
        self._taken.add(old)
        self._event("reuse", name, old)
        self.lines.append(f"{name} = {old}; del {old}  # the same memory")

    def _release(self, at: int) -> None:
        """Let go of what this unit was the last to touch."""
        for name in sorted(self._touched(self.units[at])):
            if self._last[name] != at or name in self._kept | self._taken | self._given:
                continue
            buffer = self.graph.buffers[name]
            mine = name not in self.graph.inputs and isinstance(self.units[at], Group)
            if mine and self._is_wanted(buffer, at):
                self._free[_layout(buffer)].append(name)
            elif name in self._held:
                self.events.append(MemoryEvent(at + 1, "free", name))
                self.lines.append(f"del {name}")

    def _is_wanted(self, buffer: Buffer, at: int) -> bool:
        """Will a later kernel need memory of this layout, beyond what is free already?"""
        layout = _layout(buffer)
        wanted = sum(
            _layout(self.graph.buffers[name]) == layout
            for unit in self.units[at + 1 :]
            if isinstance(unit, Group)
            for name in self.kernels[id(unit)].outs
            if name not in self._held
        )
        return wanted > len(self._free[layout])

    def _extern(self, call: Extern) -> None:
        name = self._called(call)
        given = [self._argument(arg) for arg in call.args]
        given += [f"{key}={self._argument(arg)}" for key, arg in call.kwargs.items()]
        results = [result.name if result else "_" for result in call.results]
        comma = "," if call.many and len(results) == 1 else ""
        target = f"{', '.join(results) or '_'}{comma}"
        self.lines.append(f"{target} = {name}({', '.join(given)})")
        self._held |= {result for result in results if result != "_"}
        shared = _shared(call)
        for result in results:
            if result in self.graph.buffers:
                self._event("view" if shared else "allocate", result, shared)
        for size, (buffer, dim) in call.sizes.items():
            self.lines.append(f"{size} = {buffer}.size({dim})")

    def _called(self, call: Extern) -> str:
        """How its operator is written: by its name, as in a recording, where it has one."""
        name = str(call.target)
        root = name.partition(".")[0]
        if isinstance(call.target, OpOverload):
            self.names[root] = getattr(torch.ops, root)
            return name
        if not name.isidentifier():
            name = f"call_{call.node}"
        self.names[name] = call.target
        return name

    def _event(self, kind: MemoryKind, buffer: str, source: str = "") -> None:
        self.events.append(MemoryEvent(self._at, kind, buffer, source))

    def _argument(self, arg: Any) -> str:
        match arg:
            case View(buffer, size, stride, offset):
                whole = self.graph.buffers[buffer]
                if (size, stride, offset) == (whole.size, whole.stride, 0):
                    return buffer
                start = (
                    f", {buffer}.storage_offset() + {python_text(offset)}" if offset != 0 else ""
                )
                return f"{buffer}.as_strided({_sizes_text(size)}, {_sizes_text(stride)}{start})"
            case Index():
                return python_text(arg)
            case Named(name):
                return name
            case list() | tuple():
                inner = ", ".join(map(self._argument, arg))
                return f"[{inner}]" if isinstance(arg, list) else f"({inner},)" if arg else "()"
            case dict():
                return "{" + ", ".join(f"{k!r}: {self._argument(v)}" for k, v in arg.items()) + "}"
            case torch.device():
                return f"device({str(arg)!r})"
            case None | bool() | int() | float() | str() | torch.dtype():
                return repr(arg)
            case torch.layout() | torch.memory_format():
                return repr(arg)
            case _:
                name = f"given_{len(self.names)}"
                self.names[name] = arg
                return name


def _shared(call: Extern) -> str:
    """The buffer whose memory the results share, if the operator says that they may."""
    schema = getattr(call.target, "_schema", None)
    if schema is None or not any(result.alias_info for result in schema.returns):
        return ""
    return next((arg.buffer for arg in call.args if isinstance(arg, View)), "")


def _layout(buffer: Buffer) -> Layout:
    return buffer.size, buffer.stride, buffer.dtype, buffer.device


def _sizes_text(sizes: Sequence[Size]) -> str:
    inner = ", ".join(map(python_text, sizes))
    return f"({inner},)" if len(sizes) == 1 else f"({inner})"


def new_flag() -> Any:
    """Memory in which a kernel says that it read a bad index."""
    import ctypes

    return ctypes.pointer(ctypes.c_int(0))


def refuse_index(flag: Any) -> None:
    """Say that a kernel read a bad index, if one did."""
    if flag.contents.value:
        raise IndexError("index out of range: a kernel read an index beyond the size of its tensor")
