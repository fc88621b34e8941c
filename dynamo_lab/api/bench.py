"""Benchmarks: one program in several ways, checked first and then timed in turns."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dynamo_lab.errors import BenchError, OptionError
from dynamo_lab.measure.rounds import Plan, Progress, Watch
from dynamo_lab.record.explore import name_of, refuse_uncallable
from dynamo_lab.render.tables import terminal_width

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from dynamo_lab.api.recording import Recording
    from dynamo_lab.bench.run import Wish
    from dynamo_lab.measure.variants import Asked
    from dynamo_lab.model.benchmarks import Benchmark


class Benchmarked:
    """What `bench` measured, with the recording of what it compiled.

    Print it for the tables, or leave it as the last expression of a cell for the interactive view.
    `facts` holds the raw times; `recording` the program, its graphs and kernels.
    """

    def __init__(self, recording: Recording) -> None:
        if recording.benchmark is None:
            raise BenchError("This recording has no benchmark: make one with lab.bench(fn, *args).")
        self.recording = recording
        self.facts: Benchmark = recording.benchmark

    def __str__(self) -> str:
        from dynamo_lab.render.terminal import render
        from dynamo_lab.view import build

        return render(build(self.recording), sections=("bench",), width=terminal_width())

    __repr__ = __str__

    def save(self, path: str | Path) -> None:
        """Write the recording with its benchmark as JSON, compressed if `path` ends in ".gz"."""
        self.recording.save(path)

    def to_html(self, path: str | Path) -> None:
        """Write one interactive page that works offline."""
        self.recording.to_html(path)

    def _ipython_display_(self) -> None:
        self.recording.show()


def bench(
    fn: Callable[..., Any],
    *args: Any,
    ways: Asked = ("compiled",),
    training: bool = False,
    optimizer: Any = None,
    loss: Callable[[Any], Any] | None = None,
    grad: bool = False,
    cold: bool = True,
    kernels: bool = True,
    rounds: int = 25,
    seconds: float = 20.0,
    **kwargs: Any,
) -> Benchmarked:
    """Time `fn` eagerly and compiled, in turns, after checking that both compute the same.

    Every way is first held against eager, and both against float64: outputs, and gradients in
    training. A way that computes something else is not timed. Then all take turns, so that the
    machine's drift meets all alike. Ctrl-C ends it, and what was measured is kept. Afterwards
    the tensors within reach are what they were; between the calls that are timed they are not
    put back.

    Args:
        fn: A function or an nn.Module; it is called as `fn(*args, **kwargs)`.
        *args: Arguments of `fn`.
        ways: What to hold against eager: "compiled", modes and backends of `torch.compile` by name;
            or a mapping of names to these, to options of `torch.compile`, or to callables.
        training: True also times a step: forward, backward, and the optimizer's step. The program
            is then compiled with gradients too, which the recording shows as a recompilation.
        optimizer: An optimizer of the program's parameters; it runs eagerly in every way.
        loss: Makes a scalar of what `fn` returns; by default the sum of its tensors.
        grad: True records gradients in the forward too; by default it runs under `no_grad()`.
        cold: True also times calls that begin with cold caches.
        kernels: True also times each kernel, and each eager operator that it replaced.
        rounds: How many rounds to make, if there is time: below 11 nothing is told apart.
        seconds: About how long each series may take.
        **kwargs: Keyword arguments of `fn`.

    Raises:
        OptionError: `fn` cannot be called or is compiled already, there is no such way, or no
            round would be made.
        AlreadyRecordingError: a recording is running.
    """
    refuse_uncallable(fn)
    _refuse_compiled(fn)
    wish = _wish(
        ways=ways, training=training, optimizer=optimizer, loss=loss, grad=grad, cold=cold,
        kernels=kernels, rounds=rounds, seconds=seconds,
    )  # fmt: skip
    from dynamo_lab.bench.run import BenchRun

    with progress_bar() as watch:
        return Benchmarked(BenchRun(fn, args, kwargs, wish, watch, name_of(fn)).made())


def _refuse_compiled(fn: Any) -> None:
    """Refuse what `torch.compile` made: there would be no eager way."""
    marks = ("_orig_mod", "_torchdynamo_orig_callable", "_compiled_call_impl")
    if any(getattr(fn, mark, None) is not None for mark in marks):
        raise OptionError(
            f"{name_of(fn)} is compiled already, so there is no eager way: pass what you gave to "
            "torch.compile."
        )


def bench_again(recording: Recording, **options: Any) -> Benchmarked:
    """The program of a recording, benchmarked: see `Recording.bench`."""
    wish = _wish(**options)
    with progress_bar() as watch:
        return Benchmarked(measured(recording, wish, watch))


def bench_watched(recording: Recording, watch: Watch, **options: Any) -> Recording:
    """The program of a recording with its benchmark, for whoever draws its progress."""
    return measured(recording, _wish(**options), watch)


def measured(recording: Recording, wish: Wish, watch: Watch) -> Recording:
    """The program of a recording with its benchmark, as a new recording.

    Raises:
        BenchError: there is no program at hand.
    """
    program = recording.program()
    if program is None:
        raise BenchError(
            "There is no program to measure: this recording was loaded from a file, or made with "
            "record() or %%record. Use lab.bench(fn, *args), explore() or %%compile."
        )
    from dynamo_lab.bench.run import BenchRun

    fn, args, kwargs = program.call()
    return BenchRun(fn, args, kwargs, wish, watch, recording.title).made()


def _wish(*, rounds: int = 25, seconds: float = 20.0, **options: Any) -> Wish:
    from dynamo_lab.bench.run import Wish

    unknown = sorted(options.keys() - set(Wish.__struct_fields__))
    if unknown:
        known = ", ".join(["rounds", "seconds", *Wish.__struct_fields__[:-1]])
        raise OptionError(f"There is no option {unknown[0]!r}: pass some of {known}.")
    if rounds < 1 or seconds <= 0:
        raise OptionError("There would be no round: pass rounds from 1 and seconds above 0.")
    plan = Plan(rounds=rounds, fewest=min(rounds, Plan().fewest), seconds=seconds)
    return Wish(plan=plan, **options)


@contextmanager
def progress_bar() -> Generator[Watch, None, None]:
    """A watch that draws a progress bar with the time left, where someone looks at it."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    console = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None, left="")

        def tell(progress: Progress) -> None:
            left = progress.seconds_left
            bar.update(
                task,
                description=progress.what,
                completed=progress.done,
                total=progress.total or None,
                left="" if left is None else f"{left:.0f} s left",
            )

        yield Watch(tell)
