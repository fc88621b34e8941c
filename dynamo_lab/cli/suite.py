"""`dynamo-lab suite`: a list of models, eager and compiled, summarized in a table."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dynamo_lab.cli.core.options import add_command
from dynamo_lab.cli.core.printing import width_of
from dynamo_lab.errors import SuiteError
from dynamo_lab.model.core.files import write_output
from dynamo_lab.suite.results import ON_RANKS, read
from dynamo_lab.suite.supervisor import Limits

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Generator

    from dynamo_lab.cli.core.options import Commands
    from dynamo_lab.suite.results import Result, Task
    from dynamo_lab.suite.runner import Engine, Order

_RESULTS = "suite.jsonl"
_CAPTURES = "captures.jsonl"
_GIGABYTE = 1 << 30


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "run a list of models eagerly and compiled, and summarize the results"
    parser = add_command(commands, "suite", sentence, run)
    _add_models(parser.add_argument)
    _add_run(parser.add_argument)
    _add_table(parser.add_argument)
    told = "how much of a corpus is captured, by Dynamo, TorchScript and torch.export"
    parser.add_argument("--capture", action="store_true", help=told)
    told = "with --capture: so many programs at random, of each family its share"
    parser.add_argument("--sample", type=int, metavar="N", help=told)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of --sample (default 0)")


def _add_models(option: Callable[..., object]) -> None:
    """What to measure."""
    option("--device", default="cpu", metavar="NAME", help="cpu, cuda or mps (default cpu)")
    option("--models", default="", metavar="NAMES",
           help="only these, with commas: names, or torch, transformers, timm")  # fmt: skip
    option("--list", action="store_true", help="print the names of all models")
    option("--training", action="store_true", help="training steps too, not only inference")
    option("--optimizer", action="store_true",
           help="also compiled training steps whose optimizer is compiled too")  # fmt: skip
    option("--ranks", type=int, default=1, metavar="N",
           help="training steps on N ranks instead, under DDP and FSDP2")  # fmt: skip
    option("--amp", action="store_true", help="automatic mixed precision too, not only float32")
    option("--size", choices=("small", "full"), help="default: small on cpu, full elsewhere")


def _add_run(option: Callable[..., object]) -> None:
    """How to run it."""
    told = f"a file from which a run is resumed (default {_RESULTS}, captures: {_CAPTURES})"
    option("--results", metavar="FILE", help=told)
    option("--again", action="store_true", help="also run what already has a result there")
    option("--workers", type=int, metavar="N", help="processes at once (default: 1 on cpu)")
    option("--devices", default="", metavar="NUMBERS", help="GPUs to use, with commas (default 0)")
    option("--limit-seconds", type=float, default=600, metavar="N", help="the most for one case")
    option("--limit-memory", type=float, metavar="GB", help="the most main memory for one process")
    option("--engine", choices=("local", "ray"), default="local", help="ray: over many machines")
    option("--address", metavar="ADDRESS", help="of the Ray cluster")


def _add_table(option: Callable[..., object]) -> None:
    """How to print what was found."""
    option("--html", metavar="PAGE", help="write the table as one offline page")
    option("--json", action="store_true", help="print the table as JSON")
    option("--show", metavar="FILE", help="only print the table of these results")
    option("--compare", nargs=2, metavar=("A", "B"), help="what changed between two runs")
    option("--width", type=int, metavar="N", help="columns to print in")


def run(options: argparse.Namespace) -> int:
    """0, or 130 if it was interrupted."""
    width = width_of(options)
    if options.capture:
        return _capture(options, width)
    if options.sample is not None:
        raise SuiteError("--sample is of a corpus: pass --capture too.")
    if options.compare:
        return _compare(options.compare[0], options.compare[1], width)
    if options.list:
        return _list()
    path = options.show or options.results or _RESULTS
    finished = bool(options.show) or _run(options, path)
    _print(path, options, width)
    return 0 if finished else 130


def _run(options: argparse.Namespace, path: str) -> bool:
    """Whether the run finished; the results so far are in the file."""
    from dynamo_lab.suite.runner import run_suite
    from dynamo_lab.suite.text import result_line

    def report(result: Result, number: int, total: int) -> None:
        print(result_line(result, number, total), file=sys.stderr, flush=True)

    try:
        with _terminated_as_interrupted():
            run_suite(_order(options), path, _engine(options), again=options.again, report=report)
    except KeyboardInterrupt:
        print("Stopped: the same command continues from here.", file=sys.stderr)
        return False
    return True


def _order(options: argparse.Namespace) -> Order:
    """The options of a run of the suite.

    Raises:
        SuiteError: there is no such model, or a number makes no sense.
    """
    from dynamo_lab.suite.models.models import chosen
    from dynamo_lab.suite.runner import Order

    limits = _limits(options)
    _check_ranks(options)
    return Order(
        models=tuple(model.name for model in chosen(options.models)),
        tasks=_tasks(options),
        precisions=("float32", "amp") if options.amp else ("float32",),
        device=options.device,
        devices=tuple(one.strip() for one in options.devices.split(",") if one.strip()),
        workers=options.workers,
        ranks=options.ranks,
        size=options.size or ("small" if options.device == "cpu" else "full"),
        limits=limits,
    )


def _limits(options: argparse.Namespace) -> Limits:
    """What a case may take.

    Raises:
        SuiteError: a number makes no sense.
    """
    if options.workers is not None and options.workers < 1:
        raise SuiteError(f"--workers {options.workers} runs nothing: pass 1 or more.")
    if options.limit_seconds <= 0:
        raise SuiteError("--limit-seconds leaves no time: pass a number above 0.")
    memory = options.limit_memory
    return Limits(
        seconds=options.limit_seconds,
        memory=None if memory is None else int(memory * _GIGABYTE),
    )


def _check_ranks(options: argparse.Namespace) -> None:
    if options.ranks < 1:
        raise SuiteError(f"--ranks {options.ranks} runs nothing: pass 2 or more.")
    if options.ranks > 1 and (options.training or options.optimizer):
        raise SuiteError("--ranks trains on several ranks only: leave out the other tasks.")
    if options.ranks > 1 and options.device not in ("cpu", "cuda"):
        raise SuiteError(f"There are no ranks on {options.device}: pass --device cpu or cuda.")


def _tasks(options: argparse.Namespace) -> tuple[Task, ...]:
    if options.ranks > 1:
        return ON_RANKS
    asked: tuple[tuple[Task, bool], ...] = (
        ("inference", True),
        ("training", options.training),
        ("optimizer", options.optimizer),
    )
    return tuple(task for task, is_asked in asked if is_asked)


def _engine(options: argparse.Namespace) -> Engine:
    if options.engine == "ray":
        from dynamo_lab.suite.ray_engine import RayEngine

        return RayEngine(options.address)
    from dynamo_lab.suite.runner import LocalEngine

    return LocalEngine()


def _print(path: str, options: argparse.Namespace, width: int) -> None:
    import msgspec

    from dynamo_lab.suite.table import build
    from dynamo_lab.suite.text import table_text

    found = read(path, must_exist=bool(options.show))
    table = build(found.results, found.damaged)
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(table), indent=2).decode())
    else:
        print(table_text(table, width))
    if options.html:
        from dynamo_lab.suite.page import page

        write_output(options.html, page(table))


def _compare(before: str, after: str, width: int) -> int:
    from dynamo_lab.suite.compare import compare
    from dynamo_lab.suite.text import comparison_text

    print(comparison_text(compare(read(before).results, read(after).results), width))
    return 0


def _list() -> int:
    from dynamo_lab.suite.models.models import models

    known = models().values()
    for family in dict.fromkeys(model.family for model in known):
        names = [model.name for model in known if model.family == family]
        print(f"{family} ({len(names)}): {', '.join(names)}")
    return 0


def _capture(options: argparse.Namespace, width: int) -> int:
    """The same of captures: they have a list, a file and a table of their own."""
    from dynamo_lab.cli.core.captures import list_programs, print_table, run_captures

    if options.list:
        return list_programs(options.models)
    path = options.show or options.results or _CAPTURES
    finished = True
    if not options.show:
        with _terminated_as_interrupted():
            finished = run_captures(path, _limits(options), options)
    print_table(path, options, width)
    return 0 if finished else 130


@contextmanager
def _terminated_as_interrupted() -> Generator[None]:
    """End on SIGTERM, as `timeout` and batch systems send it, as on Ctrl-C."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
