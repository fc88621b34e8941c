"""A recorded compile against a plain one: GPT-2 small on the CPU, cold caches, fresh processes."""

from dynamo_lab.bench._children import measure
from dynamo_lab.bench._ratio import Line, alternate, announce, options, report, spread

BUDGET = 1.05


def main() -> None:
    """Measure and print."""
    rounds = options(__doc__, rounds=5).rounds
    result = alternate(
        lambda: measure("-m", "dynamo_lab.bench._gpt2", "plain"),
        lambda: measure("-m", "dynamo_lab.bench._gpt2", "recorded"),
        rounds,
        announce(rounds),
    )
    lines = [
        Line(name="plain compile", value=spread(result.base)),
        Line(name="recorded compile", value=spread(result.other)),
        Line(name="recorded / plain", value=result.ratio, unit="", budget=BUDGET),
    ]
    print(report("GPT-2 small, 64 tokens, CPU, cold caches", lines, rounds))


if __name__ == "__main__":
    main()
