"""The exception that ended a program, in one readable line."""

import ast
import re
from collections.abc import Iterator

from dynamo_lab.model.recording import Failure
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.words import brief, first_line, plural

# Dynamo runs each operator on fake tensors, and quotes what the operator raised.
_QUOTED = re.compile(r"\bgot ([A-Za-z_][\w.]*)\((.*)\)\s*$", re.MULTILINE)
_LONGEST = 20_000
_BACKEND = re.compile(r"\s*backend=(.+?) raised:\s*\n")
# Wrappers: they say that something failed within them, and then what.
_WRAPPERS = frozenset({"InductorError", "LoweringException", "TorchRuntimeError"})
COMPILERS = _WRAPPERS | {"BackendCompilerFailed", "InternalTorchDynamoError", "Unsupported"}
"""What compiling a line raises, and Python never does where it runs the line itself."""

_UNCAPTURED = re.compile(
    r"captured completely with torch\.compile\. Got graph break/error:\s+(\S.*)"
    r"(?:\s+Higher Order Operator: (\S+))?"
)
"""PyTorch's words, torch/_dynamo/exc.py and variables/higher_order_ops.py."""

_REFUSED = re.compile(r"The C compiler refused the kernel of ")

_ERROR = re.compile(r"(?:[\w.]*\.)?(\w+(?:Error|Exception|Exit|Interrupt|Failed)): *(.*)")


def failure_line(failure: Failure | None, places: Places) -> str:
    """The cause and the user's line: 'RuntimeError: no such size, at line 3'."""
    if failure is None:
        return ""
    text = cause(failure.type, failure.message)
    if failure.span is None:
        return text
    return f"{text.rstrip('.')}, at {places.where_span(failure.span)}"


def is_refused_kernel(failure: Failure) -> bool:
    """Whether the backend `lab` wrote a kernel that its compiler does not take."""
    return failure.type == "BuildError" and _REFUSED.match(failure.message) is not None


def whole(failure: Failure | None, line: str) -> str:
    """The message where the line does not tell all of it, else empty."""
    if failure is None or failure.message.strip() in line:
        return ""
    left = len(failure.message) - _LONGEST
    rest = f"\n… {plural(left, 'more character')}: rec.failure.message has them" if left > 0 else ""
    return f"{failure.message[:_LONGEST].strip()}{rest}"


def cause(kind: str, message: str) -> str:
    """The innermost error that a message reports, as 'ValueError: what is wrong', in brief."""
    return brief(_cause(kind, message[:_LONGEST]))


def uncaptured(message: str) -> tuple[str, str] | None:
    """The operator whose functions have to be captured whole, and the kind of break in one."""
    found = _UNCAPTURED.search(message)
    return (found[2] or "the operator", found[1].strip()) if found else None


def _cause(kind: str, message: str) -> str:
    if inner := uncaptured(message):
        operator, broke = inner
        return f"all that {operator} runs has to be captured, and a function of it breaks: {broke}"
    backend = _BACKEND.match(message)
    if backend is not None:
        return f"backend {backend[1]} raised {_unwrapped(message[backend.end() :])}"
    quoted = _QUOTED.search(message) if "fake tensor" in message else None
    if quoted is not None:
        return _labelled(quoted[1].rpartition(".")[2], _argument(quoted[2]))
    text = first_line(message)
    return _unwrapped(text) if kind in _WRAPPERS and _ERROR.match(text) else _labelled(kind, text)


def _unwrapped(text: str) -> str:
    """The error inside errors that only wrap it; 'LoweringException: X: y' is 'X: y'."""
    shown = first_line(text)
    for kind, rest in _layers(shown):
        shown = _labelled(kind, rest)
        if kind not in _WRAPPERS or not _ERROR.match(rest):
            break
    return shown


def _layers(text: str) -> Iterator[tuple[str, str]]:
    while match := _ERROR.match(text):
        yield match[1], match[2]
        text = match[2]


def _argument(quoted: str) -> str:
    """The text in an exception's repr: its only string without the quotes, else unchanged."""
    try:
        value = ast.literal_eval(quoted)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return quoted
    return first_line(value) if isinstance(value, str) else quoted


def _labelled(kind: str, text: str) -> str:
    return f"{kind}: {text}" if text else kind
