"""Lowering: the operators of a graph in the order Inductor lowered them, and its buffers."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Depth, Id, Plain, Ref

Compiler = Literal["Inductor", "lab"]
"""Who lowers and schedules: the default backend, or that of this package."""
INDUCTOR: Compiler = "Inductor"
LAB: Compiler = "lab"

Outcome = Literal[
    "input", "constant", "inlined", "realised", "view", "same", "part", "extern", "fallback",
    "template", "in place", "size", "nothing", "output", "failed",
]  # fmt: skip
"""What an operator was when its lowering ended.

"inlined": a loop that is not stored yet. "realised": one that is. "view": other indices into
existing memory. "same": its input; "in place": the same, changed. "part": one result
of several. "size": a number of Python's, symbolic or not. "nothing": it has no result.
"""

Cause = Literal[
    "heavy reuse", "large reuse", "reads reuse", "many reads", "large", "read again", "needed",
    "strides", "copy", "output", "mutated", "in place", "joined", "reduction", "scan",
    "rule", "refusal", "unsupported", "unknown", "listed", "asked",
]  # fmt: skip
"""Why a value is in memory; the last five are why PyTorch's own kernel is called for an operator.
`view/lowering/causes.py` explains each."""

BufferKind = Literal[
    "pointwise", "scatter", "reduction", "scan", "sort", "extern", "fallback", "template", "part",
    "joined", "written", "other",
]  # fmt: skip
"""What makes a buffer: a loop of some form, a kernel that is called, or others ("part" of a result
of several, "joined" of buffers that are in it, "written" in place by a kernel)."""


class Why(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a value is in memory: `count` of something is above its `limit`; `by` names the cause.

    For "heavy reuse" `by` is an operator of the loop, for "mutated" a buffer, for "read again" a
    node that reads it, for "refusal" a compiler's own words, for others a function of Inductor's.
    `users` is how often it is read.
    """

    cause: Cause
    by: str = ""
    users: int | None = None
    count: int | None = None
    limit: int | None = None


class LoweringRule(Struct, frozen=True, kw_only=True):
    """A function that lowers an operator. `file` is as in the installed torch."""

    name: str
    file: str = ""
    line: int = 0


class Lowered(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One node that was lowered. `rule` indexes `Lowering.rules`, `buffers` Recording.buffers.

    `form` is the class of the result ("Pointwise", "ReinterpretView", "ExternKernelOut").
    `buffers` are those made meanwhile, also for values that were lowered before. `why` is set if
    a kernel is called instead of a loop, `error` if the rule raised. `seconds` are its own, without
    those of nodes that are lowered inside of it.
    """

    node: Annotated[int, Ref("graphs[Lowering.graph].nodes")]
    outcome: Outcome
    form: str = ""
    rule: Annotated[int | None, Ref("Lowering.rules")] = None
    buffers: Annotated[tuple[int, ...], Ref("buffers")] = ()
    why: Why | None = None
    error: str = ""
    seconds: float = 0.0


class Lowering(Struct, frozen=True, kw_only=True):
    """The lowering of one graph of ATen operators, node by node, and which compiler did it."""

    graph: Annotated[int, Ref("graphs")]
    compiler: Compiler = INDUCTOR
    rules: tuple[LoweringRule, ...] = ()
    nodes: tuple[Lowered, ...] = ()


class LoopLine(Struct, frozen=True, array_like=True):
    """An operation of a loop body, as code. `node` is the node that it came from, -1 for none.

    `operator` is its name in the loop IR ("load"), empty for what is not an operation. `depth`
    says how deep it is in bodies that are defined in the body.
    """

    text: str
    operator: str = ""
    node: Annotated[int, Ref("graphs[Buffer.graph].nodes", or_none=True)] = -1
    depth: Depth = 0


class Range(Struct, frozen=True, array_like=True):
    """A loop: its variable ("i0", "r0" for one that is reduced) and how often it runs."""

    variable: str
    size: str


class Buffer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value in memory, as Inductor plans it.

    `during` is the node that was being lowered when it was decided to store it, `nodes` are those
    that it came from, all of `graph`. `form` is the class that makes it, `operation` its name in
    Inductor, `kernel` what is called for it. `layout` is the class of its layout, `was_free` says
    that Inductor chose its strides; `of` is the buffer that it is in, writes to, or is a part of.
    `bytes` is None if a size is symbolic. `body` and `ranges` are those of its loop, after
    Inductor simplified them; `reads` are the names of what it reads. `dropped` says that the
    scheduler removed it again, because nothing needs it.
    """

    id: Id
    name: str
    graph: Annotated[int, Ref("graphs")]
    kind: BufferKind
    form: str
    operation: str = ""
    kernel: str = ""
    during: Annotated[int | None, Ref("graphs[graph].nodes")] = None
    nodes: Annotated[tuple[int, ...], Ref("graphs[graph].nodes")] = ()
    why: Why | None = None
    dtype: str = ""
    device: str = ""
    shape: tuple[str, ...] = ()
    stride: tuple[str, ...] = ()
    bytes: int | None = None
    layout: str = ""
    was_free: bool = False
    of: str = ""
    ranges: tuple[Range, ...] = ()
    reduction: str = ""
    reads: tuple[str, ...] = ()
    dropped: bool = False
    body: tuple[LoopLine, ...] = ()


class CudaPart(Struct, frozen=True, kw_only=True):
    """Calls that follow each other, and whether one CUDA graph replays them.

    `reason` says in PyTorch's words why not, `node` is the first that forbids it. `launches` are
    the kernels that a call of them starts without a CUDA graph: one for each operation on the GPU
    that computes something, fused ones together. Recordings from before they were counted have 0.
    `mutated` are the nodes that write to an input of the part which may move in memory: a call
    then does not use what is recorded. `copied` are the inputs of the graph that each call copies
    into the memory of the part's CUDA graph, unless another CUDA graph made them.
    """

    is_recorded: bool
    operations: Annotated[int, Plain("how many")]
    launches: Annotated[int, Plain("how many")] = 0
    reason: str = ""
    node: Annotated[int | None, Ref("graphs[CudaGraphs.graph].nodes")] = None
    mutated: Annotated[tuple[int, ...], Ref("graphs[CudaGraphs.graph].nodes")] = ()
    copied: Annotated[tuple[int, ...], Ref("graphs[CudaGraphs.graph].nodes")] = ()


class CudaGraphs(Struct, frozen=True, kw_only=True):
    """Whether CUDA graphs replay the kernels of a graph, as PyTorch decides it.

    `asked` says that the program asks for them, with mode="reduce-overhead"; else this is what
    would be. `skipped` says why none of it is recorded, `node` where. `mutated` are the nodes that
    write to inputs which may move in memory and that are recorded in some piece: a call does not
    use that piece's CUDA graph; in recordings whose pieces do not say which, it uses none.
    `fixed` are the inputs that stay in place, such as parameters: they are not copied, and one that
    did move is recorded anew. `sizes` are the symbolic sizes of inputs: so is each new value.
    """

    graph: Annotated[int, Ref("graphs")]
    asked: bool = False
    skipped: str = ""
    node: Annotated[int | None, Ref("graphs[graph].nodes")] = None
    mutated: Annotated[tuple[int, ...], Ref("graphs[graph].nodes")] = ()
    fixed: Annotated[tuple[int, ...], Ref("graphs[graph].nodes")] = ()
    sizes: tuple[str, ...] = ()
    pieces: tuple[CudaPart, ...] = ()


class Candidate(Struct, frozen=True, kw_only=True):
    """A way to compute an operator, of those that autotuning times.

    A `template` is code that Inductor fills in, else it is a library's kernel. `seconds` of one
    call are None if it was not timed: it did not build, or failed.
    """

    name: str
    is_template: bool
    description: str = ""
    seconds: float | None = None


class Autotuning(Struct, frozen=True, kw_only=True):
    """An operator whose candidates were timed while it was lowered, and the one that was taken.

    `inputs` are types and sizes, "float32[64, 32]". `chosen` is None if that is decided later,
    together with what is fused into it. `was_timed` is False if the times are from a cache.
    """

    operator: str
    graph: Annotated[int | None, Ref("graphs")] = None
    node: Annotated[int | None, Ref("graphs[graph].nodes")] = None
    inputs: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    chosen: Annotated[int | None, Ref("Autotuning.candidates")] = None
    was_timed: bool = True


def problems(lowerings: Sequence[Lowering], buffers: Sequence[Buffer]) -> Iterator[str]:
    """A sentence for each buffer that a node has of another graph."""
    for position, lowering in enumerate(lowerings):
        for at in (at for row in lowering.nodes for at in row.buffers):
            graph = buffers[at].graph
            if graph != lowering.graph:
                yield f"lowerings[{position}] has the buffer {at}, which is of graph {graph}"
