"""What results come to: pass rates, mean speed-ups with their intervals, and a row a model.

Speed counts only where the model computed the same. A mean is geometric, over models; its interval
comes from drawing models again with replacement, so it shows how much the choice of models matters.
"""

import math
import random
import statistics
from collections.abc import Iterable, Sequence

from msgspec import Struct

from dynamo_lab.measure.statistics import Ratio, ratio
from dynamo_lab.suite.results import Precision, Result, Task

ANNOUNCED = {
    ("training", "float32"): 1.21,
    ("training", "amp"): 1.51,
}
"""What PyTorch 2.0 was announced with: the mean speed-up of 163 models on an A100.

See https://pytorch.org/get-started/pytorch-2.0/.
"""

ANNOUNCED_RATE = 0.93
"""The share of these models that it worked for."""

AMP_WEIGHT = 0.75
"""How the announcement weighs AMP against float32 in one number, which was 43 % faster."""

ANNOUNCED_OVERALL = 1.43

_DRAWS = 2000

ANNOUNCED_OPTIMIZER = {"HuggingFace": 1.18, "TorchBench": 1.19, "TIMM": 1.08}
"""What compiled optimizers were announced with: the mean speed-up of a training step. See
https://dev-discuss.pytorch.org/t/compiling-the-optimizer-with-pt2/1669."""

_ORDER: tuple[tuple[Task, Precision], ...] = (
    ("inference", "float32"),
    ("inference", "amp"),
    ("training", "float32"),
    ("training", "amp"),
    ("optimizer", "float32"),
    ("optimizer", "amp"),
    ("ddp", "float32"),
    ("ddp", "amp"),
    ("fsdp", "float32"),
    ("fsdp", "amp"),
)
_TITLES = {"optimizer": "compiled optimizer", "ddp": "DDP", "fsdp": "FSDP2"}


class Mean(Struct, frozen=True):
    """A geometric mean over `count` models, and the interval that holds it with 95 %."""

    value: float
    low: float
    high: float
    count: int


class Column(Struct, frozen=True, kw_only=True):
    """The models doing one thing in one precision.

    `attempted` leaves out models that eager PyTorch cannot run here. `peak` is how many times
    less memory compiled models held at most than eager ones; `with_breaks` counts models.
    """

    task: Task
    precision: Precision
    attempted: int
    passed: int
    verdicts: dict[str, int]
    speed: Mean | None
    faster: int
    slower: int
    peak: Mean | None
    compile_seconds: float | None
    breaks: int
    with_breaks: int
    announced: float | None = None

    @property
    def title(self) -> str:
        """What it is, in words."""
        return title(self.task, self.precision)

    @property
    def rate(self) -> float | None:
        """The share of models that pass."""
        return self.passed / self.attempted if self.attempted else None


class Cell(Struct, frozen=True, kw_only=True):
    """A result as it is shown. `speed` is how many times faster the compiled model is."""

    result: Result
    speed: Ratio | None

    @classmethod
    def of(cls, result: Result) -> "Cell":
        """The cell of a result. Without times of both ways, there is no speed."""
        timed = result.verdict == "pass" and result.eager
        alike = len(result.eager) == len(result.compiled)
        speed = ratio(result.eager, result.compiled) if timed and alike else None
        return cls(result=result, speed=speed)


class Row(Struct, frozen=True, kw_only=True):
    """A model, with a cell for each column, None where it was not run."""

    model: str
    family: str
    cells: tuple[Cell | None, ...]


class Table(Struct, frozen=True, kw_only=True):
    """All of a run, on so many `ranks`.

    `overall` is the speed-up in training, weighed as in the announcement.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    machines: tuple[str, ...]
    sizes: tuple[str, ...]
    damaged: int = 0
    ranks: int = 1
    overall: float | None = None


def title(task: str, precision: str) -> str:
    """A column in words."""
    return f"{_TITLES.get(task, task)}, {'AMP' if precision == 'amp' else precision}"


def build(results: Sequence[Result], damaged: int = 0) -> Table:
    """The table of these results."""
    there = {(one.case.task, one.case.precision) for one in results}
    kinds = [kind for kind in _ORDER if kind in there]
    by_case = {(r.case.model, r.case.task, r.case.precision): r for r in results}
    models = dict.fromkeys(one.case.model for one in results)
    families = {one.case.model: one.family for one in results if one.family}
    rows = tuple(
        Row(
            model=model,
            family=families.get(model, ""),
            cells=tuple(
                Cell.of(by_case[model, *kind]) if (model, *kind) in by_case else None
                for kind in kinds
            ),
        )
        for model in models
    )
    columns = tuple(
        _column(*kind, [row.cells[at] for row in rows]) for at, kind in enumerate(kinds)
    )
    return Table(
        columns=columns,
        rows=rows,
        machines=tuple(dict.fromkeys(_machine(one) for one in results if one.machine.torch)),
        sizes=tuple(sorted({one.size for one in results})),
        damaged=damaged,
        ranks=max((one.ranks for one in results), default=1),
        overall=_overall(columns),
    )


def geometric_mean(values: Sequence[float]) -> Mean | None:
    """The geometric mean, and the interval of it over other choices of such models."""
    if not values:
        return None
    logs = [math.log(value) for value in values]
    dice = random.Random(0)
    means = sorted(statistics.fmean(dice.choices(logs, k=len(logs))) for _ in range(_DRAWS))
    low, high = means[int(0.025 * _DRAWS)], means[int(0.975 * _DRAWS) - 1]
    middle = math.exp(statistics.fmean(logs))
    return Mean(middle, math.exp(low), math.exp(high), len(values))


def _column(task: Task, precision: Precision, cells: Iterable[Cell | None]) -> Column:
    there = [cell for cell in cells if cell is not None]
    results = [cell.result for cell in there if cell.result.is_attempt]
    passed = [one for one in results if one.verdict == "pass"]
    speeds = [cell.speed for cell in there if cell.speed is not None]
    seconds = [one.compile_seconds for one in passed if one.compile_seconds is not None]
    names = [cell.result.verdict for cell in there]
    return Column(
        task=task,
        precision=precision,
        attempted=len(results),
        passed=len(passed),
        verdicts={name: names.count(name) for name in dict.fromkeys(names)},
        speed=geometric_mean([speed.value for speed in speeds]),
        faster=sum(speed.differs and speed.value > 1 for speed in speeds),
        slower=sum(speed.differs and speed.value < 1 for speed in speeds),
        peak=geometric_mean(
            [
                one.eager_peak / one.compiled_peak
                for one in passed
                if one.eager_peak and one.compiled_peak
            ]
        ),
        compile_seconds=statistics.median(seconds) if seconds else None,
        breaks=sum(one.breaks or 0 for one in results),
        with_breaks=sum(bool(one.breaks) for one in results),
        announced=ANNOUNCED.get((task, precision)),
    )


def _overall(columns: Sequence[Column]) -> float | None:
    found = {one.precision: one.speed for one in columns if one.task == "training"}
    amp, full = found.get("amp"), found.get("float32")
    if amp is None or full is None:
        return None
    return AMP_WEIGHT * amp.value + (1 - AMP_WEIGHT) * full.value


def _machine(result: Result) -> str:
    machine = result.machine
    parts = [
        machine.device if machine.device != "cpu" else "",
        machine.processor,
        f"{machine.threads} threads" if machine.device == "cpu" else "",
        f"torch {machine.torch}",
        f"triton {machine.triton}" if machine.triton else "",
        f"Python {machine.python}",
    ]
    return ", ".join(part for part in parts if part)
