"""Variants of a program: eager first, then whatever is compared with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct, structs

from dynamo_lab.errors import OptionError
from dynamo_lab.model.benchmarks import Way

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Asked = Sequence[str] | Mapping[str, Any] | str

Fn = Callable[..., Any]

MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
"""The modes of `torch.compile`."""

INDUCTOR = "inductor"
"""The backend of `torch.compile` where none is named."""

WITH_OPTIMIZER = "+optimizer"
"""How the name of a variant ends that compiles the optimizer's step too."""


class Candidate(Struct, frozen=True, kw_only=True):
    """A variant, and what makes a callable of the program for it; raises if it cannot run here.

    Where `way.steps`, it makes one of the optimizer's step too.
    """

    way: Way
    made: Callable[[Fn], Fn]


def candidates(asked: Asked, backend: str = INDUCTOR) -> tuple[Candidate, ...]:
    """Eager, then the requested variants; "compiled" is compiled by this backend.

    A name is "compiled", a mode or a backend of `torch.compile`; "compiled+optimizer" compiles the
    optimizer's step too. In a mapping, a value may also be a callable, which takes the program's
    arguments, or a dict of options of `torch.compile`.

    Raises:
        OptionError: there is no such variant.
    """
    names = [asked] if isinstance(asked, str) else list(asked)
    given: Mapping[str, Any] = cast("Any", asked) if hasattr(asked, "keys") else {}
    eager = Candidate(way=Way(name="eager", kind="eager"), made=lambda fn: fn)
    wanted = [(name, given.get(name, name)) for name in names if name != "eager"]
    if backend != INDUCTOR:
        plain = ("compiled", "compiled")
        wanted = [(backend, backend) if one == plain else one for one in wanted]
    others = [_candidate(name, what) for name, what in wanted]
    return (eager, *others)


def _candidate(name: str, what: Any) -> Candidate:
    if isinstance(what, Candidate):
        return what
    if isinstance(what, dict):
        return _compiled(name, cast("dict[str, Any]", what))
    if callable(what):
        return Candidate(way=Way(name=name, kind="baseline"), made=lambda _: what)
    if isinstance(what, str) and what.endswith(WITH_OPTIMIZER):
        return _with_step(name, _candidate(name, what.removesuffix(WITH_OPTIMIZER)))
    if what == "compiled":
        return _compiled(name, {})
    if what in MODES:
        return _compiled(name, {"mode": what})
    if what in _backends():
        return _compiled(name, {"backend": what})
    offered = ", ".join(["compiled", f"compiled{WITH_OPTIMIZER}", *MODES, *_backends()])
    raise OptionError(
        f"There is no variant {what!r}: pass one of {offered}, or a mapping of names to callables "
        "or to options of torch.compile."
    )


def _with_step(name: str, candidate: Candidate) -> Candidate:
    if candidate.way.kind != "compiled":
        raise OptionError(
            f"{name!r} compiles nothing: {WITH_OPTIMIZER!r} follows a mode or backend of "
            "torch.compile."
        )
    return structs.replace(candidate, way=structs.replace(candidate.way, steps=True))


def _compiled(name: str, options: dict[str, Any]) -> Candidate:
    def made(fn: Fn) -> Fn:
        import torch

        untyped: Any = torch
        return untyped.compile(fn, **options)

    texts = {key: str(value) for key, value in options.items()}
    return Candidate(way=Way(name=name, kind="compiled", options=texts), made=made)


def _backends() -> list[str]:
    import torch

    untyped: Any = torch.compiler
    return untyped.list_backends(())


def recorded_way(ways: Sequence[Way], backend: str = INDUCTOR) -> int | None:
    """The recorded variant: the first that this backend compiles, else the first compiled."""
    compiled = [at for at, way in enumerate(ways) if way.kind == "compiled"]
    asked = [at for at in compiled if backend_of(ways[at]) == backend]
    return next(iter([*asked, *compiled]), None)


def backend_of(way: Way) -> str:
    """The backend of `torch.compile` that compiles a variant."""
    return way.options.get("backend", INDUCTOR)
