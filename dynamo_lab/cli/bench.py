"""`dynamo-lab bench`: cases timed eager, compiled and hand-written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.cli.core.files import write_all, writers
from dynamo_lab.cli.core.options import add_command, add_outputs, add_width
from dynamo_lab.cli.core.printing import print_body, view_of, width_of
from dynamo_lab.errors import OptionError
from dynamo_lab.render.tables import table

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.files import Writer
    from dynamo_lab.cli.core.options import Commands
    from dynamo_lab.measure.cases import Case
    from dynamo_lab.measure.rounds import Plan
    from dynamo_lab.model.recording import Recording


def add(commands: Commands) -> None:
    """Add the command."""
    sentence = "time cases: eager, compiled and hand-written, checked and in turns"
    parser = add_command(commands, "bench", sentence, run)
    option = parser.add_argument
    option("cases", nargs="*", metavar="CASE", help="a name, or your my_case.py")
    option("--device", default="cpu", metavar="NAME", help="cpu, cuda or mps")
    option("--size", default="", metavar="NAME", help="small, usual or large")
    option("--dtype", default="", metavar="NAME", help="float32, bfloat16 or float16")
    option("--way", dest="ways", action="append", default=[], metavar="NAME",
           help="also this mode or backend of torch.compile")  # fmt: skip
    option("--training", action="store_true", help="also time training steps")
    option("--code", action="store_true",
           help="print generated code next to hand-written code")  # fmt: skip
    add_width(parser)
    option("--rounds", type=int, default=25, metavar="N", help="at least 11 to show a difference")
    add_outputs(parser, json="save the recording, with the raw times")


def run(options: argparse.Namespace) -> int:
    """1 if a variant computes something else, else 0; without a case, print the known ones."""
    from dynamo_lab.measure.cases import all_cases, find_case

    if not options.cases:
        print("\n".join(table([(case.name, case.title) for case in all_cases()])))
        return 0
    cases = [find_case(name) for name in options.cases]
    asked = writers(options)
    if asked and len(cases) > 1:
        raise OptionError("--json and --html save one case: name one.")
    plan = _plan(options.rounds)
    wrong = [_is_wrong(case, options, plan, asked) for case in cases]
    return 1 if any(wrong) else 0


def _plan(rounds: int) -> Plan:
    from dynamo_lab.measure.rounds import Plan

    if rounds < 1:
        raise OptionError(f"--rounds {rounds} would measure nothing: pass 1 or more.")
    return Plan(rounds=rounds, fewest=min(rounds, Plan().fewest))


def _is_wrong(case: Case, options: argparse.Namespace, plan: Plan, asked: list[Writer]) -> bool:
    """Time a case, save and print it; whether a variant computes something else."""
    from dynamo_lab.api.benchmarks.cases import bench_case, summary
    from dynamo_lab.measure.checks import is_wrong

    made = bench_case(
        case,
        device=options.device,
        size=options.size,
        dtype=options.dtype,
        ways=("compiled", *options.ways),
        training=options.training,
        kernels=bool(asked),  # which the table does not show
        plan=plan,
    )
    write_all(made.recording, asked)
    print("\n".join(summary(made.facts)), flush=True)
    if options.code:
        _print_code(made.recording, options)
    return is_wrong(made.facts.comparisons)


def _print_code(recording: Recording, options: argparse.Namespace) -> None:
    from dynamo_lab.render.terminal.benchmarks.by_hand import by_hand

    print_body(by_hand(view_of(recording), width_of(options)), options)
