"""The outcome of a frame, from what Dynamo returns and raises in each release of PyTorch."""

import re
from collections.abc import Callable, Generator
from types import CodeType
from typing import Any

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.frames import hooks
from dynamo_lab.model.frames import AttemptOutcome

LookedAt = Callable[[CodeType, str, bool], None]
"""Called with a code object, why Dynamo skips it (or nothing), and whether it was compiled."""


def watch_skips(patches: Patches, looked_at: LookedAt) -> None:
    """Call `looked_at` for each frame that Dynamo decides on.

    From torch 2.13 on, each decision passes through `_handle_skip` with its reason; before, only
    the call itself can be watched, and the reason worked out the way Dynamo does.
    """

    def handled(wrapper: Any, result: Any, frame: Any) -> Generator[None, Any, None]:
        reason = hooks.SKIP_REASON.of(result) or ""
        looked_at(frame.f_code, reason, result.guarded_code is not None)
        yield

    def called(wrapper: Any, frame: Any, *_: Any) -> Generator[None, Any, None]:
        result = yield
        compiled = result.guarded_code is not None
        looked_at(frame.f_code, "" if compiled else _skip_reason_before_2_13(frame), compiled)

    if hooks.HANDLE_SKIP.exists:
        patches.hook(hooks.HANDLE_SKIP, handled)
    else:
        patches.hook(hooks.CALL, called)


def _skip_reason_before_2_13(frame: Any) -> str:
    if hooks.IS_SKIPPED.get()(frame.f_code):
        return "frame is in the Dynamo skipfiles list"
    if hooks.IS_DISABLED.get():
        return "Dynamo tracing is disabled"
    if not hooks.HAS_TENSOR.get()(frame):
        return "no tensor-related objects found in frame"
    return ""


def first_line(error: BaseException) -> str:
    """The first line of an error's message, or its type where it has none.

    Where that only introduces another error, as of a backend or of an operator, with that.
    """
    first, _, rest = str(error).strip().partition("\n")
    if first.endswith(("raised:", "break/error:")):
        return " ".join((first, *rest.strip().splitlines()[:1]))
    inner = _WITHIN.search(rest) if "making fake tensor call" in first else None
    return f"{first}: {inner[1]}" if inner else first or type(error).__name__


_WITHIN = re.compile(r"\bgot (\w+\(.*\))\s*$", re.MULTILINE)


def is_soft_failure(error: BaseException) -> bool:
    """Whether Dynamo answers this by running the frame eagerly, were it not for `fullgraph`."""
    return isinstance(error, hooks.UNSUPPORTED.get() | hooks.USER_ERROR.get())


def is_recompile_limit(error: BaseException) -> bool:
    """Whether a compilation was refused because there were too many before it."""
    told = str(error).partition("\n")[0]
    return raises_at_limit(error) or "recompile limit" in told


def limit_named(error: BaseException) -> str:
    """The setting that PyTorch says was reached; what ends the program is raised from that."""
    found = _LIMIT.search(f"{error}\n{error.__cause__ or ''}")
    return found[0] if found else ""


_LIMIT = re.compile(r"\b(?:accumulated_)?recompile_limit\b")


def raises_at_limit(error: BaseException) -> bool:
    """Whether that ends the program, instead of leaving the call to Python."""
    return isinstance(error, hooks.LIMIT_HIT.get())


def attempt_outcome(error: BaseException) -> AttemptOutcome:
    """What the exception that ended an analysis means."""
    if isinstance(error, hooks.RESTART.get()):
        return "restarted"
    skips = isinstance(error, hooks.SKIP_FRAME.get()) or is_soft_failure(error)
    return "skipped" if skips else "failed"


def cache_entries(tried: Any) -> list[Any]:
    """The compiled code that a call was tried on: a chain in torch 2.11, a list since."""
    if isinstance(tried, list | tuple):
        return list(tried)
    found: list[Any] = []
    while tried is not None:
        found.append(tried)
        tried = tried.next
    return found
