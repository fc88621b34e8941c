"""The work of kernels, counted by hand for programs of which one can.

All tensors are of 128 rows and 256 columns of float32, unless said otherwise: N elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

import dynamo_lab as lab
from dynamo_lab.model.benchmarks import Work
from dynamo_lab.view.benchmarks.work import Works, uncounted, works

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.model.recording import Recording

ROWS, COLUMNS = 128, 256
N = ROWS * COLUMNS
CPU, GPU = "cpu", "cuda:sm_90"


def x(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*(shape or (ROWS, COLUMNS)), dtype=dtype)


def work_of(target: str, function: Callable[..., Any], *args: Any, **options: Any) -> list[Work]:
    recording = lab.lower(function, *args, target=target, **options)
    assert not uncounted(recording)
    return list(works(recording).values())


def loops(read: int, written: int, flops: int, dtype: str = "float32") -> Work:
    return Work(bytes_read=read, bytes_written=written, flops=flops, dtype=dtype if flops else "")


@pytest.mark.parametrize("target", [CPU, GPU])
def test_pointwise_loops(target: str) -> None:
    """Both inputs of a sum; GELU is two products by constants, erf, a sum and a product."""
    assert work_of(target, torch.add, x(), x()) == [loops(8 * N, 4 * N, N)]
    assert work_of(target, functional.gelu, x()) == [loops(4 * N, 4 * N, 5 * N)]


def test_softmax_over_rows() -> None:
    """A difference, an exponential, a sum and a quotient; comparing for the maximum is none.

    On the CPU maximum and sum of each row go through memory, and stay there for no one. On a GPU
    they are one reduction, which needs a difference, an exponential and a sum of its own.
    """
    cpu, gpu = (work_of(target, torch.softmax, x(), 1) for target in (CPU, GPU))
    assert cpu == [loops(4 * N, 4 * N + 2 * 4 * ROWS, 4 * N)]
    assert gpu == [loops(4 * N, 4 * N, 6 * N)]


def test_layer_norm() -> None:
    """The statistics take four operations an element, on the CPU two sums, a difference, a square.

    Normalising takes a difference, which the CPU's loops share, two products and a sum. What
    concerns a row is counted once a row: the quotient and root of the variance, and its epsilon,
    on the CPU the mean's quotient too, which lies where its sum was.
    """
    args = (x(), (COLUMNS,), x(COLUMNS), x(COLUMNS))
    cpu, gpu = (work_of(target, functional.layer_norm, *args) for target in (CPU, GPU))
    read = 4 * N + 2 * 4 * COLUMNS
    assert cpu == [loops(read, 4 * N + 2 * 4 * ROWS, 7 * N + 4 * ROWS)]
    assert gpu == [loops(read, 4 * N, 8 * N + 3 * ROWS)]


@pytest.mark.parametrize("target", [CPU, GPU])
def test_a_matrix_product_and_the_loop_after_it(target: str) -> None:
    def program(a: Tensor, b: Tensor) -> Tensor:
        return torch.relu(a @ b)

    product, relu = work_of(target, program, x(), x(COLUMNS, 64))
    assert product == Work(
        bytes_read=4 * N + 4 * COLUMNS * 64,
        bytes_written=4 * ROWS * 64,
        flops=2 * ROWS * COLUMNS * 64,
        dtype="float32",
        counted="formula",
    )
    assert relu == loops(4 * ROWS * 64, 4 * ROWS * 64, 0)


@pytest.mark.parametrize("target", [CPU, GPU])
def test_only_places_that_are_read_count_and_once(target: str) -> None:
    """A row that is read for each row, a part of a tensor, gathered rows, numbers that are one."""

    def part(a: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
        half = a[:, :128]
        return half + row, half * 2

    def gathered(table: Tensor, index: Tensor) -> Tensor:
        return table[index] * 2

    half = ROWS * 128
    index = torch.randint(0, 1000, (50,))
    assert work_of(target, part, x(), x(128)) == [loops(4 * half + 4 * 128, 8 * half, 2 * half)]
    assert work_of(target, gathered, x(1000, 64), index) == [
        loops(8 * 50 + 4 * 50 * 64, 4 * 50 * 64, 50 * 64)
    ]


@pytest.mark.parametrize("target", [CPU, GPU])
def test_types(target: str) -> None:
    """Halves move two bytes and are computed as float32; integers move and compute no floats."""

    def plus(a: Tensor, b: Tensor) -> Tensor:
        return a + b

    half, double = x(dtype=torch.bfloat16), x(dtype=torch.float64)
    whole = torch.ones(ROWS, COLUMNS, dtype=torch.int32)
    assert work_of(target, plus, half, half.clone()) == [loops(4 * N, 2 * N, N)]
    assert work_of(target, plus, double, double.clone()) == [loops(16 * N, 8 * N, N, "float64")]
    assert work_of(target, plus, whole, whole.clone()) == [loops(8 * N, 4 * N, 0)]
    product, *_ = work_of(target, torch.mm, half, x(COLUMNS, 64, dtype=torch.bfloat16))
    assert (product.dtype, product.bytes_written) == ("bfloat16", 2 * ROWS * 64)


@pytest.mark.parametrize("target", [CPU, GPU])
def test_what_is_written_in_place_is_read_and_written_once(target: str) -> None:
    def program(a: Tensor) -> None:
        a.mul_(2).add_(1)

    assert work_of(target, program, x()) == [loops(4 * N, 4 * N, 2 * N)]


@pytest.mark.parametrize("target", [CPU, GPU])
def test_what_a_kernel_writes_over_itself_counts_once(target: str) -> None:
    """A mean is its sum divided, where the sum was: a number a row is all that is stored."""

    def mean(a: Tensor) -> Tensor:
        return a.mean(-1)

    def kept(a: Tensor) -> tuple[Tensor, Tensor]:
        return a.sum(-1), a.sum(-1).sin()

    def variance(a: Tensor) -> Tensor:
        return a.var(-1)

    assert work_of(target, mean, x()) == [loops(4 * N, 4 * ROWS, N + ROWS)]
    assert [work.bytes_written for work in work_of(target, variance, x())] == [4 * ROWS]
    assert [work.bytes_written for work in work_of(target, kept, x())] == [2 * 4 * ROWS]


def test_open_sizes_have_the_values_of_the_recorded_call() -> None:
    def program(a: Tensor) -> Tensor:
        return (a * 2).sum(1)

    fixed, opened = (work_of(CPU, program, x(), dynamic=dynamic) for dynamic in (False, True))
    assert fixed == opened == [loops(4 * N, 4 * ROWS, 2 * N)]


def test_a_size_that_only_a_run_tells_cannot_be_counted() -> None:
    def program(a: Tensor) -> Tensor:
        return a.nonzero() * 2

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        recording = lab.lower(program, x(), target=CPU)
    assert "its sizes are known only while it runs" in uncounted(recording).values()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_complex_numbers_take_their_bytes_and_their_views_none(dtype: torch.dtype) -> None:
    def program(a: Tensor) -> Tensor:
        return torch.view_as_real(a * a)

    recording = lab.lower(program, x(dtype=dtype), target=CPU)
    moved = [(work.bytes_read, work.bytes_written) for work in works(recording).values()]
    size = N * dtype.itemsize
    assert moved == [(size, size)]


def test_views_of_complex_numbers_move_nothing() -> None:
    def program(a: Tensor) -> Tensor:
        return (a * a).t()[1:].unsqueeze(0).expand(3, -1, -1)

    recording = lab.lower(program, x(dtype=torch.complex64), target=CPU)
    moved = [(work.bytes_read, work.bytes_written) for work in works(recording).values()]
    assert moved == [(N * 8, N * 8)]  # the product: its views are no kernels


def test_what_is_overwritten_is_not_read() -> None:
    def drawn(a: Tensor) -> Tensor:
        return torch.empty_like(a).bernoulli_(0.5) * a

    def turned(a: Tensor) -> Tensor:
        return a.mul_(2j)

    of = [lab.lower(drawn, x(), target=CPU), lab.lower(turned, x(dtype=torch.complex64))]
    found = {
        recording.kernels[kernel].name: (work.bytes_read, work.bytes_written)
        for recording in of
        for kernel, work in works(recording).items()
    }
    assert found["torch.ops.aten.bernoulli_.float"] == (0, 4 * N)
    assert found["torch.ops.aten.copy_.default"] == (8 * N, 8 * N)


def test_calls_of_one_library_kernel_are_counted_one_by_one() -> None:
    def program(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        return a @ b @ c

    recording = lab.lower(program, x(), x(COLUMNS, 64), x(64, 32), target=CPU)
    (kernel,) = recording.kernels
    found = Works(recording)
    each = [call.flops for call in found.calls(kernel.id) if isinstance(call, Work)]
    assert each == [2 * N * 64, 2 * ROWS * 64 * 32]
    assert [found.of(kernel.id, [name]) for name in kernel.buffers] == [*found.calls(kernel.id)]
    assert works(recording)[kernel.id].flops == sum(each) // 2


class _Mixed(nn.Module):
    """One of each operator that has a formula."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(3, 8, 3, padding=1, stride=2)
        self.back = nn.ConvTranspose2d(8, 3, 3)
        self.linear = nn.Linear(32, 48)

    def forward(self, image: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
        attended = functional.scaled_dot_product_attention(queries, keys, keys)
        batched = torch.bmm(attended[0], keys[0].transpose(1, 2))
        made = self.back(self.convolution(image))
        return made.sum() + self.linear(attended).square().sum() + batched.sum()


def formula_flops(recording: Recording) -> int:
    """The operations of all calls of libraries."""
    ids = [k.id for k in recording.kernels if k.language == "extern"]
    found = [call for kernel in ids for call in Works(recording).calls(kernel)]
    return sum(call.flops for call in found if isinstance(call, Work))


@pytest.mark.slow
def test_formulas_are_those_of_pytorch() -> None:
    model = _Mixed()
    args = (
        torch.randn(2, 3, 16, 16),
        torch.randn(2, 4, 16, 32, requires_grad=True),
        torch.randn(2, 4, 24, 32, requires_grad=True),
    )
    ours = formula_flops(lab.lower(model, *args, target=GPU, grad=True))
    with FlopCounterMode(display=False) as counter:
        model(*args).backward()
    counted = counter.get_flop_counts()["Global"]
    # up to 2.14 it has no formula for the CPU's attention: that is two products, five for gradients
    known = any("attention" in str(operator) for operator in counted)
    attention = 0 if known else (2 + 5) * 2 * (2 * 4 * 16 * 24 * 32)
    assert ours == sum(counted.values()) + attention


def test_rows_that_a_library_looks_up_count_and_not_the_table() -> None:
    table, rows = torch.randn(10_000, 64), torch.arange(0, 200)

    def bag(table: torch.Tensor, rows: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.embedding_bag(rows, table, starts)

    recording = lab.lower(bag, table, rows, torch.arange(0, 200, 10))
    [found] = [one for one in works(recording).values() if one.counted == "arguments"]
    assert found.bytes_read == 200 * 64 * 4 + 200 * 8 + 20 * 8


def test_places_that_a_library_writes_to_count_and_not_all_around_them() -> None:
    def largest(x: torch.Tensor, at: torch.Tensor, given: torch.Tensor) -> torch.Tensor:
        return x.scatter_reduce(0, at, given, "amax")

    recording = lab.lower(largest, torch.randn(10_000), torch.arange(0, 200), torch.randn(200))
    [found] = [one for one in works(recording).values() if one.counted == "arguments"]
    assert found.bytes_written == 200 * 4
    assert found.bytes_read == 200 * (4 + 8 + 4)  # what is there, where, and what is given
