"""Lesson 19: training in 256 kB."""

from __future__ import annotations

from functools import cache
from typing import Any

from dynamo_lab.course.asking import need, need_function, need_kind
from dynamo_lab.course.exercises import Exercise
from dynamo_lab.course.predictions import Prediction
from dynamo_lab.course.tiny.given import SMALL_STEP, images, network, peak
from dynamo_lab.errors import DynamoLabError

LIMIT, SHARE = 150_000, 0.4
_LEAST = 12
_PARTS = ("weights", "sample", "activations", "gradients")


@cache
def _plan() -> Any:
    from dynamo_lab.api.tiny.tiny import tiny

    return tiny(network(), images(1), update="all", memory=None)


def _most(answer: Any) -> str:
    need_kind(answer in _PARTS, f"One of {', '.join(_PARTS)} is needed, as text.")
    full = _plan().facts.bars[0]
    of = {part: getattr(full, part) for part in _PARTS}
    need(answer != "weights", "The weights are there all the time, but they are few here.")
    need(answer != "gradients", "Those of the weights are as large as the weights, no larger.")
    need(answer != "sample", "The image is one of the first to go.")
    return f"In kB: {', '.join(f'{part} {count / 1000:.0f}' for part, count in of.items())}."


def _update(answer: Any) -> str:
    need_kind(answer is not ..., "There is no answer yet: what is to be updated?")
    try:
        facts = _plan().replanned(answer).facts
    except DynamoLabError as error:
        need(False, str(error))
        raise
    share = facts.updated / facts.parameters
    told = f"It needs {facts.bytes / 1000:.1f} kB and updates {share:.0%} of the numbers"
    need(facts.bytes <= LIMIT, f"{told}: that is above {LIMIT // 1000} kB.")
    need(share >= SHARE, f"{told}: that is less than {SHARE:.0%}.")
    return f"{told}. At the worst moment, {facts.peak_at}, most is of the forward itself."


def _scaled(answer: Any) -> str:
    import torch

    need_function(answer)
    torch.manual_seed(0)
    scale = torch.tensor([0.5, 0.01, 0.002])[:, None]
    q, grad = torch.randint(-127, 127, (3, 4)).float(), torch.randn(3, 4)
    weight, of_q = q * scale, grad * scale
    got = answer(of_q.clone(), scale.clone())
    need(torch.is_tensor(got), "A tensor is needed: the step for q, before the learning rate.")
    need(got.shape == q.shape, f"Its shape is {tuple(got.shape)}, and q's is {tuple(q.shape)}.")
    moved = (q - 0.1 * got) * scale
    wanted = weight - 0.1 * grad
    need(
        not torch.allclose(got, of_q),
        "That is plain SGD on q: a channel with a small scale hardly moves.",
    )
    need(
        torch.allclose(moved, wanted, rtol=1e-4),
        "Multiplied by its scale, q has not moved as the weight would: by how much is it off in "
        "each channel?",
    )
    return "Each channel moves as in float, whatever its scale."


def _order(answer: Any) -> str:
    need_kind(isinstance(answer, list | tuple), "A list of names is needed.")
    names: list[Any] = list(answer)
    need_kind(all(name in SMALL_STEP for name in names), f"Choose of {', '.join(SMALL_STEP)}.")
    need(sorted(names) == sorted(SMALL_STEP), "Each operation is needed once.")
    for at, name in enumerate(names):
        early = [read for read in SMALL_STEP[name][0] if read not in names[:at]]
        need(not early, f"`{name}` reads `{''.join(early)}`, which is not there yet.")
    most = peak(names)
    need(most <= _LEAST, f"At most {most} kB are alive at once; {_LEAST} are possible.")
    return f"{most} kB: each update comes as soon as its gradient is there, and frees it."


EXERCISES = (
    Prediction(
        "19.1",
        "What takes the memory?",
        _most,
        (
            "An image of 32 x 32 becomes 48 channels of 16 x 16 in the first block.",
            "The backward of a convolution reads what the forward gave it, so that is kept.",
        ),
        shows=lambda: _plan().recording,
    ),
    Exercise(
        "19.2",
        "As much as fits",
        _update,
        (
            "`plan.replanned(update)` plans at once what you think of; print it.",
            'Each updated weight is counted whole. Begin at the end: "last 2", then more.',
        ),
    ),
    Exercise(
        "19.3",
        "Nine operations in order",
        _order,
        (
            "A gradient of a weight is read by its update alone. When can it go?",
            "Of `grad3`, `wgrad3` and `grad2` are the readers. Is `wgrad3` still there when "
            "`wgrad2` is made?",
        ),
    ),
    Exercise(
        "19.4",
        "A step that does not see the scale",
        _scaled,
        (
            "The weight is scale * q, so its gradient with respect to q is scale * gradient.",
            "q has to move by the weight's step divided by the scale: divide twice in all.",
        ),
    ),
)
