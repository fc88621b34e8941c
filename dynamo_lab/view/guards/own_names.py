"""Values of a decorator's wrapper by the names that the function has for them that it wraps."""

import re

from msgspec.structs import replace

from dynamo_lab.model.frames import Frame
from dynamo_lab.model.guards.guards import FailedGuard
from dynamo_lab.view.guards.readable import readable

_POSITIONAL = re.compile(r"""L\[\s*['"]args['"]\s*\]\[(\d+)\]""")
_NAMED = re.compile(r"""L\[\s*['"]kwargs['"]\s*\]\[['"](\w+)['"]\]""")
_IN_A_CELL = r"\.__closure__\[\d+\]\.cell_contents"
"""How a decorator holds what it calls."""


def with_parameters(failed: FailedGuard, frame: Frame) -> FailedGuard:
    """The failure of a wrapper's guard in the names of the function that it wraps."""
    text, source, now = (
        in_own_names(one, frame) for one in (failed.text, failed.source, failed.now)
    )
    return replace(failed, text=text, source=source, now=now)


def in_own_names(text: str, frame: Frame) -> str:
    """Dynamo's names of a wrapper's values, as the function that it wraps has them."""
    root, last, receiver = _receiver(frame)
    if receiver:
        text = re.sub(_path(root, last), f"L['{receiver}']", text)
    if not frame.parameters:
        return text

    def named(found: re.Match[str]) -> str:
        at = int(found[1])
        return f"L['{frame.parameters[at]}']" if at < len(frame.parameters) else found[0]

    return _NAMED.sub(r"L['\1']", _POSITIONAL.sub(named, text))


def in_own_words(text: str, frame: Frame) -> str:
    """The same of a text without Dynamo's `L[...]`: "fn.__self__.n == 1"."""
    root, last, receiver = _receiver(frame)
    if not receiver:
        return text
    # and not what ends in the same word: `self.my_fn.n`
    return re.sub(rf"(?<![\w.]){_path(readable(root), last)}", receiver, text)


def _receiver(frame: Frame) -> tuple[str, str, str]:
    """What a wrapper calls, how its object is reached from there, and the method's name for it."""
    held, receiver = frame.receiver
    root, bracket, last = held.partition("]")
    return root + bracket, last, receiver


def _path(root: str, last: str) -> str:
    """A pattern of the way to that object, also through decorators."""
    return rf"{re.escape(root)}(?:{_IN_A_CELL})*{re.escape(last)}(?=[.\[])"
