"""What one process of a distributed job did: its groups, its collectives, where it was, its end.

A process is a rank of the job. Times are seconds since the epoch, by the clock of the rank's host.
"""

from typing import Annotated, Literal

from msgspec import Struct

from dynamo_lab.model.core.references import Plain, Ref
from dynamo_lab.model.ranks.intervals import Interval
from dynamo_lab.model.ranks.memory import Memory
from dynamo_lab.model.ranks.meshes import Mesh, ShardedTensor
from dynamo_lab.model.ranks.reducers import Reducer

EndingKind = Literal["running", "finished", "raised", "exited", "killed", "stopped", "cut off"]
"""How a rank ended.

"stopped": it stood still by a signal when its time was over; "cut off": it ran, or waited, then;
"raised": by an exception; "exited": with an exit code, and without a word of ours; "running": the
recording was written while it still ran, and nothing is known of its end.
"""

LONGEST_MESSAGE = 500
"""The characters after which the message of an exception is cut."""


class Group(Struct, frozen=True):
    """A process group, by PyTorch's name for it, and its ranks in the job, in the group's order."""

    name: str
    ranks: tuple[int, ...] = ()
    description: str = ""


class Call(Struct, frozen=True, kw_only=True):
    """A collective, or a message from rank to rank, that was handed to a process group.

    `number` counts those of one group from 1: ranks of a group meet in calls of one number.
    `sizes` and `dtypes` are of the tensors that it was given, `results` of those that it fills.
    `is_done` says that the group has finished it; one that is not is being waited for.
    `started` is when it was handed over. `is_compiled`: generated code made the call, so that the
    innermost line of `stack` may be only that of the compiled function. `through` are the functions
    of `torch.distributed` on the way from the user's line to the call, the innermost first
    ("distributed_c10d.all_reduce"); of the compiler where it called itself, as it compiled. `ran`
    is from when to when it ran, where that was measured: on a GPU that of its kernel.
    """

    name: str
    group: str
    number: int
    backend: str = ""
    is_message: bool = False
    sizes: tuple[tuple[int, ...], ...] = ()
    dtypes: tuple[str, ...] = ()
    results: tuple[tuple[int, ...], ...] = ()
    result_dtypes: tuple[str, ...] = ()
    is_done: bool = False
    started: float = 0.0
    is_compiled: bool = False
    is_backward: bool = False
    through: tuple[str, ...] = ()
    ran: Interval | None = None
    stack: Annotated[int | None, Ref("stacks")] = None


class MadeGroup(Struct, frozen=True, kw_only=True):
    """A group of these ranks that a planned program made, at the place that `stack` is."""

    ranks: tuple[int, ...]
    stack: Annotated[int | None, Ref("stacks")] = None


class Outside(Struct, frozen=True, kw_only=True):
    """A collective that a rank called `times` times on a group that it is not in.

    PyTorch warned and did nothing, or raised: so no group has such a call. `has_ended_it`: what
    it raised there ended the program.
    """

    name: str
    times: Annotated[int, Plain("a count")] = 1
    has_ended_it: bool = False
    stack: Annotated[int | None, Ref("stacks")] = None


class Timeline(Struct, frozen=True, kw_only=True):
    """When a rank computed, and when it communicated, as PyTorch's profiler measured it.

    On a GPU these are the times of its kernels: NCCL's, and all others, copies included. On a CPU
    they are those of the backend's work, and of operators and compiled graphs, without the time
    that they waited for a collective. Each is in order, and its intervals do not overlap; what was
    before `start` is left out.
    """

    device: str
    start: float
    computing: tuple[Interval, ...] = ()
    communicating: tuple[Interval, ...] = ()


class Stay(Struct, frozen=True, array_like=True):
    """A time that the rank's main thread spent on one line of the user's, as samples show it."""

    start: float
    end: float
    span: Annotated[int, Ref("spans")]


class Ending(Struct, frozen=True, kw_only=True):
    """How a rank ended: `signal` is the signal's name, `message` an exception's or a last line."""

    kind: EndingKind = "running"
    code: Annotated[int | None, Plain("an exit code")] = None
    signal: str = ""
    message: str = ""


class Handled(Struct, frozen=True, kw_only=True):
    """An exception that was raised on the line of `span`, and had not left the program yet.

    The rank was in an `except` or a `finally`, or another exception was raised there.
    """

    message: str
    span: Annotated[int, Ref("spans")]


class Rank(Struct, frozen=True, kw_only=True):
    """A process of a job: rank `number` of `size`.

    `calls` are those that its groups still remember, in order; `forgotten` counts earlier ones.
    It is None where the groups do not keep them, as some backends do not. `outside` are those of
    groups that it is not in. `span` is the line of
    the user's that it was last seen on, at the time `seen`. `started` is the recording's zero.
    `handled` is the exception that it was handling then, or when another one ended it.
    `made` are the groups that a planned program made, also those without this rank. `timeline` is
    there where the rank ran under the profiler. `meshes` are those that the program made,
    `dtensors` its DTensors: of each name the one that was seen last. `reducers` are of the modules
    that it wrapped in DDP.
    """

    number: int
    size: int
    host: str = ""
    pid: int = 0
    backend: str = ""
    groups: tuple[Group, ...] = ()
    made: tuple[MadeGroup, ...] = ()
    calls: tuple[Call, ...] | None = None
    forgotten: int = 0
    outside: tuple[Outside, ...] = ()
    reducers: tuple[Reducer, ...] = ()
    stays: tuple[Stay, ...] = ()
    started: float = 0.0
    seen: float = 0.0
    span: Annotated[int | None, Ref("spans")] = None
    handled: Handled | None = None
    ending: Ending = Ending()
    timeline: Timeline | None = None
    meshes: tuple[Mesh, ...] = ()
    dtensors: tuple[ShardedTensor, ...] = ()
    memory: Memory | None = None
