"""Artifacts: the records of a log, kept as text, even if facts are made from them."""

from msgspec import Struct


class Artifact(Struct, frozen=True, kw_only=True):
    """A text in a log, as it was written.

    `kind` is PyTorch's name for the kind of record, `name` its name for this one, such as
    "fx_graph_runnable" of the kind "artifact". Many small records of a kind are in one artifact,
    one line each: `records` says how many. `left_out` counts characters beyond the size limit,
    and `problem` says what is wrong with the text, such as a truncated payload.
    """

    kind: str
    name: str = ""
    compile_id: str = ""
    text: str = ""
    records: int = 1
    left_out: int = 0
    problem: str = ""
