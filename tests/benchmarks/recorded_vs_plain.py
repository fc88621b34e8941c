"""A recorded compile against a plain one: GPT-2 small on the CPU, cold caches, fresh processes.

While it records, PyTorch neither reads nor fills its compile caches, which saves the time that a
plain compile spends on filling them. What recording itself costs shows against a plain compile that
leaves the same caches alone, so that ratio is measured too. The backend `lab` has caches of kernels
alone, which both ways fill: of it, the kernels are printed in all three languages too.
"""

from functools import partial

from dynamo_lab.measure.statistics import spread
from tests.benchmarks.core.children import measure
from tests.benchmarks.core.ratio import Line, announce, options, ratio, report, take_turns

BUDGET = 1.05
STEPS_BUDGET = 1.15

_CACHES_OFF = {"TORCHINDUCTOR_FX_GRAPH_CACHE": "0", "TORCHINDUCTOR_AUTOGRAD_CACHE": "0"}


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=5).rounds
    compile_gpt2 = partial(measure, "-m", "tests.benchmarks.core.gpt2")
    plain, uncached, recorded, filmed = take_turns(
        [
            partial(compile_gpt2, "plain"),
            partial(compile_gpt2, "plain", **_CACHES_OFF),
            partial(compile_gpt2, "recorded"),
            partial(compile_gpt2, "steps"),
        ],
        rounds,
        announce(rounds),
    )
    lines = [
        Line(name="plain", value=spread(plain)),
        Line(name="plain, caches off", value=spread(uncached)),
        Line(name="recorded", value=spread(recorded)),
        Line(name="recorded with steps", value=spread(filmed)),
        Line(name="recorded / plain", value=ratio(plain, recorded), unit="", budget=BUDGET),
        Line(name="steps / plain", value=ratio(plain, filmed), unit="", budget=STEPS_BUDGET),
        Line(
            name="recorded / plain, caches off",
            value=ratio(uncached, recorded),
            unit="",
            budget=BUDGET,
        ),
        Line(
            name="steps / plain, caches off",
            value=ratio(uncached, filmed),
            unit="",
            budget=STEPS_BUDGET,
        ),
    ]
    print(report("Compiling GPT-2 small, 64 tokens, CPU, cold caches", lines, rounds))
    by_lab(rounds)


def by_lab(rounds: int) -> None:
    """The same of the backend `lab`, by the clock and by the processor."""
    taken: dict[str, list[float]] = {"plain": [], "recorded": []}
    plain, recorded = take_turns(
        [
            partial(measure, "-m", "tests.benchmarks.core.gpt2", how, "lab", kept=kept)
            for how, kept in taken.items()
        ],
        rounds,
        announce(rounds),
    )
    lines = [
        Line(name="plain", value=spread(plain)),
        Line(name="recorded", value=spread(recorded)),
        Line(name="recorded / plain", value=ratio(plain, recorded), unit="", budget=BUDGET),
        Line(name="plain, of the processor", value=spread(taken["plain"])),
        Line(name="recorded, of the processor", value=spread(taken["recorded"])),
        Line(
            name="recorded / plain, of the processor",
            value=ratio(taken["plain"], taken["recorded"]),
            unit="",
            budget=BUDGET,
        ),
    ]
    print(report("The same with backend lab", lines, rounds))


if __name__ == "__main__":
    main()
