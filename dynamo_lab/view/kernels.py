"""Kernels with their code, and the wrappers that call them."""

from msgspec import Struct


class KernelView(Struct, frozen=True, kw_only=True):
    """One kernel. `operators` names the ATen operators it fused, `lines` the user's lines."""

    id: int
    name: str
    title: str
    language: str
    graph: int | None
    wrapper: int | None
    nodes: tuple[int, ...]
    operators: tuple[str, ...]
    where: str
    code: str
    line: int | None
    calls: int = 1
    is_backward: bool = False


class WrapperView(Struct, frozen=True, kw_only=True):
    """The module Inductor wrote for one graph."""

    id: int
    title: str
    language: str
    code: str
    graph: int | None


class KernelsView(Struct, frozen=True, kw_only=True):
    """`empty` explains in one sentence why there is no kernel, where there is none."""

    kernels: tuple[KernelView, ...]
    wrappers: tuple[WrapperView, ...]
    empty: str = ""
