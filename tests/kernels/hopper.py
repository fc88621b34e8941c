"""Triton baselines compiled for a GPU that is not here: a launch is compiled instead of run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

TYPES = {
    torch.float32: "*fp32",
    torch.bfloat16: "*bf16",
    torch.bool: "*i1",
    torch.int8: "*i8",
    torch.int64: "*i64",
}


def compiled(run: Any, *inputs: Any) -> list[Any]:
    """What the launches of `run` become for sm_90, at the sizes of these inputs."""
    from triton.runtime.jit import JITFunction

    found: list[Any] = []

    def launch(fn: Any, *args: Any, num_warps: int = 4, num_stages: int = 3, **named: Any) -> None:
        known = {name: value for name, value in named.items() if name in fn.arg_names}
        given = dict(zip(fn.arg_names, args, strict=False)) | known  # the grid is left out
        found.append(_compiled(fn, given, {"num_warps": num_warps, "num_stages": num_stages}))

    with mock.patch.object(JITFunction, "run", launch):
        run(*inputs)
    return found


def _compiled(fn: Any, given: dict[str, Any], options: dict[str, int]) -> Any:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    constants = {p.name: given[p.name] for p in fn.params if p.is_constexpr}
    signature = {name: _type(given[name], name in constants) for name in fn.arg_names}
    at = {name: (fn.arg_names.index(name),) for name in fn.arg_names}
    source = ASTSource(
        fn,
        signature,
        {at[name]: value for name, value in constants.items()},
        {at[name]: [["tt.divisibility", 16]] for name in _divisible(given, constants)},
    )
    return triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)


def _type(value: Any, is_constant: bool) -> str:
    if is_constant:
        return "constexpr"
    if isinstance(value, torch.Tensor):
        return TYPES[value.dtype]
    return "fp32" if isinstance(value, float) else "i32"


def _divisible(given: dict[str, Any], constants: dict[str, Any]) -> Iterator[str]:
    """What Triton would find to be a multiple of 16: addresses, and sizes that are."""
    for name, value in given.items():
        is_size = isinstance(value, int) and value % 16 == 0 and name not in constants
        if is_size or isinstance(value, torch.Tensor):
            yield name


def built(fn: Any, signature: dict[str, str], constants: dict[str, int]) -> str:
    """The PTX of a kernel whose types are given."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    source = ASTSource(fn, signature, constants)
    return triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]
