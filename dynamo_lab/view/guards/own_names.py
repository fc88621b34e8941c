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
    held, receiver = frame.receiver
    if receiver:
        root, _, last = held.partition("]")
        of_held = rf"{re.escape(root)}\](?:{_IN_A_CELL})*{re.escape(last)}(?=[.\[])"
        text = re.sub(of_held, f"L['{receiver}']", text)
    if not frame.parameters:
        return text

    def named(found: re.Match[str]) -> str:
        at = int(found[1])
        return f"L['{frame.parameters[at]}']" if at < len(frame.parameters) else found[0]

    return _NAMED.sub(r"L['\1']", _POSITIONAL.sub(named, text))


def in_own_words(text: str, frame: Frame) -> str:
    """The same of a text without Dynamo's `L[...]`: "fn.__self__.n == 1"."""
    held, receiver = frame.receiver
    return text.replace(f"{readable(held)}.", f"{receiver}.") if receiver else text
