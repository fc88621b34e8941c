"""How to avoid a recompilation: advice with code that names the variable and its dimension."""

import re
from collections.abc import Callable, Collection

from msgspec import Struct

from dynamo_lab.view.guards.failing import Cause, number_kind


class Remedy(Struct, frozen=True, kw_only=True):
    """What to do, and the code that does it, where there is some."""

    text: str
    code: str = ""


_COMPILE_DYNAMIC = Remedy(
    text="Or make all sizes and numbers dynamic from the start:",
    code="compiled = torch.compile(fn, dynamic=True)",
)


def advice_on(cause: Cause, opened: Collection[str]) -> tuple[Remedy, ...]:
    """What to do about a cause. `opened` are the values that are dynamic in the new code."""
    find = _OF.get(cause.kind)
    return find(cause, cause.subject in opened) if find else ()


def _is_written(name: str) -> bool:
    """Whether the user's code has a variable of this name; Dynamo invents some."""
    return bool(re.fullmatch(r"[A-Za-z_][\w.]*", name)) and not name.startswith("___")


def _size(cause: Cause, is_open: bool) -> tuple[Remedy, ...]:
    before = (
        f"From here on `{cause.subject}` is dynamic, so other sizes do not recompile. To make "
        "it dynamic at once, before the first call:"
        if is_open
        else "Mark this size as dynamic before the first call:"
    )
    if not _is_written(cause.owner):
        return (Remedy(text="Make all sizes dynamic from the start:", code=_COMPILE_DYNAMIC.code),)
    code = f"torch._dynamo.mark_dynamic({cause.owner}, {cause.dimension})"
    return (Remedy(text=before, code=code), _COMPILE_DYNAMIC)


def _dtype(cause: Cause, _: bool) -> tuple[Remedy, ...]:
    return (
        Remedy(
            text="Each dtype needs its own code. Convert before the call:",
            code=f"{cause.owner} = {cause.owner}.to({cause.was})",
        ),
    )


def _requires_grad(cause: Cause, _: bool) -> tuple[Remedy, ...]:
    wanted = cause.was == "True"
    how = f"{cause.owner}.detach().requires_grad_()" if wanted else f"{cause.owner}.detach()"
    with_or_without = "with" if wanted else "without"
    return (
        Remedy(
            text="Calls with and without gradients need separate code. If the calls should be "
            f"{with_or_without} gradients for `{cause.owner}`:",
            code=f"{cause.owner} = {how}",
        ),
    )


def _grad_mode(cause: Cause, _: bool) -> tuple[Remedy, ...]:
    mode = "torch.enable_grad()" if cause.was == "on" else "torch.no_grad()"
    return (
        Remedy(
            text="Inference and training need separate code. If this call should be the same as "
            "before, make it under the same mode:",
            code=f"with {mode}:\n    compiled(...)",
        ),
    )


def _setting(cause: Cause, _: bool) -> tuple[Remedy, ...]:
    return (Remedy(text=f"Make every call under the same setting of `{cause.subject}`."),)


def _value(cause: Cause, is_open: bool) -> tuple[Remedy, ...]:
    owner, was = cause.owner, cause.was
    if "___stack" in owner:
        return (
            Remedy(
                text="A Python number from `.item()` or `float()` at the preceding break changed: "
                "the code after the break was compiled for that exact number. Keep it a "
                "tensor."
            ),
        )
    if not number_kind(was):
        return (
            Remedy(
                text=f"`{owner}` is compiled in as a constant: each value needs its own code. "
                "Choose it before the call, or expect one compilation for each value."
            ),
        )
    is_attribute = "." in owner
    tensor = Remedy(
        text=(
            f"From here on `{owner}` is dynamic. To make it dynamic at once, pass it as a tensor:"
            if is_open
            else "A Python number is compiled in as a constant. Make it a tensor:"
        ),
        code=f"{owner} = torch.tensor({owner})",
    )
    if is_attribute:
        setting = Remedy(
            text="Or let Dynamo treat the integers of a module as dynamic:",
            code="torch._dynamo.config.allow_unspec_int_on_nn_module = True",
        )
        return (tensor, setting) if was.lstrip("-").isdecimal() else (tensor,)
    return (tensor, _COMPILE_DYNAMIC) if was not in ("0", "1") else (tensor,)


def _type(cause: Cause, _: bool) -> tuple[Remedy, ...]:
    text = "Each type needs its own code"
    if number_kind(cause.now) and (number_kind(cause.was) or cause.was in _NUMBERS):
        code = f"{cause.owner} = torch.tensor(float({cause.owner}))"
        return (Remedy(text=f"{text}, even int and float. Make it a tensor:", code=code),)
    return (Remedy(text=f"{text}. Convert before the call, or pass the same type each time."),)


_NUMBERS = ("of type int", "of type float")


def _object(cause: Cause, _: bool) -> tuple[Remedy, ...]:
    return (
        Remedy(
            text=f"The code was compiled for one specific `{cause.owner}` object. Create it once, "
            "outside the loop, and pass that one: a lambda is a new object each time."
        ),
    )


def _length(cause: Cause, _: bool) -> tuple[Remedy, ...]:
    return (
        Remedy(
            text="The code is unrolled over this container, so each length needs its own code. "
            "If it holds tensors of one shape, pass them as one:",
            code=f"{cause.owner} = torch.stack({cause.owner})",
        ),
    )


def _zero_one(cause: Cause, _: bool) -> tuple[Remedy, ...]:
    unbacked = f"torch._dynamo.decorators.mark_unbacked({cause.owner}, {cause.dimension})"
    return (
        Remedy(
            text="PyTorch compiles the sizes 0 and 1 separately, because they broadcast. Expect "
            "one more compilation, or make this size fully dynamic before the first call:",
            code=unbacked if _is_written(cause.owner) else "",
        ),
    )


def _branch(cause: Cause, _: bool) -> tuple[Remedy, ...]:
    return (
        Remedy(
            text=f"The code tests `{cause.subject}` on that line, and each outcome "
            "needs its own code. Compute with the size instead of testing it, or move the test "
            "out of the compiled code."
        ),
    )


def _sizes(cause: Cause, _: bool) -> tuple[Remedy, ...]:
    mark = f"torch._dynamo.mark_dynamic({cause.owner}, {cause.dimension})"
    return (
        Remedy(
            text="Two sizes were equal in the compiled call, and the code relies on it. "
            "If that was a coincidence, give each its own symbol before the first call:",
            code=mark if _is_written(cause.owner) else "",
        ),
    )


def _stride(cause: Cause, _: bool) -> tuple[Remedy, ...]:
    return (
        Remedy(
            text="The tensor has a different memory layout. Make it contiguous:",
            code=f"{cause.owner} = {cause.owner}.contiguous()",
        ),
    )


def _text(text: str) -> Callable[[Cause, bool], tuple[Remedy, ...]]:
    return lambda cause, _: (Remedy(text=text.format(name=cause.owner)),)


_OF: dict[str, Callable[[Cause, bool], tuple[Remedy, ...]]] = {
    "size": _size,
    "stride": _stride,
    "rank": _text(
        "Each number of dimensions needs its own code. Reshape `{name}` before the call."
    ),
    "dtype": _dtype,
    "requires_grad": _requires_grad,
    "device": _text(
        "Each device needs its own code. Move `{name}` before the call, or expect one "
        "compilation for each device."
    ),
    "grad_mode": _grad_mode,
    "setting": _setting,
    "value": _value,
    "type": _type,
    "object": _object,
    "length": _length,
    "key": _text("The code was compiled for certain keys of a dict. Pass the same keys."),
    "same": _text(
        "Where two arguments are one tensor, other code is needed. Pass a copy: `.clone()`."
    ),
    "marking": _text("Mark the size before the first call, not after it."),
    "alias": _text("It matters whether two arguments are one tensor. Pass a copy: `.clone()`."),
    "zero_one": _zero_one,
    "branch": _branch,
    "sizes": _sizes,
}
