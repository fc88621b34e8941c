"""A failed guard in words: which value it is about, what it was, and what it is now."""

import re

from msgspec import Struct
from msgspec.structs import replace

from dynamo_lab.model.guards.guards import FailedGuard
from dynamo_lab.view.guards.readable import readable


class Cause(Struct, frozen=True, kw_only=True):
    """Why code could not be reused. `subject` is the value as written in code: "x.shape[0]".

    `owner` is the variable to change ("x"), `dimension` the index of the size, if it is one; of a
    length, `is_mapping` says that it is a dict's. `is_global`: no call passes the value.
    `is_parameter`: PyTorch says that the tensor is a parameter, or it is a tensor of a module.
    """

    kind: str
    subject: str
    text: str
    owner: str = ""
    dimension: int | None = None
    was: str = ""
    now: str = ""
    is_mapping: bool = False
    is_global: bool = False
    is_parameter: bool = False


_DTYPES = {
    "Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16",
    "Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64",
    "Bool": "bool", "ComplexFloat": "complex64", "ComplexDouble": "complex128",
}  # fmt: skip
"""PyTorch's C++ names of dtypes."""

_SIZE = re.compile(r"^(.*)\.(size|stride|storage_offset)\(\)(?:\[([0-9]{1,9})\])?$")
_PLACES = {"stride": "stride", "storage_offset": "offset"}
"""Where a view lies in the memory of what it is a view of."""
_INDEX = re.compile(r"(size|stride) mismatch at index ([0-9]{1,9})")
_RELATION = re.compile(r"[<>=!]=?|Mod\(|Eq\(|Ne\(| is ")
_RANGE = re.compile(r"^(\d+) <= (.+?)(?: <= (\d+))?$")


def describe(failed: FailedGuard) -> str:
    """The failure in a sentence."""
    return cause(failed).text


def cause(failed: FailedGuard) -> Cause:
    """What the failure is about."""
    made = (
        _of_ambience(failed)
        or _of_tensor(failed)
        or _of_setting(failed)
        or _of_object(failed)
        or _of_size(failed)
    )
    return made or _of_value(failed)


def _changed(
    kind: str, subject: str, owner: str, was: str, now: str, dimension: int | None = None
) -> Cause:
    text = f"`{subject}` was {was}, now {now}" if was else f"`{subject}` is {now} now"
    return Cause(
        kind=kind, subject=subject, owner=owner, was=was, now=now, dimension=dimension, text=text
    )


def _of_tensor(failed: FailedGuard) -> Cause | None:
    """A property that is checked for every tensor."""
    text, name, was, now = failed.text, readable(failed.source), failed.was, failed.now
    if index := _INDEX.search(text):
        at = int(index[2])
        subject = f"{name}.shape[{at}]" if index[1] == "size" else f"{name}.stride({at})"
        is_parameter = _ON_PARAMETER in text or bool(_OF_MODULE.search(failed.source))
        made = _changed(index[1], subject, name, was, now, at)
        return replace(made, is_parameter=is_parameter)
    if "dtype mismatch" in text:
        return _changed("dtype", f"{name}.dtype", name, _dtype(was), _dtype(now))
    if "requires_grad mismatch" in text:
        return _changed("requires_grad", f"{name}.requires_grad", name, was, now)
    if "rank mismatch" in text:
        return _changed("rank", f"{name}.dim()", name, was, now)
    if "dispatch key set mismatch" in text:
        return _of_keys(name, was, now)
    if text.startswith("expected type of"):
        found = text.rpartition("<class '")[2].removesuffix("'>")
        # of a tensor, a parameter and their subclasses, which one it was is not known
        was = "a tensor of another type" if found.startswith("torch.") else "a tensor"
        return _changed("type", name, name, was, f"of type {found}")
    return None


_OF_MODULE = re.compile(r"\._(?:parameters|buffers)\[")
_ON_PARAMETER = "Guard failed on a parameter"
"""Source: torch/csrc/dynamo/guards.cpp."""


def _dtype(name: str) -> str:
    return f"torch.{_DTYPES.get(name, name.lower())}"


_DEVICES = ("CPU", "CUDA", "MPS", "XPU", "Meta", "HPU")


def _of_keys(name: str, was: str, now: str) -> Cause:
    """The dispatch keys differ: by the device, or by how PyTorch has wrapped the tensor."""
    before, after = device_of(was), device_of(now)
    if before and after and before != after:
        return _changed("device", f"{name}.device", name, before, after)
    old, new = (set(re.findall(r"\w+", text)) - {"DispatchKeySet"} for text in (was, now))
    parts = (("lost", old - new), ("gained", new - old))
    told = ", ".join(f"{verb} {_all(keys)}" for verb, keys in parts if keys) or "are others now"
    text = f"the dispatch keys of a call with `{name}` {told}"
    if old != new and all(key.startswith(_OF_GRADIENTS) for key in old ^ new):
        text = f"{text}: {_INFERENCE}"
        return Cause(kind="inference", subject=name, owner=name, text=text)
    return Cause(kind="keys", subject=name, owner=name, text=text)


_OF_GRADIENTS = ("Autograd", "ADInplaceOrView")
_INFERENCE = (
    "`torch.inference_mode()` takes such keys from the calls under it, and from tensors made there"
)


def device_of(keys: str) -> str:
    """The kind of device that dispatch keys are for: "cuda"; empty where it is not known."""
    found = (device for device in _DEVICES if re.search(rf"\b{device}\b", keys))
    return next(found, "").lower()


def _all(names: set[str]) -> str:
    return " and ".join(sorted(names))


def _of_ambience(failed: FailedGuard) -> Cause | None:
    """What is around the call, or of its tensors together: no value of the program by itself."""
    for start, (kind, subject, text) in _AMBIENCE.items():
        if failed.text.startswith(start):
            return Cause(kind=kind, subject=subject, text=text, now=failed.now)
    return None


_AMBIENCE = {
    "Duplicate tensor": ("same", "", "two arguments are the same tensor now, which they were not"),
    "_has_dynamo_dim_marking": (
        "marking", "", "a size of a tensor is marked dynamic now, which it was not",
    ),
    "___check_torch_function_mode_stack": (
        "setting",
        "the torch function modes",
        "the torch function modes in force are others, such as those of `with torch.device(...)`",
    ),
    "utils_device.CURRENT_DEVICE": (
        "setting", "the default device", "the default device is another one",
    ),
}  # fmt: skip

_SETTINGS = {
    "grad_mode": "grad mode",
    "default_dtype": "the default dtype",
    "num_threads": "the number of threads",
    "deterministic_algorithms": "deterministic algorithms",
    "deterministic_algorithms_warn_only": "that deterministic algorithms only warn",
    "allow_tf32": "TF32",
}


def _of_setting(failed: FailedGuard) -> Cause | None:
    if not failed.text.startswith("GLOBAL_STATE changed"):
        return None
    was = dict(pair.rsplit(" ", 1) for pair in failed.was.split(", ") if " " in pair)
    now = dict(pair.rsplit(" ", 1) for pair in failed.now.split(", ") if " " in pair)
    keys = [name.removesuffix("_enabled") for name in failed.text.partition(":")[2].split()]
    parts: list[str] = []
    for key in keys:
        told = f"is {now[key]} now" if now.get(key, "changed") != "changed" else "changed"
        if key in was and key in now:
            told = f"was {was[key]}, now {now[key]}"
        parts.append(f"{_SETTINGS.get(key, key)} {told}")
    first = keys[0] if keys else ""
    is_gradients = first == "grad_mode"
    told_of = keys[:1] if is_gradients else keys  # what comes with grad mode is told in the text
    return Cause(
        kind="grad_mode" if is_gradients else "setting",
        subject=" and ".join(_SETTINGS.get(key, key) for key in told_of),
        was=was.get(first, ""),
        now=now.get(first, ""),
        text="; ".join(parts) or "a global setting changed",
    )


_CODE = ".__code__"
_MEMBER = re.compile(r"[A-Za-z_]\w*\.[A-Za-z_]\w*")
"""A member of an enumeration: there is one of each, for good."""
_HELD = re.compile(r"^\w+ of (\d+)$")


def _of_object(failed: FailedGuard) -> Cause | None:
    """The object's identity, its type, and its contents."""
    text, name = failed.text, readable(failed.source)
    now = failed.now or "something else"
    if text.startswith("Cache line invalidated"):
        of, words = name.removesuffix(_CODE), "was freed, and the code compiled for it with it"
        was = "function" if name.endswith(_CODE) else ""
        return Cause(kind="object", subject=of, owner=of, text=f"`{of}` {words}", was=was)
    if text.startswith("___check_obj_id") and name.endswith(_CODE):
        of = name.removesuffix(_CODE)
        words = f"`{of}` is another function, with other code"
        return Cause(kind="object", subject=of, owner=of, text=words, was="function")
    if text.startswith("___check_obj_id"):
        kind = "value" if _MEMBER.fullmatch(failed.was) else "object"
        return _changed(kind, name, name, failed.was, now)
    if "___check_type_id" in text or text.startswith("CodeGuardAccessor"):
        return _changed("type", name, name, failed.was, now)
    if "KeyError on" in text:
        return _changed("key", name, name, failed.was, now)
    if "___dict_contains" in text:
        return Cause(kind="key", subject=name, owner=name, text=f"the keys of `{name}` changed")
    if length := _LENGTH.match(text):
        return _of_length(length, failed)
    if text.startswith("__check_obj_id(list(dict.keys("):
        words = f"a key of `{readable(_holder(text))}` is another object"
        return Cause(kind="key", subject=name, owner=name, text=words)
    if key := _KEY.match(text):
        name = readable(key[1])
        now = f", now {failed.now}" if failed.was == key[3] else ""
        words = f"key {int(key[2]) + 1} of `{name}` was {key[3]}{now}"
        return Cause(kind="key", subject=name, owner=name, text=words)
    if member := _IN_SET.match(text):
        words = f"`{name}` {'had no' if member[1] else 'had'} {member[2]} in it, and now it"
        words = f"{words} {'has' if member[1] else 'has not'}"
        return Cause(kind="member", subject=name, owner=name, text=words)
    if text == f"not {failed.source}" and (held := _HELD.search(failed.now)):
        return _changed("length", f"len({name})", name, "0", held[1])
    if text.endswith((" is None", " is not None")):
        known = ("None", "not None")
        was, now = known[::-1] if text.endswith("not None") else known
        return _changed("none", name, name, was, now)
    if _ALIAS.search(text):
        which = readable(text)
        return Cause(kind="alias", subject=which, owner=name, text=f"`{which}` no longer holds")
    return None


_LENGTH = re.compile(r"^len\((.+)\) [!=]= (\d+)$")
_KEY = re.compile(r"^list\(dict\.keys\((.+?)\)\)\[(\d{1,9})\] == (.+)$")
_IN_SET = re.compile(r"^(not )?set\.__contains__\([LG]\[.+\], (.+)\)$")
_KEYS = re.compile(r"dict\.keys\((.+?)\)\)\[\d+\]")
_ALIAS = re.compile(r"[\])\w] is (?:not )?[LG]\[")


def _of_length(found: re.Match[str], failed: FailedGuard) -> Cause:
    """Another length: the number is what it was, also where C++ says that it is not that."""
    name = readable(found[1])
    is_known = failed.source == found[1] and failed.now.isdecimal()
    made = _changed("length", f"len({name})", name, found[2], failed.now)
    # only what is checked in C++ for a dict has its words as they fail
    made = replace(made, is_mapping="!=" in failed.text)
    text = f"`{made.subject}` was {found[2]}, now another one"
    return made if is_known else replace(made, now="", text=text)


def _holder(text: str) -> str:
    """The dict whose keys a check is about."""
    found = _KEYS.search(text)
    return found[1] if found else text


def _of_size(failed: FailedGuard) -> Cause | None:
    """A relation between sizes, or of a view's place, that held when the code was compiled."""
    size = _SIZE.match(failed.source)
    if size is None or not _RELATION.search(failed.text):
        return None
    subject, owner = readable(failed.source), readable(size[1])
    at, place = int(size[3]) if size[3] else None, _PLACES.get(size[2])
    if failed.was.isdecimal():
        return _changed(place or "branch", subject, owner, failed.was, failed.now, at)
    between = _RANGE.match(failed.text)
    if between and between[2] == failed.source:
        is_apart = between[1] == "2" and (not between[3] or failed.now in ("0", "1"))
        most = f"to {between[3]}" if between[3] else "or more"
        return Cause(
            kind=place or ("zero_one" if is_apart else "branch"),
            subject=subject, owner=owner, dimension=at, now=failed.now,
            text=f"`{subject}` is {failed.now} now; this code is for {between[1]} {most}",
        )  # fmt: skip
    now = readable(failed.now) or "unknown"
    if not now.startswith(subject):
        now = f"{subject} is {now}"
    condition = readable(failed.text)
    if empty := _EMPTY.search(now):  # its strides are those of a size of 1, however it is laid out
        return Cause(
            kind="empty", subject=empty[1], owner=empty[2], dimension=int(empty[3]), now="0",
            text=f"`{empty[1]}` is 0 now: `{condition}` no longer holds",
        )  # fmt: skip
    return Cause(
        kind=place or ("sizes" if _EQUAL_SIZES.match(failed.text) else "branch"),
        subject=subject, owner=owner, dimension=at, now=failed.now,
        text=f"`{condition}` no longer holds: {now}",
    )  # fmt: skip


_EMPTY = re.compile(r"(?:^|, )((\S+)\.shape\[(\d+)\]) is 0(?:,|$)")
_EQUAL_SIZES = re.compile(r"^[^\s=]+\.size\(\)\[\d+\] == [^\s=]+\.size\(\)\[\d+\]$")


def number_kind(text: str) -> str:
    """Whether a text is an "int" or a "float"; empty for other text."""
    if re.fullmatch(r"-?\d+", text):
        return "int"
    return "float" if re.fullmatch(r"-?\d+\.?\d*(e[-+]?\d+)?", text) else ""


UNKNOWN = "another value"
_TENSOR_NOW = re.compile(r"^\w+ tensor \[")
_NO_BASE = "'NoneType' object has no attribute '"


def _of_value(failed: FailedGuard) -> Cause:
    if failed.text.startswith(_NO_BASE) and not failed.source:
        words = "a guard asked for what is None now, as what a view is of is where there is no view"
        return Cause(kind="base", subject="", text=f"{words}: {failed.text}")
    name, is_global = readable(failed.source), failed.source.startswith("G[")
    # asking an object for it could run code of the program's: then it is not known
    now = failed.now or (UNKNOWN if number_kind(failed.was) else "")
    if name and failed.was and now:
        kinds = number_kind(failed.was), number_kind(now)
        is_other = (all(kinds) and kinds[0] != kinds[1]) or (kinds[0] and _TENSOR_NOW.search(now))
        kind = "type" if is_other else "value"
        return replace(_changed(kind, name, name, failed.was, now), is_global=is_global)
    found = f": `{name}` is {failed.now}" if name and failed.now else ""
    # of a number: a test that other numbers pass too
    is_test = number_kind(failed.now) and re.search(r" ([<>]=?|!=) ", failed.text)
    kind, text = "branch" if is_test else "other", f"`{readable(failed.text)}` no longer holds"
    return Cause(kind=kind, subject=name, owner=name, now=failed.now, text=text + found)
