"""Notes: remarks of the recording itself, such as a probe that failed."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Ref

STANCE = "torch.compiler.set_stance"
"""What a note is about that names a stance: where nothing was compiled, it may be why."""


class Note(Struct, frozen=True, kw_only=True):
    """A remark of the recorder. A `failure` means that something is missing from the recording.

    `node` is the index of the node of `graph` that it is about, if there is one.
    """

    level: Literal["info", "warning", "failure"]
    about: str
    message: str
    traceback: str = ""
    graph: Annotated[int | None, Ref("graphs")] = None
    node: Annotated[int | None, Ref("graphs[graph].nodes")] = None
