"""A plan: one model's training step, from the joint graph to places in an arena."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import torch
from msgspec import structs

from dynamo_lab.capture.autograd.whole import whole_step
from dynamo_lab.errors import OptionError
from dynamo_lab.model.tiny import TinyPass, TinyPlan
from dynamo_lab.tiny import lives
from dynamo_lab.tiny.arena import Arena, arena
from dynamo_lab.tiny.graph import StepGraph
from dynamo_lab.tiny.int8.step import Int8Step
from dynamo_lab.tiny.laid import Laid, laid_out
from dynamo_lab.tiny.limit import hold, limit_of
from dynamo_lab.tiny.measures import bar, frozen, measured, worst
from dynamo_lab.tiny.optimizer import Optimizer, optimizer_of
from dynamo_lab.tiny.order import MOST_STATES
from dynamo_lab.tiny.problem import Problem
from dynamo_lab.tiny.step import ArenaStep, fits
from dynamo_lab.tiny.times import step_seconds
from dynamo_lab.tiny.work import Precision, work_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from rich.console import Console, ConsoleOptions, RenderableType
    from torch import nn

    from dynamo_lab.tiny.int8.pipeline import Int8
    from dynamo_lab.tiny.int8.quantize import Quantized
    from dynamo_lab.tiny.passes.pipeline import Applied
    from dynamo_lab.tiny.search.searched import Searched
    from dynamo_lab.tiny.selection import Selection


@dataclass(frozen=True)
class Plan:
    """A training step as planned; print it. `step` runs it in PyTorch.

    `facts` has its numbers, `passes` each rewrite with the graphs before and after it, `graph` the
    last of them, `selected` what is updated, `search` how that was found, if it was.
    """

    problem: Problem
    facts: TinyPlan
    passes: tuple[Applied, ...]
    graph: StepGraph
    arena: Arena
    selected: Selection
    quantized: Quantized | None = None
    search: Searched | None = None

    @property
    def model(self) -> nn.Module:
        """Whose parameters it changes."""
        return self.problem.model

    @property
    def optimizer(self) -> Optimizer:
        """How a gradient changes them."""
        return self.problem.optimizer

    def held(self) -> Plan:
        """The plan, if it is below its limit.

        Raises:
            TinyError: it is not; with the least that is possible, and what takes it.
        """
        work = work_of(self.graph, self.problem.precision)
        largest = sorted((work.storages[s] for s in worst(work)[1]), key=lambda one: -one.bytes)
        hold(self.facts, largest)
        return self

    def step(self, *sample: torch.Tensor, lr: float | None = None) -> torch.Tensor:
        """Train on one sample: the loss before the update; the model's parameters are changed.

        Args:
            sample: The model's inputs and the target, of the example's shapes and types.
            lr: Another learning rate than the optimizer's, for this step.

        Raises:
            OptionError: the sample is not like the example.
        """
        return self._run(sample, self.optimizer.lr if lr is None else lr)

    def predict(self, *inputs: torch.Tensor) -> torch.Tensor:
        """The model's output as the step computes it: in int8 where it is planned in int8.

        Args:
            inputs: The model's inputs, of the example's shapes and types.

        Raises:
            OptionError: they are not like the example's.
        """
        if isinstance(self._run, Int8Step):
            return self._run.scores(inputs)
        with torch.no_grad():
            return self.model(*inputs)

    def record(self, *sample: torch.Tensor) -> bytes:
        """A sample as a record of the file that the C program trains on."""
        run = self._run
        parts = run.integers(sample) if isinstance(run, Int8Step) else sample
        return b"".join(part.contiguous().numpy().tobytes() for part in parts)

    def to_c(self, folder: str | Path) -> tuple[Path, ...]:
        """The step as plain C99 in a folder, with the model's parameters as they are now.

        `main.c` trains on samples from a file; `cmake -B build && cmake --build build` builds it.
        It computes in the plan's dtype, whatever precision bytes are counted in: in int8 it has
        PyTorch's bits, in float32 sums may be in another order.

        Raises:
            TinyError: there is no C code for some operators; nothing is written then.
            OutputError: the folder cannot be written.
        """
        from dynamo_lab.tiny.c.program import write_program

        known = self.quantized.values if self.quantized else self.problem.values
        return write_program(self.graph, known, folder, self._run.steps)

    def timed(self, *sample: torch.Tensor, rounds: int = 15) -> Self:
        """The plan, with how long a step takes in PyTorch before and after each pass.

        Its facts have the median of the rounds and the quartiles, in seconds. PyTorch calls the
        nodes of each graph one after the other, on one thread; of one in int8, which it only
        simulates, the time stays unknown. The model stays as it is; an optimizer's state begins
        anew.

        Args:
            sample: The model's inputs and the target, of the example's shapes and types.
            rounds: How often each graph is measured; they take turns.

        Raises:
            OptionError: the sample is not like the example, or there are no rounds.
        """
        if rounds < 1:
            raise OptionError(f"rounds={rounds!r} measures nothing: give 1 or more.")
        fits(self.problem.joint, sample, self.problem.joint.inputs)
        steps = [self.passes[0].before, *(one.after for one in self.passes)]
        seconds = step_seconds(steps, self.problem.values, sample, rounds)
        passes = tuple(
            structs.replace(
                one,
                before=structs.replace(one.before, seconds=before),
                after=structs.replace(one.after, seconds=after),
            )
            for one, before, after in zip(self.facts.passes, seconds, seconds[1:], strict=False)
        )
        return replace(self, facts=structs.replace(self.facts, passes=passes))

    @property
    def is_intact(self) -> bool:
        """Whether no step has written behind the arena's end."""
        return self._run.is_intact

    @cached_property
    def _run(self) -> ArenaStep | Int8Step:
        """In its dtype, whatever precision the bytes are counted in."""
        if self.quantized is not None:
            return Int8Step(self.quantized, self.arena, self.problem.values)
        work = work_of(self.graph)
        place = arena(work, range(len(work.operations)))
        return ArenaStep(self.graph, place, self.problem.values)

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from dynamo_lab.render.terminal.tiny import plan_rows

        yield from plan_rows(self.facts, options.max_width)
        if self.search:
            yield ""
            yield self.search

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.tiny import plan_text

        return plan_text(self.facts) + (f"\n\n{self.search}" if self.search else "")

    __repr__ = __str__


def problem(
    model: nn.Module,
    example: Sequence[torch.Tensor],
    loss: Callable[..., Any],
    *,
    optimizer: Any,
    memory: str | int | None,
    channels: str,
    precision: Precision,
    int8: Int8 | None = None,
    most_states: int = MOST_STATES,
) -> Problem:
    """A model's training step as it is to be planned: see `lab.tiny`."""
    limit, chosen = limit_of(memory), optimizer_of(optimizer)
    if precision not in ("float32", "int8", "mixed"):
        raise OptionError(f'precision={precision!r} is not one of "float32", "int8" and "mixed".')
    whole = whole_step(model, loss, example)
    joint = StepGraph(
        graph=whole.graph,
        parameters=whole.parameters,
        buffers=whole.buffers,
        inputs=whole.inputs,
        loss=whole.loss,
        gradients=whole.gradients,
    )
    counted: Precision = precision if int8 is None else "int8"
    return Problem(model, joint, chosen, limit, channels, counted, int8, most_states)


def plan(asked: Problem, selected: Selection) -> Plan:
    """The plan of a step that updates these parameters, whether or not it is below the limit."""
    laid = laid_out(asked, selected)
    facts = _facts(asked, selected, laid)
    return Plan(asked, facts, laid.passes, laid.graph, laid.arena, selected, laid.quantized)


def _facts(asked: Problem, selected: Selection, laid: Laid) -> TinyPlan:
    graph, work, precision = laid.graph, laid.work, asked.precision
    sparse = next(one.after for one in laid.passes if one.name == "fold")
    has_state = asked.has_state
    parameters = list(lives.trainable(asked, selected))
    named = "sparse, reordered" if asked.int8 is None else "as trained"
    return TinyPlan(
        precision=precision,
        dtype="float32" if asked.int8 is None else "int8",
        passes=tuple(_passes(laid, precision, has_state)),
        bars=(
            asked.full,
            bar("sparse", sparse, precision, has_state),
            bar(named, graph, precision, has_state),
        ),
        limit=asked.limit,
        arena=laid.arena.size,
        alive=laid.arena.bound,
        order_bound=laid.order.bound,
        resident=laid.resident,
        frozen=frozen(graph, precision),
        parameters=sum(p.numel() for p in asked.model.parameters()),
        updated=sum(round(one.updated * one.elements) for one in parameters),
        updated_tensors=len(selected),
        peak_at=work.operations[worst(work)[0]].name,
        operations=tuple(lives.operations(asked, graph, work, laid.resident)),
        values=tuple(lives.values(asked, graph, work, laid.arena)),
        trainable=tuple(parameters),
    )


def _passes(laid: Laid, precision: Precision, has_state: bool) -> Iterator[TinyPass]:
    measures = [measured(laid.passes[0].before, precision, has_state)]
    for one in laid.passes:
        if one is laid.passes[-1]:  # which finds a place for what is alive at once
            measures.append(structs.replace(measures[-1], bytes=laid.bytes))
        else:
            measures.append(measured(one.after, precision, has_state))
        yield TinyPass(
            name=one.name, sentence=one.sentence, before=measures[-2], after=measures[-1]
        )
