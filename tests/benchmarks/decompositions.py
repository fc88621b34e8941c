# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# torch annotates its functions only in part, and its database of operators not at all.
"""Whether decompositions are right: operators of PyTorch's OpInfo database, run at each set.

Each operator is taken apart for its own sample inputs, what it became is run on them, and the
result compared with eager's within the operator's own tolerance. Needs `pip install expecttest`.
"""

import argparse
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import msgspec
import torch
from msgspec import Struct
from rich.console import Console
from rich.table import Table
from torch.utils import _pytree as pytree

from dynamo_lab.api.decompose import decompose
from dynamo_lab.errors import DecompositionError
from dynamo_lab.model.decompositions import TARGETS, Target

Outcome = Literal["equal", "random", "uninitialised", "differs", "not traced", "not run"]
"""Ordered from good to bad. "random" and "uninitialised" operators have no numbers to compare:
their results are compared in shape and type."""

_ORDER: tuple[Outcome, ...] = (
    "equal",
    "random",
    "uninitialised",
    "differs",
    "not traced",
    "not run",
)
_COLOURS = {"equal": "green", "random": "cyan", "uninitialised": "cyan"}


class Level(Struct, frozen=True, kw_only=True):
    """An operator at a set: how many operators it became, and whether their result is eager's."""

    operators: int = 0
    outcome: Outcome = "equal"
    reason: str = ""


class Row(Struct, frozen=True, kw_only=True):
    """An operator of the database on some of its samples, at each of `TARGETS`."""

    name: str
    samples: int
    levels: tuple[Level, ...]

    @property
    def is_equal(self) -> bool:
        """Whether every level gave eager's numbers on every sample."""
        return all(level.outcome == "equal" for level in self.levels)


def operators(count: int | None = None, names: Sequence[str] = ()) -> list[Any]:
    """Operators of the database by name: those asked for, or `count` of them, evenly spread."""
    from torch.testing._internal.common_methods_invocations import op_db

    known = sorted((op for op in op_db if op.dtypes), key=_name)  # not those for CUDA alone
    if names:
        return [op for op in known if _name(op) in names]
    chosen = len(known) if count is None else min(count, len(known))
    return [known[place * len(known) // chosen] for place in range(chosen)]


def _name(op: Any) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else str(op.name)


def check(op: Any, most: int) -> Row:
    """Take an operator apart for its first samples, and compare with eager at each set."""
    samples = list(_samples(op, most))
    found = [[_level(op, sample, to) for to in TARGETS] for sample in samples]
    by_set = list(zip(*found, strict=True)) or [(Level(outcome="not run", reason="no sample"),)] * 3
    return Row(name=_name(op), samples=len(samples), levels=tuple(map(_worst, by_set)))


def _samples(op: Any, most: int) -> Iterator[Any]:
    dtype = torch.float32 if torch.float32 in op.dtypes else sorted(op.dtypes, key=str)[0]
    torch.manual_seed(0)
    for sample in islice(op.sample_inputs("cpu", dtype, requires_grad=False), most):
        yield (sample.input, *sample.args), sample.kwargs


def _worst(levels: Sequence[Level]) -> Level:
    worst = max(levels, key=lambda level: _ORDER.index(level.outcome))
    return msgspec.structs.replace(worst, operators=max(level.operators for level in levels))


def _level(op: Any, sample: Any, to: Target) -> Level:
    args, kwargs = sample
    try:
        made = decompose(op.op, *args, to=to, **kwargs)
    except DecompositionError as error:
        return Level(outcome="not traced", reason=str(error))
    size = len(made.leaves)
    try:
        actual = _seeded(made.run, sample, 0)
    except Exception as error:
        return Level(operators=size, outcome="not run", reason=_line(error))
    outcome, reason = _compared(op, made.run, sample, actual)
    return Level(operators=size, outcome=outcome, reason=reason)


def _seeded(run: Any, sample: Any, seed: int) -> Any:
    """What the run gives on copies of the sample, with all generators seeded."""
    torch.manual_seed(seed)
    random.seed(seed)
    args, kwargs = _copied(sample)
    return run(*args, **kwargs)


def _copied(sample: Any) -> Any:
    made: dict[int, torch.Tensor] = {}

    def copy(tensor: torch.Tensor) -> torch.Tensor:
        return made.setdefault(id(tensor), tensor.detach().clone())

    return pytree.tree_map_only(torch.Tensor, copy, sample)


def _compared(op: Any, run: Any, sample: Any, actual: Any) -> tuple[Outcome, str]:
    expected = _seeded(op.op, sample, 0)
    rtol, atol = tolerance(op)
    problem = _difference(actual, expected, rtol, atol)
    if problem is None:
        return "equal", ""
    # with another seed: some entries of the database seed eager's generator themselves
    is_empty = "empty" in op.name
    if is_empty or _difference(_seeded(run, sample, 1), actual, rtol, atol) is not None:
        kind: Outcome = "uninitialised" if is_empty else "random"
        shapes = _difference(_shapes(actual), _shapes(expected), None, None)
        return (kind, "compared in shape and type") if shapes is None else ("differs", shapes)
    return "differs", problem


def _shapes(value: Any) -> Any:
    """The value with numbers taken out."""
    return pytree.tree_map_only(torch.Tensor, torch.zeros_like, value)


def _difference(a: Any, b: Any, rtol: float | None, atol: float | None) -> str | None:
    try:
        torch.testing.assert_close(a, b, rtol=rtol, atol=atol, equal_nan=True)
    except Exception as error:
        return _line(error)
    return None


def tolerance(op: Any) -> tuple[float | None, float | None]:
    """The widest tolerance that the database grants the operator; None for PyTorch's default."""
    granted = [found for decorator in op.decorators for found in _granted(decorator)]
    if not granted:
        return None, None
    default = 1.3e-6, 1e-5  # of float32 in torch.testing
    return (
        max(default[0], *(tol.rtol for tol in granted)),
        max(default[1], *(tol.atol for tol in granted)),
    )


def _granted(decorator: Any) -> Iterator[Any]:
    for inner in (decorator, *getattr(decorator, "decorators", ())):
        for dtype, granted in getattr(inner, "overrides", {}).items():
            if dtype == torch.float32:
                yield granted


def _line(error: BaseException) -> str:
    rows = [row.strip() for row in str(error).splitlines() if row.strip()]
    greatest = [row for row in rows if row.startswith("Greatest")]
    return " ".join([*rows[:1], *greatest])[:300] or type(error).__name__


def report(rows: Sequence[Row]) -> Table:
    """The table: an operator a row, at each set how many operators it became and whether right."""
    table = Table(title="Decompositions of OpInfo's operators, run against eager", expand=False)
    table.add_column("operator")
    for to in ("core ATen", "Inductor", "prims"):
        table.add_column(to, justify="right")
    table.add_column("reason", overflow="fold")
    for row in rows:
        cells = [f"[{_COLOURS.get(x.outcome, 'red')}]{x.operators} {x.outcome}" for x in row.levels]
        reasons = dict.fromkeys(x.reason for x in row.levels if x.reason)
        table.add_row(row.name, *cells, "; ".join(reasons).replace("[", "\\["))
    return table


def summary(rows: Sequence[Row]) -> str:
    """How many operators have each outcome at each set."""
    lines = [f"{len(rows)} operators, {sum(row.samples for row in rows)} samples"]
    for at, to in enumerate(TARGETS):
        counts = Counter(row.levels[at].outcome for row in rows)
        told = ", ".join(f"{counts[name]} {name}" for name in _ORDER if counts[name])
        lines.append(f"{to}: {told}")
    return "\n".join([*lines, f"equal at every set: {sum(row.is_equal for row in rows)}"])


def main() -> None:
    """Check and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="operators to check, by default --count of them")
    parser.add_argument("--count", type=int, default=300, help="how many operators")
    parser.add_argument("--samples", type=int, default=3, help="how many samples of each")
    parser.add_argument("--json", metavar="FILE", help="write the rows to this file too")
    options = parser.parse_args()
    console = Console(width=None if Console().is_terminal else 160)
    rows: list[Row] = []
    with warnings.catch_warnings(action="ignore"), torch.no_grad():
        for op in operators(options.count, options.names):
            rows.append(check(op, options.samples))
            print(f"{len(rows)} {rows[-1].name:50}", end="\r", file=sys.stderr)
    console.print(report([row for row in rows if not row.is_equal] or rows))
    console.print(summary(rows), highlight=False)
    if options.json:
        Path(options.json).write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1))


if __name__ == "__main__":
    main()
