"""The search: which stage, graph, rule, pass, rewrite, lowering or fusion makes the fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from dynamo_lab.bench.bisections.trials import MOST, EndedError, Tried
from dynamo_lab.capture.bisections.indices import index_rules, unshortened
from dynamo_lab.model.bisections import Culprit

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from dynamo_lab.bench.bisections.trials import Trials
    from dynamo_lab.capture.bisections.parts import Part
    from dynamo_lab.model.bisections import PartKind

T = TypeVar("T")

VECTORS = (
    "Only its vectorised C++ is wrong: with options={'cpp.simdlen': 1} it is right, "
    "by the same rule."
)
_SCALAR = {"cpp.simdlen": 1}

_STAGES = {
    "eager": "Dynamo's capture of the program",
    "aot_eager": "AOTAutograd's trace",
    "aot_eager_decomp_partition": "decompositions and the partition of forward and backward",
    "inductor": "Inductor",
}


class FoundPart(NamedTuple):
    """A culprit, and the part that it is, if it has a switch."""

    culprit: Culprit
    part: Part | None = None


class Search:
    """From a compiled program that differs from eager to the part that makes it differ."""

    def __init__(self, trials: Trials, first: Tried, suspects: Suspects) -> None:
        self._trials, self._first, self._suspects = trials, first, suspects
        self.found: list[FoundPart] = []
        self.graph: int | None = None
        self.remarks: list[str] = []
        self.shown_by: Part | None = None
        """The operator with which a wrong fusion first shows."""

    def run(self) -> str:
        """Search; the reason if it ended before the smallest part, else empty."""
        try:
            self._graph()
            self._stage()
        except EndedError as ended:
            return str(ended)
        return ""

    # Which graph

    def _graph(self) -> None:
        backend = self._first.graphs
        count = len(backend.graphs) if backend else 0
        if count > 1:
            chosen = self._first_of(
                range(count),
                lambda on: self._trials.run(
                    f"graphs 1 to {len(on)} of {count}", graphs=lambda at: at in on
                ),
            )
            alone = self._trials.run(f"graph {chosen + 1} alone", graphs=lambda at: at == chosen)
            if alone.outcome != "wrong":
                raise EndedError(f"graph {chosen + 1} is wrong only together with others")
            self._add(Culprit(kind="graph", name=f"graph {chosen + 1} of {count}"))
            self._trials.only, self._first = chosen, alone
        self.graph = self._trials.only or 0

    # Which stage

    def _stage(self) -> None:
        before = self._trials.run("up to the decompositions", "aot_eager_decomp_partition")
        if before.outcome == "wrong":
            self._before_inductor(before)
            return
        self._add(Culprit(kind="stage", name=_STAGES["inductor"]))
        self._in_inductor()

    def _before_inductor(self, before: Tried) -> None:
        undone = self._trials.run("without decompositions", "aot_eager")
        if undone.outcome != "wrong":
            self._add(Culprit(kind="stage", name=_STAGES["aot_eager_decomp_partition"]))
            self._decomposition(before)
            return
        captured = self._trials.run("only captured", "eager")
        stage = "eager" if captured.outcome == "wrong" else "aot_eager"
        self._add(Culprit(kind="stage", name=_STAGES[stage]))

    def _decomposition(self, before: Tried) -> None:
        parts = self._suspects.decompositions(_of("decomposition", before))
        stage = "aot_eager_decomp_partition"

        def with_these(on: Collection[Part]) -> Tried:
            what = f"with {len(on)} of {len(parts)} decompositions"
            return self._trials.run(what, stage, _only("decomposition", on))

        self._halved(parts, with_these, "no decomposition rule makes it")

    # Inside Inductor

    def _in_inductor(self) -> None:
        eager = self._trials.run("every operator as a kernel of ATen", allowed=_no("lowering"))
        if eager.outcome == "wrong":
            self._pass(lowered=False)
        elif eager.outcome == "right":
            self._lowering()
        else:
            unchanged = self._trials.run("without passes", allowed=_no("pass"))
            self._pass(lowered=True) if unchanged.outcome == "right" else self._lowering()

    def _pass(self, *, lowered: bool) -> None:
        """Lowering is not to blame, so where it can do without, no code is built."""
        off: frozenset[PartKind] = frozenset() if lowered else frozenset({"lowering"})
        parts = self._suspects.passes(_of("pass", self._first))

        def with_these(on: Collection[Part]) -> Tried:
            what = f"with {len(on)} of {len(parts)} passes"
            return self._trials.run(what, allowed=_all_but(set(parts) - set(on), off))

        chosen = self._halved(parts, with_these, "no pass that can be turned off makes it")
        self._rewrite([p for p in _of("rewrite", self._first) if p.inside == chosen.name], off)

    def _rewrite(self, rewrites: Sequence[Part], off: frozenset[PartKind]) -> None:
        """Which rewrite of a pass makes it, if none of them is not wrong as well."""

        def with_these(on: Collection[Part]) -> Tried:
            what = f"with {len(on)} of {len(rewrites)} rewrites"
            return self._trials.run(what, allowed=_all_but(set(rewrites) - set(on), off))

        if rewrites and with_these(()).outcome == "right":
            self._add_part(self._first_of(rewrites, with_these))

    def _lowering(self) -> None:
        parts = _of("lowering", self._first)
        suspects = self._suspects.lowerings(parts)
        if not parts:
            raise EndedError("no operator is lowered")

        def with_these(on: Collection[Part]) -> Tried:
            what = f"with {len(on)} of {len(parts)} operators lowered"
            return self._trials.run(what, allowed=_only("lowering", on))

        if len(suspects) < len(parts) and with_these(suspects).outcome == "wrong":
            parts = list(suspects)
        chosen = self._first_of(parts, with_these)
        only, what = _only("lowering", [chosen]), f"only {chosen.name} lowered"
        if self._trials.run(what, allowed=only).outcome != "wrong":
            self._several(parts[: parts.index(chosen) + 1], with_these)
            return
        self._add_part(chosen)
        if self._suspects.on_cpu(chosen):
            scalar = self._trials.run(f"{what}, without vectors", allowed=only, chosen=_SCALAR)
            if scalar.outcome == "right":
                self.remarks.append(VECTORS)

    def _several(self, parts: Sequence[Part], run: Callable[[Collection[Part]], Tried]) -> None:
        """The last of the operators is right alone: with which others is it wrong?"""
        chosen = parts[-1]
        apart = self._trials.run("without fusion", allowed=_no("fusion"))
        if apart.outcome == "right":
            self._fusion(chosen)
            return
        first = self._first_of(parts[::-1], run)  # wrong with all from it on, right after it
        if first == chosen:
            raise EndedError(f"{chosen.name} is wrong only together with operators before it")
        name = f"{first.name} to {chosen.name} together"
        self.found.append(FoundPart(Culprit(kind="lowering", name=name), chosen))
        self._index()

    def _index(self) -> None:
        """Operators that are wrong only together share an index: is it shortened wrongly?"""
        for rule in index_rules():
            if len(self._trials.made) >= MOST:
                return
            tried = self._trials.run(f"without {rule.name}", within=unshortened(rule))
            if tried.outcome == "right":
                self._add(Culprit(kind="index", name=rule.name, place=rule.place))
                return

    def _fusion(self, chosen: Part) -> None:
        """Of which pair it is the fusion that makes an operator wrong."""
        self.shown_by = chosen
        pairs = _of("fusion", self._first)

        def with_these(on: Collection[Part]) -> Tried:
            what = f"with {len(on)} of {len(pairs)} fusions"
            return self._trials.run(what, allowed=_only("fusion", on))

        self._add_part(self._first_of(pairs, with_these))

    # Halving

    def _halved(
        self, parts: Sequence[Part], run: Callable[[Collection[Part]], Tried], none: str
    ) -> Part:
        """The part that makes it, once it is known that it is none of the others."""
        if not parts or run(()).outcome == "wrong":
            raise EndedError(none)
        chosen = self._first_of(parts, run)
        self._add_part(chosen)
        return chosen

    def _first_of(self, items: Sequence[T], run: Callable[[Collection[T]], Tried]) -> T:
        """The item with which the fault first appears, when they are added one after another."""
        low, high, uncertain = 0, len(items), False
        while high - low > 1:
            middle = (low + high) // 2
            outcome = run(items[:middle]).outcome
            uncertain = outcome == "other" or (uncertain and outcome != "right")
            low, high = (low, middle) if outcome == "wrong" else (middle, high)
        if uncertain:
            raise EndedError("some parts cannot be turned off without another error")
        return items[high - 1]

    def _add(self, culprit: Culprit) -> None:
        self.found.append(FoundPart(culprit))

    def _add_part(self, part: Part) -> None:
        self.found.append(FoundPart(self._suspects.described(part), part))


class Suspects:
    """What is known without a compilation of which parts can have made the fault: all of them."""

    def decompositions(self, parts: Sequence[Part]) -> Sequence[Part]:
        """The rules that may be wrong."""
        return parts

    def passes(self, parts: Sequence[Part]) -> Sequence[Part]:
        """The passes that may be wrong."""
        return parts

    def lowerings(self, parts: Sequence[Part]) -> Sequence[Part]:
        """The lowered operators that may be wrong."""
        return parts

    def on_cpu(self, part: Part) -> bool:
        """Whether C++ is generated for an operator."""
        return False

    def described(self, part: Part) -> Culprit:
        """A part in words."""
        return Culprit(kind=part.kind, name=part.name)


def _of(kind: PartKind, tried: Tried) -> list[Part]:
    return [part for part in tried.parts.seen if part.kind == kind]


def _no(kind: PartKind) -> Callable[[Part], bool]:
    return lambda part: part.kind != kind


def _only(kind: PartKind, on: Iterable[Part]) -> Callable[[Part], bool]:
    """Of one kind these alone, of the others all."""
    allowed = frozenset(on)
    return lambda part: part.kind != kind or part in allowed


def _all_but(parts: Collection[Part], kinds: frozenset[PartKind]) -> Callable[[Part], bool]:
    """All but these parts, and none of these kinds."""
    return lambda part: part.kind not in kinds and part not in parts
