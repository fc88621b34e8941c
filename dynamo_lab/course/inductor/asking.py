"""What exercises ask of a compiler that the reader built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import need, need_function
from dynamo_lab.course.comparing import same_result
from dynamo_lab.course.exercises import NO_ANSWER, NotYet
from dynamo_lab.course.inductor.workshop import Made, made_by

if TYPE_CHECKING:
    from collections.abc import Callable


class Printed(str):
    """Text that a notebook shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def made(backend: Any, fn: Callable[..., Any], *args: Any, train: bool = False) -> Made:
    """What the reader's backend made of a function; whatever it raises is told in a sentence."""
    need_function(backend)
    try:
        compiled = made_by(backend, fn, *args, train=train)
    except Exception as error:
        raise NotYet(told(error)) from None
    need(compiled.graphs, "It put no kernels into a graph: is this the backend that you built?")
    return compiled


def told(error: BaseException) -> str:
    """Why a compiler failed: what it raised itself, not what Dynamo made of that."""
    inner = getattr(error, "inner_exception", None) or error.__cause__ or error
    text = (str(inner).strip().splitlines() or [""])[0]
    if "ellipsis" in text.lower():
        return NO_ANSWER
    return f"Your compiler raised {type(inner).__name__}: {text:.300}"


def right(backend: Any, fn: Callable[..., Any], *args: Any, said: str) -> Made:
    """The same, once what it computes is what eager computes; `said` begins the sentence if not."""
    try:
        compiled = made(backend, fn, *args)
    except NotYet as why:
        case = said.rpartition(":")[0]
        raise NotYet(
            f"{case}: {why}" if str(why).startswith("Your compiler") else str(why)
        ) from None
    same_result(lambda *_: compiled.out, fn, *args, subject=said)
    return compiled


def need_ours(compiled: Made, name: str) -> None:
    """Check that no operator whose name begins so was left to ATen."""
    left = [one for one in compiled.aten if one.startswith(name)]
    need(not left, f"`{name}` is still a call of ATen: your compiler knows nothing of it yet.")
