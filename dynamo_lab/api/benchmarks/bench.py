"""Benchmarks: several variants of one program, checked first and then timed in turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from dynamo_lab.api.benchmarks.benchmarked import Benchmarked
from dynamo_lab.api.precision.precision import Precisions, precision
from dynamo_lab.api.recording import Recording
from dynamo_lab.bench.options import bench_options
from dynamo_lab.bench.progress import progress_bar
from dynamo_lab.errors import OptionError
from dynamo_lab.record.recorders import name_of, refuse_compiled, refuse_uncallable

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynamo_lab.bench.options import BenchOptions
    from dynamo_lab.measure.variants import Asked


@overload
def bench(  # pyright: ignore[reportOverlappingOverload]  # "precision" is no variant's name
    fn: Callable[..., Any],
    *args: Any,
    ways: Literal["precision"],
    backend: str = ...,
    rounds: int = ...,
    seconds: float = ...,
    **kwargs: Any,
) -> Precisions: ...


@overload
def bench(
    fn: Callable[..., Any],
    *args: Any,
    ways: Asked = ...,
    backend: str = ...,
    training: bool = ...,
    optimizer: Any = ...,
    loss: Callable[[Any], Any] | None = ...,
    grad: bool = ...,
    cold: bool = ...,
    kernels: bool = ...,
    rounds: int = ...,
    seconds: float = ...,
    **kwargs: Any,
) -> Benchmarked[Recording]: ...


def bench(
    fn: Callable[..., Any],
    *args: Any,
    ways: Asked = ("compiled",),
    backend: str = "inductor",
    training: bool = False,
    optimizer: Any = None,
    loss: Callable[[Any], Any] | None = None,
    grad: bool = False,
    cold: bool = True,
    kernels: bool = True,
    rounds: int = 25,
    seconds: float = 20.0,
    **kwargs: Any,
) -> Benchmarked[Recording] | Precisions:
    """Time `fn` eagerly and compiled, in turns, after checking that both compute the same.

    Every variant is first compared with eager, and both with float64: outputs, what it writes, and
    gradients in training. A variant that computes something else is not timed. Then all take turns,
    so that the machine's drift affects all of them equally. Ctrl-C ends it, and what was measured
    is kept. Before each check and each round, and afterwards, what the program can reach has its
    old values: tensors, containers, attributes, variables; that is not timed. The calls within a
    round follow each other, and the result says what they change.

    Args:
        fn: A function or an nn.Module; it is called as `fn(*args, **kwargs)`.
        *args: Arguments of `fn`.
        backend: What compiles the variant "compiled", and whose kernels are timed. "lab" is the
            compiler in `dynamo_lab.compiler`; its variant is then called "lab".
        ways: The variants to compare with eager: "compiled", modes and backends of `torch.compile`
        by name; or a mapping of names to these, to options of `torch.compile`, or to callables. A
        name that ends in "+optimizer" compiles the optimizer's step too. "precision" tries it in
        several precisions instead, as `dynamo_lab.precision` does, whose result it returns.
        training: True also times a step: forward, backward, and the optimizer's step. The program
            is then compiled with gradients too, which the recording shows as a recompilation.
        optimizer: An optimizer of the program's parameters. Its step is eager, but in variants that
        compile it, "compiled+optimizer": each has a copy of it.
        loss: Makes a scalar from what `fn` returns; by default the sum of its tensors.
        grad: True records gradients in the forward too; by default it runs under `no_grad()`,
            unless it fails for want of gradients, as one that runs its own backward does.
        cold: True also times calls that start with cold caches.
        kernels: True also times each kernel, and each eager operator that it replaced.
        rounds: The number of rounds, if time allows: below 11 no difference is significant.
        seconds: The approximate limit of time for each series, and for comparing results: what is
            left then is not compared, and the result says how much.
        **kwargs: Keyword arguments of `fn`.

    Raises:
        OptionError: `fn` cannot be called or is compiled already, there is no such variant, one
        compiles a step and there is no optimizer, no round would be run, or gradients are asked for
        in several precisions.
        AlreadyRecordingError: a recording is running.
    """
    refuse_uncallable(fn)
    refuse_compiled(fn)
    if ways == "precision":
        if training or optimizer or loss or grad:
            raise OptionError(
                'ways="precision" measures the forward without gradients: leave training, '
                "optimizer, loss and grad out."
            )
        return precision(fn, *args, backend=backend, rounds=rounds, seconds=seconds, **kwargs)
    options = bench_options(
        ways=ways, backend=backend, training=training, optimizer=optimizer, loss=loss, grad=grad,
        cold=cold, kernels=kernels, rounds=rounds, seconds=seconds,
    )  # fmt: skip
    return benched(fn, args, kwargs, options, name_of(fn))


def benched(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    options: BenchOptions,
    title: str,
) -> Benchmarked[Recording]:
    """Time `fn(*args, **kwargs)` by these options, under a progress bar; named by the title."""
    from dynamo_lab.bench.run import BenchRun

    with progress_bar() as watch:
        run = BenchRun(fn, args, kwargs, options, watch, title)
        return Benchmarked(Recording.of(*run.made()))
