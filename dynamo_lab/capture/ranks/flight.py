"""The collectives of this process, from the flight recorder of PyTorch's process groups.

The flight recorder (`torch/csrc/distributed/c10d/FlightRecorder.hpp`) is a ring in C++ into which
NCCL's and gloo's groups write each call: what is called, on which group, with which sizes, from
which Python lines, and whether it is finished. Reading it sends nothing to other ranks, and works
from another thread while the main one waits in a collective.
"""

from __future__ import annotations

import functools
import os
import pickle
import re
import sys
import traceback
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from dynamo_lab.capture.ranks import hooks
from dynamo_lab.model.ranks.names import COMPILERS
from dynamo_lab.model.ranks.ranks import Call, Group

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SIZE = 2000
"""The calls that are remembered, PyTorch's own default for NCCL."""

COMPILED = re.compile(
    r"^<eval_with_key>|[/\\]c[a-z2-7]{51}\.py$"
    r"|[/\\]torch[/\\](?:_functorch[/\\]_aot_autograd|_inductor)[/\\]"
)
"""Code of FX and of Inductor, which names its files after their hash, and what runs it."""
_DISTRIBUTED = re.compile(
    r"[/\\]torch[/\\](?:distributed[/\\](.+)|(nn[/\\]parallel[/\\].+"
    r"|_inductor[/\\](?:fx_passes[/\\].+|comms|distributed_autotune)"
    r"|_functorch[/\\]partitioners|_dynamo[/\\]output_graph))\.py$"
)
"""Code that calls collectives. That of the compiler calls while it compiles: see `COMPILERS`."""
_AROUND = ("c10d_logger",)
"""Modules of `torch.distributed` that only wrap others."""
_MOST_THROUGH = 12
_MESSAGES = re.compile(r"\b(?:send|recv)\b")


def switch_on() -> None:
    """Have the groups of this process, and of those it starts, remember their calls.

    It works before the first process group is made; a size that the user chose stays.
    """
    if "TORCH_NCCL_TRACE_BUFFER_SIZE" not in os.environ:  # its older name
        os.environ.setdefault("TORCH_FR_BUFFER_SIZE", str(SIZE))


class CallTexts(Protocol):
    """Where the lines of calls go, and which of them are the user's."""

    def is_users(self, path: str) -> bool:
        """Whether a file is no library's."""
        ...

    def span(self, path: str, line: int, function: str) -> int:
        """The index of a place."""
        ...

    def stack(self, spans: Iterable[int]) -> int:
        """The index of a stack, outermost first."""
        ...


class Flight:
    """The calls that this process's groups remember; each is read into facts once."""

    def __init__(self, texts: CallTexts) -> None:
        self._texts = texts
        self._calls: dict[tuple[Any, ...], Call] = {}

    def freeze(self) -> tuple[Call, ...] | None:
        """The calls so far, in order; None where this PyTorch, or the backend, keeps none."""
        entries = _entries(with_stacks=True)
        if entries is None:
            return None
        for entry in entries:
            key = _key(entry)
            known = self._calls.get(key)
            if known is None or not known.is_done:
                self._calls[key] = self.call_of(entry)
        return tuple(self._calls[key] for key in sorted(self._calls))

    def count(self) -> int:
        """How many calls there are, and how many of them are finished, as one number."""
        entries = _entries(with_stacks=False) or ()
        return sum(1 + bool(entry.get("retired")) for entry in entries)

    def call_of(self, entry: dict[str, Any]) -> Call:
        """The call of an entry of the flight recorder."""
        backend, _, name = str(entry["profiling_name"]).partition(":")
        group, _ = entry["process_group"]
        is_message = bool(entry["is_p2p"])
        frames = [frame for frame in entry.get("frames") or () if isinstance(frame, dict)]
        through, is_compiled = way_of(frames, self._texts)
        return Call(
            name=name or backend,
            group=str(group),
            number=int(entry["p2p_seq_id" if is_message else "collective_seq_id"]),
            backend=backend if name else "",
            is_message=is_message or bool(_MESSAGES.match(name)),
            sizes=_sizes(entry["input_sizes"]),
            dtypes=tuple(map(str, entry["input_dtypes"])),
            results=_sizes(entry["output_sizes"]),
            result_dtypes=tuple(map(str, entry["output_dtypes"])),
            is_done=bool(entry["retired"]) or entry["state"] == "completed",
            started=int(entry["time_created_ns"]) / 1e9,
            is_compiled=is_compiled,
            is_backward=is_backward(frames, str(entry.get("thread_name", ""))),
            through=through,
            stack=stack_of(frames, self._texts),
        )


Frame = Mapping[str, Any]
"""A Python frame as the flight recorder has it: its "filename", "line" and "name"."""


def frames_now(above: int) -> list[Frame]:
    """The Python frames that called, innermost first; `above` this function's caller so many."""
    return [
        {"filename": frame.f_code.co_filename, "line": line, "name": frame.f_code.co_name}
        for frame, line in traceback.walk_stack(sys._getframe(1 + above))
    ]


def stack_of(frames: Sequence[Frame], texts: CallTexts) -> int | None:
    """The user's lines of frames, outermost first, as a stack of the texts; None without any."""
    spans = [
        texts.span(frame["filename"], int(frame["line"]), frame["name"])
        for frame in reversed(frames)
        if texts.is_users(frame["filename"])
    ]
    return texts.stack(spans) if spans else None


class Way(NamedTuple):
    """The way from the user's innermost line to a call: see `Call`, which has both."""

    through: tuple[str, ...]
    is_compiled: bool


def way_of(frames: Sequence[Frame], texts: CallTexts) -> Way:
    """Which functions of PyTorch led to a call, and whether compiled code of the user's did."""
    named: list[str] = []
    is_compiled = False
    for frame in frames:
        path = frame["filename"]
        if texts.is_users(path):
            break
        module, is_generated = _library(path)
        is_compiled |= is_generated
        if module:
            named.append(f"{module}.{frame['name']}")
    # what the compiler itself calls is called before there is compiled code
    is_compilers = any(one.startswith(COMPILERS) for one in named)
    return Way(tuple(named[:_MOST_THROUGH]), is_compiled and not is_compilers)


@functools.cache
def _library(path: str) -> tuple[str, bool]:
    """The module that calls collectives, empty of other files; whether compiled code is in it."""
    found = _DISTRIBUTED.search(path)
    module = (found[1] or found[2]).replace("/", ".").replace("\\", ".") if found else ""
    return "" if module in _AROUND else module, bool(COMPILED.search(path))


def is_backward(frames: Sequence[Frame], thread: str = "") -> bool:
    """Whether autograd's engine made a call: for a GPU in its own thread, else in `backward`."""
    if thread.startswith("pt_autograd"):
        return True
    return any(frame["name"] == "_engine_run_backward" for frame in frames)


def groups() -> Iterator[Group]:
    """The process groups of this process, by name, with their ranks in the job, in its order."""
    import torch.distributed as dist

    if not (dist.is_available() and dist.is_initialized() and hooks.WORLD.exists):
        return
    world = hooks.WORLD.get()
    for group, ranks in list(world.pg_group_ranks.items()):
        description = getattr(group, "group_desc", "")
        name = world.pg_names.get(group, "")
        yield Group(str(name), tuple(map(int, sorted(ranks, key=ranks.get))), str(description))


def _key(entry: dict[str, Any]) -> tuple[Any, ...]:
    """When it was made, and what tells it from others of that time, whatever ring it is in."""
    group, _ = entry["process_group"]
    numbers = entry["collective_seq_id"], entry["p2p_seq_id"], entry["record_id"]
    return int(entry["time_created_ns"]), str(entry["profiling_name"]), str(group), *numbers


def _entries(with_stacks: bool) -> list[dict[str, Any]] | None:
    """The entries of all rings; None where there is none. Stacks are most of the work."""
    import torch.distributed as dist

    if not (dist.is_available() and hooks.DUMP.exists):
        return None
    # NCCL has a ring of its own, with CUDA's events, in those builds of PyTorch that have NCCL.
    dumps = (hooks.DUMP.get(), getattr(hooks.C10D.get(), "_dump_nccl_trace", None))
    entries: list[dict[str, Any]] | None = None
    for dump in filter(None, dumps):
        found = pickle.loads(dump(True, with_stacks, False))  # bytes of this process's own
        own = found.get("entries") if isinstance(found, dict) else None
        entries = entries if own is None else [*(entries or ()), *own]
    return entries


def _sizes(of: Any) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(size) for size in one) for one in of)
