"""Programs under `torch.compile(fn, backend="lab")`, compared with eager."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn import functional as F

from dynamo_lab.compiler.backend import compiled
from dynamo_lab.compiler.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.live


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch.compiler.reset()
    torch.manual_seed(0)


def normed(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.gelu(F.layer_norm(x, (x.shape[-1],), w))


def attended(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    scores = x @ x.transpose(-1, -2) / x.shape[-1] ** 0.5
    return torch.softmax(scores, -1) @ x * w


def joined(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.pad(torch.cat([x, x.exp()], -1)[..., 3:], (2, 1), value=1.0)


def summed(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return (x * w).sum(0) + x.amax(0) - x.mean()


def normalized_batch(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.batch_norm(x[None].transpose(1, 2), None, None, training=True) + x.var()


def transposed(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return x.t().contiguous() + 1


def shifted(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return x.roll(1, 0).flip(-1) + x.cumsum(-1)


def halved(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Its backward is given tensors whose size is a quotient."""
    half = x.shape[0] // 2
    return x[:half].exp() * x[half : 2 * half].sin() * w


PROGRAMS = (normed, attended, joined, summed, normalized_batch, transposed, shifted, halved)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("fn", PROGRAMS)
def test_results_and_gradients_are_eagers(fn: Callable[..., Any], dynamic: bool) -> None:
    lab = torch.compile(fn, backend="lab", dynamic=dynamic)
    for rows in (33, 64, 7):
        assert_as_eager(fn, lab, (torch.randn(rows, 48), torch.randn(48)), (1e-4, 1e-5), 1e-4)


def assert_as_eager(
    fn: Callable[..., Any],
    lab: Callable[..., Any],
    args: tuple[torch.Tensor, ...],
    tolerance: tuple[float, float],
    gradients: float,
) -> None:
    """Results within `tolerance` (relative, absolute), gradients within another absolute one."""
    given = [t.clone().requires_grad_() for t in args]
    mine = [t.clone().requires_grad_() for t in args]
    expected, got = fn(*given), lab(*mine)
    torch.testing.assert_close(got, expected, rtol=tolerance[0], atol=tolerance[1])
    weights = torch.randn_like(expected)
    (expected * weights).sum().backward()
    (got * weights).sum().backward()
    for a, b in zip(given, mine, strict=True):
        if a.grad is not None:
            torch.testing.assert_close(b.grad, a.grad, rtol=tolerance[0], atol=gradients)


def test_a_size_that_is_an_extreme_of_others_is_lowered() -> None:
    fn = lambda x: x.new_zeros(max(3, x.shape[0] - 4), min(x.shape[1], 6)) + x.sum()  # noqa: E731
    programs: list[Program] = []
    with compiled(programs.append):
        lab = torch.compile(fn, backend="lab", dynamic=True)
        for rows in (9, 12, 5):
            x = torch.randn(rows, rows)
            torch.testing.assert_close(lab(x), fn(x), rtol=1e-4, atol=1e-4)
    assert [one.fallbacks for one in programs] == [[]] * len(programs)
    assert programs


def test_no_loop_asks_where_a_border_is() -> None:
    programs: list[Program] = []
    with compiled(programs.append):
        x, w = torch.randn(33, 48), torch.randn(48)
        torch.testing.assert_close(
            torch.compile(joined, backend="lab", dynamic=False)(x, w), joined(x, w)
        )
    (text,) = programs[0].sources
    assert "?" not in text
    assert text.count("#pragma omp simd") == 4


def test_one_kernel_serves_all_sizes() -> None:
    programs: list[Program] = []
    with compiled(programs.append):
        lab = torch.compile(normed, backend="lab", dynamic=True)
        for rows in (33, 64, 7):
            lab(torch.randn(rows, 48), torch.randn(48))
    assert len(programs) == 1
    assert [k.sizes != [] for k in programs[0].kernels] == [True]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_precisions(dtype: torch.dtype) -> None:
    x, w = torch.randn(20, 64, dtype=dtype), torch.randn(64, dtype=dtype)
    got = torch.compile(normed, backend="lab")(x, w)
    loose = 1e-9 if dtype == torch.float64 else 2e-2
    assert got.dtype == dtype
    torch.testing.assert_close(got, normed(x, w), rtol=loose, atol=loose)


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: F.dropout(x, 0.5) + torch.rand_like(x),
        lambda x: torch.randn_like(x) * x.clone().exponential_(),
        lambda x: torch.bernoulli(x.abs().clamp(max=1)) + F.rrelu(x, training=True),
    ],
)
def test_random_numbers_are_those_that_eager_draws(fn: Callable[..., Any]) -> None:
    x, lab = torch.randn(20, 5), torch.compile(fn, backend="lab")
    for seed in (1, 2):
        torch.manual_seed(seed)
        expected = fn(x)
        torch.manual_seed(seed)
        assert torch.equal(lab(x), expected)


def test_dropout_is_drawn_by_aten_and_multiplied_in_a_loop_that_fuses() -> None:
    x, programs = torch.randn(20, 5), list[Program]()
    with compiled(programs.append):
        torch.compile(lambda x: F.dropout(x.exp(), 0.5) + 1, backend="lab")(x)
    assert [call.target for call in programs[0].fallbacks] == ["aten.bernoulli.p"]
    assert "exp" in programs[0].sources[-1]


def test_inputs_are_written_as_eager_writes_them() -> None:
    def step(p: torch.Tensor, g: torch.Tensor, m: torch.Tensor) -> torch.Tensor:
        m.mul_(0.9).add_(g, alpha=0.1)
        p.addcdiv_(m, g.abs().sqrt().add_(1e-8), value=-1e-3)
        return p

    given = [torch.randn(40, 9) for _ in range(3)]
    mine = [t.clone() for t in given]
    expected, got = step(*given), torch.compile(step, backend="lab")(*mine)
    assert got is mine[0]
    assert expected is given[0]
    for a, b in zip(given, mine, strict=True):
        torch.testing.assert_close(b, a)


def swapped(x: torch.Tensor, y: torch.Tensor) -> None:
    before = x.clone()
    x.copy_(y)
    y.copy_(before)


def reversed_in_place(x: torch.Tensor, y: torch.Tensor) -> None:
    x.copy_(x.flip(0) + 1)
    y.copy_(x.t())


def summed_before_written(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    total = (x[:, 0, None] * y).sum(1)
    x.add_(1)
    return total


def written_by_a_sum(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x[:, 0].mul_(2).add_(y.sum(1))
    return y * x[:, 0, None]


@pytest.mark.parametrize("fn", [summed_before_written, written_by_a_sum])
def test_inner_loops_read_what_was_there(fn: Callable[..., Any]) -> None:
    given = [torch.randn(16, 1), torch.randn(16, 30)]
    mine = [t.clone() for t in given]
    expected, got = fn(*given), torch.compile(fn, backend="lab")(*mine)
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(mine[0], given[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16], ids=str
)
@pytest.mark.parametrize("length", [0, 1, 67])
def test_the_sign_of_every_float(dtype: torch.dtype, length: int) -> None:
    """Loops long enough to be run on vectors among them."""
    numbers = torch.tensor([-0.0, 0.0, -math.inf, math.inf, -1.5, 2, math.nan, -math.nan])
    x = numbers.repeat(9)[:length].to(dtype)
    programs: list[Program] = []
    with compiled(programs.append):
        got = torch.compile(torch.signbit, backend="lab", dynamic=False)(x)
    assert not programs[0].fallbacks
    assert torch.equal(got, torch.signbit(x))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_the_larger_of_two_floats_is_nan_where_one_is(dtype: torch.dtype) -> None:
    """Of a number and a constant, the C asks once: the constant is known to be a number, or not."""
    x = torch.tensor([math.nan, -math.inf, math.inf, -1.5, 0.0, 2.0, 7.0]).repeat(9).to(dtype)
    y = x.roll(1)
    fn = lambda x, y: (  # noqa: E731
        x.relu(), x.clamp(-1, 3), x.clamp(min=2), x.clamp(max=math.inf), x.clamp(min=-math.inf),
        x.clamp(max=math.nan), torch.maximum(x, y), torch.minimum(y, x), x.amax(), x[1:5].amin(),
    )  # fmt: skip
    got = torch.compile(fn, backend="lab")(x, y)
    torch.testing.assert_close(got, fn(x, y), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
def test_integers_at_the_ends_of_their_range(dtype: torch.dtype) -> None:
    ends = torch.iinfo(dtype)
    x = torch.tensor([ends.min, ends.min + 1, -1, 0, 1, ends.max - 1, ends.max], dtype=dtype)
    large = ends.max - 5
    fn = lambda x: (x // 7, x // -7, x % 7, x % -7, x % large, x // large, x.abs(), x * 3)  # noqa: E731
    for a, b in zip(fn(x), torch.compile(fn, backend="lab")(x), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("fn", [swapped, reversed_in_place])
def test_what_is_read_is_read_before_it_is_written(fn: Callable[..., Any]) -> None:
    given = [torch.randn(50, 50), torch.randn(50, 50)]
    mine = [t.clone() for t in given]
    fn(*given)
    torch.compile(fn, backend="lab")(*mine)
    assert all(torch.equal(a, b) for a, b in zip(given, mine, strict=True))


@pytest.mark.parametrize("index", [99, -51])
def test_an_index_beyond_the_tensor_is_an_error(index: int) -> None:
    lab = torch.compile(lambda x, i: x[i] * 2, backend="lab")
    x = torch.randn(50, 4)
    good = torch.tensor([0, -1, 49, -50])
    torch.testing.assert_close(lab(x, good), x[good] * 2)
    with pytest.raises(IndexError, match="out of range"):
        lab(x, torch.tensor([0, 1, 2, index]))
    torch.testing.assert_close(lab(x, good), x[good] * 2)


def test_integers_are_never_divided_by_zero_in_c() -> None:
    lab = torch.compile(lambda x, y: x // y + x % 3, backend="lab")
    x = torch.tensor([7, -7, 5])
    assert lab(x, torch.tensor([2, 2, -3])).tolist() == [4, -2, 0]
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        lab(x, torch.tensor([2, 0, 1]))


def test_sizes_that_only_the_data_tells() -> None:
    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    try:
        fn = lambda x: (x[x > 0] * 2).sum() + x.nonzero().shape[0]  # noqa: E731
        lab = torch.compile(fn, backend="lab", fullgraph=True)
        for _ in range(3):
            x = torch.randn(40)
            torch.testing.assert_close(lab(x), fn(x))
    finally:
        torch._dynamo.config.capture_dynamic_output_shape_ops = False


def test_what_has_no_rule_is_listed_with_its_reason() -> None:
    programs: list[Program] = []
    with compiled(programs.append):
        torch.compile(lambda x: torch.sort(x @ x).values + 1, backend="lab")(torch.randn(20, 20))
    assert {f.target for f in programs[0].fallbacks} == {"aten.mm.default", "aten.sort.default"}
    assert {f.reason for f in programs[0].fallbacks} == {"no rule", "a product of matrices"}


def test_complex_numbers_are_left_to_aten() -> None:
    fn = lambda x: torch.view_as_real(torch.view_as_complex(x) * 2j) + 1  # noqa: E731
    x = torch.randn(6, 2)
    torch.testing.assert_close(torch.compile(fn, backend="lab")(x), fn(x))


@pytest.mark.slow
def test_the_backend_needs_no_import() -> None:
    code = "import torch; print(torch.compile(lambda x: x * 2, backend='lab')(torch.ones(3)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "tensor([2., 2., 2.])" in done.stdout, done.stderr


def test_a_result_that_nobody_reads_is_no_kernel() -> None:
    """Of a single element, it is stored nowhere: Triton's launch found no tensor among nothing."""

    def run(x: torch.Tensor) -> torch.Tensor:
        x.double().sum()
        return x + 1

    program = Program(make_fx(run)(torch.randn(1)))
    assert [bool(kernel.outs) for kernel in program.kernels] == [True]
