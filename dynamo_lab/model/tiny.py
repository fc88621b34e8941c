"""Training plans: what each rewrite of a step's graph won, and what memory the step needs."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Plain, Ref

Kind = Literal["weight", "state", "sample", "activation", "gradient"]
Phase = Literal["forward", "backward", "update"]


class StepMeasure(Struct, frozen=True, kw_only=True):
    """A step's graph: the most bytes at once in its own order, operations, and flops of products.

    `bytes` has the arena's share (sample, activations, gradients) and, beside it, `resident`: the
    parameters that are updated and their optimizer's state. Frozen parameters are in neither.
    `flops` is None where a step computes in integers. `seconds` is what a step took in PyTorch on
    one thread: the lower quartile of rounds, their median, the upper; None if it was not measured.
    """

    bytes: int
    resident: int
    operations: Annotated[int, Plain("how many there are")]
    flops: int | None
    seconds: tuple[float, float, float] | None = None


class TinyPass(Struct, frozen=True, kw_only=True):
    """A rewrite of the graph: its name, what it does in a sentence, and before and after."""

    name: str
    sentence: str
    before: StepMeasure
    after: StepMeasure


class TinyBar(Struct, frozen=True, kw_only=True):
    """The memory of a way to train, in bytes, by what takes it at the worst moment."""

    name: str
    bytes: int
    weights: int
    state: int
    sample: int
    activations: int
    gradients: int


class TinyOperation(Struct, frozen=True, kw_only=True):
    """An operation of the step in its order. `bytes` is all that lies in memory while it runs.

    `node` is the node of the joint graph that it was made of, None if there is none.
    """

    name: str
    phase: Phase
    bytes: int
    node: Annotated[int | None, Ref("graphs[Training.graph].nodes")] = None


class TinyValue(Struct, frozen=True, kw_only=True):
    """A value's life: it takes memory from the operation `start` to `end`, counted from 0.

    `offset` is its place in the arena; None for parameters that are updated and their state, which
    lie beside it all the time.
    """

    name: str
    kind: Kind
    bytes: int
    start: Annotated[int, Ref("TinyPlan.operations")]
    end: Annotated[int, Ref("TinyPlan.operations")]
    offset: int | None = None
    node: Annotated[int | None, Ref("graphs[Training.graph].nodes")] = None


class TinyParameter(Struct, frozen=True, kw_only=True):
    """A parameter that could be updated. `channels` are its input channels, 0 if only all can be.

    `updated` is the share of its numbers that is.
    """

    name: str
    elements: int
    channels: Annotated[int, Plain("how many there are")] = 0
    updated: float = 0.0
    node: Annotated[int | None, Ref("graphs[Training.graph].nodes")] = None


class TinyPlan(Struct, frozen=True, kw_only=True):
    """A training step as planned; sizes in bytes, `limit` None where there is none.

    `precision` is how bytes are counted, `dtype` what the step computes in. `arena` is the size of
    the block with the sample, the activations and the gradients, `alive` the most that is alive in
    it at once, and `order_bound` what no order of the operations is below. `resident` are updated
    parameters and their state, `frozen` the others and constants, which can lie in read-only
    memory. `peak_at` is the node during which most is alive. `operations` and `values` are the
    step in its order, `trainable` all parameters that could be updated.
    """

    precision: str
    dtype: str = "float32"
    passes: tuple[TinyPass, ...]
    bars: tuple[TinyBar, ...]
    limit: int | None
    arena: int
    alive: int
    order_bound: int
    resident: int
    frozen: int
    parameters: int
    updated: int
    updated_tensors: int
    peak_at: str
    operations: tuple[TinyOperation, ...] = ()
    values: tuple[TinyValue, ...] = ()
    trainable: tuple[TinyParameter, ...] = ()

    @property
    def bytes(self) -> int:
        """What can change must lie in memory: the arena and what is resident."""
        return self.arena + self.resident


class TinyContribution(Struct, frozen=True, kw_only=True):
    """What updating something beside the classifier contributes.

    It is the last `biases` biases, or the share `ratio` of the input channels of a weight, which is
    `parameter`. `bytes` is what a step of the classifier and of this needs, None where it cannot be
    planned or was not; `gain` is None where it was not measured.
    """

    parameter: str
    biases: Annotated[int, Plain("how many there are")]
    ratio: float
    bytes: int | None
    gain: float | None
    is_chosen: bool


class TinyFinalist(Struct, frozen=True, kw_only=True):
    """A whole scheme that was trained: the sum of its gains, and the measure of all together."""

    gain: float
    measured: float
    bytes: int | None
    is_chosen: bool


class TinySearch(Struct, frozen=True, kw_only=True):
    """A search for what to update within a memory limit.

    `measure` says what a gain is: "accuracy" (a share of `checked` rows), "loss" (what is taken off
    it), or "gradient" (a proxy: the gradient's squared norm). `baseline` is the measure with the
    classifier alone; `gain` the sum of what is chosen, `bytes` what that needs. `planned` schemes
    were laid out to know their bytes. `finalists` are the schemes with the largest sums, the
    largest first; the best of them by what was measured is the chosen one. Each measure is the mean
    of `repeats` trainings.
    """

    measure: str
    baseline: float | None
    checked: Annotated[int, Plain("how many rows there are")]
    contributions: tuple[TinyContribution, ...]
    gain: float
    bytes: int | None
    classifier_bytes: int | None
    limit: int
    planned: Annotated[int, Plain("how many there are")]
    generation: Annotated[int, Plain("how many were made")]
    generations: Annotated[int, Plain("how many were asked for")]
    stopped: bool
    repeats: Annotated[int, Plain("how many trainings there are")] = 1
    finalists: tuple[TinyFinalist, ...] = ()
    seed: Annotated[int, Plain("draws the schemes")]


class TinyChoice(Struct, frozen=True, kw_only=True):
    """A plan made ahead of time, for who has no kernel to ask.

    It updates the last so many layers, and of their weights a `share` of the input channels; with
    `layers` 0 all biases and nothing else.
    """

    layers: Annotated[int, Plain("how many there are")]
    share: float
    plan: TinyPlan


class Training(Struct, frozen=True, kw_only=True):
    """A planned training step: `graph` is its joint graph, to which every plan's values refer.

    `pipeline` has the diffs of the passes of `plan`, one by one; older recordings have none.
    """

    graph: Annotated[int, Ref("graphs")]
    plan: TinyPlan
    choices: tuple[TinyChoice, ...] = ()
    pipeline: Annotated[int | None, Ref("pipelines")] = None
