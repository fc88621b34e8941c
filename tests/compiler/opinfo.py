"""PyTorch's own samples of its operators (OpInfo), compiled with our compiler and by eager.

`python -m tests.compiler.opinfo` prints a table; `--kind` says which: forward, backward, bfloat16
or int64.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import torch
from functorch.compile import aot_function
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
)
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_unflatten

from dynamo_lab.compiler.backend import decompositions
from dynamo_lab.compiler.lower import CannotLower
from dynamo_lab.compiler.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Kind = Literal["forward", "backward", "bfloat16", "int64"]
Verdict = Literal["equal", "decomposed", "differs", "random", "untraced"]
DTYPES = {"bfloat16": torch.bfloat16, "int64": torch.int64}
TOLERANCE = {torch.bfloat16: (2e-2, 2e-2), torch.float32: (1e-4, 1e-5)}
SEED = 7


@dataclass
class Result:
    """What became of an operator's samples.

    `decomposed`: as ATen computes the same decomposed graph, which eager's kernel does not. A half
    is also equal where it is as near to the numbers of float64 as eager's. `untraced`: AOTAutograd
    cannot make a graph of it, by any backend. `random`: it draws numbers, and these samples seed
    themselves, which a graph does only once. `left` are the operators that ATen computes, `reason`
    says what differs or failed.
    """

    name: str
    verdict: Verdict = "equal"
    left: list[str] = field(default_factory=list)
    reason: str = ""


def names(kind: Kind) -> dict[str, Any]:
    """The operators that have samples of this kind and give defined numbers, by name."""
    dtype = DTYPES.get(kind, torch.float32)
    return {
        f"{op.name}.{op.variant_test_name}".rstrip("."): op
        for op in op_db
        if op.supports_dtype(dtype, "cpu")
        and (kind != "backward" or op.supports_autograd)
        and "empty" not in op.name
        and not op.name.startswith("resize")
    }


def tried(op: Any, kind: Kind, samples: int = 3, *, run: bool = True) -> Result:
    """The first samples of an operator, each compared with eager.

    Args:
        op: an OpInfo.
        kind: of which type, and whether with gradients.
        samples: how many.
        run: whether to build and run it; if not, only what is left to ATen is found.
    """
    result = Result(op.name)
    backward = kind == "backward"
    dtype = DTYPES.get(kind, torch.float32)
    torch.manual_seed(SEED)
    found = op.sample_inputs("cpu", dtype, requires_grad=backward)
    for sample in itertools.islice(found, samples):
        _try(result, op, (sample.input, sample.args, sample.kwargs), backward=backward, run=run)
        if result.verdict not in ("equal", "decomposed"):
            break
    return result


def _try(result: Result, op: Any, given: Any, *, backward: bool, run: bool) -> None:
    leaves, spec = tree_flatten(given)
    at = [k for k, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def fn(*tensors: torch.Tensor) -> Any:
        mine = list(leaves)
        for k, tensor in zip(at, tensors, strict=True):
            mine[k] = tensor
        first, args, kwargs = tree_unflatten(mine, spec)
        found = tree_flatten(op(first, *args, **kwargs))[0]
        return [one for one in found if isinstance(one, torch.Tensor)]

    tensors = [leaves[k].detach().requires_grad_(leaves[k].requires_grad) for k in at]
    programs: list[Program] = []

    def by_aten(gm: Any, example_inputs: Any) -> Callable[..., Any]:
        return _boxed(lambda args: gm(*args))

    def compiler(gm: Any, example_inputs: Any) -> Callable[..., Any]:
        call: Callable[..., Any] = lambda args: gm(*args)  # noqa: E731
        try:
            program = Program(gm)
            programs.append(program)
            result.left += [one.target for one in program.fallbacks]
            call = program.build() if run else call
        except CannotLower:
            result.left.append("a whole graph")
        return _boxed(call)

    compiled = aot_function(fn, compiler, compiler, decompositions=dict(decompositions()))
    try:
        expected = _values(fn, tensors, backward=backward)
    except Exception as error:
        result.verdict, result.reason = "untraced", f"eager: {error}"
        return
    try:
        _values(compiled, tensors, backward=backward)
    except Exception as error:
        traced = bool(programs or result.left) and not isinstance(error, DATA_DECIDES)
        result.verdict = "differs" if traced else "untraced"
        result.reason = f"{type(error).__name__}: {str(error)[:200]}"
        return
    if any(map(_draws, programs)):
        result.verdict = "random"
    if not run or result.verdict == "random":
        return
    dtype = tensors[0].dtype if tensors else torch.float32
    try:
        got = _values(compiled, tensors, backward=backward)
    except Exception as error:
        result.verdict, result.reason = "differs", f"{type(error).__name__}: {error}"[:300]
        return
    result.reason = _difference(got, expected, dtype)
    if result.reason and dtype == torch.bfloat16 and _as_near(got, expected, fn, tensors):
        result.reason = ""
    if not result.reason:
        return
    same_graph = aot_function(fn, by_aten, by_aten, decompositions=dict(decompositions()))
    as_aten = not _difference(got, _values(same_graph, tensors, backward=backward), dtype)
    result.verdict = "decomposed" if as_aten else "differs"


DATA_DECIDES = (DataDependentOutputException, DynamicOutputShapeException)
"""What tracing raises where data decides on sizes."""


def _boxed(call: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
    def boxed(args: list[Any]) -> Any:
        return call(args)

    boxed._boxed_call = True  # type: ignore[attr-defined] # how AOTAutograd knows
    return boxed


def _difference(got: Any, expected: Any, dtype: torch.dtype) -> str:
    rtol, atol = TOLERANCE.get(dtype, (1e-4, 1e-5))
    try:
        torch.testing.assert_close(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        return str(error)[:300]
    return ""


def _as_near(got: Any, expected: Any, fn: Any, tensors: Sequence[torch.Tensor]) -> bool:
    """Are our numbers of few bits as near to those of float64 as eager's, or nearer?"""
    exact = _values(
        fn, [t.double() if t.is_floating_point() else t for t in tensors], backward=False
    )
    pairs = zip(got, expected, exact, strict=True)
    return all(
        mine.dtype == eager.dtype
        and (mine.double() - true).abs().max() <= (eager.double() - true).abs().max() * 1.01
        for mine, eager, true in pairs
        if true.is_floating_point()
    )


def _draws(program: Program) -> bool:
    targets = [node.target for node in program.module.graph.nodes]
    return any(torch.Tag.nondeterministic_seeded in getattr(one, "tags", ()) for one in targets)


def _values(
    fn: Callable[..., Any],
    tensors: Sequence[torch.Tensor],
    *,
    backward: bool,
) -> Any:
    """What it gives, the gradients too, drawn from the same random numbers each time."""
    mine = [tensor.detach().clone().requires_grad_(tensor.requires_grad) for tensor in tensors]
    given = [one for one in mine if one.requires_grad]
    torch.manual_seed(SEED)
    found = list(fn(*mine))
    if backward:
        ends = [one for one in found if one.requires_grad]
        if ends:
            ones = [torch.ones_like(one) for one in ends]
            found += torch.autograd.grad(ends, given, ones, allow_unused=True)
    return [one.detach() if isinstance(one, torch.Tensor) else one for one in found]


def table(results: Sequence[Result]) -> Iterator[str]:
    """What became of all of them, in lines."""
    traced = [one for one in results if one.verdict not in ("untraced", "random")]
    equal = [one for one in traced if one.verdict in ("equal", "decomposed")]
    ours = [one for one in equal if not one.left]
    yield f"{len(results)} operators, {len(traced)} traced that draw no random numbers,"
    yield f"{len(equal)} equal, {len(ours)} of them without ATen: {len(ours) / len(traced):.1%}"
    for one in traced:
        if one.verdict in ("differs", "decomposed"):
            yield f"{one.verdict}: {one.name}: {one.reason}"
    counts = Counter(target for one in equal for target in set(one.left))
    yield from (f"{count:4} {target}" for target, count in counts.most_common())


def main() -> None:
    """Print the table of one kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", default="forward", choices=["forward", "backward", *DTYPES])
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--lower-only", action="store_true", help="build and run nothing")
    parser.add_argument("--part", default="0/1", help="which of how many parts of the operators")
    asked = parser.parse_args()
    part, parts = map(int, asked.part.split("/"))
    warnings.simplefilter("ignore")
    every = list(names(asked.kind).values())[part::parts]
    results = [tried(op, asked.kind, asked.samples, run=not asked.lower_only) for op in every]
    for line in table(results):
        print(line)


if __name__ == "__main__":
    main()
