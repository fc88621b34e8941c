"""A bisection from beginning to end: compile, compare, search, judge."""

from __future__ import annotations

import time
import traceback
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from dynamo_lab.bench.bisections.evidence import Evidence
from dynamo_lab.bench.bisections.search import Search
from dynamo_lab.bench.bisections.trials import EndedError, Trials, Tried, root_of
from dynamo_lab.bench.bisections.verdicts import (
    Judged,
    judged,
    judged_cast,
    judged_eager,
    judged_right,
    misled,
)
from dynamo_lab.capture.bisections.kernel_values import written, wrong_kernels
from dynamo_lab.capture.core.compat import many_ways
from dynamo_lab.capture.core.sources import is_generated
from dynamo_lab.errors import BisectionError
from dynamo_lab.live.session import Session
from dynamo_lab.measure.checks import compare, is_wrong
from dynamo_lab.model.bisections import CACHES, Bisection, Culprit, Difference
from dynamo_lab.model.core.host import version_of
from dynamo_lab.record.explore import record, runnable
from dynamo_lab.record.replay import told, without_trace
from dynamo_lab.record.run import Run
from dynamo_lab.view.core.names import custom_operators

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from dynamo_lab.capture.bisections.fakes import WrongFake
    from dynamo_lab.capture.bisections.graphs import Held
    from dynamo_lab.capture.bisections.kernel_values import Wrong
    from dynamo_lab.capture.kernels.interpreted import WrittenModule
    from dynamo_lab.measure.rounds import Watch
    from dynamo_lab.model.benchmarks import Comparison
    from dynamo_lab.model.recording import Recording
    from dynamo_lab.record.run import Choice


_RANDOM = (
    "The program draws random numbers, of NumPy or of Python, which compiled code draws otherwise: "
    "with the same seed they are others, so results cannot be compared. Draw them outside."
)

_ASKED = (
    "The program computes something else when it is compiled, for it asks "
    "torch.compiler.is_compiling(): eager that is told yes gives other results too."
)
_CACHED = (
    "Compiled anew, every graph gives what eager gives. With PyTorch's caches it does not: code "
    "that was compiled for one graph is taken for another that it is not for."
)
_UNDEFINED = (
    "The program casts floating-point numbers to {}, which cannot hold them: what that gives is "
    "undefined, and differs between machines, and with and without vector instructions. "
    "Clamp them before, and ask again."
)


class Bisected(NamedTuple):
    """The facts with their bisection, their session, and the graph that is wrong."""

    facts: Recording
    session: Session
    held: Held | None


def bisected(recording: Recording, session: Session, watch: Watch) -> Bisected:
    """The same for the program of a recording.

    Raises:
        BisectionError: the program is not available, or raises without being compiled.
    """
    program = session.program
    if program is None:
        raise BisectionError(
            "There is no program to run: this recording was loaded from a file, or made with "
            "record() or %%record. Use lab.why_wrong(fn, *args), explore() or %%compile."
        )
    return find(*program.call(), program.choice, watch, recording.title)


def find(
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    choice: Choice,
    watch: Watch,
    title: str,
) -> Bisected:
    """Compile a program, compare it with eager, and follow a difference to what makes it."""
    started = time.perf_counter()
    with many_ways(), without_trace([fn, args, dict(kwargs)]) as state:
        try:
            trials = Trials(fn, args, kwargs, choice, state, watch)
        except Exception as error:
            told_ = told(error)
            raise BisectionError(f"The program raises without being compiled: {told_}.") from error
        found = _Run(trials, title).made()
    bisection = structs.replace(found.bisection, seconds=time.perf_counter() - started)
    facts = structs.replace(found.run.facts, bisection=bisection)
    program = runnable(fn, tuple(args), kwargs, choice)
    return Bisected(facts, Session(found.run.with_program(program)), found.held)


class _Run:
    """One bisection of one program."""

    def __init__(self, trials: Trials, title: str) -> None:
        self._trials, self._title = trials, title
        self.run = Run(facts=None)  # pyright: ignore[reportArgumentType]
        self.held: Held | None = None
        self.bisection = Bisection(verdict="unknown")

    def made(self) -> _Run:
        """Itself, once it is done.

        Raises:
            BisectionError: it was stopped before anything was compared.
        """
        try:
            first, modules = self._recorded()
        except EndedError as ended:
            raise BisectionError(f"Nothing was compared: {ended}.") from ended
        backend = first.graphs
        self.held = backend.graphs[0] if backend and backend.graphs else None
        if unlike := self._trials.checks.unlike:
            self._conclude(first, Judged("unknown", f"Nothing can be compared: {unlike}."))
        elif first.outcome != "wrong":
            self._conclude_within(first)
        else:
            self._search(first, modules)
        return self

    def _recorded(self) -> tuple[Tried, list[WrittenModule]]:
        """The program as its user compiles it, recorded."""
        recording = record(self._title)
        with closing(recording), recording as recorder, written() as modules:
            first = self._trials.run("as it is", keeps=True)
            if first.error is not None:
                recorder.fail(first.error)
        self.run = Run.of(recorder, recorder.recording)
        return first, modules

    def _conclude_within(self, first: Tried) -> None:
        """Of results that are within the tolerance, unless PyTorch's caches make them wrong."""
        said = self._within(first)
        # of one graph, nothing in the program is like it
        many = first.graphs is not None and len(first.graphs.graphs) > 1
        if many and not self._trials.checks.draws:
            with suppress(EndedError):
                cached = self._trials.with_caches()
                if cached.outcome == "wrong":
                    self.held = None
                    culprits = (Culprit(kind="stage", name=CACHES),)
                    self._conclude(cached, Judged("bug", _CACHED), culprits=culprits)
                    return
        self._conclude(first, said)

    def _within(self, first: Tried) -> Judged:
        """Of results that are within the tolerance."""
        checks = self._trials.checks
        said = judged_eager(first.found, checks)
        with suppress(EndedError):
            said = said or judged_cast(first.found, self._trials)
        return said or judged_right(first.found, has_float64=checks.has_float64)

    def _search(self, first: Tried, modules: list[WrittenModule]) -> None:
        wrong = [] if first.error is not None else self._wrong_kernels(modules)
        evidence = Evidence(self.run.facts, wrong)
        try:
            said = self._verdict(first)
        except EndedError as ended:
            said = Judged("unknown", f"Rounding was not told from a bug: {ended}.")
        if said.verdict == "rounding" or said.explains:
            self._conclude(first, said)
            return
        if fakes := self._wrong_fakes():
            self._conclude(first, misled(said, fakes), **evidence.fakes(fakes))
            return
        search = Search(self._trials, first, evidence)
        unfinished = search.run()
        backend = first.graphs
        if backend is not None and search.graph is not None and search.graph < len(backend.graphs):
            self.held = backend.graphs[search.graph]
        self._conclude(first, said, unfinished, **_places(search, evidence))

    def _draws_otherwise(self) -> bool:
        """Whether the program draws random numbers, and others as soon as it is only captured."""
        if not self._trials.checks.draws:
            return False
        return self._trials.run("only captured", "eager").outcome == "wrong"

    def _verdict(self, first: Tried) -> Judged:
        if first.error is not None:
            who = "The compiled code" if _in_generated(first.error) else "The compiler"
            return Judged("crash", f"{who} raises {first.fact.fault}.")
        if self._draws_otherwise():
            return Judged("unknown", _RANDOM, explains=True)
        if self._trials.differs_as_if_compiled():
            return Judged("unknown", _ASKED, explains=True)
        said = judged(first, self._trials)
        casts = self._trials.undefined_conversions() if said.verdict == "bug" else ()
        return Judged("unknown", _UNDEFINED.format(" and ".join(casts))) if casts else said

    def _wrong_fakes(self) -> tuple[WrongFake, ...]:
        """The operators of the program of which the compiler was told something wrong."""
        operators = custom_operators(self.run.facts)
        return self._trials.wrong_fakes(operators) if operators else ()

    def _wrong_kernels(self, modules: list[WrittenModule]) -> list[Wrong]:
        """The kernels that are wrong on their own inputs, where they can be compared."""

        def judge(value: torch.Tensor, right: torch.Tensor) -> bool:
            found = compare({"": right}, {"": value}, way=1, phase=self._trials.phase)
            return is_wrong(found)

        try:
            return wrong_kernels(self.run.facts, modules, self._trials.call_again, judge)
        except Exception:  # an operator that does not run alone: then all are suspected
            return []

    def _conclude(self, first: Tried, said: Judged, unfinished: str = "", **found: Any) -> None:
        versions = {name: version_of(name) for name in ("torch", "triton")}
        self.bisection = Bisection(
            verdict=said.verdict,
            sentence=said.sentence,
            phase=self._trials.phase,
            differences=tuple(map(_difference, first.found)),
            trials=tuple(self._trials.made),
            error=first.fact.fault if first.error is not None else "",
            has_float64=self._trials.checks.has_float64,
            unfinished=unfinished,
            versions={name: version for name, version in versions.items() if version},
            **found,
        )


def _difference(one: Comparison) -> Difference:
    known = structs.asdict(one)
    return Difference(**{name: known[name] for name in Difference.__struct_fields__})


def _in_generated(error: BaseException) -> bool:
    """Whether it was raised by code that Inductor wrote, not while that was made."""
    raised = traceback.extract_tb(root_of(error).__traceback__)
    return any(is_generated(frame.filename) for frame in raised)


def _places(search: Search, evidence: Evidence) -> dict[str, Any]:
    """What was found: the culprits, their nodes, and the kernel and statement that these are in."""
    culprits = [found.culprit for found in search.found]
    part = next((found.part for found in reversed(search.found) if found.part), None)
    shown = search.shown_by or part
    nodes = evidence.nodes(shown) if shown else ()
    graph = nodes[0][0] if nodes else None
    found: dict[str, Any] = {"graph": graph, "first_bad": evidence.first_bad()}
    found["remarks"] = tuple(search.remarks)
    found["nodes"] = tuple(node for at, node in nodes if at == graph)
    if part is not None and part.kind in ("lowering", "fusion"):
        kernel = evidence.kernel_of(nodes)
        if kernel is not None:
            found["kernel"] = kernel.id
            culprits.append(Culprit(kind="kernel", name=kernel.name))
            statement = evidence.statement(kernel, nodes)
            culprits += [statement] if statement else []
    return {**found, "culprits": tuple(culprits)}
