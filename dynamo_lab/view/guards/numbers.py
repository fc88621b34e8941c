"""How to avoid a recompilation for a value that is compiled in, as a Python number is."""

from collections.abc import Sequence

from dynamo_lab.view.core.names import operator_name
from dynamo_lab.view.core.words import listed
from dynamo_lab.view.guards.dynamic import Dynamic
from dynamo_lab.view.guards.failing import Cause, number_kind
from dynamo_lab.view.guards.readable import is_of_break
from dynamo_lab.view.guards.remedy import (
    COMPILE_DYNAMIC,
    LEFT_OUT,
    TOLD_APART,
    Remedy,
    assigned,
    ended,
)


def advice_on(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    """What to do about a value that is compiled in."""
    owner, was, is_open = cause.owner, cause.was, cause.subject in new.opened
    if is_of_break(owner):
        return (Remedy(text=_of_break(owner, was, new)),)
    if not number_kind(was):
        return (
            Remedy(
                text=f"`{owner}` is compiled in as a constant: each value needs its own code. "
                "Choose it before the call, or expect one compilation for each value."
            ),
        )
    if kept := kept_a_number(cause, new):
        return (kept,)
    found = _as_tensor(cause, new, is_open=is_open)
    if is_open and was not in ("0", "1"):
        return (found, COMPILE_DYNAMIC)
    if "." in owner and "[" not in owner and not is_open and was.lstrip("-").isdecimal():
        # Dynamo keeps every integer under a global, whatever is set
        return (found, Remedy(text=_IF_OF_MODULE) if cause.is_global else _MODULES_INTEGERS)
    return (found,)


def kept_a_number(cause: Cause, new: Dynamic) -> Remedy | None:
    """What to do about a number that cannot be a tensor; None if it may, as far as is known."""
    owner, was = cause.owner, cause.was
    if not new.has_code:
        return Remedy(text=_NOT_TRIED if new.is_refused else _NO_CODE)
    if cause.subject in new.pinned:
        return Remedy(text=_NUMBER_NEEDED)
    if new.tells_apart(cause.subject, was):
        return Remedy(text=TOLD_APART.format(was, owner))
    if new.leaves_out(cause.subject, was):
        return Remedy(text=LEFT_OUT.format(was, owner))
    if owner in new.sized:
        return _as_size(owner, was)
    is_open = cause.subject in new.opened and was not in ("0", "1")
    if cause.subject in new.opened and cause.subject in new.tested:
        if not is_open:
            return Remedy(text=_TESTED_SMALL.format(owner))
        return Remedy(text=_TESTED.format(owner), code=COMPILE_DYNAMIC.code)
    if is_open and (takers := _as_option(owner, new)):
        return _as_taken(owner, takers)
    return None


def _of_break(owner: str, was: str, new: Dynamic) -> str:
    if not number_kind(was):
        return (
            "The break before this code left another value, which is compiled in as a constant: "
            "end the break, or expect one compilation for each value."
        )
    return SIZE_OF_A_BREAK if owner in new.sized else NUMBER_OF_A_BREAK


_NUMBER_NEEDED = (
    "The new code is for this one number too: the code needs the number itself, as `range`, a test "
    "of it or an option of an operator does. Compute with tensors instead, move that part out of "
    "the compiled code, or expect one compilation for each value."
)
_TESTED = (
    "From here on `{}` is dynamic, as long as a test of it has the same result: where the test is "
    "in your code, a tensor in its place breaks the graph. To make it dynamic at once, make all "
    "sizes and numbers dynamic; sizes that are equal in the first call stay tied to each other "
    "then:"
)
_TESTED_SMALL = (
    "From here on `{}` is dynamic, as long as a test of it has the same result; 0 and 1 are always "
    "compiled in. Where the test is in your code, a tensor in its place breaks the graph."
)
_NO_CODE = (
    "No code came of this compilation: first mend what ended it. Whether the code leaves this "
    "number open is not known; if it only computes with it, a tensor in its place ends this."
)
_NOT_TRIED = (
    "Whether code can leave this number open is not known before it is compiled; if it only "
    "computes with it, a tensor in its place avoids this."
)
SIZE_OF_A_BREAK = (
    "The preceding break left another Python number, and the code after it makes sizes of it: it "
    "is best kept a number. It is dynamic from its second value on; without the break it would "
    "not come from outside."
)
NUMBER_OF_A_BREAK = (
    "The preceding break left another Python number, and the code after it was compiled for the "
    "exact one. A number read from a tensor, by `.item()` or `float()`, is better kept a tensor; "
    "what Python computes itself is better computed before the call."
)
_MAKES_SIZES = (
    "The code makes sizes of it, for which a tensor is no good replacement: make all sizes and "
    "numbers dynamic from the start; sizes that are equal in the first call stay tied to each "
    "other then:"
)


_COMPUTES = frozenset(
    {"add", "autograd_function_apply", "clamp", "clamp_", "div", "eq", "fill_", "floordiv", "full"}
    | {"full_like", "ge", "gt", "le", "lerp", "lt", "maximum", "minimum", "mod", "mul"}
    | {"masked_fill", "ne", "neg", "new_full", "pow", "rsub", "sub", "truediv", "where"}
)
"""Operators to which a number may be given as a tensor, too."""


def _as_option(owner: str, new: Dynamic) -> list[str]:
    """The operators that may take the number as an option, which a tensor cannot be."""
    taken = {operator_name(target) for target in new.taken_by.get(owner, ())}
    return sorted(taken - _COMPUTES)


def _as_taken(owner: str, takers: Sequence[str]) -> Remedy:
    names = listed([f"`{name}`" for name in takers], 3)
    return Remedy(
        text=f"From here on `{owner}` is dynamic. {names} {'take' if takers[1:] else 'takes'} it, "
        "where a tensor may not do. To make it dynamic at once, make all sizes and numbers "
        "dynamic; sizes that are equal in the first call stay tied to each other then:",
        code=COMPILE_DYNAMIC.code,
    )


def _as_tensor(cause: Cause, new: Dynamic, *, is_open: bool) -> Remedy:
    """What to do about a Python number that the code may only compute with."""
    owner, is_integer = cause.owner, number_kind(cause.was) == "int"
    is_now = (
        f"From here on `{owner}` is dynamic. To make it dynamic at once, if the code only computes "
        "with it,"
        if is_open
        else f"`{owner}` is compiled in as a constant. If the code only computes with it,"
    )
    code = assigned(owner, f"torch.tensor({owner})", new)
    where = "where it is set"
    if code and new.is_resumed:
        where, code = "where the function gets it", ""
    elif owner in new.outer or cause.is_global:
        where, code = "where it is set", ""
    elif code and owner.isidentifier():  # inside, the tensor would be made of a constant again
        where, code = "before the call, where it is passed", f"{code}  # before the call"
    told = f"{is_now} make it a tensor {where}"
    if is_integer and "torch.full" in new.taken_by.get(owner, ()):
        told += ", and give `torch.full` its `dtype`: compiled code does not take a tensor's"
    return Remedy(text=ended(told, code), code=code)


def _as_size(owner: str, was: str) -> Remedy:
    """What to do about a Python number that is a size, from the second value on a dynamic one."""
    is_now = f"From here on `{owner}` is dynamic."
    if was in ("0", "1"):
        return Remedy(text=f"{is_now} 0 and 1 are always compiled in.")
    return Remedy(text=f"{is_now} {_MAKES_SIZES}", code=COMPILE_DYNAMIC.code)


GLOBAL_MODULE = (
    "Integers that are reached through a global are always compiled in, those of a module too. "
    "Pass the module as an argument, or compile the module itself: then "
    "`torch._dynamo.config.allow_unspec_int_on_nn_module = True` makes its integers dynamic from "
    "their second value on."
)
_IF_OF_MODULE = f"Or, if it belongs to a module: {GLOBAL_MODULE}"
_MODULES_INTEGERS = Remedy(
    text="If it belongs to a module, Dynamo can treat it as any other integer, which is dynamic "
    "from its second value on:",
    code="torch._dynamo.config.allow_unspec_int_on_nn_module = True",
)
