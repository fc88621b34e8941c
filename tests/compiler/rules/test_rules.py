"""Rules one by one, against eager: sizes 0, 1, odd and of the run time; ATen has nothing to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo import config as dynamo_config
from torch.fx.experimental.proxy_tensor import make_fx

from dynamo_lab.compiler.backend import compiled
from dynamo_lab.compiler.program import Program
from dynamo_lab.compiler.work import Loop

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.live

aten = torch.ops.aten
norm = torch.linalg.vector_norm

RULES: dict[str, Callable[[torch.Tensor], Any]] = {
    "product of nothing": lambda x: [
        x[:, :0] @ x.T[:0], x @ x.T[:, :0], x[:0, None] @ x[:0, :, None],
    ],
    "diagonal": lambda x: x.diagonal() * 2,
    "diagonal above": lambda x: x.diagonal(1, 1, 0).exp(),
    "diagonal below": lambda x: x[None].diagonal(-1, 0, 2) + 1,
    "unfold": lambda x: x.unfold(1, 2, 3) * 2,
    "unfold over itself": lambda x: x.unfold(1, 3, 1).sum(-1),
    "repeat": lambda x: x.exp().repeat(2, 1, 3) + 1,
    "round up": lambda x: torch.round(x, decimals=2),
    "round down": lambda x: torch.round(x * 100, decimals=-1),
    "filled after": lambda x: torch.empty_like(x).fill_(3) + x,
    "copies of views": lambda x: [
        torch.permute_copy(x, (1, 0)), torch.narrow_copy(x, 1, 1, 2), *aten.unbind_copy.int(x, 1),
        torch.view_copy(x, (-1,)), torch.diagonal_copy(x), torch.expand_copy(x[None], (3, -1, -1)),
    ],
    "write with steps": lambda x: torch.slice_scatter(x, x[:, ::2] * 2, 1, 0, None, 2),
    "quotient rounded down": lambda x: [
        torch.div(x, x.flip(0), rounding_mode="floor"), torch.floor_divide(x * 10, 0.1),
        torch.floor_divide(x, 0.0), torch.floor_divide(x.round(), -3.0).signbit(),
    ],
    "lists of tensors": lambda x: [
        *aten._foreach_addcmul.Scalar([x, x + 1], [x, x], [x, x], 2), *aten._foreach_sqrt([x, x]),
    ],
    "summed where an index says": lambda x: x.index_add(1, torch.tensor([2, 0, 2]), x[:, :3]),
    "written where a mask says": lambda x: x.index_put([x > 0], torch.tensor(7.0)),
    "larger but NaN": lambda x: torch.fmax(x.log(), x.flip(0).log()),
    "smaller but NaN": lambda x: torch.fmin(x.log(), x.flip(0).log()),
    "angle": lambda x: [torch.angle(x), torch.angle(x.log()), torch.angle(x > 0)],
    "repeat of nothing": lambda x: x[:, :0].repeat(2, 3) + 1,
    "means of windows": lambda x: aten._adaptive_avg_pool2d(x[None], (1, 2)),
    "sums and products so far": lambda x: [
        x.cumsum(1), x[:4].T.cumprod(-1), x.log().cumsum(1), (x * 9).int().cumsum(1),
    ],
    "product with a vector": lambda x: torch.addmv(x[:, 0], x, x.new_ones(7)),
    "distance": lambda x: torch.dist(x, x + 1),
    "times powers of 2": lambda x: torch.ldexp(x, x.round()),
    "norm": lambda x: norm(x, dim=1),
    "norm of all": lambda x: norm(x),
    "norm of order 3": lambda x: norm(x, 3, dim=1, keepdim=True),
    "norm of order 0": lambda x: norm(x.relu(), 0, dim=1),
    "norm of order 1": lambda x: norm(x, 1, dim=0),
    "norm of order -1.5": lambda x: norm(x, -1.5, dim=1),
    "largest": lambda x: norm(x, float("inf"), dim=1),
    "least": lambda x: norm(x, -float("inf"), dim=1),
}  # fmt: skip


def made(rule: str, dynamic: bool) -> tuple[Callable[..., Any], list[Program]]:
    programs: list[Program] = []
    torch.compiler.reset()
    fn = torch.compile(RULES[rule], backend="lab", dynamic=dynamic)

    def call(x: torch.Tensor) -> Any:
        with compiled(programs.append):
            return fn(x)

    return call, programs


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_computes_what_eager_does(rule: str, dynamic: bool) -> None:
    call, programs = made(rule, dynamic)
    torch.manual_seed(0)
    for rows in (5, 8, 1, 0):
        x = torch.randn(rows, 7)
        expected = _or_error(RULES[rule], x)
        if expected is None:
            continue
        torch.testing.assert_close(call(x), expected, rtol=1e-4, atol=1e-5, equal_nan=True)
    assert dynamic or [one.target for one in programs[0].fallbacks] == []


def _or_error(fn: Callable[..., Any], x: torch.Tensor) -> Any:
    """What eager gives; None where it refuses, as a diagonal beyond the sizes."""
    try:
        return fn(x)
    except (RuntimeError, IndexError):
        return None


def test_a_small_product_is_loops_and_a_large_one_is_the_librarys() -> None:
    programs: list[Program] = []
    torch.compiler.reset()
    product = torch.compile(lambda a, b: (a @ b).relu(), backend="lab", dynamic=False)
    for n in (6, 64):
        a, b = torch.randn(n, 5), torch.randn(5, n)
        with compiled(programs.append):
            torch.testing.assert_close(product(a, b), (a @ b).relu(), rtol=1e-4, atol=1e-5)
    small, large = programs
    assert [one.target for one in small.fallbacks] == []
    assert [one.target for one in large.fallbacks] == ["aten.mm.default"]


linear = torch.nn.functional.linear

MM, ADDMM = "aten.mm.default", "aten.addmm.default"
BIASES: dict[str, tuple[Callable[..., Any], list[str]]] = {
    "read by a loop": (lambda x, w, b: linear(x, w, b).relu().sum(), [MM]),
    "read by none": (lambda x, w, b: linear(x, w, b).argsort(), [ADDMM, "aten.sort.default"]),
    "times numbers": (lambda x, w, b: torch.addmm(b, x, w.T, beta=0.5, alpha=2).relu(), [ADDMM]),
    "a column": (lambda x, w, b: torch.addmm(x[:, :1], x, w.T).relu(), [MM]),
    "one number": (lambda x, w, b: torch.addmm(b[0], x, w.T).relu(), [MM]),
    "written in place": (lambda x, w, b: [linear(x, w, b).relu(), b.add_(1)], [MM]),
    "behind views": (
        lambda x, w, b: [
            part.tanh() for part in linear(x, w, b).view(2, -1, 50).mT.split([20, 30], 1)
        ],
        [MM],
    ),
    "read by what has no rule": (
        lambda x, w, b: linear(x, w, b).T.lgamma(), [ADDMM, "aten.lgamma.default"],
    ),
    "read by both": (
        lambda x, w, b: [(y := linear(x, w, b)).relu(), y.digamma()],
        [ADDMM, "aten.digamma.default"],
    ),
    "read by what gives complex numbers": (
        lambda x, w, b: linear(x, w, b) * 1j, [ADDMM, "aten.mul.Tensor"],
    ),
}  # fmt: skip
"""Programs of a product and a bias, and what is left to ATen."""


@pytest.mark.parametrize(
    ("dtype", "dynamic"),
    [(torch.float32, True), (torch.float64, False), (torch.bfloat16, False)],
)
@pytest.mark.parametrize("name", BIASES)
def test_a_bias_is_added_by_the_loops_that_read_the_product(
    name: str, dtype: torch.dtype, dynamic: bool
) -> None:
    """In `addmm` it is first copied to each row; where no loop follows, one would cost as much."""
    layers, left = BIASES[name]
    if dtype is torch.bfloat16 and "complex" in name and torch.__version__ >= "2.15":
        pytest.skip("PyTorch 2.15 makes BComplex32 of bfloat16 and 1j, and has no product of it")
    programs: list[Program] = []
    torch.compiler.reset()
    torch.manual_seed(0)
    call = torch.compile(layers, backend="lab", dynamic=dynamic)
    for rows in (40, 6) if dynamic else (40,):
        given = [torch.randn(size).to(dtype) for size in ((rows, 24), (50, 24), (50,))]
        again = [one.clone() for one in given]
        with compiled(programs.append):
            got = call(*given)
        near = None if dtype is torch.bfloat16 else 1e-4
        torch.testing.assert_close(got, layers(*again), rtol=near, atol=near, equal_nan=True)
        torch.testing.assert_close(given, again)
    for program in programs:
        targets = [one.target for one in program.fallbacks]
        # of halves `addmm` rounds once
        assert targets == ([ADDMM, *left[1:]] if dtype is torch.bfloat16 else left)
        assert len(program.graph.work) == 2 or len(left) == 1 or name == "read by both"


def test_a_bias_that_is_dear_is_computed_once() -> None:
    def layer(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return linear(x, w, b.exp().erf()).relu()

    x, w, b = torch.randn(40, 24), torch.randn(50, 24), torch.randn(50)
    program = Program(make_fx(layer, tracing_mode="fake")(x, w, b))
    torch.testing.assert_close(program([x, w, b])[0], layer(x, w, b), rtol=1e-4, atol=1e-4)
    loops = [work for work in program.graph.work if isinstance(work, Loop)]
    dear = [work for work in loops if {"exp", "erf"} & {value.op for value in work.body.values}]
    assert [work.outer for work in dear] == [(50,)]


def test_parts_as_long_as_the_data_says_are_views() -> None:
    def parts(x: torch.Tensor, sizes: torch.Tensor) -> list[torch.Tensor]:
        return [part * 2 for part in torch.split(x, sizes.tolist())]

    torch.compiler.reset()
    programs: list[Program] = []
    x = torch.randn(10, 3)
    with dynamo_config.patch(capture_scalar_outputs=True), compiled(programs.append):
        call = torch.compile(parts, backend="lab", fullgraph=True)
        for sizes in ([4, 6], [1, 9], [0, 10]):
            given = torch.tensor(sizes)
            torch.testing.assert_close(call(x, given), parts(x, given))
    (program,) = programs
    left = {one.target for one in program.fallbacks}
    assert not left & {"aten.slice.Tensor", "aten.split_with_sizes.default"}


def test_what_a_rule_refuses_has_made_no_buffer() -> None:
    program = Program(make_fx(lambda x: x.max(1))(torch.randn(0, 3)))
    assert [one.reason for one in program.fallbacks] == ["the extreme of no elements"]
    filled = {name for work in program.graph.work for name in work.writes}
    assert program.graph.buffers.keys() == program.graph.inputs.keys() | filled


def test_what_an_unfilled_tensor_holds_is_written_over() -> None:
    def filled(x: torch.Tensor) -> torch.Tensor:
        y = x.new_empty(4, 3)
        y[:, 0] = x
        y[:, 1:] = 2
        return y

    x = torch.randn(4)
    torch.testing.assert_close(torch.compile(filled, backend="lab")(x), filled(x))


def test_integers_divided_by_what_may_be_0_are_left_to_aten() -> None:
    """In C they would end the process; two files had a rule for one of them, and the wrong won."""

    def divided(a: torch.Tensor, b: torch.Tensor) -> list[torch.Tensor]:
        quotients = [torch.div(a, b, rounding_mode="floor"), torch.div(a, b, rounding_mode="trunc")]
        return [*quotients, torch.fmod(a, b), torch.remainder(a, b)]

    a = torch.tensor([5, 6, 7])
    trace = make_fx(divided, tracing_mode="fake")(a, torch.tensor([2, 3, 4]))
    program = Program(trace)
    assert {one.reason for one in program.fallbacks} == {"integers divided by what may be 0 or -1"}
    assert program.kernels == []


@pytest.mark.parametrize("mode", ["trunc", "floor"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_a_quotient_is_rounded_as_eager_rounds_it(dtype: torch.dtype, mode: str) -> None:
    torch.manual_seed(0)
    torch.compiler.reset()
    a, b = (torch.randn(9999) * 50).to(dtype), torch.randn(9999).to(dtype)
    divided = torch.compile(lambda a, b: torch.div(a, b, rounding_mode=mode), backend="lab")
    assert torch.equal(divided(a, b), torch.div(a, b, rounding_mode=mode))


def images(dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Two of three channels, with a NaN, and a channel of the least number there is."""
    torch.manual_seed(0)
    x = torch.randn(2, 3, 9, 11) * 10
    if dtype.is_floating_point:
        x[0, 0, 2, 3], x[0, 1] = torch.nan, -torch.inf
    return x.to(dtype)


largest, mean = torch.nn.functional.max_pool2d, torch.nn.functional.avg_pool2d

POOLINGS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "largest": (largest, {"kernel_size": 3, "stride": 2, "padding": 1}),
    "largest with gaps": (largest, {"kernel_size": (2, 3), "padding": 1, "dilation": (2, 1)}),
    "largest beyond the end": (largest, {"kernel_size": 2, "ceil_mode": True}),
    "mean": (mean, {"kernel_size": 3, "stride": 2, "padding": 1}),
    "mean without padding": (
        mean,
        {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False},
    ),
    "mean beyond the end": (mean, {"kernel_size": (3, 2), "stride": 2, "ceil_mode": True}),
    "sum": (mean, {"kernel_size": 2, "divisor_override": 1}),
}


@pytest.mark.parametrize("name", POOLINGS)
def test_windows_are_pooled_as_eager_pools_them(name: str) -> None:
    pool, options = POOLINGS[name]
    is_max = pool is largest
    dtypes = [torch.float32, torch.bfloat16, *([torch.int64] if is_max else [])]
    given = [images(dtype) for dtype in dtypes]
    given.append(given[0].contiguous(memory_format=torch.channels_last))
    gradient = torch.arange(12.0)

    def all_of(*xs: torch.Tensor) -> list[torch.Tensor]:
        found = [pool(x, **options) for x in xs]
        if is_max:
            found += [pool(x, **options, return_indices=True)[1] for x in xs]
        return found

    def slope(x: torch.Tensor) -> torch.Tensor:
        y = pool(x.requires_grad_(), **options)
        return torch.autograd.grad((y * gradient[: y.shape[-1]]).sum(), x)[0]

    torch.compiler.reset()
    programs: list[Program] = []
    with compiled(programs.append):
        got = torch.compile(all_of, backend="lab", dynamic=False)(*given)
        slopes = torch.compile(slope, backend="lab", dynamic=False)(images())
    for one, expected in zip(got, all_of(*given), strict=True):
        assert one.stride() == expected.stride()
        exactly = 0 if is_max else None
        torch.testing.assert_close(one, expected, rtol=exactly, atol=exactly, equal_nan=True)
    torch.testing.assert_close(slopes, slope(images()))
    left = {fallback.reason for program in programs for fallback in program.fallbacks}
    assert left <= {"a gradient of windows with gaps"}


def test_to_compile_for_the_cpu_no_default_device_is_needed() -> None:
    graph = make_fx(lambda x: [x > 0.5, x.isnan(), x == x.double()])(torch.randn(5))
    with torch.device("xpu"):  # which would start it, or which is not there
        program = Program(graph)
    assert not program.fallbacks


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32, torch.bool], ids=str)
def test_memory_that_nothing_writes_is_what_eager_fills_it_with(dtype: torch.dtype) -> None:
    def fn(x: torch.Tensor) -> torch.Tensor:
        return torch.empty(3, 5, dtype=dtype).clone()

    torch.use_deterministic_algorithms(True)
    try:
        got = torch.compile(fn, backend="lab")(torch.ones(2))
        torch.testing.assert_close(got, fn(torch.ones(2)), rtol=0, atol=0, equal_nan=True)
    finally:
        torch.use_deterministic_algorithms(False)
