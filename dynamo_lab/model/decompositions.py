"""Decompositions: each operator call, the rule that fired, and what it became at each set."""

from typing import Literal, get_args

from msgspec import Struct

Target = Literal["core_aten", "inductor", "prims"]
"""A set of operators that a call can be brought down to."""

TARGETS: tuple[Target, ...] = get_args(Target)

RuleKind = Literal["registered", "composite", "reference", "function"]
"""A Python function registered for the operator, ATen's own kernel in C++, a function of
`torch._refs`, or the function itself that the reader asked about."""

End = Literal["", "set", "extern", "no rule", "raised"]
"""Why a call is not taken apart: it is in the set (and Inductor calls an extern kernel for it),
nothing is registered for it, or its rule raised. Empty where a rule fires."""


class Rule(Struct, frozen=True, kw_only=True):
    """A decomposition rule. `file` is as in the installed torch; empty for a kernel in C++."""

    kind: RuleKind
    name: str
    file: str = ""
    line: int = 0
    text: str = ""


class Way(Struct, frozen=True, kw_only=True):
    """How a call goes on towards a set: by a step, or why not; `reason` says what a rule raised."""

    step: int | None = None
    end: End = ""
    reason: str = ""


class Call(Struct, frozen=True, kw_only=True):
    """An operator on arguments of these shapes: the same call wherever it occurs.

    `ways` has one entry for each of `TARGETS`, and none where the call was not traced; `problem`
    then says why.
    """

    operator: str
    arguments: str
    value: str = ""
    ways: tuple[Way, ...] = ()
    problem: str = ""


class Row(Struct, frozen=True, kw_only=True):
    """One call that a rule makes: its result's name, and its arguments by name, as in code."""

    call: int
    name: str
    arguments: str


class Step(Struct, frozen=True, kw_only=True):
    """A rule applied once to a call: `inputs` names the arguments, `returns` what it hands back."""

    call: int
    rule: int
    inputs: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    returns: str = ""


class Traced(Struct, frozen=True, kw_only=True):
    """A call that AOTAutograd traced in this run, and the rule that fired, None for none.

    `nodes` are the nodes of `graph` it became; those that were dropped again are not among them.
    """

    call: int
    rule: int | None = None
    graph: int | None = None
    nodes: tuple[int, ...] = ()


class Decompositions(Struct, frozen=True, kw_only=True):
    """The calls of a run, and how each goes on: indices are positions in these tuples."""

    traced: tuple[Traced, ...] = ()
    calls: tuple[Call, ...] = ()
    steps: tuple[Step, ...] = ()
    rules: tuple[Rule, ...] = ()
