"""What a table says, in words and numbers, whoever shows it."""

from collections.abc import Iterator, Sequence

from dynamo_lab.measure.statistics import Ratio, digits
from dynamo_lab.suite.table import (
    AMP_WEIGHT,
    ANNOUNCED,
    ANNOUNCED_OPTIMIZER,
    ANNOUNCED_OVERALL,
    ANNOUNCED_RATE,
    Column,
    Mean,
    Table,
)
from dynamo_lab.view.core.words import plural, seconds

_FEW = 5

FACTS = ("", "works", "speed-up (95 %)", "+ / = / -", "compile", "breaks", "memory")
"""The heads of `facts`."""

LEGEND = (
    "+ / = / -: models that are faster than eager, alike, slower. compile: the median. "
    "memory: how many times less compiled models held at their peak."
)
"""What the heads mean."""


def facts(columns: Sequence[Column]) -> Iterator[tuple[str, ...]]:
    """What a run comes to: a row for each column of the table."""
    for column in columns:
        yield (
            column.title,
            _works(column),
            _mean(column.speed),
            _apart(column),
            "-" if column.compile_seconds is None else seconds(column.compile_seconds),
            _breaks(column),
            "-" if column.peak is None else f"{column.peak.value:.2f}x",
        )


def announced() -> str:
    """What PyTorch 2.0 was announced with."""
    full, amp = (ANNOUNCED["training", precision] for precision in ("float32", "amp"))
    return (
        f"PyTorch 2.0 was announced with {ANNOUNCED_RATE:.0%} of 163 models, in training on an "
        f"A100 {full:.2f} times as fast in float32, {amp:.2f} with AMP, {ANNOUNCED_OVERALL:.2f} "
        "weighed."
    )


def of_optimizers(table: Table) -> str:
    """What the column of compiled optimizers compares; empty where there is none."""
    if all(column.task != "optimizer" for column in table.columns):
        return ""
    told = ", ".join(f"{name} {times}" for name, times in ANNOUNCED_OPTIMIZER.items())
    return (
        "compiled optimizer: a training step with Adam, the model compiled; its step compiled too "
        "against its step eager, and the seconds that this takes more to compile. Announced for "
        f"PyTorch 2.2: {told} times as fast, and about 40 s more."
    )


def of_ranks(table: Table) -> str:
    """What a training step on several ranks is; empty where there was but one."""
    if table.ranks == 1:
        return ""
    return (
        f"DDP, FSDP2: a training step with SGD on {table.ranks} ranks of one machine, each with "
        "labels of its own; a round is as long as its slowest rank. Gradients are first compared "
        "with the mean of those that the ranks compute alone."
    )


def overall(table: Table) -> str:
    """The speed-up weighed as in the announcement; empty where there is none."""
    if table.overall is None:
        return ""
    return (
        f"Weighed as there ({AMP_WEIGHT:.0%} AMP, {1 - AMP_WEIGHT:.0%} float32), training is "
        f"{table.overall:.2f} times as fast here."
    )


def shown(ratio: Ratio) -> str:
    """A speed-up in short, with the digits that its interval supports, two at most."""
    return f"{min(digits(ratio.value, ratio), f'{ratio.value:.2f}', key=len)}x"


def speed_word(ratio: Ratio) -> str:
    """A speed-up with its interval."""
    low, high = digits(ratio.low, ratio), digits(ratio.high, ratio)
    if not ratio.differs:
        return ratio.sentence
    return f"{ratio.sentence} ({low} to {high})"


def _works(column: Column) -> str:
    if column.rate is None:
        return "none tried"
    return f"{column.rate:.0%} of {column.attempted}"


def _mean(mean: Mean | None) -> str:
    if mean is None:
        return "-"
    if mean.count < _FEW:  # drawing again from so few says nothing
        return f"{mean.value:.2f}x"
    return f"{mean.value:.2f}x ({mean.low:.2f} to {mean.high:.2f})"


def _apart(column: Column) -> str:
    alike = (column.speed.count if column.speed else 0) - column.faster - column.slower
    return f"{column.faster} / {alike} / {column.slower}"


def _breaks(column: Column) -> str:
    return f"{column.breaks} ({plural(column.with_breaks, 'model')})" if column.breaks else "0"
