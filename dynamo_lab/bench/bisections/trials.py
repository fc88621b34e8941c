"""Trials: the program compiled in one way or another, each compared with eager and counted."""

from __future__ import annotations

import re
import time
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING, Any

from dynamo_lab.bench.checks import Asked, Checks, off
from dynamo_lab.bench.start import Start, reached_tensors
from dynamo_lab.capture.bisections.asked import as_if_compiled, undefined_conversions
from dynamo_lab.capture.bisections.fakes import wrong_fakes
from dynamo_lab.capture.bisections.graphs import StagedBackend
from dynamo_lab.capture.bisections.parts import Part, Parts, settings, watched
from dynamo_lab.capture.core.compat import forget_compiled_code
from dynamo_lab.measure.checks import compare, is_wrong
from dynamo_lab.measure.subject import Subject, named_leaves, named_tensors
from dynamo_lab.model.bisections import BisectionTrial, TrialOutcome
from dynamo_lab.record.reach import leaves, stored_by_cell
from dynamo_lab.record.replay import told

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from dynamo_lab.capture.bisections.fakes import WrongFake
    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.model.benchmarks import Comparison, Phase
    from dynamo_lab.record.run import Choice
    from dynamo_lab.record.state import State

MOST = 15
"""The most compilations of one search."""

_SECONDS = 10.0  # for comparing one phase's results


class EndedError(Exception):
    """The search stops here; the message says why."""


class Tried:
    """What one trial came to: its outcome, its comparisons, the parts that were about to run."""

    def __init__(self, fact: BisectionTrial, found: tuple[Comparison, ...], parts: Parts) -> None:
        self.fact, self.found, self.parts = fact, found, parts
        self.graphs: StagedBackend | None = None
        self.error: BaseException | None = None

    @property
    def outcome(self) -> TrialOutcome:
        """Whether the fault was there."""
        return self.fact.outcome


class Trials:
    """The program, and its compilations so far. Each call starts from the same values and seed."""

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        choice: Choice,
        state: State,
        watch: Watch,
    ) -> None:
        self._choice, self._watch = choice, watch
        self.start = Start(state)
        roots = [fn, args, dict(kwargs)]
        named = {} if choice.grad is False else named_leaves(fn, args, kwargs, leaves(roots))
        self.phase: Phase = "step" if named else "forward"
        reached = reached_tensors(fn, roots)
        self.subject = Subject(
            fn, args, kwargs, named, loss=weighted, reached=reached, stored=stored_by_cell(fn)
        )
        asked = Asked(None, _SECONDS, watch.clock, is_seeded=True)
        self.checks = Checks(self.subject, fn, self.phase, self.start, asked)
        self.draws = "random numbers" in self.checks.changes
        self.made: list[BisectionTrial] = []
        self.only: int | None = None
        """The graph that alone is compiled; the others run as they were captured."""
        self._way: Callable[..., Any] | None = None
        self._fault = ""
        """The error that the compiler raised first, where it is about one."""

    def run(
        self,
        what: str,
        stage: str = "inductor",
        allowed: Callable[[Part], bool] = lambda part: True,
        chosen: Mapping[str, Any] | None = None,
        graphs: Callable[[int], bool] | None = None,
        keeps: bool = False,
        within: AbstractContextManager[object] | None = None,
    ) -> Tried:
        """Compile the program with these parts of the compiler, and compare what it computes.

        `within` holds while it is compiled.

        Raises:
            EndedError: it has been compiled as often as a search may, or was stopped.
        """
        if self._watch.stopped:
            raise EndedError("it was stopped")
        if len(self.made) >= MOST:
            raise EndedError(f"{MOST} compilations were made")
        self._watch.tell(f"compiling: {what}", len(self.made), MOST)
        compiles = graphs or self._is_searched
        backend = StagedBackend(lambda at: stage if compiles(at) else "eager", keeps)
        with within or nullcontext():
            return self._tried(what, stage, backend, allowed, dict(chosen or {}))

    def _tried(
        self,
        what: str,
        stage: str,
        backend: StagedBackend,
        allowed: Callable[[Part], bool],
        chosen: dict[str, Any],
    ) -> Tried:
        if self.draws:
            chosen = {"fallback_random": True, **chosen}
        started = time.perf_counter()
        found: tuple[Comparison, ...] = ()
        error = None
        forget_compiled_code()
        with ExitStack() as stack:
            parts = stack.enter_context(watched(allowed))
            all_settings = {**self._choice.settings, **chosen}
            stack.enter_context(settings(self._choice.mode, all_settings))
            try:
                self._way = self._compiled(backend, self.subject.fn)
                found = self.checks.of(len(self.made) + 1, self._way)
            except Exception as raised:
                error = raised
        tried = Tried(self._made(what, stage, started, found, error), found, parts)
        tried.graphs, tried.error = backend, error
        return tried

    def _made(
        self,
        what: str,
        backend: str,
        started: float,
        found: tuple[Comparison, ...],
        error: Exception | None,
    ) -> BisectionTrial:
        """A trial that began then is over: its fact, which is kept."""
        outcome, fault = self._judged(found, error)
        seconds = time.perf_counter() - started
        fact = BisectionTrial(
            what=what, backend=backend, outcome=outcome, fault=fault, seconds=seconds
        )
        self.made.append(fact)
        return fact

    def with_caches(self) -> Tried:
        """The program with PyTorch's caches of compiled graphs, which no other trial uses.

        Raises:
            EndedError: it has been compiled as often as a search may, or was stopped.
        """
        if self._watch.stopped or len(self.made) >= MOST:
            raise EndedError("no compilation is left")
        started = time.perf_counter()
        forget_compiled_code()
        found: tuple[Comparison, ...] = ()
        error = None
        with settings(self._choice.mode, self._choice.settings):
            try:
                way = self._compiled("inductor", self.subject.fn)
                found = self.checks.of(len(self.made) + 1, way)
            except Exception as raised:
                error = raised
        what = "with PyTorch's caches of graphs"
        fact = self._made(what, "inductor", started, found, error)
        return Tried(fact, found, Parts(lambda _: True))

    def _is_searched(self, graph: int) -> bool:
        return self.only in (None, graph)

    def call_again(self) -> None:
        """Call what was compiled last once more."""
        if self._way is not None:
            self.start.again()
            self.subject.results(self._way, self.phase)

    def differs_as_if_compiled(self) -> bool:
        """Whether eager gives something else when it is told that it is being compiled."""
        with as_if_compiled():
            return is_wrong(self.checks.of(1, self.subject.fn))

    def undefined_conversions(self) -> tuple[str, ...]:
        """The integer types that eager casts numbers to which these cannot hold."""
        self.start.again()
        return undefined_conversions(lambda: self.subject.results(self.subject.fn, self.phase))

    def wrong_fakes(self, operators: Collection[str]) -> tuple[WrongFake, ...]:
        """The operators whose fake says something else than eager gives."""
        self.start.again()
        return wrong_fakes(lambda: self.subject.results(self.subject.fn, self.phase), operators)

    def _compiled(self, backend: Any, fn: Callable[..., Any]) -> Callable[..., Any]:
        import torch

        untyped: Any = torch
        options = {"dynamic": self._choice.dynamic, "fullgraph": self._choice.fullgraph}
        return untyped.compile(fn, backend=backend, **options)

    def _judged(
        self, found: Sequence[Comparison], error: BaseException | None
    ) -> tuple[TrialOutcome, str]:
        fault = off(found) if is_wrong(found) else ""
        if error is not None:
            fault = told(root_of(error))
            if not self.made:
                self._fault = _kind(fault)
            return ("wrong" if _kind(fault) == self._fault else "other"), fault
        if self._fault:  # it is about an error, and this way compiles
            return "right", fault
        return ("wrong" if fault else "right"), fault

    def in_float64(self) -> bool | None:
        """Whether the program compiled in float64 agrees with eager in that; None if unknown.

        A program that casts would not be in float64 when it is compiled.
        """
        exact = None if self.checks.has_cast else self.subject.exact()
        if exact is None or len(self.made) >= MOST or self._watch.stopped:
            return None
        started = time.perf_counter()
        forget_compiled_code()
        chosen = settings(self._choice.mode, self._choice.settings)
        try:
            self.start.again()
            eager = _cloned(exact.results(exact.fn, self.phase))
            exact = self.subject.exact() or exact
            self.start.again()
            with watched(lambda _: True), chosen:
                other = exact.results(self._compiled("inductor", exact.fn), self.phase)
            agrees = not is_wrong(compare(eager, other, way=1, phase=self.phase))
        except Exception:  # what is made in the program has a dtype of its own
            return None
        self.made.append(
            BisectionTrial(
                what="the program in float64",
                backend="inductor",
                outcome="right" if agrees else "wrong",
                seconds=time.perf_counter() - started,
            )
        )
        return agrees


def _cloned(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.detach().clone() for name, value in values.items()}


def weighted(returned: Any) -> Any:
    """A sum of all results in which no two elements count alike: a plain sum hides differences."""
    import torch

    found = [t for _, t in named_tensors("", returned) if t.requires_grad]
    parts = [_weighed(t) for t in found]
    return torch.stack(parts).sum() if parts else None


def _weighed(value: Any) -> Any:
    import torch

    if value.is_complex():
        value = torch.view_as_real(value)
    flat = value.reshape(-1)
    wide = torch.float64 if value.dtype == torch.float64 else torch.float32
    weights = 1 + torch.arange(flat.numel(), device=flat.device, dtype=wide).mul(0.7).cos() / 2
    return (flat.to(wide) * weights).sum()


def root_of(error: BaseException) -> BaseException:
    """What the backend raised, inside of what Dynamo made of it."""
    inner = getattr(error, "inner_exception", None)
    return root_of(inner) if isinstance(inner, BaseException) else error


def _kind(fault: str) -> str:
    """An error without what two compilations do not share: numbers, names of files."""
    return re.sub(r"\d+|/\S+", "", fault)
