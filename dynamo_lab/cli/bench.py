"""`dynamo-lab bench`: cases timed eager, compiled and hand-written."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from dynamo_lab.cli.core.files import write_all, writers
from dynamo_lab.cli.core.models import bench_model, model_named
from dynamo_lab.cli.core.options import add_command, add_outputs, add_width
from dynamo_lab.cli.core.printing import print_body, view_of, width_of
from dynamo_lab.errors import OptionError
from dynamo_lab.render.tables import table

if TYPE_CHECKING:
    from dynamo_lab.api.benchmarks.benchmarked import Benchmarked
    from dynamo_lab.api.recording import Recording
    from dynamo_lab.cli.core.files import Writer
    from dynamo_lab.cli.core.options import Commands
    from dynamo_lab.measure.cases import Case
    from dynamo_lab.measure.rounds import Plan
    from dynamo_lab.suite.models.model import Model


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "time cases and models: eager, compiled, hand-written, checked and in turns"
    parser = add_command(commands, "bench", sentence, run)
    option = parser.add_argument
    option("cases", nargs="*", metavar="CASE",
           help="a name, your my_case.py, or a model of `dynamo-lab suite --list`")  # fmt: skip
    option("--device", default="cpu", metavar="NAME", help="cpu, cuda or mps")
    option("--size", default="", metavar="NAME", help="small, usual or large; of a model, full")
    option("--dtype", default="", metavar="NAME", help="float32, bfloat16 or float16")
    option("--way", dest="ways", action="append", default=[], metavar="NAME",
           help="also this mode or backend of torch.compile")  # fmt: skip
    option("--training", action="store_true", help="also time training steps")
    option("--code", action="store_true",
           help="print generated code next to hand-written code")  # fmt: skip
    add_width(parser)
    option("--rounds", type=int, default=25, metavar="N", help="at least 11 to show a difference")
    add_outputs(parser, json="save the recording, with its times: of several, in this folder")


def run(options: argparse.Namespace) -> int:
    """1 if a variant computes something else, else 0; without a case, print the known ones."""
    from dynamo_lab.measure.cases import all_cases, find_case

    if not options.cases:
        print("\n".join(table([(case.name, case.title) for case in all_cases()])))
        return 0
    cases = [model_named(name) or find_case(name) for name in options.cases]
    asked = [_writers(case.name, options) for case in cases]
    plan = _plan(options.rounds)
    wrong = [
        _is_wrong(case, options, plan, files) for case, files in zip(cases, asked, strict=True)
    ]
    return 1 if any(wrong) else 0


def _writers(name: str, options: argparse.Namespace) -> list[Writer]:
    """The files of one case: of several, each a recording of its name in a folder."""
    if len(options.cases) == 1 or not (options.json or options.html):
        return writers(options)
    if options.html or not os.path.isdir(options.json):
        raise OptionError("--json saves several cases in a folder that is there, --html saves one.")
    path = os.path.join(options.json, f"{name}.json.gz")
    return writers(argparse.Namespace(json=path, html=None))


def _plan(rounds: int) -> Plan:
    from dynamo_lab.measure.rounds import Plan

    if rounds < 1:
        raise OptionError(f"--rounds {rounds} would measure nothing: pass 1 or more.")
    return Plan(rounds=rounds, fewest=min(rounds, Plan().fewest))


def _is_wrong(
    case: Case | Model, options: argparse.Namespace, plan: Plan, asked: list[Writer]
) -> bool:
    """Time a case, save and print it; whether a variant computes something else."""
    from dynamo_lab.api.benchmarks.cases import summary
    from dynamo_lab.measure.checks import is_wrong

    made = _made(case, options, plan, kernels=bool(asked))  # which the table does not show
    write_all(made.recording, asked)
    print("\n".join(summary(made.facts)), flush=True)
    if options.code:
        _print_code(made.recording, options)
    return is_wrong(made.facts.comparisons)


def _made(
    case: Case | Model, options: argparse.Namespace, plan: Plan, *, kernels: bool
) -> Benchmarked[Recording]:
    from dynamo_lab.api.benchmarks.cases import bench_case
    from dynamo_lab.measure.cases import Case

    if not isinstance(case, Case):
        return bench_model(case, options, kernels=kernels)
    return bench_case(
        case,
        device=options.device,
        size=options.size,
        dtype=options.dtype,
        ways=("compiled", *options.ways),
        training=options.training,
        kernels=kernels,
        plan=plan,
    )


def _print_code(recording: Recording, options: argparse.Namespace) -> None:
    from dynamo_lab.render.terminal.benchmarks.by_hand import by_hand

    print_body(by_hand(view_of(recording), width_of(options)), options)
