"""How to avoid a recompilation: advice with code that names the variable and its dimension."""

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from dynamo_lab.view.guards.dynamic import Dynamic
from dynamo_lab.view.guards.failing import Cause, number_kind


class Remedy(Struct, frozen=True, kw_only=True):
    """What to do, and the code that does it, where there is some."""

    text: str
    code: str = ""


_COMPILE_DYNAMIC = Remedy(
    text="Or make all sizes and numbers dynamic from the start; sizes that are equal in the first "
    "call stay tied to each other then:",
    code="compiled = torch.compile(fn, dynamic=True)",
)


def advice_on(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    """What to do about a cause. `new` is what the new code leaves open."""
    find = _OF.get(cause.kind)
    return find(cause, new) if find else ()


_NAME = r"(?!___)[A-Za-z_]\w*"


def _is_written(name: str) -> bool:
    """Whether code can name it: a variable, or an attribute of one. Dynamo invents some names."""
    return bool(re.fullmatch(rf"{_NAME}(?:\.{_NAME})*", name))


def _assigned(name: str, value: str) -> str:
    """The line that gives a variable another value.

    Empty for what is inside an object: a tuple or a frozen dataclass takes no assignment, and a
    parameter of a module no plain tensor.
    """
    return f"{name} = {value}" if re.fullmatch(_NAME, name) else ""


def _ended(text: str, code: str) -> str:
    """A sentence that ends in a colon where code follows."""
    return f"{text}{':' if code else '.'}"


def _size(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    if {cause.was, cause.now} & {"0", "1"}:
        return _zero_one(cause, new)
    if cause.subject in new.pinned:
        return (Remedy(text=_NEEDED),)
    tied = new.opened.get(cause.subject)
    code = _marked((f"{cause.owner}.shape[{cause.dimension}]", *(tied or ())))
    if not code:
        return (Remedy(text="Make all sizes dynamic from the start:", code=_COMPILE_DYNAMIC.code),)
    if tied is None:
        return (Remedy(text=_NOT_DYNAMIC if new.has_code else _NO_CODE, code=code),)
    all_of_them = "all that are tied to each other" if tied else "it"
    before = (
        f"From here on `{cause.subject}` is dynamic: only 0, 1 and sizes that the code, an "
        "operator or the backend tells apart can recompile. "
        f"To make {all_of_them} dynamic at once, before the first call:"
    )
    return (Remedy(text=before, code=code), _COMPILE_DYNAMIC)


_NEEDED = (
    "The new code is for this one size too: the code needs the number itself, as `range` does. "
    "Compute on whole tensors instead, or move that part out of the compiled code."
)
_NO_CODE = (
    "No code came of this compilation: whether it would leave this size open is not known. Unless "
    "the size is a parameter's, or has to be equal to another one, it can be marked as dynamic "
    "before the first call:"
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
    if not all(one and _is_written(one[1]) for one in found):
        return ""
    return "\n".join(f"torch._dynamo.mark_dynamic({one[1]}, {one[2]})" for one in found if one)


def _dtype(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    code = _assigned(cause.owner, f"{cause.owner}.to({cause.was})")
    what = "Convert" if code else f"Convert `{cause.owner}` to {cause.was}"
    return (
        Remedy(
            text=_ended(f"Each dtype needs its own code. {what} before the call", code), code=code
        ),
    )


def _requires_grad(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    wanted = cause.was == "True"
    how = f"{cause.owner}.detach().requires_grad_()" if wanted else f"{cause.owner}.detach()"
    # an attribute may be a parameter, which takes no other tensor
    code = _assigned(cause.owner, how) or f"{cause.owner}.requires_grad_({wanted})"
    with_or_without = "with" if wanted else "without"
    return (
        Remedy(
            text="Calls with and without gradients need separate code. If the calls should be "
            f"{with_or_without} gradients for `{cause.owner}`:",
            code=code,
        ),
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


def _value(cause: Cause, new: Dynamic) -> tuple[Remedy, ...]:
    owner, was, is_open = cause.owner, cause.was, cause.subject in new.opened
    if "___stack" in owner and not number_kind(was):
        return (
            Remedy(
                text="The break before this code left another value, which is compiled in as a "
                "constant: end the break, or expect one compilation for each value."
            ),
        )
    if "___stack" in owner:
        return (Remedy(text=NUMBER_OF_A_BREAK),)
    if not number_kind(was):
        return (
            Remedy(
                text=f"`{owner}` is compiled in as a constant: each value needs its own code. "
                "Choose it before the call, or expect one compilation for each value."
            ),
        )
    if owner in new.sized:
        return (_as_size(owner, was),)
    found = _as_tensor(owner, new, is_open=is_open)
    if is_open and was not in ("0", "1"):
        return (found, _COMPILE_DYNAMIC)
    if "." in owner and "[" not in owner and not is_open and was.lstrip("-").isdecimal():
        return (found, _MODULES_INTEGERS)
    return (found,)


NUMBER_OF_A_BREAK = (
    "The preceding break left another Python number, and the code after it was compiled for the "
    "exact one. A number read from a tensor, by `.item()` or `float()`, is better kept a tensor; "
    "what Python computes itself is better computed before the call."
)
_MAKES_SIZES = (
    "The code makes sizes of it, which a tensor cannot give without a break: make all sizes and "
    "numbers dynamic from the start; sizes that are equal in the first call stay tied to each "
    "other then:"
)


def _as_tensor(owner: str, new: Dynamic, *, is_open: bool) -> Remedy:
    """What to do about a Python number of this name."""
    is_now = (
        f"From here on `{owner}` is dynamic. To make it dynamic at once, if the code only computes "
        "with it,"
        if is_open
        else f"`{owner}` is compiled in as a constant. If the code only computes with it,"
    )
    code = _assigned(owner, f"torch.tensor({owner})")
    where = "where it is set"
    if code and new.is_resumed:
        where, code = "where the function gets it", ""
    elif code and owner.isidentifier():  # inside, the tensor would be made of a constant again
        where, code = "before the call, where it is passed", f"{code}  # before the call"
    return Remedy(text=_ended(f"{is_now} make it a tensor {where}", code), code=code)


def _as_size(owner: str, was: str) -> Remedy:
    """What to do about a Python number that is a size, from the second value on a dynamic one."""
    is_now = f"From here on `{owner}` is dynamic."
    if was in ("0", "1"):
        return Remedy(text=f"{is_now} 0 and 1 are always compiled in.")
    return Remedy(text=f"{is_now} {_MAKES_SIZES}", code=_COMPILE_DYNAMIC.code)


_MODULES_INTEGERS = Remedy(
    text="If it belongs to a module, Dynamo can treat it as any other integer, which is dynamic "
    "from its second value on:",
    code="torch._dynamo.config.allow_unspec_int_on_nn_module = True",
)


def _type(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    text = "Each type needs its own code"
    if number_kind(cause.now) and (number_kind(cause.was) or cause.was in _NUMBERS):
        code = _assigned(cause.owner, f"torch.tensor(float({cause.owner}))")
        what = "Make it a tensor" if code else "Make it a tensor of floats where it is set"
        return (Remedy(text=_ended(f"{text}, even int and float. {what}", code), code=code),)
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


def _length(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    if cause.is_mapping:
        return (Remedy(text=_KEYS),)
    can_stack = not {cause.was, cause.now} & {"", "0", "1"}
    code = _assigned(cause.owner, f"torch.stack({cause.owner})") if can_stack else ""
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
    unbacked = f"torch._dynamo.decorators.mark_unbacked({cause.owner}, {cause.dimension})"
    code = unbacked if _is_written(cause.owner) else ""
    text = (
        "PyTorch compiles the sizes 0 and 1 separately, because they broadcast. Expect one more "
        "compilation"
    )
    if code:
        text += (
            ", or make this size and all that change with it fully dynamic before the first call "
            "that has it"
        )
    return (Remedy(text=_ended(text, code), code=code),)


def _branch(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    return (
        Remedy(
            text=f"The code holds only for some values of `{cause.subject}`: a test in it, an "
            "operator, or the backend asked for the number (Inductor does for some limits of its "
            "own). Where your code tests it, compute with the size instead, or move the test out "
            "of the compiled code."
        ),
    )


def _sizes(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    mark = f"torch._dynamo.mark_dynamic({cause.owner}, {cause.dimension})"
    code = mark if _is_written(cause.owner) else ""
    return (
        Remedy(
            text=_ended(
                "Two sizes were equal in the compiled call, and share one symbol. If your code "
                "does not need them to be equal, give each its own symbol before the first call "
                "that has them",
                code,
            ),
            code=code,
        ),
    )


def _stride(cause: Cause, _: Dynamic) -> tuple[Remedy, ...]:
    code = _assigned(cause.owner, f"{cause.owner}.contiguous()")
    what = "it" if code else f"`{cause.owner}`"
    text = f"The tensor has a different memory layout. Make {what} contiguous before each call"
    return (Remedy(text=_ended(text, code), code=code),)


def _text(text: str) -> Callable[[Cause, Dynamic], tuple[Remedy, ...]]:
    return lambda cause, _: (Remedy(text=text.format(name=cause.owner)),)


_OF: dict[str, Callable[[Cause, Dynamic], tuple[Remedy, ...]]] = {
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
    "inference": _text(
        "Make either every call under `torch.inference_mode()` or none, with tensors that are made "
        "alike; or expect one compilation for each. `torch.no_grad()` changes grad mode alone."
    ),
    "value": _value,
    "type": _type,
    "object": _object,
    "length": _length,
    "key": _text("The code was compiled for certain keys of a dict. Pass the same keys."),
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
    "branch": _branch,
    "sizes": _sizes,
}
