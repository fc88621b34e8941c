"""Generated code: the kernels of a graph and the wrapper that calls them."""

from typing import Literal

from msgspec import Struct

Language = Literal["cpp", "triton", "metal", "extern", "other"]


Origin = Literal["emitted", "serves", "unknown"]
"""How a statement's nodes are known: Inductor wrote it for them, or what they need reads it."""


class Statement(Struct, frozen=True, array_like=True):
    """A line of a kernel's code, from 1, that computes, and the graph's nodes it is there for."""

    line: int
    nodes: tuple[int, ...] = ()
    origin: Origin = "unknown"


class Kernel(Struct, frozen=True, kw_only=True):
    """A kernel that Inductor generated, or an extern one that it calls.

    `graph` is the post-grad graph it implements and `nodes` that graph's nodes it came from.
    `line` is where the wrapper defines it, from 1, or first calls one that it does not define: an
    extern kernel, which has no `code`, and any kernel of a wrapper in C++.
    `buffers` are the names of the buffers that it makes.
    """

    id: int
    name: str
    language: Language
    graph: int | None
    wrapper: int | None
    nodes: tuple[int, ...] = ()
    code: str = ""
    line: int | None = None
    calls: int = 1
    statements: tuple[Statement, ...] = ()
    buffers: tuple[str, ...] = ()


class Wrapper(Struct, frozen=True, kw_only=True):
    """The Python (or C++) module Inductor wrote for a graph: kernel definitions and `call`."""

    id: int
    graph: int | None
    compile_id: str
    is_backward: bool
    code: str
