"""A plan: one model's training step, from the joint graph to places in an arena."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch

from dynamo_lab.errors import OptionError
from dynamo_lab.measure.rounds import Watch
from dynamo_lab.model.tiny import TinyPass, TinyPlan
from dynamo_lab.tiny.arena import Arena, arena
from dynamo_lab.tiny.int8.step import Int8Step
from dynamo_lab.tiny.limit import hold, limit_of
from dynamo_lab.tiny.measures import bar, frozen, measured, worst
from dynamo_lab.tiny.optimizer import Optimizer, optimizer_of
from dynamo_lab.tiny.order import FEW_STATES, MOST_STATES
from dynamo_lab.tiny.prepared import Laid, Prepared, prepared, values_of
from dynamo_lab.tiny.search.options import Search, search_of
from dynamo_lab.tiny.search.searched import Asked, Searched, searched
from dynamo_lab.tiny.selection import Selection, selection
from dynamo_lab.tiny.step import ArenaStep
from dynamo_lab.tiny.work import Precision, work_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from rich.console import Console, ConsoleOptions, RenderableType
    from torch import nn

    from dynamo_lab.tiny.graph import StepGraph
    from dynamo_lab.tiny.int8.pipeline import Int8
    from dynamo_lab.tiny.int8.quantize import Quantized
    from dynamo_lab.tiny.passes.pipeline import Applied


@dataclass(frozen=True)
class Plan:
    """A training step as planned; print it. `step` runs it in PyTorch.

    `facts` has its numbers, `passes` each rewrite with the graphs before and after it, `graph` the
    last of them, `selected` what is updated, `search` how that was found, if it was.
    """

    model: nn.Module
    facts: TinyPlan
    passes: tuple[Applied, ...]
    graph: StepGraph
    arena: Arena
    selected: Selection
    optimizer: Optimizer
    quantized: Quantized | None = None
    search: Searched | None = None

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

        known = self.quantized.values if self.quantized else values_of(self.model)
        return write_program(self.graph, known, folder, self._run.steps)

    @property
    def is_intact(self) -> bool:
        """Whether no step has written behind the arena's end."""
        return self._run.is_intact

    @cached_property
    def _run(self) -> ArenaStep | Int8Step:
        """In its dtype, whatever precision the bytes are counted in."""
        if self.quantized is not None:
            return Int8Step(self.quantized, self.arena, values_of(self.model))
        work = work_of(self.graph)
        place = arena(work, range(len(work.operations)))
        return ArenaStep(self.graph, place, values_of(self.model))

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


def plan(
    model: nn.Module,
    example: Sequence[torch.Tensor],
    loss: Callable[..., Any],
    *,
    optimizer: Any,
    memory: str | int | None,
    update: Any,
    channels: str,
    precision: Precision,
    int8: Int8 | None = None,
    most_states: int = MOST_STATES,
    search: Any = None,
    watch: Watch | None = None,
) -> Plan:
    """The plan of a model's training step: see `lab.tiny`."""
    limit, chosen = limit_of(memory), optimizer_of(optimizer)
    if precision not in ("float32", "int8", "mixed"):
        raise OptionError(f'precision={precision!r} is not one of "float32", "int8" and "mixed".')
    how = _how(update, search, limit)
    selected = {} if how else selection(model, update, channels)
    ready = prepared(model, example, loss, chosen, precision, int8)
    found: Searched | None = None
    if how and limit:
        asked = Asked(model, example, loss, ready, how, limit, channels)
        found = searched(asked, watch or Watch())
        selected = selection(model, found.update, channels)
    laid = ready.laid_out(selected, most_states)
    if found and limit and laid.bytes > limit:  # the order with the lower peak can have more gaps
        laid = ready.laid_out(selected, FEW_STATES)
    facts = _plan_facts(model, ready, laid, selected, limit)
    return Plan(
        *(model, facts, laid.passes, laid.graph, laid.arena, selected, chosen, laid.quantized),
        search=found,
    )


def _how(update: Any, search: Any, limit: int | None) -> Search | None:
    """The settings of a search, if one is asked for."""
    if isinstance(update, str) and update == "search":
        return search_of(search, limit)
    if search is not None:
        raise OptionError('search=... is for update="search" alone: leave it out, or ask for it.')
    return None


def _plan_facts(
    model: nn.Module, ready: Prepared, laid: Laid, selected: Selection, limit: int | None
) -> TinyPlan:
    """The numbers of a plan.

    Raises:
        TinyError: it is above its limit.
    """
    precision, is_float = ready.precision, ready.int8 is None
    names = [one.name for one in laid.passes]
    sparse = laid.passes[names.index("fold")].after
    at, alive = worst(laid.work)
    facts = TinyPlan(
        precision=precision,
        dtype="float32" if is_float else "int8",
        passes=tuple(_facts(laid.passes, precision)),
        bars=(
            bar("full update", ready.full(), precision),
            bar("sparse", sparse, precision),
            bar("sparse, reordered" if is_float else "as trained", laid.graph, precision),
        ),
        limit=limit,
        arena=laid.arena.size,
        alive=laid.arena.bound,
        order_bound=laid.order.bound,
        resident=laid.resident,
        frozen=frozen(laid.graph, precision),
        parameters=sum(p.numel() for p in model.parameters()),
        updated=_updated(model, selected),
        updated_tensors=len(selected),
        peak_at=laid.work.operations[at].name,
    )
    largest = sorted((laid.work.storages[s] for s in alive), key=lambda one: -one.bytes)
    hold(facts, largest)
    return facts


def _facts(passes: Sequence[Applied], precision: Precision) -> Iterator[TinyPass]:
    measures = [measured(passes[0].before, precision)]
    for one in passes:
        measures.append(measured(one.after, precision))
        yield TinyPass(
            name=one.name, sentence=one.sentence, before=measures[-2], after=measures[-1]
        )


def _updated(model: nn.Module, selected: Selection) -> int:
    """How many numbers of the parameters are updated."""
    from dynamo_lab.tiny.selection import channel_dim

    found, named = 0, dict(model.named_parameters())
    for name, channels in selected.items():
        count = named[name].numel()
        if channels is not None:
            count = count * len(channels) // named[name].shape[channel_dim(named[name])]
        found += count
    return found
