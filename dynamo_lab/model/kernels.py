"""Generated code: the kernels of a graph and the wrapper that calls them."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Id, Plain, Ref

Language = Literal["cpp", "triton", "metal", "extern", "other"]


Origin = Literal["emitted", "serves", "unknown"]
"""How a statement's nodes are known: Inductor wrote it for them, or what they need reads it."""


class Statement(Struct, frozen=True, array_like=True):
    """A line of a kernel's code, from 1, that computes, and the graph's nodes it is there for."""

    line: int
    nodes: Annotated[tuple[int, ...], Ref("graphs[Kernel.graph].nodes")] = ()
    origin: Origin = "unknown"


class Kernel(Struct, frozen=True, kw_only=True):
    """A kernel that Inductor generated, or an extern one that it calls.

    `graph` is the post-grad graph it implements and `nodes` that graph's nodes it came from.
    `line` is where the wrapper defines it, from 1, or first calls one that it does not define: an
    extern kernel, which has no `code`, and any kernel of a wrapper in C++.
    `buffers` are the names of the buffers that it makes.
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


class Wrapper(Struct, frozen=True, kw_only=True):
    """The Python (or C++) module Inductor wrote for a graph: kernel definitions and `call`."""

    id: Id
    graph: Annotated[int | None, Ref("graphs")]
    compile_id: str
    is_backward: bool
    code: str
