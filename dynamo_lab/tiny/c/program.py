"""A planned step as a folder of C99: the step, its weights as data, a program that trains, CMake.

Nothing is allocated: activations and gradients have their places in one static arena, parameters
that are updated are static arrays, all others are constant data. Of the standard library a step in
float32 uses `expf`, `logf`, `sqrtf` and `erff` alone, one in int8 `rintf`, `floorf` and `fabsf`.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.errors import OutputError, TinyError
from dynamo_lab.tiny.arena import arena
from dynamo_lab.tiny.c import data
from dynamo_lab.tiny.c.board import BOARD, LINKER
from dynamo_lab.tiny.c.checks import checks, unchecked
from dynamo_lab.tiny.c.library import LIBRARY, SHAPE
from dynamo_lab.tiny.c.library8 import library8
from dynamo_lab.tiny.c.library_sequences import SEQUENCES_LIBRARY
from dynamo_lab.tiny.c.operators import TABLE
from dynamo_lab.tiny.c.operators8 import TABLE8
from dynamo_lab.tiny.c.templates import CMAKE, MAIN, STEP
from dynamo_lab.tiny.c.values import C_TYPES, NoCode, Place, need, place_of
from dynamo_lab.tiny.graph import is_view
from dynamo_lab.tiny.missing import remedy
from dynamo_lab.tiny.parts import Part, parts_of
from dynamo_lab.tiny.work import work_of
from dynamo_lab.view.core.words import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dynamo_lab.tiny.graph import Node, StepGraph


def write_program(
    step: StepGraph, values: Mapping[str, torch.Tensor], folder: str | Path, steps: int = 0
) -> tuple[Path, ...]:
    """The files of a step, written; the folder is made if it is not there.

    Args:
        step: Its graph, with updates and in its last order.
        values: The model's parameters and buffers by name.
        folder: Where to.
        steps: How many were done already: it draws the rounding of an int8 step.

    Raises:
        TinyError: there is no C for some of its operators, before anything is written.
        OutputError: the folder cannot be written.
    """
    writer = Writer(step, values, steps)
    texts = {
        "step.c": writer.step(),
        "step.h": writer.header(),
        "weights.h": writer.weights(),
        "main.c": MAIN,
        "CMakeLists.txt": CMAKE,
        "mps2.c": BOARD,
        "mps2.ld": LINKER,
    }
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (target / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"The C code cannot be written to {target}: {error}.") from error
    return tuple(target / name for name in texts)


@dataclass(frozen=True)
class Seen:
    """Where a value's storage begins, if it is constant, and its shape and strides in there."""

    base: str
    constant: bool
    value: torch.Tensor


_VIEW, _UNSAFE_VIEW = torch.ops.aten.view.default, torch.ops.aten._unsafe_view.default


class Writer:
    """Writes the texts of one step."""

    def __init__(self, step: StepGraph, values: Mapping[str, torch.Tensor], steps: int = 0) -> None:
        self._step, self._steps = step, steps
        work = work_of(step)
        self._arena = arena(work, range(len(work.operations)))
        self._offsets = {
            work.storages[storage].name: offset for storage, offset in self._arena.offsets.items()
        }
        named = {**step.parameters, **step.buffers}
        read = {node.name for node in step.graph.nodes if node.users}
        self._data = {node: values[name].detach() for node, name in named.items() if node in read}
        self._data |= {node: value for node, value in step.constants.items() if node in read}
        self._states, self._unchecked = sorted(step.momentum), unchecked(step)
        self._parts = parts_of(step)
        self._places: dict[str, Place] = {}
        self._seen: dict[str, Seen] = {}
        self._symbols: dict[str, str] = {}
        self._statements = self._written()

    def place(self, node: Node) -> Place:
        """Where the value of a node lies."""
        return self._places[node.name]

    def out(self, node: Node) -> Place:
        """Where an operation writes its result."""
        return self._places[node.name]

    def element(self, node: Node, at: int) -> str:
        """A pointer to one of several results, empty where nobody reads it."""
        found = self.part(node, at)
        return found.pointer if found else ""

    def part(self, node: Node, at: int) -> Place | None:
        """Where one of several results lies, None where nobody reads it."""
        return self._places.get(f"{node.name}.{at}")

    def scratch(self, node: Node) -> str:
        """A pointer to the room that an operation needs while it runs."""
        return f"((int8_t *)block.arena.bytes + {self._offsets[f'{node.name}.scratch']})"

    def apart(self, node: Node) -> tuple[Part, str, str] | None:
        """Of a weight what alone is trained, and the C names of the rest and of the slots."""
        part, symbol = self._parts.get(node.name), self._symbol(node.name)
        return None if part is None else (part, data.rest(symbol), data.slots(symbol))

    def _written(self) -> list[str]:
        """A statement an operation.

        Raises:
            TinyError: with every operator that there is no C for.
        """
        statements: list[str] = []
        missing: dict[str, str] = {}  # what is missing, and the first node with it
        for node in self._step.graph.nodes:
            try:
                statements += self._statement(node)
            except NoCode as reason:
                own = self._step.parameters.get(node.name)
                what = f"the parameter {own!r}" if own else _name(node.target)
                missing.setdefault(f"{what} ({reason})", node.name)
            except KeyError:  # it reads what has no place, because of something missing before it
                if not missing:
                    raise
        if missing:
            raise TinyError(
                f"There is no C code for {listed(list(missing))}, so nothing was written. "
                + remedy(missing, "; the step runs in PyTorch as it is.")
            )
        return statements

    def _statement(self, node: Node) -> Iterator[str]:
        if node.op == "placeholder":
            self._placeholder(node)
        if node.op != "call_function":
            return
        self._place(node)
        if is_view(node) or node.target is operator.getitem:
            return
        table = TABLE8 if self._step.is_integer else TABLE
        if node.target not in table:
            raise NoCode("it has no rule")
        if node.name in self._unchecked:
            raise NoCode("the numbers that it reads by are no part of the sample")
        yield f"{table[node.target](self, node)} /* {node.name} */"

    def _placeholder(self, node: Node) -> None:
        name, value = node.name, node.meta["val"]
        if name in self._offsets:
            self._put(name, f"block.arena.bytes + {self._offsets[name]}", value)
        elif name in self._data:
            self._put(name, self._symbol(name), value, constant=self._step.constant(name))
        elif name in self._states:
            self._put(name, self._symbol(name), value)

    def _place(self, node: Node) -> None:
        value, offset = node.meta["val"], self._offsets.get(node.name)
        if node.target is operator.getitem:
            self._element(node)
        elif is_view(node):
            self._look(node)
        elif isinstance(value, tuple | list):
            for at, one in enumerate(value):
                start = self._offsets.get(f"{node.name}.{at}")
                if start is not None:
                    self._put(f"{node.name}.{at}", f"block.arena.bytes + {start}", one)
        elif offset is not None:
            self._put(node.name, f"block.arena.bytes + {offset}", value)

    def _put(self, name: str, base: str, value: torch.Tensor, *, constant: bool = False) -> None:
        """A value in memory of its own.

        Raises:
            NoCode: there is no C type for its elements.
        """
        if value.dtype not in C_TYPES:
            raise NoCode(f"its elements are {value.dtype}")
        seen = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
        self._see(name, Seen(base, constant, seen))

    def _see(self, name: str, seen: Seen) -> None:
        self._seen[name] = seen
        self._places[name] = place_of(seen.base, seen.value, is_constant=seen.constant)

    def _look(self, node: Node) -> None:
        """A view: its strides and its offset are those of the same view of what it looks at.

        The graph's own values cannot tell: where it was traced, parts of a list begin at 0.
        """
        looked = self._seen.get(node.args[0].name)
        need(looked is not None, "it looks at what has no place")
        assert looked is not None
        target = _VIEW if node.target is _UNSAFE_VIEW else node.target
        value = target(looked.value, *node.args[1:], **node.kwargs)
        parts = {f".{at}": one for at, one in enumerate(value)} if _is_list(value) else {"": value}
        for at, one in parts.items():
            self._see(f"{node.name}{at}", replace(looked, value=one))

    def _element(self, node: Node) -> None:
        whole, at = node.args
        if seen := self._seen.get(f"{whole.name}.{at}"):
            self._see(node.name, seen)

    def _symbol(self, name: str) -> str:
        """The C name of a parameter, a constant or a state: no two have the same."""
        own = self._step.parameters.get(name) or self._step.buffers.get(name) or name
        symbol = "w_" + re.sub(r"\W", "_", own)
        others = {other for key, other in self._symbols.items() if key != name}
        return self._symbols.setdefault(name, f"{symbol}_{name}" if symbol in others else symbol)

    def step(self) -> str:
        """The file with the step."""
        result, integer = self._places[self._step.loss].pointer, self._step.is_integer
        return STEP.format(
            library=SHAPE + (library8() if integer else LIBRARY + SEQUENCES_LIBRARY),
            steps=f"static uint32_t steps = {self._steps};\n\n" * integer,
            checks="".join(f"  {line}\n" for line in checks(self, self._step)),
            begin="  const uint32_t seed = steps++; /* draws how small changes are rounded */\n"
            * integer,
            signature=self._signature(),
            parts="\n".join(self._sample_parts()),
            copies="\n".join(f"  {line}" for line in self._copies()),
            statements="\n".join(f"  {line}" for line in self._statements),
            loss=f"*{result}",
            changing="\n".join(self._dumped()),
        )

    def _inputs(self) -> Iterator[tuple[str, Any, bool]]:
        """The sample's parts: the parameter's name, its value's description, if it is read."""
        for at, name in enumerate(self._step.inputs):
            node = self._step.nodes[name]
            yield f"x{at}", node.meta["val"], bool(node.users)

    def _copies(self) -> Iterator[str]:
        for (name, value, is_read), node in zip(self._inputs(), self._step.inputs, strict=True):
            size = value.numel() * value.element_size()
            if is_read:
                place = f"block.arena.bytes + {self._offsets[node]}"
                yield f"copy({place}, (const uint8_t *){name}, {size});"
            else:
                yield f"(void){name};"

    def _sample_parts(self) -> Iterator[str]:
        for at, ((_, value, is_read), node) in enumerate(
            zip(self._inputs(), self._step.inputs, strict=True)
        ):
            place = f"block.arena.bytes + {self._offsets[node]}" if is_read else "0"
            size = value.numel() * value.element_size()
            yield f"  if (number == {at}) return *bytes = {size}, {place};"

    def _signature(self) -> str:
        parameters = ", ".join(
            f"const {C_TYPES[value.dtype]} *{name}" for name, value, _ in self._inputs()
        )
        return f"float train_step({parameters}, float lr)"

    def header(self) -> str:
        """The file that a program includes."""
        sizes = [value.numel() * value.element_size() for _, value, _ in self._inputs()]
        starts = [sum(sizes[:k]) for k in range(len(sizes))]
        given = ", ".join(
            f"(const {C_TYPES[value.dtype]} *)(record + {start})"
            for (_, value, _), start in zip(self._inputs(), starts, strict=True)
        )
        return (
            "#ifndef STEP_H\n#define STEP_H\n#include <stddef.h>\n#include <stdint.h>\n\n"
            f"enum {{ ARENA_BYTES = {self._arena.size}, RECORD_BYTES = {sum(sizes)} }};\n\n"
            "/* Trains on one sample, which is copied into the arena; the loss before the update. "
            "*/\n"
            f"{self._signature()};\n"
            f"#define TRAIN_ON(record, lr) train_step({given}, lr)\n\n"
            "/* Where each part of a sample goes, for a program that puts it there itself, before\n"
            "   each step; 0 for one that the step does not read. Of no bytes after the last. */\n"
            "void *sample_part(int number, size_t *bytes);\n"
            "float train_in_place(float lr);\n\n"
            "/* Of a sample before its step: the first part with a class, or a row of a table,\n"
            "   that there is not, and what it is; -1 if there is none. A step of such a sample\n"
            "   changes nothing, the sample too, and returns NAN. */\n"
            "int wrong_part(int64_t *found);\n\n"
            "/* Whether nothing was written beside the arena. */\n"
            "int arena_is_intact(void);\n\n"
            "/* What is updated, part by part, in the order of weights.h; 0 after the last. In\n"
            "   int8, of a weight with chosen channels, those alone. */\n"
            "const void *updated_part(int number, size_t *bytes);\n#endif\n"
        )

    def weights(self) -> str:
        """The file with all data."""
        lines = ["/* Parameters: those that are updated can change, all others are constant. */"]
        for name, value in self._data.items():
            symbol = self._symbol(name)
            if name in self._parts:
                lines += data.arrays_of_part(symbol, value, self._parts[name])
            else:
                lines.append(data.array(symbol, value, is_constant=self._step.constant(name)))
        for name in self._states:
            count = self._step.nodes[name].meta["val"].numel()
            lines.append(f"static float {self._symbol(name)}[{count}];")
        return "\n".join(lines) + "\n"

    def _dumped(self) -> Iterator[str]:
        changing = [name for name in self._data if not self._step.constant(name)]
        for at, name in enumerate(changing):
            symbol = self._symbol(name)
            yield f"  if (number == {at}) return *bytes = sizeof {symbol}, {symbol};"


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _name(target: Any) -> str:
    """An operator's name: "aten.mm.default", or that of a function."""
    return getattr(target, "__name__", "") if "<" in str(target) else str(target)
