"""Bisections: where a compiled program first differs from eager, and each compilation that says so.

A bisection is about the program of the recording that holds it.
"""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.benchmarks import Phase, Verdict
from dynamo_lab.model.core.references import Plain, Ref

BisectionVerdict = Literal["same", "rounding", "eager", "bug", "crash", "unknown"]
"""Bit-identical; as far from float64 as rounding takes it; it is eager that is far from float64;
further than eager; the compiler raised; or it is not known which."""

TrialOutcome = Literal["right", "wrong", "other"]
"""The fault is gone; it is there; or something else happened, which says nothing about it."""

PartKind = Literal[
    "stage",
    "graph",
    "fake",
    "decomposition",
    "pass",
    "rewrite",
    "lowering",
    "index",
    "fusion",
    "kernel",
    "statement",
]
"""A part of the compiler, or of what it made, from the coarsest to the finest.

"fake" is what the program told it of an operator of its own (`register_fake`)."""


CACHES = "PyTorch's cache of compiled graphs"
"""The "stage" that gives one graph the code of another: no graph by itself is wrong."""


class BisectionTrial(Struct, frozen=True, kw_only=True):
    """One compilation: how, and what came of it. `fault` says what is wrong or was raised."""

    what: str
    backend: str
    outcome: TrialOutcome
    fault: str = ""
    seconds: float = 0.0


class Difference(Struct, frozen=True, kw_only=True):
    """A tensor that the compiled program computed, against eager's: as `benchmarks.Comparison`."""

    value: str
    verdict: Verdict
    absolute: float | None = None
    relative: float | None = None
    error_ulp: float | None = None
    eager_error_ulp: float | None = None
    tolerance: str = ""
    reason: str = ""


class Culprit(Struct, frozen=True, kw_only=True):
    """A part with which the fault is there and without which it is not.

    `rule` is the function that does it, `place` its file and line, `text` a line of code of it.
    """

    kind: PartKind
    name: str
    rule: str = ""
    place: str = ""
    text: str = ""


class Bisection(Struct, frozen=True, kw_only=True):
    """The search for a difference. `culprits` go from the coarsest part to the finest.

    `nodes` are the culprit's, of `graph`. `sentence` says how the verdict is known, or why it is
    not. `first_bad` is the first value, in the order of kernels, that is not a number or infinite
    where eager's is not. `remarks` say what else is known of the culprit.
    """

    verdict: BisectionVerdict
    phase: Phase = "forward"
    sentence: str = ""
    culprits: tuple[Culprit, ...] = ()
    graph: Annotated[int | None, Ref("graphs")] = None
    nodes: Annotated[tuple[int, ...], Ref("graphs[graph].nodes")] = ()
    kernel: Annotated[int | None, Ref("kernels")] = None
    differences: tuple[Difference, ...] = ()
    trials: tuple[BisectionTrial, ...] = ()
    error: str = ""
    first_bad: str = ""
    has_float64: bool = False
    remarks: tuple[str, ...] = ()
    unfinished: Annotated[str, Plain("why the search ended early")] = ""
    seconds: float = 0.0
    versions: dict[str, str] = {}
