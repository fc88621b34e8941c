"""Guards: the conditions under which compiled code holds, and their failures."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Ref


class Guard(Struct, frozen=True, kw_only=True):
    """A condition on the inputs and globals of a frame, checked before its compiled code runs.

    `source` is Dynamo's name for the value ("L['x']"), `kind` the kind of check
    ("TENSOR_MATCH"), `stack` the user's lines that made Dynamo need it.
    """

    frame: Annotated[int, Ref("frames")]
    compile_id: str
    kind: str
    source: str
    expressions: tuple[str, ...] = ()
    stack: Annotated[int | None, Ref("stacks")] = None


class FailedGuard(Struct, frozen=True, kw_only=True):
    """The first guard of an earlier compilation that did not hold for a call.

    `text` is the check as Dynamo writes it, `source` its name for the value. `was` and `now`
    describe that value as the guard requires it and as the call passed it, if they are known;
    `stack` are the user's lines that caused the guard.
    """

    compile_id: str
    text: str
    source: str = ""
    was: str = ""
    now: str = ""
    stack: Annotated[int | None, Ref("stacks")] = None


class Recompile(Struct, frozen=True, kw_only=True):
    """A compilation that happened because the guards of earlier ones failed.

    `failures` holds, for each earlier compilation, its id and the guard that failed, `failed` the
    same with what was found instead. Both start with the code that was tried first. At the limit of
    recompilations nothing is compiled (`limit_hit`): Python runs the call, or it `raises`, where
    `fullgraph=True` or a setting asks for that. `limit` is the setting that was reached, of
    `torch._dynamo.config`; empty if it is not known.
    """

    frame: Annotated[int, Ref("frames")]
    compile_id: str
    failures: tuple[tuple[str, str], ...] = ()
    limit_hit: bool = False
    raises: bool = False
    limit: str = ""
    failed: tuple[FailedGuard, ...] = ()


class Refusal(Struct, frozen=True, kw_only=True):
    """Calls of a frame for which a stance or a setting let nothing be compiled.

    `by` is that stance or setting as a program writes it, `set_at` the user's line that set it,
    where that was seen, and `called_at` the line of the first call, of so many `times`. Each call
    "raised" an error, ran "eager"ly, or ran code although its guards did not hold, because they are
    left "unchecked". `had_code`: code had been compiled for the frame. `failed` are the guards of
    it that did not hold for the first call, one for each compilation, as of a `Recompile`.
    """

    frame: Annotated[int, Ref("frames")]
    by: str
    effect: Literal["raised", "eager", "unchecked"]
    times: int = 1
    had_code: bool = False
    failed: tuple[FailedGuard, ...] = ()
    set_at: Annotated[int | None, Ref("spans")] = None
    called_at: Annotated[int | None, Ref("spans")] = None
