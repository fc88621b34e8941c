"""Notes: what the recording itself has to say, such as a probe that failed."""

from typing import Literal

from msgspec import Struct


class Note(Struct, frozen=True, kw_only=True):
    """A remark of the recorder. A `failure` means that something is missing from the recording.

    `node` is the index of the node of `graph` that it is about, where it is about one.
    """

    level: Literal["info", "warning", "failure"]
    about: str
    message: str
    traceback: str = ""
    graph: int | None = None
    node: int | None = None
