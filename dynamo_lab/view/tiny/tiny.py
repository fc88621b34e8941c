"""Training in little memory: what lies in memory over a planned step, and what else could be."""

from collections.abc import Iterator

from msgspec import Struct

from dynamo_lab.measure.statistics import Spread
from dynamo_lab.model.graphs import Graph
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.tiny import (
    StepMeasure,
    TinyOperation,
    TinyParameter,
    TinyPlan,
    TinyValue,
)
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import percent, plural, seconds, size
from dynamo_lab.view.summary.counts import Count, count
from dynamo_lab.view.tiny.answer import Held, TrainingAnswer, answers

KINDS = ("weight", "state", "sample", "activation", "gradient")
"""What takes memory, from what is there all the time to what comes and goes."""

KIND_NAMES = {
    "weight": "weights",
    "state": "state",
    "sample": "sample",
    "activation": "activations",
    "gradient": "gradients",
}


class TrainingBar(Struct, frozen=True, kw_only=True):
    """The most memory that a way to train needs; `parts` are the bytes of each of `KINDS`."""

    name: str
    bytes: int
    size: str
    parts: tuple[int, ...]
    told: str


class TrainingStep(Struct, frozen=True, kw_only=True):
    """An operation, and what lies in memory while it runs: `parts` as of a bar."""

    name: str
    phase: str
    bytes: int
    size: str
    parts: tuple[int, ...]
    entity: str


class TrainingLife(Struct, frozen=True, kw_only=True):
    """A value: it takes memory from step `start` to `end`, counted from 0.

    `kind` is one of `KINDS`. `offset` is its place in the arena, -1 for what lies beside it.
    `place` names the module and the line that it comes from, as far as they are known.
    """

    name: str
    kind: str
    bytes: int
    size: str
    start: int
    end: int
    offset: int
    place: str
    entity: str


class TrainingParameter(Struct, frozen=True, kw_only=True):
    """A parameter that can be updated; `updated` is the share of it that is.

    `channels` are the input channels that can be chosen from, 0 if all of it is or nothing.
    """

    name: str
    module: str
    elements: int
    channels: int
    updated: float
    entity: str


class TrainingPlanView(Struct, frozen=True, kw_only=True):
    """One plan. `peak` is the step during which most lies in memory, `limit` in bytes or None.

    `headline` and `counts` are what the summary line says of it, `answers` what comes next.
    """

    headline: str
    counts: tuple[Count, ...]
    answers: tuple[TrainingAnswer, ...]
    sentences: tuple[str, ...]
    bytes: int
    size: str
    limit: int | None
    limit_text: str
    bars: tuple[TrainingBar, ...]
    steps: tuple[TrainingStep, ...]
    peak: int
    lives: tuple[TrainingLife, ...]
    parameters: tuple[TrainingParameter, ...]


class TrainingChoice(Struct, frozen=True, kw_only=True):
    """A plan made ahead of time: the last `layers` and a `share` of their weights' channels."""

    layers: int
    share: float
    plan: TrainingPlanView


class TrainingView(Struct, frozen=True, kw_only=True):
    """A planned training step, and plans of other updates that a page can show without a kernel."""

    plan: TrainingPlanView
    choices: tuple[TrainingChoice, ...]


def build(recording: Recording, places: Places) -> TrainingView | None:
    """The recording's training step, None if it is of something else."""
    training = recording.training
    if training is None:
        return None
    words = PlanWords(recording.graphs[training.graph], places)
    return TrainingView(
        plan=words.view(training.plan),
        choices=tuple(
            TrainingChoice(layers=one.layers, share=one.share, plan=words.view(one.plan))
            for one in training.choices
        ),
    )


def headline(plan: TinyPlan) -> str:
    """A planned step in a sentence."""
    limit = ""
    if plan.limit is not None:
        limit = f", {_within(plan)} the limit of {size(plan.limit)}"
    full = plan.bars[0].bytes if plan.bars else 0
    less = f"; a full update needs {size(full)}" if full else ""
    return (
        f"A training step planned ahead of time: it needs {size(plan.bytes)}{limit}; it updates "
        f"{percent(plan.updated / max(1, plan.parameters))} of the model's numbers{less}."
    )


def _within(plan: TinyPlan) -> str:
    return "within" if plan.limit is None or plan.bytes <= plan.limit else "above"


def counts(plan: TinyPlan) -> Iterator[Count]:
    """A planned step in numbers."""
    yield count(plan.updated_tensors, "updated parameter", "memory")
    yield count(len(plan.operations), "operation", "memory")


def took(measure: StepMeasure) -> str:
    """How long a step takes: '1.2 ms', or where that varies by much '0.9 ms to 1.4 ms'."""
    if measure.seconds is None:
        return "unknown"
    found = Spread(*measure.seconds)
    ends = (found.low, found.high) if found.is_shaky else (found.median,)
    return " to ".join(dict.fromkeys(map(seconds, ends)))


class PlanWords:
    """Plans of one joint graph in words."""

    def __init__(self, graph: Graph, places: Places) -> None:
        self._graph = graph
        self._places = places

    def view(self, plan: TinyPlan) -> TrainingPlanView:
        """One plan."""
        steps = tuple(self._steps(plan))
        peak = max(range(len(steps)), key=lambda at: steps[at].bytes, default=0)
        return TrainingPlanView(
            headline=headline(plan),
            counts=tuple(counts(plan)),
            answers=tuple(answers(plan, tuple(self._held(plan, peak)))),
            sentences=tuple(_sentences(plan)),
            bytes=plan.bytes,
            size=size(plan.bytes),
            limit=plan.limit,
            limit_text="" if plan.limit is None else size(plan.limit),
            bars=tuple(_bars(plan)),
            steps=steps,
            peak=peak,
            lives=tuple(map(self._life, plan.values)),
            parameters=tuple(map(self._parameter, plan.trainable)),
        )

    def _steps(self, plan: TinyPlan) -> Iterator[TrainingStep]:
        alive: list[list[int]] = [[0] * len(KINDS) for _ in plan.operations]
        for value in plan.values:
            for at in range(value.start, value.end + 1):
                alive[at][KINDS.index(value.kind)] += value.bytes
        for operation, parts in zip(plan.operations, alive, strict=True):
            yield self._step(operation, tuple(parts))

    def _step(self, operation: TinyOperation, parts: tuple[int, ...]) -> TrainingStep:
        return TrainingStep(
            name=operation.name,
            phase=operation.phase,
            bytes=operation.bytes,
            size=size(operation.bytes),
            parts=parts,
            entity=self._entity(operation.node),
        )

    def _held(self, plan: TinyPlan, step: int) -> Iterator[Held]:
        for value in plan.values:
            if value.start <= step <= value.end:
                yield Held(
                    name=value.name,
                    kind=value.kind,
                    bytes=value.bytes,
                    place=self._place(value.node),
                    entity=self._entity(value.node),
                )

    def _life(self, value: TinyValue) -> TrainingLife:
        return TrainingLife(
            name=value.name,
            kind=value.kind,
            bytes=value.bytes,
            size=size(value.bytes),
            start=value.start,
            end=value.end,
            offset=-1 if value.offset is None else value.offset,
            place=self._place(value.node),
            entity=self._entity(value.node),
        )

    def _parameter(self, parameter: TinyParameter) -> TrainingParameter:
        return TrainingParameter(
            name=parameter.name,
            module=parameter.name.rpartition(".")[0],
            elements=parameter.elements,
            channels=parameter.channels,
            updated=parameter.updated,
            entity=self._entity(parameter.node),
        )

    def _entity(self, node: int | None) -> str:
        return "" if node is None else f"node:{self._graph.id}:{node}"

    def _place(self, node: int | None) -> str:
        """'blocks.3.up, model.py, line 29'."""
        if node is None:
            return ""
        found = self._graph.nodes[node]
        line = self._places.own_line(found.stack)
        where = "" if line is None else self._places.where(line)
        return ", ".join(part for part in (found.module, where) if part)


def told(plan: TinyPlan) -> Iterator[str]:
    """Beside each bar: how much less it is than the full update, and what the arena adds to it.

    A bar is what is alive at once; values cannot always lie side by side without gaps.
    """
    full = plan.bars[0].bytes if plan.bars else 0
    for bar in plan.bars:
        less = f"{full / bar.bytes:.1f} times less" if bar.bytes and bar.bytes != full else ""
        has_gaps = bar is plan.bars[-1] and bar.bytes < plan.bytes
        gaps = f"with gaps {size(plan.bytes)}" if has_gaps else ""
        yield ", ".join(part for part in (less, gaps) if part)


def _bars(plan: TinyPlan) -> Iterator[TrainingBar]:
    for bar, words in zip(plan.bars, told(plan), strict=True):
        parts = (bar.weights, bar.state, bar.sample, bar.activations, bar.gradients)
        yield TrainingBar(
            name=bar.name, bytes=bar.bytes, size=size(bar.bytes), parts=parts, told=words
        )


def _sentences(plan: TinyPlan) -> Iterator[str]:
    if plan.limit is not None:
        yield f"The step needs {size(plan.bytes)}, {_within(plan)} the limit of {size(plan.limit)}."
    else:
        yield f"The step needs {size(plan.bytes)}."
    yield (
        f"Most is alive during `{plan.peak_at}`: {size(plan.alive)} in an arena of "
        f"{size(plan.arena)}, beside it {size(plan.resident)} of updated parameters and state."
    )
    share = percent(plan.updated / max(1, plan.parameters))
    yield f"{plural(plan.updated_tensors, 'parameter')} updated, {share} of the model's numbers."
    if plan.order_bound < plan.alive:
        yield (
            "Whether another order of the operations needs less is not known: none needs less "
            f"than {size(plan.order_bound)}."
        )
