"""The work of loops: what a kernel's loop bodies read, write and compute, each counted once.

A value is identified by how it is computed, so what several loops of a kernel read or compute
counts once. It is counted once per iteration of the loops it depends on: what an inner loop does
not change is computed outside of it. The lines are Inductor's, or those of the backend lab.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import prod

from msgspec import Struct

from dynamo_lab.model.lowering import Buffer, LoopLine
from dynamo_lab.view.core.sizes import Sizes

Loop = tuple[int, int]
"""A loop: its place in the nest, and how often it runs."""

_LINE = re.compile(r"(?:(\w+) = )?ops\.(\w+)\((.*)\)")
_LAB_LINE = re.compile(r"(\w+) = (\w+)\((.*)\)  # (\w+)")
_LAB_VALUE = re.compile(r"%(\d+)")
_PART = re.compile(r"(\w+) = (\w+)\[\d+\]")
_BODY = re.compile(r"def (\w+)\(\):")
_MEMORY = re.compile(r"'([^']*)', (.*)")
_NAME = re.compile(r"\b[A-Za-z_]\w*")
_DTYPE = re.compile(r"torch\.(\w+)")
_TERM = re.compile(r"(?:([0-9]{1,18})\*)?([A-Za-z]\w*)|(-?[0-9]{1,18})")

_COMPARED = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "signbit"})

_FREE = frozenset({
    "constant", "index_expr", "value_expr", "indirect_indexing", "masked", "where", "identity",
    "to_dtype", "to_dtype_bitcast", "sort", "bucketize", "load_seed", "rand", "rand_eager", "randn",
    "randint64", "check_bounds", "device_assert_async", "maximum", "minimum", "relu",
    "halide_clamp", "abs", "neg", "sign", "copysign", "floor", "ceil", "trunc", "round", "frexp",
    "ldexp", "nextafter",
})  # fmt: skip
"""Operators that only move, select, round or negate; the random ones compute integers."""

_LAB_FREE = frozenset({
    "const", "scalar", "index", "checked", "cast", "where", "max", "min", "abs", "neg", "copysign",
    "floor", "ceil", "trunc", "round",
})  # fmt: skip
"""The same of the backend lab."""

_REDUCED = {"sum": 1, "prod": 1, "xor_sum": 0, "dot": 2, "online_softmax_reduce": 3,
            "welford_reduce": 4, "welford_combine": 4}  # fmt: skip
"""Operations per reduced element, none for reductions that compare.

A softmax needs a difference, an exponential and a sum; a variance a sum for the mean, and a
difference, its square and a sum.
"""


class Value(Struct, frozen=True):
    """A value in a loop body: its number, the loops it varies in, and its type, "" for others."""

    number: int
    loops: frozenset[Loop] = frozenset()
    dtype: str = ""


class LoopWork:
    """The work of the loops of one kernel.

    `reads` and `writes` hold, by buffer, how many elements each set of places has.
    """

    def __init__(self, sizes: Sizes, dtype_of: Callable[[str], str]) -> None:
        self._sizes = sizes
        self._dtype_of = dtype_of
        self._values: dict[str, Value] = {}
        self.reads: dict[str, dict[str, int]] = {}
        self.writes: dict[str, dict[str, int]] = {}
        self.flops: Counter[str] = Counter()

    def add(self, buffer: Buffer) -> None:
        """Count the loop that makes a buffer.

        Raises:
            UnknownSize: a loop's size is known only while the program runs.
        """
        counts = [self._sizes.number(loop.size) for loop in buffer.ranges]
        loops = {r.variable: (at, counts[at]) for at, r in enumerate(buffer.ranges)}
        _Body(self, loops).read(buffer.body)

    def value(self, key: str, loops: frozenset[Loop], dtype: str) -> tuple[Value, bool]:
        """The value with this definition, and whether it is computed here for the first time."""
        known = self._values.get(key)
        if known is not None:
            return known, False
        made = self._values[key] = Value(len(self._values), loops, dtype)
        return made, True

    def dtype_of(self, name: str) -> str:
        """The type of a buffer's elements in a loop: half precision is computed as float32."""
        return computed_in(self._dtype_of(name))


def computed_in(dtype: str) -> str:
    """The floating-point type that loops compute such elements in; empty for integers."""
    if dtype in ("f64", "float64"):
        return "float64"
    return "float32" if dtype.startswith(("f", "bf")) else ""


class _Body:
    """Reads one loop body, line by line."""

    def __init__(self, work: LoopWork, loops: Mapping[str, Loop]) -> None:
        self._work = work
        self._loops = loops
        self._reduced = {loop for name, loop in loops.items() if name.startswith("r")}
        self._known: dict[str, Value] = {}
        self._inside: list[str] = []

    def read(self, lines: Iterable[LoopLine]) -> None:
        for line in lines:
            if found := _LINE.fullmatch(line.text):
                self._operation(found[1] or "", found[2], found[3])
            elif found := _LAB_LINE.fullmatch(_LAB_VALUE.sub(r"v\1", line.text)):
                self._operation_of_lab(found[1], found[2], found[3].split(", "), found[4])
            elif found := _PART.fullmatch(line.text):
                self._known[found[1]] = self._known.get(found[2], Value(-1))
            elif found := _BODY.fullmatch(line.text):
                self._inside.append(found[1])
            elif line.text.startswith("return ") and self._inside:
                self._known[self._inside.pop()] = self._of(line.text.removeprefix("return "))

    def _of(self, name: str) -> Value:
        return self._known.get(name, Value(-1))

    def _operation(self, name: str, operator: str, arguments: str) -> None:
        if operator == "load" and (found := _MEMORY.fullmatch(arguments)):
            self._known[name] = self._load(found[1], found[2])
        elif operator.startswith("store") and (found := _MEMORY.fullmatch(arguments)):
            self._store(found[1], found[2])
        else:
            self._known[name] = self._computed(operator, arguments)

    def _operation_of_lab(self, name: str, operator: str, operands: list[str], dtype: str) -> None:
        match operator, operands:
            case "load", [buffer, index, *_]:
                self._known[name] = self._load(buffer, index)
            case "store", [buffer, index, *_]:
                self._store(buffer, index)
            case "reduce", [how, value, buffer, index]:
                self._known[name] = self._computed("reduction", f"'{how}', {value}")
                self._store(buffer, index)
            case _:
                self._known[name] = self._computed(operator, ", ".join(operands), dtype)

    def _load(self, buffer: str, index: str) -> Value:
        loops, place = self._over(index), self._place(index)
        key = f"load {buffer} {self._written(index)}"
        self._work.reads.setdefault(buffer, {})[place] = _times(loops)
        return self._work.value(key, loops, self._work.dtype_of(buffer))[0]

    def _store(self, buffer: str, rest: str) -> None:
        index, mode = _split_store(rest)
        self._work.writes.setdefault(buffer, {})[self._place(index)] = _times(self._over(index))
        if mode == "atomic_add":  # it reads the old value and adds to it
            self._work.reads.setdefault(buffer, {})[self._place(index)] = _times(self._over(index))
            if dtype := self._work.dtype_of(buffer):
                self._work.flops[dtype] += prod(count for _, count in self._loops.values())

    def _computed(self, operator: str, arguments: str, written: str | None = None) -> Value:
        loops = self._over(arguments)
        known = None if written is None else computed_in(written)
        dtype = self._dtype(operator, arguments) if known is None else known
        key = f"{operator} {self._written(arguments)}"
        over = loops - self._reduced if operator == "reduction" else loops
        if operator == "reduction":
            key += f" over {sorted(self._reduced)}"
        found, is_new = self._work.value(key, over, dtype)
        if is_new and dtype and (each := _each(operator, arguments)):
            reduced = self._reduced if operator == "reduction" else set[Loop]()
            self._work.flops[dtype] += each * _times(loops | reduced)
        return found

    def _dtype(self, operator: str, arguments: str) -> str:
        if operator in _COMPARED or operator.startswith(("logical_", "bitwise_", "indirect_")):
            return ""
        if operator in ("rand", "rand_eager", "randn"):
            return "float32"
        if operator in ("to_dtype", "to_dtype_bitcast", "constant", "index_expr", "value_expr"):
            named = _DTYPE.search(arguments)
            return computed_in(named[1]) if named else ""
        found = {value.dtype for value in self._operands(arguments)}
        return "float64" if "float64" in found else "float32" if "float32" in found else ""

    def _operands(self, text: str) -> list[Value]:
        return [self._known[name] for name in _NAME.findall(text) if name in self._known]

    def _over(self, text: str) -> frozenset[Loop]:
        """The loops that an expression varies in."""
        own = {self._loops[name] for name in _NAME.findall(text) if name in self._loops}
        return frozenset(own).union(*(value.loops for value in self._operands(text)))

    def _written(self, text: str) -> str:
        """An expression in terms that the loops of a kernel share."""
        return _NAME.sub(lambda found: self._shared(found[0]), text)

    def _shared(self, name: str) -> str:
        if name in self._known:
            return f"#{self._known[name].number}"
        return f"@{self._loops[name]}" if name in self._loops else name

    def _place(self, index: str) -> str:
        """The set of addresses that an index runs over, the same however the loops are split."""
        terms = [_TERM.fullmatch(term) for term in index.split(" + ")]
        steps: list[tuple[int, int]] = []
        start = 0
        for term in terms:
            if term is None or (term[2] and term[2] not in self._loops):
                return self._written(index)
            if term[2]:
                steps.append((int(term[1] or 1), self._loops[term[2]][1]))
            else:
                start += int(term[3])
        return f"{start} {_merged(steps)}"


def _merged(steps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Strides and counts, contiguous ones merged."""
    made: list[tuple[int, int]] = []
    for stride, count in sorted(step for step in steps if step[1] != 1):
        if made and made[-1][0] * made[-1][1] == stride:
            made[-1] = made[-1][0], made[-1][1] * count
        else:
            made.append((stride, count))
    return made


def _split_store(rest: str) -> tuple[str, str]:
    """The index of a store, and its mode: the part between may hold commas, the ends do not."""
    depth = 0
    for at, sign in enumerate(rest):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            return rest[:at], "atomic_add" if "'atomic_add'" in rest[at:] else ""
    return rest, ""


def _each(operator: str, arguments: str) -> int:
    """The operations of an operator for one element."""
    if operator == "reduction":
        kinds = [kind for kind in _REDUCED if f"'{kind}'" in arguments]
        return _REDUCED[kinds[0]] if kinds else 0
    if operator in _FREE | _LAB_FREE:
        return 0
    return 2 if operator in ("fma", "dot") else 1


def _times(loops: Iterable[Loop]) -> int:
    return prod(count for _, count in loops)
