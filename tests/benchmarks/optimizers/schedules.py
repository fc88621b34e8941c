# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false
# torch annotates its functions only in part.
"""How often a compiled step is compiled again while a scheduler changes the learning rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.optim import lr_scheduler

from dynamo_lab.record.explore import record

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = 6

SCHEDULERS: dict[str, Callable[[Any], Any]] = {
    "StepLR": lambda of: lr_scheduler.StepLR(of, 1, gamma=0.5),
    "ExponentialLR": lambda of: lr_scheduler.ExponentialLR(of, 0.9),
    "LinearLR": lambda of: lr_scheduler.LinearLR(of, total_iters=STEPS),
    "CosineAnnealingLR": lambda of: lr_scheduler.CosineAnnealingLR(of, STEPS),
    "OneCycleLR": lambda of: lr_scheduler.OneCycleLR(of, 0.1, total_steps=2 * STEPS),
    "OneCycleLR, momentum kept": lambda of: lr_scheduler.OneCycleLR(
        of, 0.1, total_steps=2 * STEPS, cycle_momentum=False
    ),
}
"""Each changes the learning rate after every step; the fifth changes Adam's `betas`, too."""


def recompiles(scheduler: str, device: str, *, as_tensor: bool) -> int:
    """In so many steps of Adam, each followed by one of the scheduler's.

    Nothing is generated, as guards are Dynamo's; with Inductor StepLR has the same two numbers.
    """
    weights = [torch.nn.Parameter(torch.randn(8, 8, device=device)) for _ in range(2)]
    for weight in weights:
        weight.grad = torch.randn_like(weight)
    rate = torch.tensor(0.01, device=device) if as_tensor else 0.01
    optimizer = torch.optim.Adam(weights, lr=rate)
    schedule = SCHEDULERS[scheduler](optimizer)
    untyped: Any = torch
    with record(scheduler) as recorder:
        step = untyped.compile(optimizer.step, backend="eager")
        for _ in range(STEPS):
            step()
            schedule.step()
    return len(recorder.recording.recompiles)


def told(device: str) -> str:
    """Of every scheduler, with the rate as a tensor and as a number."""
    rows: list[str] = []
    for name in SCHEDULERS:
        counts = [recompiles(name, device, as_tensor=as_tensor) for as_tensor in (True, False)]
        print(f"{name}: {counts[0]} recompiles of a tensor, {counts[1]} of a number", flush=True)
        rows.append(f"{name} {counts[0]} and {counts[1]}")
    return f"in {STEPS} steps, the rate as a tensor and as a number: {', '.join(rows)}"
