"""Programs of two ranks with one fault each, for `lab.ranks`; `FAULTS` names them."""

import itertools
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as collectives


def reduced(x: torch.Tensor) -> torch.Tensor:
    everyone: Any = dist.group.WORLD
    return collectives.all_reduce(x.sin(), "sum", everyone)  # line: reduced


def fine() -> None:
    compiled = torch.compile(reduced, backend="aot_eager")
    compiled(torch.ones(8))
    dist.all_reduce(torch.ones(4))  # line: fine


def unequal_branch() -> None:
    def step(x, rank):
        everyone: Any = dist.group.WORLD
        if rank == 0:
            x = collectives.all_reduce(x, "sum", everyone)  # line: branch
        return x * 2

    torch.compile(step, backend="aot_eager")(torch.ones(8), dist.get_rank())


def missing() -> None:
    dist.all_reduce(torch.ones(8))
    if dist.get_rank() == 0:
        dist.all_reduce(torch.ones(8))  # line: missing


def swapped() -> None:
    x, parts = torch.ones(8), [torch.empty(8), torch.empty(8)]
    if dist.get_rank() == 0:
        dist.all_reduce(x)  # line: swapped first
        dist.all_gather(parts, x)
    else:
        dist.all_gather(parts, x)  # line: swapped second
        dist.all_reduce(x)


def other_shape() -> None:
    x = torch.ones(8 + 8 * dist.get_rank())
    dist.all_reduce(x)  # line: shape


def recompiles() -> None:
    def step(x):  # line: recompiles
        return x.sin() + x.shape[0]

    compiled = torch.compile(step, backend="aot_eager", dynamic=False)
    compiled(torch.ones(8))
    if dist.get_rank() == 1:
        compiled(torch.ones(9))
    dist.all_reduce(torch.ones(8))


def killed() -> None:
    dist.all_reduce(torch.ones(8))
    if dist.get_rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL if time.sleep(0.5) is None else 0)  # line: killed
    dist.all_reduce(torch.ones(8))  # line: killed waits


def stopped() -> None:
    dist.all_reduce(torch.ones(8))
    if dist.get_rank() == 1:
        time.sleep(20 if os.kill(os.getpid(), signal.SIGSTOP) is None else 0)  # line: stopped
    dist.all_reduce(torch.ones(8))


def slow() -> None:
    dist.all_reduce(torch.ones(8))
    if dist.get_rank() == 1:
        time.sleep(4)  # line: slow
    dist.all_reduce(torch.ones(8))  # line: slow waits


def other_group() -> None:
    own = dist.new_group([0, 1])
    dist.all_reduce(torch.ones(8), group=own if dist.get_rank() == 1 else None)  # line: group


def other_placement() -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Replicate, Shard

    mesh = init_device_mesh("cpu", (2,))
    kind = Shard(0) if dist.get_rank() == 0 else Replicate()
    x = DTensor.from_local(torch.ones(4, 4), mesh, [kind], run_check=False)
    x.redistribute(mesh, [Replicate()]).to_local()  # line: placement


def raises() -> None:
    if dist.get_rank() == 1:
        raise ValueError("there is no such batch")  # line: raises
    dist.all_reduce(torch.ones(8))


def other_types() -> None:
    x = torch.ones(8, dtype=(torch.float32, torch.float64)[dist.get_rank()])
    dist.all_reduce(x)  # line: types


def one_batch_fewer() -> None:
    for batch in [torch.ones(8)] * (3 - dist.get_rank()):
        dist.all_reduce(batch)  # line: batch


def raises_on_the_way() -> None:
    try:
        if dist.get_rank() == 1:
            raise ValueError("there is no such batch")  # line: on the way
        dist.all_reduce(torch.ones(8))  # line: on the way waits
    finally:
        dist.barrier()  # line: finally


def stuck() -> None:
    if dist.get_rank() == 1:
        any(False for _ in itertools.count())  # line: stuck
    dist.all_reduce(torch.ones(8))  # line: stuck waits


FAULTS: dict[Callable[[], None], tuple[tuple[str, ...], tuple[str, ...]]] = {
    unequal_branch: (("Rank 1 ended without calling `all_reduce` 1", "if rank == 0"), ("branch",)),
    missing: (("Rank 1 ended without calling `all_reduce` 2", "get_rank() == 0"), ("missing",)),
    swapped: (("`all_gather`", "`all_reduce`"), ("swapped first", "swapped second")),
    other_shape: (
        (
            "Rank 0 was ended by SIGABRT",
            "a piece of 16 bytes",
            "different sizes or types",
            "rank 1 brings float[16] to `all_reduce` 1",
        ),
        ("shape",),
    ),
    recompiles: (("ank 1", "`step`", "size mismatch"), ("recompiles",)),
    killed: (("Rank 1 was ended by SIGKILL",), ("killed", "killed waits")),
    stopped: (("Rank 1 stood still (SIGSTOP)",), ("stopped",)),
    slow: (("Rank 1 came", "late to `all_reduce` 2"), ("slow", "slow waits")),
    other_group: (  # told of the rank that came later, either of them
        ("`all_reduce` 1 of the group '1'", "`all_reduce` 1 of all ranks", "wait forever"),
        ("group",),
    ),
    other_placement: (
        ("Rank 1 ended without calling", "goes from S(0) to R", "on rank 1 none changed its"),
        ("placement",),
    ),
    other_types: (
        (
            "Rank 0 was ended by SIGABRT",
            "different sizes or types",
            "rank 1 brings double[8] to `all_reduce` 1",
        ),
        ("types",),
    ),
    one_batch_fewer: (
        ("Rank 1 ended without calling", "`for batch in", "3 times on rank 0, and twice on rank 1"),
        ("batch",),
    ),
    raises_on_the_way: (
        ("Rank 1 calls `barrier`", "while rank 1 handles ValueError: there is no such batch"),
        ("on the way", "on the way waits", "finally"),
    ),
    stuck: (("Rank 1 was at", "had not come to `all_reduce` 1"), ("stuck", "stuck waits")),
    raises: (("Rank 1 raised ValueError: there is no such batch",), ("raises",)),
}
"""Of each fault, what the first sentence says, and the marks of the lines that it names."""


def line_of(mark: str) -> int:
    """The number of the line with this mark."""
    with open(__file__, encoding="utf-8") as file:
        found = [at for at, line in enumerate(file, 1) if line.endswith(f"# line: {mark}\n")]
    (number,) = found
    return number
