"""Calls until nothing is compiled any more: what compiles at every call has no time of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynamo_lab.capture.core.compat import compilations_counted
from dynamo_lab.errors import BenchError

if TYPE_CHECKING:
    from collections.abc import Callable

_CALLS = 8
"""Calls in a row that compile, after which the next one is expected to: Dynamo's own limit of
compilations for a function, as it is by default."""
_QUIET = 2
"""Calls in a row that compile nothing, after which the next one is not expected to."""


def settle(call: Callable[[], object]) -> None:
    """Call again, as rounds do: each call sees what those before it left, and may compile for it.

    Raises:
        BenchError: every call compiles.
    """
    compiling = quiet = 0
    with compilations_counted() as counted:
        while quiet < _QUIET and compiling < _CALLS:
            before = len(counted)
            call()
            quiet = quiet + 1 if len(counted) == before else 0
            compiling = compiling + 1 if len(counted) > before else 0
    if compiling == _CALLS:
        raise BenchError(
            f"it is compiled anew at every call: {_CALLS} calls in a row compiled. PyTorch stops "
            "at `torch._dynamo.config.recompile_limit` compilations of a function, and runs it "
            "eagerly from then on. The recompilations and findings of the variant that is "
            "recorded say what changes between calls."
        )
