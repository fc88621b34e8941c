"""Lesson 9: a whole training step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.course.asking import (
    gradients,
    keeps_less,
    lowered,
    need,
    need_function,
    told_break,
)
from dynamo_lab.course.comparing import same_numbers, same_program
from dynamo_lab.course.exercises import Exercise

if TYPE_CHECKING:
    from dynamo_lab.api.recording import Recording

_STEPS = 3
_ENOUGH = 4
"""How many times less the checkpointed function has to keep."""


def _model() -> Any:
    """A small classifier of torch's own modules: Dynamo traces none of this package."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4))


def _eager_step(model: Any, optimizer: Any) -> Any:
    from torch.nn.functional import cross_entropy

    def step(x: Any, target: Any) -> Any:
        optimizer.zero_grad()
        loss = cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def _trained(make_step: Any) -> tuple[Recording, list[Any], list[Any]]:
    """The recording of some steps, their losses, and the parameters afterwards."""
    import torch

    from dynamo_lab.api.explore import record

    model = _model()
    # a large eps: without, rounding decides the sign of Adam's first steps where a gradient is ~0
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05, eps=1e-2, foreach=True)
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(32, 8, generator=generator)
    target = torch.randint(4, (32,), generator=generator)
    with record("training", target="cpu") as recorder:
        step = make_step(model, optimizer)
        need(callable(step), "make_step returns no function: let it return `step`.")
        losses = [step(x, target) for _ in range(_STEPS)]
    return recorder.recording, losses, [p.detach() for p in model.parameters()]


def _two_parts(answer: Any) -> str:
    import torch

    need_function(answer)
    recording, losses, parameters = _trained(answer)
    _, expected_losses, expected = _trained(_eager_step)
    need(all(torch.is_tensor(loss) for loss in losses), "Your step returns no loss.")
    got, wanted = [*losses, *parameters], [*expected_losses, *expected]
    same = all(torch.allclose(a, b, atol=1e-4) for a, b in zip(got, wanted, strict=True))
    need(same, f"After {_STEPS} steps losses and parameters are not those of the eager step.")
    need(recording.captured_graphs(), "Nothing of it was compiled.")
    own = [b for b in recording.breaks if not _is_of_an_optimizers_step(recording, b.stack)]
    for found in own[:1]:
        need(False, told_break(recording, found))
    backward = any(graph.is_backward for graph in recording.graphs)
    need(backward, "No backward was compiled: compile the forward, with its loss.")
    need(
        any(_is_of_optim(recording, graph.frame) for graph in recording.captured_graphs()),
        "The optimizer's update was not compiled.",
    )
    need(not recording.recompiles, "It compiled again at a later step, where nothing had changed.")
    return "Two compiled parts: forward with its backward, and the update. Python only calls them."


def _is_of_an_optimizers_step(recording: Recording, stack: int | None) -> bool:
    """Whether a break is the one that PyTorch put in front of each optimizer's step."""
    spans = () if stack is None else recording.stacks[stack]
    return any(_is_optim_file(recording, span) for span in spans)


def _is_of_optim(recording: Recording, frame: int | None) -> bool:
    return frame is not None and _is_optim_file(recording, recording.frames[frame].span)


def _is_optim_file(recording: Recording, span: int) -> bool:
    path = recording.sources[recording.spans[span].source].path
    return "torch/optim/" in path.replace("\\", "/")


def _scheduled(make_optimizer: Any) -> tuple[Recording, Any]:
    """The recording of a compiled optimizer under a schedule, and the parameter at the end."""
    import torch

    from dynamo_lab.api.explore import record

    parameter = torch.nn.Parameter(torch.linspace(-1, 1, 8))
    optimizer = make_optimizer([parameter])
    need(hasattr(optimizer, "param_groups"), "make_optimizer returns no optimizer.")
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    with record("schedule") as recorder:
        update = torch.compile(optimizer.step, backend="eager")
        for number in range(_STEPS + 1):
            parameter.grad = torch.full_like(parameter, 1.0 + number)
            update()
            schedule.step()
    return recorder.recording, parameter.detach()


def _rate_without_guard(answer: Any) -> str:
    import torch

    need_function(answer)
    recording, got = _scheduled(answer)
    _, expected = _scheduled(lambda parameters: torch.optim.Adam(parameters, lr=0.01))
    for found in recording.recompiles[:1]:
        reasons = "; ".join(reason for _, reason in found.failures)
        need(False, f"It is recompiled. The guard that failed: {reasons:.160}")
    need(
        any(_is_of_optim(recording, graph.frame) for graph in recording.captured_graphs()),
        "It does not compile again because it is not compiled at all.",
    )
    need(
        torch.allclose(got, expected),
        "It is no Adam at 0.01 under the schedule: the parameter ends elsewhere.",
    )
    return "A tensor is an input of the graph: its number may change, and no guard looks at it."


def _plain(blocks: Any, x: Any) -> Any:
    for block in blocks:
        x = block(x)
    return x


def _blocks() -> Any:
    import torch
    from torch import nn

    torch.manual_seed(0)
    return nn.ModuleList(
        nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16), nn.Tanh()) for _ in range(4)
    )


def _keep_less(answer: Any) -> str:
    import torch
    from torch import nn

    x = torch.linspace(-1, 1, 512).reshape(32, 16).requires_grad_()
    compared = same_numbers(answer, _plain, _blocks(), x, of=gradients)
    original = lowered(nn.Sequential(*_blocks()), x, grad=True)
    recording = lowered(answer, _blocks(), x, grad=True)
    verdict = keeps_less(recording, original, _ENOUGH)
    same_program(recording, compared)
    return verdict


EXERCISES = (
    Exercise(
        "9.1",
        "A step in two parts",
        _two_parts,
        (
            "Compile what computes: section 2 does it, outside of the function that is called "
            "at each step.",
            "Make two things before `step`: torch.compile of the model, and torch.compile of a "
            "method of the optimizer. `step` calls them, and `backward()` as it is.",
        ),
    ),
    Exercise(
        "9.2",
        "A schedule that costs nothing",
        _rate_without_guard,
        (
            "A Python number is a constant of the code. What is an input instead?",
            "`lr` may be a tensor without dimensions; the schedule then writes into it.",
        ),
    ),
    Exercise(
        "9.3",
        "Keep less",
        _keep_less,
        (
            "Section 3 has a model that keeps only what its blocks start from.",
            "Every block has to be checkpointed, each by itself, with `use_reentrant=False`.",
        ),
    ),
)
