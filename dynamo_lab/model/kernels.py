"""Generated code: the kernels of a graph, the wrapper that calls them, and edits of a kernel.

An edit is a kernel whose text the user changed, whether it is correct, and how long it takes.
"""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.benchmarks import Cache, Comparison, Machine
from dynamo_lab.model.core.references import Id, Plain, Ref

Language = Literal["cpp", "triton", "metal", "extern", "other", "c"]


Origin = Literal["emitted", "serves", "unknown"]
"""How a statement's nodes are known: Inductor generated it for them, or what they need reads it."""


class Statement(Struct, frozen=True, array_like=True):
    """A line of a kernel's code, from 1, that computes, and the graph nodes that it implements."""

    line: int
    nodes: Annotated[tuple[int, ...], Ref("graphs[Kernel.graph].nodes")] = ()
    origin: Origin = "unknown"


class Kernel(Struct, frozen=True, kw_only=True):
    """A kernel that the backend generated, or an extern one that it calls.

    `graph` is the graph it implements, of Inductor the post-grad one, and `nodes` that graph's
    nodes it came from.
    `line` is where the wrapper defines it, from 1, or first calls one that it does not define: an
    extern kernel, which has no `code`, and any kernel of a wrapper in C++.
    `buffers` are the names of the buffers that it produces. `written_in` are the seconds that
    Inductor took to write its code, `built_in` those that a compiler's process took to build it:
    None if that is not known, 0 if it had been built before.
    """

    id: Id
    name: str
    language: Language
    graph: Annotated[int | None, Ref("graphs")]
    wrapper: Annotated[int | None, Ref("wrappers")]
    nodes: Annotated[tuple[int, ...], Ref("graphs[graph].nodes")] = ()
    code: str = ""
    line: int | None = None
    calls: Annotated[int, Plain("how often it is called")] = 1
    statements: tuple[Statement, ...] = ()
    buffers: tuple[str, ...] = ()
    written_in: float | None = None
    built_in: float | None = None


class Wrapper(Struct, frozen=True, kw_only=True):
    """The Python (or C++) module Inductor generated for a graph: kernel definitions and `call`."""

    id: Id
    graph: Annotated[int | None, Ref("graphs")]
    compile_id: str
    is_backward: bool
    code: str


EditVerdict = Literal["not built", "failed", "wrong", "unknown", "right"]
"""It does not compile; it crashed or did not end; it computed something else; it could not be
compared; or it agrees."""


class Diagnostic(Struct, frozen=True, kw_only=True):
    """A compiler's message, at a line and column of the edited text, both from 1.

    `line` is None if it is about no line of the text, such as a missing symbol.
    """

    severity: Literal["error", "warning", "note"]
    message: str
    line: int | None = None
    column: int | None = None


class Worst(Struct, frozen=True, kw_only=True):
    """The element of a kernel's argument that is furthest from the original's."""

    value: str
    index: tuple[int, ...]
    expected: str
    got: str


class EditTiming(Struct, frozen=True, kw_only=True):
    """The seconds of one call in each round, of the original and the edit, measured in turns.

    "kernel" is only the kernel, on the arguments that the program calls it with; "program" is all
    of the program with the kernel in its place. Each round is the mean of `original_loops` and
    `edited_loops` calls. `is_busy`: other processes wanted the machine meanwhile.
    """

    what: Literal["kernel", "program"]
    cache: Cache
    original: tuple[float, ...]
    edited: tuple[float, ...]
    original_loops: int = 1
    edited_loops: int = 1
    is_busy: bool = False


class Edit(Struct, frozen=True, kw_only=True):
    """An edit of one kernel. It is timed only if it is correct.

    `reason` says what went wrong, or why a correct edit was not timed. `calls` is how many of the
    program's calls of the kernel were compared.
    """

    kernel: Annotated[int, Ref("kernels")]
    name: str
    language: Language
    before: str
    after: str
    verdict: EditVerdict
    reason: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    calls: Annotated[int, Plain("how many were compared")] = 0
    comparisons: tuple[Comparison, ...] = ()
    worst: Worst | None = None
    timings: tuple[EditTiming, ...] = ()
    machine: Machine = Machine()
