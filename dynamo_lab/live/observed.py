"""What a run of a program leaves, and whether a change of the program keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dynamo_lab.live.printed import difference
from dynamo_lab.record.reach import reachable
from dynamo_lab.record.replay import Numbers, compare

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import torch

    from dynamo_lab.live.printed import Lines
    from dynamo_lab.record.run import Program


class Observed(NamedTuple):
    """The tensors that a run returns, those it may have written, and gradients that it left.

    `printed` are the lines that it wrote to standard output.
    """

    returned: list[torch.Tensor]
    written: list[torch.Tensor]
    gradients: list[torch.Tensor]
    printed: Lines = ()

    @property
    def tensors(self) -> tuple[list[torch.Tensor], ...]:
        """Those returned, written, and gradients."""
        return self[:3]


def observed(roots: Sequence[Any], program: Program, result: Any, printed: Lines = ()) -> Observed:
    """What a run of a program, or of one made from it, has just left in what `roots` reach."""
    import torch

    reached = reachable([*roots, program.passed])
    tensors = [one for one in reached if isinstance(one, torch.Tensor)]
    gradients = [one.grad for one in tensors if one.is_leaf and one.grad is not None]
    return Observed(own(result), own(tensors), own(gradients), printed)


def own(result: Any) -> list[torch.Tensor]:
    """Copies of the tensors in a result: they may lie in memory that is restored."""
    from dynamo_lab.capture.core.running import tensors_in

    return [tensor.detach().clone() for tensor in tensors_in(result)]


def attempt(run: Callable[[], Any]) -> tuple[Any, str | None]:
    """The result, and the kind of the error that it raised instead."""
    try:
        return run(), None
    except Exception as error:
        return None, type(error).__name__


_KINDS = ("", "What is written to arguments and buffers: ", "Gradients: ")


def compared(
    eager: Observed | None,
    plain: Callable[[], Observed],
    changed: Observed,
    problem: str | None,
    *,
    drops: bool = False,
) -> Numbers:
    """Whether the change keeps results, writes, gradients and prints; the first that differs.

    Eager is what is right. What the compiled program gave without the change (`plain`, which is
    asked for only where something differs) is no worse than it was: random numbers, for one, are
    drawn in another way. A change that `drops` a call loses what that prints, on purpose.
    """
    if problem is not None or eager is None:
        return Numbers(same=None, sentence=f"Not compared: run eagerly, it raises {problem}.")
    found = _numbers(eager, plain, changed)
    said = "" if found.same is False else difference(eager.printed, changed.printed)
    if not said or not difference(plain().printed, changed.printed):
        return found
    sentence = f"{found.sentence} {said}" if drops else said
    return Numbers(same=None if drops else False, sentence=sentence, difference=found.difference)


def _numbers(eager: Observed, plain: Callable[[], Observed], changed: Observed) -> Numbers:
    """Whether the tensors are those of eager, or those that there were without the change."""
    told = [compare(*pair) for pair in zip(eager.tensors, changed.tensors, strict=True)]
    wrong = [at for at, one in enumerate(told) if one.same is False]
    if not wrong:
        same = any(one.same for one in told)
        worst = max((one.difference or 0.0 for one in told), default=0.0)
        sentence = (
            "Results, what is written and gradients are as in eager "
            f"(largest difference {worst:.3g})."
        )
        return Numbers(same=True, sentence=sentence, difference=worst) if same else told[0]
    at, before = wrong[0], plain().tensors
    if all(compare(before[which], changed[which]).same is not False for which in wrong):
        sentence = "The numbers differ from eager, exactly as they do without the change."
        return Numbers(same=None, sentence=sentence, difference=told[at].difference)
    return Numbers(
        same=False, sentence=_KINDS[at] + told[at].sentence, difference=told[at].difference
    )
