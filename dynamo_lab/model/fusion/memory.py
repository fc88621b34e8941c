"""Memory of the generated code: what each call finds allocated, reuses and frees."""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Ref

BufferRole = Literal["buffer", "output", "input", "donated", "view", "removed"]
"""`donated` is an input that may be overwritten, because nothing needs it afterwards; a `view` has
no memory of its own; a `removed` buffer lives only inside a kernel."""

EventKind = Literal["allocate", "in_place", "reuse", "view", "free"]
"""A kernel writes over what it reads (`in_place`), or a buffer gets the memory of one that is
no longer needed (`reuse`)."""


class MemoryBuffer(Struct, frozen=True, kw_only=True):
    """A buffer of the generated code. `operation` produces it; None for what comes from outside.

    `bytes` is its storage, symbolic sizes as in the recorded run; None if that is not known.
    """

    name: str
    role: BufferRole
    bytes: int | None = None
    dtype: str = ""
    shape: tuple[str, ...] = ()
    operation: Annotated[int | None, Ref("schedules[MemoryPlan.schedule].operations")] = None


class MemoryEvent(Struct, frozen=True):
    """An event of a buffer before step `step`; `source` is the one whose storage it gets or shares.

    Events of the step after the last happen when all calls are done.
    """

    step: Annotated[int, Ref("MemoryPlan.steps", or_end=True)]
    kind: EventKind
    buffer: Annotated[int, Ref("MemoryPlan.buffers")]
    source: Annotated[int | None, Ref("MemoryPlan.buffers")] = None


class MemoryStep(Struct, frozen=True, kw_only=True):
    """A call of a kernel or of a library, with the operations that it carries out."""

    name: str
    kernel: Annotated[int | None, Ref("kernels")] = None
    operations: Annotated[tuple[int, ...], Ref("schedules[MemoryPlan.schedule].operations")] = ()


class MemoryPlan(Struct, frozen=True, kw_only=True):
    """The memory of one schedule, in the order of the generated code.

    `is_pooled` says that buffers are parts of larger pools, which are then not recorded.
    """

    schedule: Annotated[int, Ref("schedules")]
    buffers: tuple[MemoryBuffer, ...] = ()
    steps: tuple[MemoryStep, ...] = ()
    events: tuple[MemoryEvent, ...] = ()
    is_pooled: bool = False
