"""Decompositions: each operator call, the rule that fired, and what it became at each set.

The atlas is of the installed PyTorch: how many operators it has at each level, and each of them.
"""

from collections.abc import Iterator
from typing import Annotated, Literal, get_args

from msgspec import Struct

from dynamo_lab.model.core.references import Plain, Ref, circle

Target = Literal["core_aten", "inductor", "prims"]
"""A set of operators that a call can be decomposed to."""

TARGETS: tuple[Target, ...] = get_args(Target)

RuleKind = Literal["registered", "composite", "reference", "function"]
"""A Python function registered for the operator, ATen's own kernel in C++, a function of
`torch._refs`, or the function itself that the user asked about."""

End = Literal["", "set", "extern", "no rule", "raised"]
"""Why a call is not decomposed: it is in the set (and Inductor calls an extern kernel for it),
nothing is registered for it, or its rule raised. Empty where a rule fires."""


class Rule(Struct, frozen=True, kw_only=True):
    """A decomposition rule. `file` is as in the installed torch; empty for a kernel in C++."""

    kind: RuleKind
    name: str
    file: str = ""
    line: int = 0
    text: str = ""


class Way(Struct, frozen=True, kw_only=True):
    """A call's next step towards a set, or why there is none; `reason` says what a rule raised."""

    step: Annotated[int | None, Ref("Decompositions.steps")] = None
    end: End = ""
    reason: str = ""


class Call(Struct, frozen=True, kw_only=True):
    """An operator on arguments of these shapes: the same call wherever it occurs.

    `ways` has one entry for each of `TARGETS`, and none if the call was not traced; `problem`
    then says why.
    """

    operator: str
    arguments: str
    value: str = ""
    ways: tuple[Way, ...] = ()
    problem: str = ""


class Row(Struct, frozen=True, kw_only=True):
    """One call that a rule makes: its result's name, and its arguments by name, as in code."""

    call: Annotated[int, Ref("Decompositions.calls")]
    name: str
    arguments: str


class Step(Struct, frozen=True, kw_only=True):
    """A rule applied once to a call: `inputs` names the arguments, `returns` the results."""

    call: Annotated[int, Ref("Decompositions.calls")]
    rule: Annotated[int, Ref("Decompositions.rules")]
    inputs: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    returns: str = ""


class Traced(Struct, frozen=True, kw_only=True):
    """A call that AOTAutograd traced in this run, and the rule that fired, None for none.

    `nodes` are the nodes of `graph` it became; those that were removed again are not among them.
    """

    call: Annotated[int, Ref("Decompositions.calls")]
    rule: Annotated[int | None, Ref("Decompositions.rules")] = None
    graph: Annotated[int | None, Ref("graphs")] = None
    nodes: Annotated[tuple[int, ...], Ref("graphs[graph].nodes")] = ()


class Decompositions(Struct, frozen=True, kw_only=True):
    """The calls of a run, and how each continues: indices are positions in these tuples."""

    traced: tuple[Traced, ...] = ()
    calls: tuple[Call, ...] = ()
    steps: tuple[Step, ...] = ()
    rules: tuple[Rule, ...] = ()

    def whole(self) -> "Decompositions":
        """Itself, with all that a live recording works out when it is first asked for."""
        return self


Lowering = Literal["code", "extern", "none"]
"""Inductor generates code for an operator, calls an existing kernel, or has no lowering of it."""


class Level(Struct, frozen=True, kw_only=True):
    """How many operators, and overloads of them, there are at a level.

    `seed` is what PyTorch 2.0's announcement said of it, empty if it said nothing.
    """

    title: str
    operators: Annotated[int, Plain("a count")]
    overloads: int
    text: str
    seed: str = ""


class Entry(Struct, frozen=True, kw_only=True):
    """An ATen operator: its overloads counted by kind, and how Inductor lowers the best one."""

    name: str
    overloads: int
    core: int
    composite: int
    rules: Annotated[int, Plain("how many of its overloads have one")]
    inductor: Lowering


Device = Literal["cpu", "cuda", "mps"]
"""Those whose kernels are in PyTorch's own list, `native_functions.yaml`. ROCm's are those of CUDA;
others keep theirs in repositories of their own."""

DEVICES: tuple[Device, ...] = get_args(Device)

Native = Literal["kernel", "composed", "host", "elsewhere", "unlisted"]
"""Where the kernel of an operator is for a device: it has one of its own there; it is composed of
others, which have to have theirs; it has one on the CPU only; neither there nor on the CPU, as
those of cuDNN or of sparse tensors; or PyTorch's list does not have the operator."""


class Placed(Struct, frozen=True, kw_only=True):
    """A function of PyTorch's list, `add.Tensor`, and where its kernel is for a device.

    `is_lowered` says that Inductor has a decomposition of it, or a lowering that is no call.
    """

    name: str
    native: Native
    is_lowered: bool


class Census(Struct, frozen=True, kw_only=True):
    """Every function of PyTorch's list on a device. `release` is of the PyTorch that it is from."""

    device: Device
    release: str
    functions: tuple[Placed, ...]


class ProgramCensus(Struct, frozen=True, kw_only=True):
    """ATen's functions in a program, `add.Tensor`, and where their kernels are for its device.

    `called` are those that AOTAutograd traced, where `relu_` is `relu`: nearly what eager PyTorch
    calls. `compiled` are those whose kernels the compiled program calls, where Inductor writes no
    code.
    """

    title: str
    device: Device
    release: str
    called: dict[str, Native]
    compiled: dict[str, Native]


class Overload(Struct, frozen=True, kw_only=True):
    """One overload: its schema and tags, the rule that fires towards each set, its lowering.

    If no rule fires, `ends` says why it stays. `natives` says for each device where the kernel is.
    """

    name: str
    schema: str
    tags: tuple[str, ...]
    rules: dict[Target, Rule | None]
    ends: dict[Target, End]
    lowering: Lowering
    natives: dict[Device, Native] = {}


def problems(facts: Decompositions) -> Iterator[str]:
    """A sentence if a call lacks a way to a set, or calls become each other in a circle."""
    uneven = [at for at, call in enumerate(facts.calls) if len(call.ways) not in (0, len(TARGETS))]
    for at in uneven:
        yield f"decompositions.calls[{at}] has {len(facts.calls[at].ways)} ways"
    if uneven:
        return
    made = [tuple(row.call for row in step.rows) for step in facts.steps]
    for at, target in enumerate(TARGETS):
        steps = [call.ways[at].step if call.ways else None for call in facts.calls]
        edges = [() if step is None else made[step] for step in steps]
        yield from circle(f"calls become (to {target})", edges)
