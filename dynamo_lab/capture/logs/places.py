"""Which function each frame of a log in words is of, as far as its messages say."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dynamo_lab.capture.logs.messages import Message

_START = re.compile(r"torchdynamo start (?:compiling|tracing) (\S+) (.+?):(\d{1,9})(?:,|\s|$)")
_BYTECODE = re.compile(r"ORIGINAL BYTECODE (\S+) (.+?) line (\d{1,9})")
_AGAIN = re.compile(r"Recompiling function (\S+) in (.+?):(\d{1,9})\s*$", re.MULTILINE)
_TRACED = re.compile(r"^TRACE (?:starts_line|FX call \S+ from) (.+?):(\d{1,9}) in (\S+)")
_WHOLE = re.compile(r"WON'T CONVERT (\S+) (.+?) line (\d{1,9})")
_FILE_LINE = re.compile(r'^\s*File "([^"\n]+)", line (\d{1,9}), in (\S+)', re.MULTILINE)
_BREAK = re.compile(r"in user code at (.+?):(\d{1,9})\s*$", re.MULTILINE)
_WAY = re.compile(r"^Graph break: from user code at:\n", re.MULTILINE)
"""The way from the function that is compiled, unlike a "User code traceback", to the break."""
_NODE = re.compile(r"# File: (.+?):(\d{1,9}) in (\S+), code: ")
_INSTALLED = re.compile(r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python[\d.]+[/\\]")


class Place(NamedTuple):
    """A function and its line. `is_told` if the log says that it is what was compiled."""

    path: str
    line: int
    name: str
    is_told: bool = True


def told(message: Message) -> Place | None:
    """The function that a message says is being compiled."""
    text = message.text
    for form in (_START, _AGAIN, _BYTECODE, _WHOLE):
        if found := form.search(text):
            return Place(found[2], int(found[3]), found[1])
    if (way := _WAY.search(text)) and (found := _FILE_LINE.search(text, way.end())):
        return Place(found[1], int(found[2]), found[3])
    if message.head.name == "trace_source" and (found := _TRACED.search(text)):
        return Place(found[1], int(found[2]), found[3])
    return None


def guessed(message: Message) -> Place | None:
    """A function that a message names: the innermost of the program that it was at."""
    found = list(_lines_named(message.text))
    return found[-1]._replace(is_told=False) if found else None


def innermost(text: str) -> Place | None:
    """The innermost line of the program that a text names."""
    own = [place for place in _lines_named(text) if not _INSTALLED.search(place.path)]
    return own[-1] if own else None


def _lines_named(text: str) -> Iterator[Place]:
    """Lines of files, outermost first. A message that is about one line may quote others too."""
    if at := _TRACED.search(text):
        yield Place(at[1], int(at[2]), at[3])
    elif at := _AGAIN.search(text) or _START.search(text) or _BYTECODE.search(text):
        yield Place(at[2], int(at[3]), at[1])
    elif found := (_FILE_LINE.findall(text) or _NODE.findall(text)[:1]):
        yield from (Place(path, int(line), name) for path, line, name in found)
    elif at := _BREAK.search(text):
        yield Place(at[1], int(at[2]), "")


def frame_of(compile_id: str) -> str:
    """'0' of "0/1": recompilations are of the same frame."""
    return compile_id.rpartition("/")[0]


def of_frames(messages: Iterable[Message]) -> dict[str, Place]:
    """The function of each frame: the first that is told to be compiled, else one that is named."""
    sure: dict[str, Place] = {}
    unsure: dict[str, Place] = {}
    for message in messages:
        frame = frame_of(message.head.compile_id.partition("_")[0])
        if frame not in sure and (place := told(message)):
            sure[frame] = place
        elif not (frame in unsure and unsure[frame].name) and (place := guessed(message)):
            unsure[frame] = place if place.name else unsure.get(frame, place)
    return {**unsure, **sure}
