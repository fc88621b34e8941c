"""Guards that failed: what each required, what it found, and the user's lines that caused it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from dynamo_lab.capture.core.values import describe, member_by_id, read, sources_in
from dynamo_lab.capture.guards import hooks
from dynamo_lab.model.guards.guards import FailedGuard

if TYPE_CHECKING:
    from dynamo_lab.capture.core.recorder import Recorder

_LONGEST = 300
_LOCAL = re.compile(r"""L\[\s*['"](.*?)['"]\s*\]""")
_CONTAINER = re.compile(r"^\w+ of \d+$")
_EXPECTED = re.compile(r"expected (.+?), actual (.+?)(?:\. Guard failed on .*)?$")
"""Of a parameter, C++ adds advice behind the number; source: torch/csrc/dynamo/guards.cpp."""
_GRADIENT = re.compile(r"expected requires_grad=([01])")
_EQUAL = re.compile(r"^(?P<left>.+?) == (?P<right>.+)$")
_OTHER_LENGTH = re.compile(r"^len\(.+\) != (\d+)$")
"""What C++ says of a dict that has another length than it had: the failure, not the condition."""
_TYPE = re.compile(r"type=<class '(.+?)'>")
_IDENTITY = re.compile(r"^___check_obj_id\(.+, (\d+)\)")
_FREED = re.compile(r"^Cache line invalidated because (.+) got deallocated")
_OF_CLASS = "type("
_ASKED_AT = re.compile(r"#\s\S*?:(\d+) in \S+")


def failed_guard(
    guard_manager: Any, compile_id: str, f_locals: Any, reason: str, recorder: Recorder
) -> FailedGuard:
    """The guard of a compilation that did not hold for these locals; `reason` is Dynamo's word."""
    if gone := _FREED.search(reason):  # and with the object, Dynamo deleted the guards
        return FailedGuard(
            compile_id=compile_id,
            text=reason[:_LONGEST],
            source=gone[1],
            stack=_stack(gone[1], compile_id, reason, recorder),
        )
    found = guard_manager.check_verbose(f_locals)
    raw = _raw(found.verbose_code_parts, reason) or reason
    told = tell(raw, f_locals, guard_manager)
    user_stack = hooks.USER_STACK.of(found)
    if user_stack:
        stack = recorder.texts.stack_of_summary(user_stack)
    else:
        stack = _stack(told.source, compile_id, raw, recorder)
    return msgspec.structs.replace(told, compile_id=compile_id, stack=stack)


def _raw(parts: Sequence[str], reason: str) -> str:
    """The check itself, of those that were made together: Dynamo's reason lacks the L['...']."""
    if len(parts) == 1:
        return parts[0]
    return next((part for part in parts if _LOCAL.sub(r"\1", part).startswith(reason)), "")


def first_failing(guard_manager: Any, f_locals: Any) -> str | None:
    """The first check of a compilation that does not hold for these locals; None where all do."""
    found = guard_manager.check_verbose(f_locals)
    if found.result:
        return None
    parts = list(found.verbose_code_parts)
    if len(parts) == 1:
        return parts[0]
    scope = {"L": f_locals, **guard_manager.closure_vars}
    return next((part for part in parts if not _holds(part, guard_manager, scope)), "")


def _holds(part: str, guard_manager: Any, scope: Mapping[str, Any]) -> bool:
    """Whether a condition on shapes holds; Dynamo evaluates its text in the same way."""
    try:
        return bool(eval(part, dict(guard_manager.global_scope), dict(scope)))
    except Exception:
        return False


def tell(text: str, f_locals: Any, guard_manager: Any) -> FailedGuard:
    """A failing check in parts, without the lines that asked for it."""
    check = text.partition("  # ")[0].rstrip()
    source, was, now = _values(check, {"L": f_locals, "G": guard_manager.global_scope["G"]})
    return FailedGuard(compile_id="", text=check[:_LONGEST], source=source, was=was, now=now)


def _values(text: str, scope: Mapping[str, Any]) -> tuple[str, str, str]:
    """The source that a check is about, what it wanted there, and what is there."""
    if text.startswith("GLOBAL_STATE changed"):
        return "", *_global_state(text)
    sources = sources_in(text)
    source = sources[0] if sources else ""
    if expected := _EXPECTED.search(text):
        return source, expected[1], expected[2]
    if gradient := _GRADIENT.search(text):
        return source, str(gradient[1] == "1"), str(gradient[1] != "1")
    if "KeyError on" in text:
        return source, "present", "missing"
    now = _told(source, scope) if source else ""
    if len(sources) > 1:
        return source, "", ", ".join(f"{s} is {told}" for s in sources if (told := _told(s, scope)))
    if kind := _TYPE.search(text):
        if identity := _IDENTITY.search(text):
            return source, _member(source, scope, int(identity[1])) or f"another {kind[1]}", now
        return source, f"of type {kind[1]}", now
    if text.startswith("len("):
        now = _length_in(now)
    if other := _OTHER_LENGTH.match(text):
        return source, other[1], now
    equal = _EQUAL.match(text)
    # of a condition on it, `(n % 2) == 0`, the right side is no value that it had
    read_as = (source, *(f"{how}({source})" for how in ("len", "str", "___normalize_range_iter")))
    is_value = equal is not None and equal["left"] in read_as
    if equal and not is_value and (told := _told(equal["left"], scope)):
        left = equal["left"]  # what is read from it by more than its own name
        return left if left.startswith(_OF_CLASS) else source, equal["right"], told
    return source, equal["right"] if equal and is_value else "", now


def _length_in(told: str) -> str:
    """The length of a container that is told as "dict of 2"; empty where that is not known."""
    return told.rpartition(" of ")[2] if _CONTAINER.match(told) else ""


def _member(source: str, scope: Mapping[str, Any], number: int) -> str:
    """The member of an enumeration that was there, where another one is now."""
    try:
        return member_by_id(type(read(source, scope)), number)
    except (LookupError, TypeError):
        return ""


def _told(source: str, scope: Mapping[str, Any]) -> str:
    try:
        return describe(read(source, scope))
    except (LookupError, TypeError):
        return ""


def _global_state(text: str) -> tuple[str, str]:
    """Settings that changed: what they were, where that follows, and what they are."""
    pairs = [_setting(name) for name in text.partition(":")[2].split()]
    was = ", ".join(f"{name} {before}" for name, before, _ in pairs if before)
    return was, ", ".join(f"{name} {now}" for name, _, now in pairs if now)


_SWITCHES = {
    "deterministic_algorithms": torch.are_deterministic_algorithms_enabled,
    "deterministic_algorithms_warn_only": torch.is_deterministic_algorithms_warn_only_enabled,
}


def _setting(name: str) -> tuple[str, str, str]:
    words = {True: "on", False: "off"}
    device = re.fullmatch(r"autocast\((\w+)\)_enabled", name)
    if name == "grad_mode" or device:
        now = torch.is_autocast_enabled(device[1]) if device else torch.is_grad_enabled()
        return name.removesuffix("_enabled"), words[not now], words[now]
    if name in _SWITCHES:
        now = _SWITCHES[name]()
        return name, words[not now], words[now]
    if name == "default_dtype":
        return name, "", str(torch.get_default_dtype())
    if name == "num_threads":
        return name, "", str(torch.get_num_threads())
    return name, "", "changed"


def _stack(source: str, compile_id: str, raw: str, recorder: Recorder) -> int | None:
    """The stack of the guard that was recorded on this source, or of the symbol for this size."""
    asked = _ASKED_AT.search(raw)
    if asked and (found := _shape_stack(int(asked[1]), compile_id, recorder)) is not None:
        return found
    for known in _owners(source):
        for guard in recorder.guards:
            if guard.compile_id == compile_id and guard.source == known and guard.stack is not None:
                return guard.stack
    return None


def _shape_stack(line: int, compile_id: str, recorder: Recorder) -> int | None:
    """The stack of what was assumed of a shape on this line, from Dynamo's remark on it."""
    ending = recorder.texts.stacks_ending_on(line)
    facts = (*recorder.shape_facts, *recorder.symbols)
    stacks = (fact.stack for fact in facts if fact.compile_id == compile_id)
    return next((stack for stack in stacks if stack in ending), None)


def _owners(source: str) -> Iterator[str]:
    """A source and the values that it is a part of: "L['x'].size()[0]", "L['x'].size()", ..."""
    while source:
        yield source
        shorter = re.sub(r"(\.\w+(\(\))?|\[[^\[\]]*\])$", "", source)
        if shorter == source:
            return
        source = shorter
