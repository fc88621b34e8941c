"""CUDA graphs foretold for a device, held against what that device records."""

from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo import config
from torch._inductor import config as inductor
from torch._inductor.cudagraph_trees import CUDAGraphNode

import dynamo_lab as lab
from dynamo_lab.measure.devices import device_named
from dynamo_lab.measure.profiler import launches_of
from dynamo_lab.model.benchmarks import Launches
from dynamo_lab.view import build

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

Made = tuple[Callable[..., Any], tuple[Any, ...]]


def product() -> Made:
    return lambda x: (x @ x).relu().sum(), (torch.randn(8, 8),)


def written() -> Made:
    def fn(x: Tensor, y: Tensor) -> Tensor:
        z = x.sin()
        x.add_(y)
        return z

    return fn, (torch.randn(8), torch.randn(8))


def kept_in_place() -> Made:
    fn, (x, y) = written()
    torch._dynamo.mark_static_address(x)
    return fn, (x, y)


def written_in_parts() -> Made:
    def fn(x: Tensor, y: Tensor) -> Tensor:
        chosen = x[x > 0].exp().sum()
        y.add_(1)
        return chosen + x.cos()

    return fn, (torch.randn(64), torch.randn(64))


def given_other_memory() -> Made:
    def fn(x: Tensor, y: Tensor) -> Tensor:
        z = y.sin()
        x.data = z
        return z.cos()

    return fn, (torch.randn(8), torch.randn(8))


def branched() -> Made:
    return (
        lambda x: torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a - 1, (x.sin(),)),
        (torch.randn(8),),
    )


def counting() -> Made:
    return nn.BatchNorm1d(4).train(), (torch.randn(8, 4),)


def trained() -> Made:
    return nn.Sequential(nn.Linear(8, 8), nn.ReLU()), (torch.randn(4, 8),)


def dropped() -> Made:
    return lambda x: nn.functional.dropout(x.sin(), 0.5).cos(), (torch.randn(64),)


def through_the_host() -> Made:
    return lambda x: (x.sin() * 2).cpu() + 1, (torch.randn(8),)


def through_the_host_and_back() -> Made:
    return lambda x: x.cos() + (x.sin() * 2).cpu().cuda(), (torch.randn(8),)


_COPIES = "on the host, `.cpu()` copies nothing, so that no copy is captured"


def read_on_the_host() -> Made:
    return lambda x: x * x.sum().item(), (torch.randn(8),)


def chosen() -> Made:
    return lambda x: x[x > 0].exp(), (torch.randn(8),)


def sorted_rows() -> Made:
    return lambda x: torch.sort(x.sin(), -1)[0].cos(), (torch.randn(8, 8),)


def put() -> Made:
    def fn(x: Tensor, index: Tensor) -> Tensor:
        return x.sin().index_put((index,), x.new_ones(4), accumulate=True)

    return fn, (torch.randn(8), torch.tensor([0, 1, 1, 3]))


PROGRAMS = (
    product,
    written,
    kept_in_place,
    written_in_parts,
    given_other_memory,
    branched,
    counting,
    trained,
    dropped,
    through_the_host,
    pytest.param(through_the_host_and_back, marks=pytest.mark.xfail(reason=_COPIES, strict=True)),
    read_on_the_host,
    chosen,
    sorted_rows,
    put,
)


def on_device(value: Any) -> Any:
    return value.cuda() if isinstance(value, nn.Module | Tensor) else value


@pytest.fixture
def captured() -> Iterator[None]:
    """Numbers and sizes that tensors decide stay in the graph, and nothing comes from a cache.

    PyTorch 2.11 takes what it cached of a graph also where an input is now at a static address.
    """
    in_graph = config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True)
    with in_graph, inductor.patch(force_disable_caches=True):
        torch._dynamo.reset()
        yield


@pytest.mark.parametrize("make", PROGRAMS)
@pytest.mark.usefixtures("captured")
def test_what_is_foretold_is_what_the_device_records(make: Callable[[], Made]) -> None:
    torch.manual_seed(0)
    fn, args = make()
    backward = make is trained
    lowered = lab.lower(fn, *args, mode="reduce-overhead", target="cuda", grad=backward)
    assert lowered.failure is None
    shown = [one.cuda_graphs for one in build(lowered).lowering.lowerings]
    foretold = sorted(
        0 if one.use == "not used" else sum(part.is_recorded for part in one.parts) or 1
        for one in shown
        if one is not None
    )

    fn, args = make()
    compiled = torch.compile(on_device(fn), mode="reduce-overhead")
    moved = [on_device(a) for a in args]
    if make is kept_in_place:
        torch._dynamo.mark_static_address(moved[0])
    record = CUDAGraphNode.__init__
    with mock.patch.object(CUDAGraphNode, "__init__", autospec=True, side_effect=record) as made:
        for _ in range(4):
            torch.compiler.cudagraph_mark_step_begin()
            if isinstance(fn, nn.Module):  # gradients lie in the memory of the graphs
                fn.zero_grad()
            out = compiled(*moved)
            if backward:
                out.sum().backward()
        torch.cuda.synchronize()
    assert len({id(call.args[1]) for call in made.call_args_list}) == sum(foretold)


@pytest.mark.usefixtures("captured")
def test_each_new_size_is_recorded_as_foretold() -> None:
    """One recording for each length, and none for a length that was there before."""

    def product(x: Tensor) -> Tensor:
        return (x @ x.t()).softmax(-1)

    lengths = (8, 12, 24)
    lowered = lab.lower(
        product, torch.randn(8, 16), mode="reduce-overhead", target="cuda", dynamic=True
    )
    [found] = [one for one in build(lowered).findings.found if one.rule == "cuda-graph-per-size"]
    assert "each new value of `x.shape[0]`" in found.sentence  # `x.shape[1]` is open, too

    compiled = torch.compile(product, mode="reduce-overhead")
    record = CUDAGraphNode.__init__
    with mock.patch.object(CUDAGraphNode, "__init__", autospec=True, side_effect=record) as made:
        for length in lengths * 3:
            torch.compiler.cudagraph_mark_step_begin()
            x = torch.randn(length, 16, device="cuda")
            torch._dynamo.mark_dynamic(x, 0)
            compiled(x)
        torch.cuda.synchronize()
    assert len({id(call.args[1]) for call in made.call_args_list}) == len(lengths)


def chain(x: Tensor, scale: Tensor) -> Tensor:
    """Kernels of Triton alone, one after the other: a library may start several for a call."""
    for _ in range(4):
        x = (x * scale).softmax(-1)
        x = x / x.amax(0)
    return x


def split(x: Tensor, scale: Tensor) -> Tensor:
    return chain(x[chain(x, scale) > 0.5].exp().sum() + x, scale)


def started(fn: Callable[..., Any], args: tuple[Any, ...], mode: str | None) -> Launches:
    torch._dynamo.reset()
    compiled = torch.compile(fn, mode=mode)

    def call() -> None:
        torch.compiler.cudagraph_mark_step_begin()
        compiled(*args)

    for _ in range(4):
        call()
    found = launches_of(call, device_named("cuda"))
    assert found is not None
    return found


@pytest.mark.parametrize("fn", [chain, split])
@pytest.mark.usefixtures("captured")
def test_a_call_starts_what_was_foretold(fn: Callable[..., Any]) -> None:
    made = (torch.rand(64, 32), torch.rand(32))
    lowered = lab.lower(fn, *made, target="cuda")
    [shown] = [one.cuda_graphs for one in build(lowered).lowering.lowerings]
    assert shown is not None
    graphs = sum(part.is_recorded for part in shown.parts)
    args = tuple(one.cuda() for one in made)
    plain, replayed = (started(fn, args, mode) for mode in (None, "reduce-overhead"))
    print(f"{fn.__name__}: {shown.before} -> {shown.after} foretold, {plain} -> {replayed}")
    assert plain.graphs == 0
    assert replayed.graphs == graphs
    assert replayed.kernels + replayed.copies < plain.kernels
    if fn is chain:
        assert plain.kernels == shown.before
        assert shown.after == graphs == 1
        assert replayed.kernels + replayed.copies <= len(args)  # inputs, copied to its memory


def test_a_benchmark_says_what_cuda_graphs_save() -> None:
    args = (torch.rand(64, 32, device="cuda"), torch.rand(32, device="cuda"))
    ways = ("compiled", "reduce-overhead")
    made = lab.bench(chain, *args, ways=ways, kernels=False, cold=False, rounds=15)
    shown = build(made.recording).bench
    assert shown is not None
    [told] = [one.sentence for one in shown.verdicts if "CUDA graph" in one.sentence]
    print(told)
    assert told.startswith("A call of reduce-overhead starts 1 CUDA graph")
    assert "Foretold: 1 in place of" in told
