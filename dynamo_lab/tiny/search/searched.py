"""The search from beginning to end: bytes, gains, generations; stopped, kept and continued."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from dynamo_lab.errors import OptionError, TinyError
from dynamo_lab.model.tiny import TinyContribution, TinyFinalist, TinySearch
from dynamo_lab.tiny.laid import laid_out
from dynamo_lab.tiny.order import FEW_STATES
from dynamo_lab.tiny.passes.split import split
from dynamo_lab.tiny.search.evolution import Evolution
from dynamo_lab.tiny.search.gains import Proxy, Trained
from dynamo_lab.tiny.search.space import Choice, Scheme, space_of
from dynamo_lab.tiny.search.state import digest, loaded, save
from dynamo_lab.tiny.selection import selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import torch
    from rich.console import Console, ConsoleOptions, RenderableType
    from torch import nn

    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.tiny.problem import Problem
    from dynamo_lab.tiny.search.gains import Gains
    from dynamo_lab.tiny.search.options import Search
    from dynamo_lab.tiny.search.space import Space

T = TypeVar("T")


@dataclass(frozen=True)
class Searched:
    """What a search found; print it, or let a notebook show it. `update` is what it chose."""

    facts: TinySearch
    update: Mapping[str, Any]

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from dynamo_lab.render.terminal.contributions import search_rows

        yield from search_rows(self.facts, options.max_width)

    def __str__(self) -> str:
        from dynamo_lab.render.terminal.contributions import search_text

        return search_text(self.facts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from dynamo_lab.render.fallback.tiny.contributions import search_html

        return search_html(self.facts)


@dataclass(frozen=True)
class Asked:
    """A search as it was asked for: of what, on which example, with which loss, and how."""

    problem: Problem
    example: Sequence[torch.Tensor]
    loss: Callable[..., Any]
    how: Search

    @property
    def model(self) -> nn.Module:
        """The model that is to be trained."""
        return self.problem.model

    @property
    def limit(self) -> int:
        """The most bytes."""
        return self.problem.limit or 0


def searched(asked: Asked, watch: Watch) -> Searched:
    """What to update within the limit, so that the gains' sum is the largest that was found.

    An interrupt (Ctrl-C) or `watch.stop` ends it: the best scheme so far is taken.

    Raises:
        OptionError: the state file is that of another search.
        OutputError: it cannot be written.
    """
    run = _Run(asked, watch)
    try:
        run.measure()
    except KeyboardInterrupt:
        watch.stop()
    run.begin()
    try:
        run.evolve()
        run.compare()
    except KeyboardInterrupt:
        watch.stop()
    return run.result()


class _Run:
    def __init__(self, asked: Asked, watch: Watch) -> None:
        self._asked, self._watch = asked, watch
        self._space = space_of(asked.model, asked.how.ratios)
        self._needed = Needed(asked, self._space)
        self._state = loaded(asked.how.state, _digest(asked))
        self._found = _gains(asked, self._space, self._state.scores)
        self._bytes: dict[Choice, int | None] = {}
        self._gains: dict[Choice, float] = {}
        self._schemes: list[Scheme] = []
        self._finalists: dict[Scheme, float] = {}

    def measure(self) -> None:
        """The bytes of each choice alone, and the gains of those that fit."""
        if not self._fits(self._needed(self._space.nothing())):
            return
        every = list(self._space.choices())
        for choice in self._told("memory of {}", every, lambda choice: choice.key):
            scheme = self._space.with_choice(self._space.nothing(), choice)
            self._bytes[choice] = self._needed(scheme)
        fitting = [choice for choice, needed in self._bytes.items() if self._fits(needed)]
        for choice in self._told("contribution of {}", fitting, lambda choice: choice.key):
            self._gains[choice] = self._found.gain(choice)
            save(self._state, self._asked.how.state)

    def _fits(self, needed: int | None) -> bool:
        return needed is not None and needed <= self._asked.limit

    def _told(self, what: str, each: Sequence[T], name: Callable[[T], str]) -> Iterator[T]:
        """Each of them, with the time that is left for the others; until the watch stops."""
        began = self._watch.clock()
        for done, one in enumerate(each):
            if self._watch.stopped:
                return
            left = (self._watch.clock() - began) / done * (len(each) - done) if done else None
            self._watch.tell(what.format(name(one)), done, len(each), left)
            yield one

    def begin(self) -> None:
        """The first generation, or the last that a state file has."""
        how, gains = self._asked.how, {c: gain for c, gain in self._gains.items() if gain > 0}
        self._evolution = Evolution(
            self._space, gains, self._needed, self._asked.limit, how.population, how.seed
        )
        kept = [Scheme(biases, tuple(shares)) for biases, shares in self._state.schemes]
        self._schemes = kept or self._evolution.first() or [self._space.nothing()]

    def evolve(self) -> None:
        """Generation after generation."""
        how, state = self._asked.how, self._state
        numbers = range(state.generation, how.generations)
        for number in self._told("generation {}", numbers, lambda number: f"{number + 1}"):
            self._schemes = self._evolution.next(self._schemes, number)
            state.generation = number + 1
            state.schemes = [(one.biases, one.shares) for one in self._schemes]
            save(state, how.state)

    def compare(self) -> None:
        """Train those with the largest sums of gains, as gains need not add up."""
        if self._asked.how.data is None:
            return
        first = self._schemes[: self._asked.how.finalists]
        places = {scheme: f"{at + 1}" for at, scheme in enumerate(first)}
        for scheme in self._told("training of scheme {}", first, places.__getitem__):
            measured = self._found.measured(scheme)
            if measured is None:
                return
            self._finalists[scheme] = measured
            save(self._state, self._asked.how.state)

    def result(self) -> Searched:
        trained, how = self._finalists, self._asked.how
        best = max(trained, key=trained.__getitem__) if trained else self._schemes[0]
        chosen = set(self._space.chosen(best))
        rows = tuple(
            TinyContribution(
                parameter=choice.parameter,
                biases=choice.biases,
                ratio=choice.ratio,
                bytes=self._bytes.get(choice),
                gain=self._gains.get(choice),
                is_chosen=choice in chosen,
            )
            for choice in self._space.choices()
        )
        facts = TinySearch(
            measure=self._found.measure,
            baseline=self._found.baseline,
            checked=sum(one[-1].shape[0] if one[-1].dim() else 1 for one in how.check),
            repeats=how.repeats,
            contributions=rows,
            finalists=tuple(
                TinyFinalist(
                    gain=self._evolution.gain(scheme),
                    measured=measured,
                    bytes=self._needed(scheme),
                    is_chosen=scheme == best,
                )
                for scheme, measured in trained.items()
            ),
            gain=self._evolution.gain(best),
            bytes=self._needed(best),
            classifier_bytes=self._needed(self._space.nothing()),
            limit=self._asked.limit,
            planned=len(self._needed.known),
            generation=self._state.generation,
            generations=how.generations,
            stopped=self._watch.stopped,
            seed=how.seed,
        )
        return Searched(facts, self._space.update(best))


class Needed:
    """The bytes that a scheme needs by its plan, each planned once; None where it cannot be.

    The best order of its operations is not searched for as long as for the plan at last.
    """

    def __init__(self, asked: Asked, space: Space) -> None:
        self._asked, self._space = asked, space
        problem = asked.problem
        self._problem = replace(problem, joint=split(problem.joint), most_states=FEW_STATES)
        self.known: dict[Scheme, int | None] = {}

    def __call__(self, scheme: Scheme) -> int | None:
        """What the limit holds for: arena, updated parameters and their state."""
        if scheme not in self.known:
            update = self._space.update(scheme)
            selected = selection(self._asked.model, update, self._asked.problem.channels)
            try:
                self.known[scheme] = laid_out(self._problem, selected).bytes
            except (OptionError, TinyError):
                self.known[scheme] = None
        return self.known[scheme]


def _gains(asked: Asked, space: Space, scores: dict[str, float]) -> Gains:
    if asked.how.data is None:
        return Proxy(asked.model, asked.loss, space, asked.example, asked.problem.channels)
    return Trained(
        asked.model,
        asked.loss,
        space,
        asked.how,
        asked.problem.optimizer,
        asked.problem.channels,
        scores,
    )


def _digest(asked: Asked) -> str:
    """Of all that a search depends on but for how long it goes on."""
    how = asked.how
    samples = [*(how.data or ()), *how.check, asked.example]
    settings = (
        *(how.data is None, how.epochs, how.repeats, how.lr, how.ratios, how.population, how.seed),
        *(asked.limit, asked.problem.channels, asked.problem.optimizer, asked.problem.precision),
        *(asked.problem.int8 is not None, len(how.check)),
    )
    named = asked.model.named_parameters()
    parameters = [part for name, one in named for part in (name, one.requires_grad, one)]
    return digest([*settings, *parameters, *(part for one in samples for part in one)])
