"""Artifacts: the records of a log, kept as text, also where facts are made of them."""

from msgspec import Struct


class Artifact(Struct, frozen=True, kw_only=True):
    """A text of a log, as it was written.

    `kind` is PyTorch's name for the kind of record, `name` what it calls this one, such as
    "fx_graph_runnable" of the kind "artifact". Many small records of a kind stand in one artifact,
    a line each: `records` says how many. `left_out` counts characters that were too many to keep,
    and `problem` says what is wrong with the text, such as a payload that was cut off.
    """

    kind: str
    name: str = ""
    compile_id: str = ""
    text: str = ""
    records: int = 1
    left_out: int = 0
    problem: str = ""
