"""How to avoid a recompilation: advice with code that names the variable and its dimension."""

import re
from collections.abc import Callable, Sequence

from dynamo_lab.view.core.words import begun
from dynamo_lab.view.guards import numbers
from dynamo_lab.view.guards.dynamic import Dynamic
from dynamo_lab.view.guards.failing import Cause, number_kind
from dynamo_lab.view.guards.remedy import (
    BESIDE_PARAMETER,
    COMPILE_DYNAMIC,
    LEFT_OUT,
    OF_PARAMETER,
    TOLD_APART,
    Remedy,
    assigned,
    ended,
    is_written,
)


def advice_on(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    """What to do about a cause. `new` is what the new code leaves open."""
    find = _OF.get(cause.kind)
    return find(cause, new) if find else ()


def _size(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    if cause.is_parameter and cause.subject not in new.opened:
        return (OF_PARAMETER,)
    if {cause.was, cause.now} & {"0", "1"}:
        return _zero_one(cause, new)
    if cause.subject in new.by_parameter:
        return (BESIDE_PARAMETER,)
    if cause.subject in new.pinned:
        return (Remedy(text=_NEEDED),)
    if new.tells_apart(cause.subject, cause.was):
        mark = f" A `mark_dynamic` at a call with {cause.was} fails."
        return (Remedy(text=TOLD_APART.format(cause.was, cause.subject) + mark),)
    if new.leaves_out(cause.subject, cause.was):
        return (Remedy(text=LEFT_OUT.format(cause.was, cause.subject)),)
    tied = new.opened.get(cause.subject)
    code = _marked((f"{cause.owner}.shape[{cause.dimension}]", *(tied or ())))
    if not code:
        return (Remedy(text="Make all sizes dynamic from the start:", code=COMPILE_DYNAMIC.code),)
    if tied is None:
        return (Remedy(text=_not_open(new), code=code),)
    all_of_them = "all that are tied to each other" if tied else "it"
    before = (
        f"From here on `{cause.subject}` is dynamic: only 0, 1 and sizes that the code, an "
        "operator or the backend tells apart can recompile. "
        f"To make {all_of_them} dynamic at once, before the first call:"
    )
    return (Remedy(text=before, code=code), COMPILE_DYNAMIC)


def _not_open(new: Dynamic) -> str:
    """Why a size has no symbol, and that it may be given one."""
    if new.is_refused:
        return _NOT_TRIED
    return _NOT_DYNAMIC if new.has_code else _NO_CODE


_NOT_TRIED = (
    "Unless the size is a parameter's, or has to be equal to another one, it can be marked as "
    "dynamic before the first call, so that one code fits both:"
)
_NEEDED = (
    "The new code is for this one size too: the code needs the number itself, as `range` does. "
    "Compute on whole tensors instead, or move that part out of the compiled code."
)
_NO_CODE = (
    "No code came of this compilation: first mend what ended it. Whether the code leaves this size "
    "open is not known. Unless the size is a parameter's, or has to be equal to another one, it "
    "can be marked as dynamic before the first call:"
)
_NOT_DYNAMIC = (
    "Nothing made this size dynamic in the new code, as with `dynamic=False`. Unless it is a "
    "parameter's, it can be marked as dynamic before the first call:"
)
_SIZE = re.compile(r"^(.+)\.shape\[(\d+)\]$")


def _marked(sizes: Sequence[str]) -> str:
    """The lines that mark sizes as dynamic; empty where code cannot name one of them.

    One of two sizes that have to be equal cannot be marked alone: PyTorch refuses that.
    """
    found = [_SIZE.match(size) for size in sizes]
    if not all(one and is_written(one[1]) for one in found):
        return ""
    return "\n".join(f"torch._dynamo.mark_dynamic({one[1]}, {one[2]})" for one in found if one)


def _dtype(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    code = assigned(cause.owner, f"{cause.owner}.to({cause.was})", new)
    what = "Convert" if code else f"Convert `{cause.owner}` to {cause.was}"
    return (
        Remedy(
            text=ended(f"Each dtype needs its own code. {what} before the call", code), code=code
        ),
    )


def _requires_grad(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    name = cause.owner
    given = f"{name} if {name}.requires_grad else {name}.detach().requires_grad_()"
    code = assigned(name, given, new)
    if code:
        return (Remedy(text=_WITH_GRADIENTS.format(name), code=code),)
    # an attribute may be a parameter, which takes no other tensor
    return (Remedy(text=_TRAINED, code=f"{name}.requires_grad_({cause.was})"),)


_WITH_GRADIENTS = (
    "Calls with and without gradients need separate code: expect one compilation for each, as for "
    "a model's first layer and for those after it. Where nothing is trained through `{0}`, pass "
    "`{0}.detach()` each time. Else it can have a gradient each time, which is computed in vain "
    "where nobody reads it:"
)
_TRAINED = (
    "Calls with and without gradients need separate code: expect one compilation for each, as for "
    "a model that is trained and one that is frozen. If it should be the same each time:"
)


def _grad_mode(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    mode = "torch.enable_grad()" if cause.was == "on" else "torch.no_grad()"
    return (
        Remedy(
            text="Inference and training need separate code. If this call should be the same as "
            "before, make it under the same mode. `torch.inference_mode()` changes more than grad "
            "mode: make every call under it, or none:",
            code=f"with {mode}:\n    compiled(...)",
        ),
    )


def _setting(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    return (Remedy(text=f"Make every call under the same setting of {cause.subject}."),)


def _type(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    text = "Each type needs its own code"
    if number_kind(cause.now) and (number_kind(cause.was) or cause.was in _NUMBERS):
        code = assigned(cause.owner, f"torch.tensor(float({cause.owner}))", new)
        what = "Make it a tensor" if code else "Make it a tensor of floats where it is set"
        return (Remedy(text=ended(f"{text}, even int and float. {what}", code), code=code),)
    return (Remedy(text=f"{text}. Convert before the call, or pass the same type each time."),)


_NUMBERS = ("of type int", "of type float")


def _object(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    owner = cause.owner.removesuffix(".__code__")
    return (
        Remedy(
            text=f"The code was compiled for one specific object at `{owner}`. If calls can share "
            "one, create it once and pass that: a lambda written in the call is a new object each "
            "time. Otherwise each object needs its own code."
        ),
    )


def _length(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    if cause.is_mapping:
        return (Remedy(text=_KEYS),)
    can_stack = cause.owner not in new.plain and not {cause.was, cause.now} & {"", "0", "1"}
    code = assigned(cause.owner, f"torch.stack({cause.owner})", new) if can_stack else ""
    unrolled = "Code is compiled for the exact length of a container: each needs its own code"
    if not code:
        return (Remedy(text=f"{unrolled}."),)
    return (
        Remedy(
            text=f"{unrolled}. If it is a list of tensors of one shape, pass them as one tensor, "
            "and replace the loop over them by an operation on its first dimension, such as "
            "`.sum(0)`:",
            code=f"{code}\ntorch._dynamo.mark_dynamic({cause.owner}, 0)",
        ),
    )


_KEYS = (
    "Code is compiled for the keys of a dict, and unrolled over them: with more or fewer it needs "
    "other code. Pass the same keys."
)


def _zero_one(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    apart = "PyTorch compiles the sizes 0 and 1 separately, because they broadcast."
    if cause.dimension and "0" in (cause.was, cause.now):  # an outermost size is in no stride
        text = f"{apart} Marked unbacked, it is compiled again all the same: {_EMPTY}"
        return (Remedy(text=text.format(name=cause.owner)),)
    unbacked = f"torch._dynamo.decorators.mark_unbacked({cause.owner}, {cause.dimension})"
    code = unbacked if is_written(cause.owner) else ""
    text = f"{apart} Expect one more compilation"
    if code:
        text += (
            ", or make this size and all that change with it fully dynamic before the first call "
            "that has it (code that needs the number itself, as a slice up to it does, then fails "
            "to compile; a call that differs in more, as by a cache that is None at first, is "
            "compiled again all the same)"
        )
    return (Remedy(text=ended(text, code), code=code),)


_EMPTY = (
    "an empty tensor has strides as if the size of 0 were 1, which this code is not for. "
    "Expect one more compilation, or leave out the calls with nothing in `{name}`."
)


def _branch(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    return (
        Remedy(
            text=f"The code holds only for some values of `{cause.subject}`: a test in it, an "
            "operator, or the backend asked for the number (Inductor does for some limits of its "
            "own). Where your code tests it, compute with it instead, or move the test out of the "
            "compiled code."
        ),
    )


def _sizes(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    mark = f"torch._dynamo.mark_dynamic({cause.owner}, {cause.dimension})"
    code = mark if is_written(cause.owner) else ""
    return (
        Remedy(
            text=ended(
                "Two sizes were equal in the compiled call, and share one symbol. If your code "
                "does not need them to be equal, give each its own symbol before the first call "
                "that has them",
                code,
            ),
            code=code,
        ),
    )


def _stride(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    code = assigned(cause.owner, f"{cause.owner}.contiguous()", new)
    what = "it" if code else f"`{cause.owner}`"
    text = f"The tensor has a different memory layout. Make {what} contiguous before each call"
    return (Remedy(text=ended(text, code), code=code),)


def _offset(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    code = assigned(cause.owner, f"{cause.owner}.clone()", new)
    what = "a copy" if code else f"a copy of `{cause.owner}`"
    text = (
        "The tensor is a view, and begins elsewhere in the memory of what it is a view of; 0 and 1 "
        f"are compiled apart there too. Pass {what}, which always begins at 0"
    )
    return (Remedy(text=ended(text, code), code=code),)


def _text(text: str) -> Callable[[Cause, Dynamic], tuple[Remedy, ...]]:
    return lambda cause, _: (Remedy(text=text.format(name=cause.owner)),)


_OF: dict[str, Callable[[Cause, Dynamic], tuple[Remedy, ...]]] = {
    "size": _size,
    "stride": _stride,
    "offset": _offset,
    "base": _text(
        "Where some calls pass a view, a part of another tensor, and others a whole tensor, pass "
        "a copy each time: `.clone()`."
    ),
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
    "inference": _text(
        "Make either every call under `torch.inference_mode()` or none, with tensors that are made "
        "alike; or expect one compilation for each. `torch.no_grad()` changes grad mode alone."
    ),
    "value": numbers.advice_on,
    "type": _type,
    "object": _object,
    "length": _length,
    "key": _text(
        "The code was compiled for certain keys of a dict, and for their order. Pass the same keys "
        "in the same order."
    ),
    "member": _text(
        "The code was compiled for whether a value is in a set: with and without it each needs its "
        "own code. Pass sets that agree in that, or expect one compilation for each."
    ),
    "alias": _text(
        "The code was compiled for two values that are one object. Pass two objects each time: "
        "of a tensor a copy, `.clone()`."
    ),
    "none": _text("With and without `{name}` the code differs: each is compiled apart."),
    "same": _text(
        "Where two arguments are one tensor, other code is needed. Pass a copy: `.clone()`."
    ),
    "marking": _text("Mark the size before the first call, not after it."),
    "zero_one": _zero_one,
    "empty": _text(begun(_EMPTY)),
    "branch": _branch,
    "sizes": _sizes,
}
